"""The rate in T of a run: the exponent that it shows, held against the statement it falls under.

In this order: the bound of the theorem that tuned the run, whose own slope over the same horizons
the run must reach, or its order where the bound's early terms fall faster (per step where the bound
falls by a factor a step); else an order in T that a source states, at the stepsizes of that order;
else nothing is stated, and the exponent is told with the reason. Where a theorem's bound is above
the start at the shortest horizon and the run slower than its order, the order is looked at without
its constants. A rate that is slower than stated
is looked at once more at longer horizons, one that is too coarse once more with more replicas, each
look at half the error of a test; slower at both is refuted. Second looks are taken on the row's
first synthetic problem, elsewhere one is told.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from algorithms.catalogue import Row
from algorithms.problems.base import Problem
from proofs_check.instruments.power_laws.described import bound_slope
from proofs_check.instruments.rates import fit_power, rate_verdict
from proofs_check.instruments.statistics import TEST_ERROR
from proofs_check.methods.order_rates import rate_by_order
from proofs_check.methods.provenance_text import about, no_theorem, told
from proofs_check.methods.rate_looks import (
    CHECK,
    FEWER_REPLICAS,
    LOOK_ERROR,
    HorizonCurve,
    after_first,
    batched,
)
from proofs_check.methods.sweep_points import HORIZONS
from proofs_check.methods.tuned_run import START, TunedRun, measured, shown, tuned_run
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.stepsizes import InverseTimeStep
from theory.theorem import Theorem

_LONGER = 16
_TAIL = 8  # an anytime stepsize is looked at from T/8 on


def rate_in_time(row: Row, problem: Problem, played: TunedRun, replicas: int, seed: int) -> Verdict:
    """The verdict on the exponent of T of one row on one problem."""
    theorem = played.tuned.theorem
    if theorem is not None and measured(played.trace, theorem.metric) is not None:
        if "T" in theorem.order.exponents:
            return _against_bound(row, problem, played, replicas, seed)
    elif theorem is not None and (found := _per_step(row, problem, played)) is not None:
        return found
    if theorem is not None or problem.name != _first(row, problem):
        return no_theorem(row, problem, played, CHECK, "rate in T of the theorem's metric")
    return rate_by_order(row, problem, played, replicas, seed)


def _first(row: Row, problem: Problem) -> str:
    """The problem on which a rate without a theorem is measured: one is enough."""
    synthetic = [name for name in row.problems if name.startswith(("quadratic", "consensus"))]
    return (synthetic or [*row.problems, problem.name])[0]


def _against_bound(
    row: Row, problem: Problem, played: TunedRun, replicas: int, seed: int
) -> Verdict:
    """Two looks at most, against the bound's own slope over the same horizons."""
    theorem = played.tuned.theorem
    assert theorem is not None
    power = float(theorem.order.exponents["T"])

    def judged(curve: HorizonCurve, longest: int) -> Verdict:
        try:
            fit = fit_power(curve.x, curve.samples, LOOK_ERROR, groups=curve.groups)
        except ValueError as error:
            return Verdict(
                subject=row.key, problem=problem.name, check=CHECK,
                kind=CheckKind.RATE, claim="rate in T",
                outcome=Outcome.COMPARED, order=f"T^{power:g}", evidence=str(error),
                provenance=told(played),
            )  # fmt: skip
        return rate_verdict(
            fit, power, False, subject=row.key, problem=problem.name,
            claim=f"{theorem.metric.value} falls with T as fast as {theorem.name} at T up to "
            f"{longest}",
            reference=max(power, bound_slope(curve.x, curve.bound, fit.points)),
            provenance=f"{theorem.source}; {told(played)}, error {LOOK_ERROR:g} a look",
        )  # fmt: skip

    def measure(many: int, key: int, steps: int) -> HorizonCurve:
        points = 2 if _tuned_for_horizon(played) else 200
        again = tuned_run(row, problem, steps, many, key, points=points)
        return _horizons(row, problem, again, many, key)

    first = judged(_horizons(row, problem, played, replicas, seed), played.steps)
    if first.outcome is Outcome.SUPPORTED:
        return about(first, theorem)
    if problem.name != (place := _first(row, problem)):
        note = f"{first.evidence}; looked at once here, decided on {place}"
        return about(replace(first, outcome=Outcome.COMPARED, evidence=note), theorem)
    if first.outcome is Outcome.REFUTED:
        steps = played.steps * _LONGER
        curve = measure(min(replicas, FEWER_REPLICAS), seed + HORIZONS, steps)
    else:
        steps = played.steps
        curve = batched(lambda many, key: measure(many, key, steps), replicas, seed)
    found = after_first(first, judged(curve, steps))
    if found.outcome is Outcome.REFUTED and _says_nothing(theorem, played, curve):
        slower = found.statistic
        found = rate_by_order(row, problem, played, replicas, seed, theorem)
        note = f"{found.evidence}; its bound is above the start at T = {curve.x[0]:g}, so "
        note += f"that it says no rate up to {steps}: at its stepsizes the exponent is {slower:.3g}"
        found = replace(found, evidence=note)
    return about(found, theorem)


