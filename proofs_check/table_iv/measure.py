"""Runs of a cell of Table IV: an exponent with its verdict; with T, the longest run's bill."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from algorithms.engine.run import Diverged
from proofs_check.cell import CellResult
from proofs_check.curves import RatePanel
from proofs_check.facts import ExponentFacts, TrafficFacts
from proofs_check.instruments.rates import PowerLawFit, fit_power, rate_verdict
from proofs_check.instruments.statistics import TEST_ERROR
from proofs_check.instruments.study import fitted
from proofs_check.methods.sweep_orders import stated_order
from proofs_check.methods.sweep_points import SweepPoint, known_at, points, value_at
from proofs_check.methods.tuned_run import TunedRun, measured, tuned_run
from proofs_check.moments.reasons import NotLinear
from proofs_check.table_iv.exact import apart, instance_of, runs_exactly
from proofs_check.table_iv.exact_result import exact_result
from proofs_check.table_iv.formulas import FormulaExponent, FormulaPoint, formula_exponent, traffic
from proofs_check.table_iv.trial import GROUPS, METRICS, OCTAVES, TableTrial
from proofs_check.table_iv.variants import kept_variants
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.arrays import Floats
from theory.constants import Constants
from theory.stepsizes import InverseTimeStep
from theory.survey.classification import Objective
from theory.theorem import Metric, Theorem

CHECK = "Table IV"
_TAIL = 16  # a convex cell is fitted from T/16 on
_RECORDS = 48
_STEPS, _ROUNDS = 512, 128  # of runs for exponents of others than T, rounds of a schedule
_OF_SIX = (0, 1, 3, 5)  # places of a ladder that are run
WHY_BY_RUNS = "exact moments are of linear operators alone, and of schedules in T alone"
"""Why an exponent is not looked for by exact moments."""

_DIVERGED = 100.0  # times the error at the start


class TrialPoints(NamedTuple):
    """The points of one exponent.

    Attributes:
        x: values of the variable, rising ``[K]``; T + a in convex cells.
        samples: the metric there ``[R, K]``.
        metric: what it is.
        theorem: the theorem that covers all runs, or None.
        longest: the run at the last point.
        description: how the variable was moved.
        bounds: the theorem's bound at the points ``[K]``, or None.
        settings: the constants of each run.
        formula: the exponent over the points of the bound of the cell's result, whether or not it
            covers these stepsizes; None where it cannot be evaluated there.
    """

    x: Floats
    samples: Floats
    metric: Metric
    theorem: Theorem | None
    longest: TunedRun
    description: str
    bounds: Floats | None
    settings: tuple[Constants, ...]
    formula: FormulaExponent | None = None


def table_result(trial: TableTrial, variable: str, replicas: int, seed: int) -> CellResult:
    """The exponent of ``variable`` in a cell, its curve, and with T the bill.

    By exact moments where they are to be had, else by runs; other exponents than that of T are
    fitted to runs on quadratics.
    """
    why = WHY_BY_RUNS
    if runs_exactly(trial, variable):
        try:
            found = exact_result(trial, variable, seed)
        except (NotLinear, ValueError) as error:
            why = str(error)
        else:
            bill = (_bill_alone(trial, seed),) if variable == "T" else ()
            return found._replace(facts=(*found.facts, *bill))
    there = trial if variable == "T" else on_quadratic(trial)
    return run_result(there, variable, replicas, seed, why)


def _bill_alone(trial: TableTrial, seed: int) -> TrafficFacts:
    """The bill of one short run: messages are the same however long it is."""
    short = replace(trial, steps=trial.steps // OCTAVES)
    place = SweepPoint(short.row, short.build(short.n), short.steps)
    return traffic(short, _run(short, place, 4, seed, records=2))


def run_result(
    trial: TableTrial, variable: str, replicas: int, seed: int, why: str = ""
) -> CellResult:
    """The exponent of ``variable`` by runs; ``why`` not by exact moments is told with it."""
    try:
        found = _points(trial, variable, replicas, seed)
        fit = fit_power(found.x, found.samples, TEST_ERROR, groups=GROUPS)
    except (Diverged, ValueError) as error:
        return CellResult((_unfitted(trial, variable, str(error)),))
    verdict = _verdict(trial, variable, found, fit, seed)
    if why:
        verdict = replace(verdict, evidence=f"{verdict.evidence}; by runs, since {why}")
    bill = (traffic(trial, found.longest),) if variable == "T" else ()
    slope = None if found.formula is None else found.formula.power
    c, unstated = found.longest.constants, trial.unstated(variable)
    facts = ExponentFacts(
        trial.line, str(trial.objective), variable, False, slope,
        instance_of(found.longest.problem, c), str(unstated or ""),
        kept_variants(trial) if variable == "T" else (),
    )  # fmt: skip
    return CellResult((verdict,), (_panel(trial, variable, found, fit, verdict),), (*bill, facts))


def _points(trial: TableTrial, variable: str, replicas: int, seed: int) -> TrialPoints:
    """Runs at every value of the variable; a convex cell's T is read along one run.

    Raises:
        Diverged: a run left the range of its number type.
        ValueError: nothing of the row moves the variable, or fewer than three values are left.
    """
    if variable == "T" and trial.objective is Objective.CONVEX:
        return _along(trial, replicas, seed)
    places: Iterable[SweepPoint]
    if variable == "n":
        trial = trial.of_sizes()
        places = trial.sizes()
    elif variable == "T":
        horizons = tuple(trial.steps / 2**k for k in range(OCTAVES.bit_length() - 1, -1, -1))
        places = points(trial.row, trial.build, "T", trial.n, trial.steps, horizons)
    else:
        places = points(trial.row, trial.build, variable, trial.n, trial.steps, ())
        places = list(places)
        far = [place for _, place in apart(variable, places)]  # many graphs have nearly one gap
        places = far if len(far) >= 4 else places
        places = [places[k] for k in _OF_SIX] if len(places) == 6 else places
    found: dict[float, TunedRun] = {}
    at_place: dict[float, SweepPoint] = {}
    grown: list[float | None] = []
    for place in places:
        try:
            result = _run(trial, place, replicas, seed + len(found), records=2)
        except (Diverged, ValueError):
            if variable == "T":
                raise
            continue
        at = value_at(variable, known_at(result, place), place)
        if _grew(result, trial.objective):
            grown.append(at)
        elif at is not None and not any(abs(at - other) <= 1e-9 * abs(at) for other in found):
            found[at], at_place[at] = result, place
    if len(found) < 3:
        raise ValueError(f"{len(found)} values of {variable} give a finite error, a rate needs 3")
    x = np.array(sorted(found))
    runs = [found[at] for at in x]
    theorem = _theorem(trial, runs)
    metric = theorem.metric if theorem else METRICS[trial.objective]
    series = [measured(one.trace, metric) for one in runs]
    ends = np.stack([y[:, -1] for y in series if y is not None], axis=1)
    description = f"{variable} from {x[0]:.4g} to {x[-1]:.4g}"
    if grown:
        left = ", ".join(f"{at:.4g}" for at in grown if at is not None)
        description += f" (left out, since the error grew there: {left})"
    bounds = None if theorem is None else np.array([one.end_bound for one in runs])
    settings = tuple(one.constants for one in runs)
    formula = formula_exponent(
        (trial.result, *trial.also),
        x,
        [
            FormulaPoint(
                known_at(found[at], at_place[at]),
                at_place[at].problem,
                found[at].tuned.step,
                found[at].steps,
            )
            for at in x
        ],
    )
    return TrialPoints(x, ends, metric, theorem, runs[-1], description, bounds, settings, formula)


def _grew(result: TunedRun, objective: Objective) -> bool:
    """Whether a run ended far above its start: no rate is read off one that diverges."""
    trace = result.trace
    curve = trace.suboptimality if objective is Objective.CONVEX else trace.squared_gradient
    return bool(curve[:, -1].mean() > _DIVERGED * curve[:, 0].mean())


def _along(trial: TableTrial, replicas: int, seed: int) -> TrialPoints:
    """The error along one run with stepsizes c / (a + t), against T + a."""
    place = SweepPoint(trial.row, trial.build(trial.n), trial.steps)
    result = _run(trial, place, replicas, seed, records=_RECORDS)
    step = result.tuned.step
    assert isinstance(step, InverseTimeStep)
    theorem = _theorem(trial, [result])
    metric = theorem.metric if theorem else METRICS[trial.objective]
    series = measured(result.trace, metric)
    assert series is not None
    times = result.trace.steps.astype(np.float64)
    tail = times >= trial.steps / _TAIL
    description = (
        f"T + a, T from {times[tail][0]:.4g} to {times[-1]:.4g} of one run, a = {step.shift:.4g}"
    )
    x, settings = times[tail] + step.shift, (result.constants,)
    at = [FormulaPoint(known_at(result, place), place.problem, step, int(t)) for t in times[tail]]
    formula = formula_exponent((trial.result, *trial.also), x, at)
    return TrialPoints(
        x, series[:, tail], metric, theorem, result, description, None, settings, formula
    )


def _run(trial: TableTrial, place: SweepPoint, replicas: int, seed: int, records: int) -> TunedRun:
    every = trial.n if trial.scheduled else 1
    averaged = trial.objective is Objective.NONCONVEX
    return tuned_run(
        place.row, place.problem, place.steps, replicas, seed,
        trial.rule(place.problem, place.steps), points=records, every=every if averaged else None,
        timing=None,
    )  # fmt: skip


def on_quadratic(trial: TableTrial) -> TableTrial:
    """The trial on the quadratic of its line's convex cell, whose runs are short and constants
    known; it is smooth, so what is said of non-convex functions holds of it."""
    steps = min(trial.steps, trial.n * _ROUNDS if trial.scheduled else _STEPS)
    return replace(
        trial, problem="quadratic-unequal" if trial.drifts else "quadratic-sc", steps=steps
    )


def _theorem(trial: TableTrial, runs: list[TunedRun]) -> Theorem | None:
    """The theorem that covers every run with what the trial's cell is about, else None."""
    one = runs[0].tuned.theorem
    if one is None or "T" not in one.order.exponents:
        return None
    same_theorem = all(result.tuned.theorem is one for result in runs)
    power = one.order.exponents["T"] == trial.objective.power
    known = all(measured(result.trace, one.metric) is not None for result in runs)
    return one if same_theorem and power and known else None