def _says_nothing(theorem: Theorem, played: TunedRun, curve: HorizonCurve) -> bool:
    """Whether the bound is above what was measured at the start, at the shortest horizon at least:
    then it does not say how errors fall from there."""
    start = START.get(theorem.metric)
    if start is None:
        return False
    return bool(curve.bound[0] >= getattr(played.trace, start)[:, 0].mean())


def _tuned_for_horizon(played: TunedRun) -> bool:
    return not isinstance(played.tuned.step, InverseTimeStep)


def _horizons(
    row: Row, problem: Problem, played: TunedRun, replicas: int, seed: int
) -> HorizonCurve:
    """The metric and its bound: along one curve where the stepsize is anytime, else over runs each
    tuned for its own horizon."""
    theorem = played.tuned.theorem
    assert theorem is not None
    if not _tuned_for_horizon(played):
        times, series = (
            played.trace.steps.astype(np.float64),
            measured(played.trace, theorem.metric),
        )
        assert series is not None
        tail = times >= played.steps / _TAIL
        bound = theorem.bound(played.constants, played.tuned.step, times[tail])
        return HorizonCurve(times[tail], series[:, tail], bound, len(series))
    ends, bounds, lengths = [], [], []
    for k in range(HORIZONS - 1, -1, -1):
        one = played
        if k:
            one = tuned_run(row, problem, played.steps >> k, replicas, seed + k, points=2)
        series = measured(one.trace, theorem.metric)
        if series is None or one.tuned.theorem is not theorem:
            continue
        length = np.array([float(one.steps)])
        ends.append(series[:, -1])
        bounds.append(theorem.bound(one.constants, one.tuned.step, length)[0])
        lengths.append(float(one.steps))
    samples = np.stack(ends, axis=1)
    return HorizonCurve(np.array(lengths), samples, np.array(bounds), len(samples))


def _per_step(row: Row, problem: Problem, played: TunedRun) -> Verdict | None:
    """Where the bound falls by a factor a step: log of the metric against t, in units of T."""
    theorem, what = played.tuned.theorem, shown(played, problem.n)
    if theorem is None or what.bound is None:
        return None
    times = played.trace.steps.astype(np.float64)
    x = np.exp(times[1:] / played.steps)
    try:
        fit = fit_power(x, what.samples[:, 1:], TEST_ERROR, groups=len(what.samples))
    except ValueError:
        return None
    due = bound_slope(x, what.bound[1:], fit.points)
    verdict = rate_verdict(
        fit, due, False, subject=row.key, problem=problem.name, reference=due,
        variable="e^(t/T)", coarsest=max(0.5, abs(due) / 2),
        claim=f"{what.quantity} falls by the factor of {theorem.name} a step",
        provenance=f"{theorem.source}; {told(played)}, error {TEST_ERROR:g}",
    )  # fmt: skip
    return about(replace(verdict, check=CHECK, order="linear"), theorem)