def _verdict(
    trial: TableTrial, variable: str, found: TrialPoints, fit: PowerLawFit, seed: int
) -> Verdict:
    """Held to where a theorem covers the runs, else compared; without an order it stands alone.

    In other variables than T the points need not show the order: where the theorem's own bound has
    another exponent over them, no order is refuted there, and ``bound`` is that exponent.
    """
    description = (
        f"{found.longest.tuned.method.name}, n = {trial.n}, {fit.replicas} replicas, seed {seed}, "
        f"longest run {found.longest.steps} steps with {found.longest.tuned.step_text}, error "
        f"{TEST_ERROR:g}"
    )
    theorem = found.theorem
    stated = theorem.order.exponents.get(variable) if theorem else None
    power = trial.order_in(variable) if stated is None else float(stated)
    name = theorem.name if theorem else trial.result.name if trial.result else ""
    claim = f"{trial.name}: {found.metric.value} as a power of {variable}"
    if power is None:
        return Verdict(
            subject=trial.row.key, problem=trial.problem, check=f"{CHECK}, rate in {variable}",
            kind=CheckKind.RATE, claim=claim, outcome=Outcome.NOT_APPLICABLE, statistic=fit.slope,
            uncertainty=fit.half_width, resolution=fit.resolution, theorem=name,
            evidence=f"exponent of {variable} {fit.slope:.3f} +- {fit.half_width:.3f}; no result "
            f"of this cell states an order in {variable}; {found.description}",
            provenance=description,
        )  # fmt: skip
    verdict = rate_verdict(
        fit, power, False, subject=trial.row.key, problem=trial.problem, variable=variable,
        claim=f"{claim}: exponent <= {power:g}" + (f" ({name})" if name else ""),
        provenance=description,
    )  # fmt: skip
    held = theorem is not None and theorem.confidence.assertable and stated is not None
    basis, why, own = str(theorem.source) if theorem else trial.basis, "", None
    if found.formula is not None:
        own = found.formula.power
    if held and variable != "T":
        order = stated_order(
            trial.row, variable, found.x, theorem, found.bounds, found.settings, vacuous=0
        )
        assert order is not None
        why = order.why
        held = order.asserted and not (why and verdict.outcome is Outcome.REFUTED)
    elif own is not None:
        assert found.formula is not None
        why = f"the bound of {found.formula.name} has the exponent {own:.3g} at these constants "
        why += "and stepsizes" + ("" if theorem else ", which it does not cover")
        why += f" ({found.formula.description})" if found.formula.description else ""
    return replace(
        verdict, check=f"{CHECK}, {verdict.check}", theorem=name,
        bound=verdict.bound if own is None else own,
        outcome=verdict.outcome if held else Outcome.COMPARED,
        evidence="; ".join(filter(None, (verdict.evidence, why, found.description, basis))),
    )  # fmt: skip


def _unfitted(trial: TableTrial, variable: str, why: str) -> Verdict:
    return Verdict(
        subject=trial.row.key, problem=trial.problem, check=f"{CHECK}, rate in {variable}",
        kind=CheckKind.RATE,
        claim=f"{trial.name}: the error as a power of {variable}", outcome=Outcome.NOT_APPLICABLE,
        evidence=f"no fit: {why}", theorem=trial.result.name if trial.result else "",
    )  # fmt: skip


def _panel(
    trial: TableTrial, variable: str, found: TrialPoints, fit: PowerLawFit, verdict: Verdict
) -> RatePanel:
    middle = np.exp(np.log(found.samples.mean(axis=0)).mean())
    centre = np.exp(np.log(found.x).mean())
    reference = np.full_like(found.x, np.nan)
    if verdict.bound is not None:
        reference = middle * (found.x / centre) ** verdict.bound
    along = trial.objective is Objective.CONVEX and variable == "T"
    label = "T + a" if along else variable
    series = fitted(found.x, found.samples, fit, reference)
    return RatePanel(f"{trial.name}: {trial.row.key}", label, found.metric.value, series)
