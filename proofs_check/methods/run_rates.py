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
from fractions import Fraction

import numpy as np

from algorithms.catalogue import Row
from proofs_check.instruments.power_laws.average import bound_slope
from proofs_check.instruments.rates import fit_power, rate_verdict
from proofs_check.instruments.statistics import TEST_ERROR
from proofs_check.methods.order_rates import rate_by_order, rates_in_workers
from proofs_check.methods.rate_looks import (
    CHECK,
    FEWER_REPLICAS,
    LOOK_ERROR,
    HorizonCurve,
    after_first,
    batched,
)
from proofs_check.methods.run_series import shown
from proofs_check.methods.sweep_points import HORIZONS
from proofs_check.methods.tuned_run import TunedRun, about, tuned_run
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.stepsizes import InverseTimeStep

_LONGER = 16
_TAIL = 8  # an anytime stepsize is looked at from T/8 on


def rates_by_variable(result: TunedRun) -> tuple[Verdict, ...]:
    """The verdict on the exponent of T, and on that of n where an order without constants has it,
    both where the latter are measured."""
    in_time = rate_in_time(result)
    if result.theorem is not None or result.problem.name != _first(result):
        return (in_time,)
    return in_time, *rates_in_workers(result)


def rate_in_time(result: TunedRun) -> Verdict:
    """The verdict on the exponent of T of one row on one problem."""
    theorem = result.theorem
    if result.series is not None:
        if theorem is not None and "T" in theorem.order.exponents:
            return _against_bound(result)
    elif theorem is not None and (found := _per_step(result)) is not None:
        return found
    if theorem is not None or result.problem.name != _first(result):
        claim = "rate in T of the theorem's metric"
        return result.no_theorem(CheckKind.RATE, CHECK, claim)
    return rate_by_order(result)


def place_of_rate(row: Row) -> str:
    """The problem on which a rate without a theorem is measured: one is enough; empty: any."""
    synthetic = [name for name in row.problems if name.startswith(("quadratic", "consensus"))]
    return (synthetic or [*row.problems, ""])[0]


def _first(result: TunedRun) -> str:
    return place_of_rate(result.row) or result.problem.name


def _against_bound(result: TunedRun) -> Verdict:
    """Two looks at most, against the bound's own slope over the same horizons."""
    theorem = result.theorem
    assert theorem is not None

    def measure(many: int, key: int, steps: int) -> HorizonCurve:
        points = 2 if _tuned_for_horizon(result) else 200
        longest = _untimed(result, steps, many, key, points)
        return _horizons(longest, many, key)

    replicas, seed, steps = result.replicas, result.trace.seed, result.steps
    first = _judged(result, _horizons(result, replicas, seed), steps)
    if first.outcome is Outcome.SUPPORTED:
        return about(first, theorem)
    if result.problem.name != (place := _first(result)):
        note = f"{first.evidence}; looked at once here, decided on {place}"
        return about(replace(first, outcome=Outcome.COMPARED, evidence=note), theorem)
    if first.outcome is Outcome.REFUTED:
        steps *= _LONGER
        curve = measure(min(replicas, FEWER_REPLICAS), seed + HORIZONS, steps)
    else:
        curve = batched(lambda many, key: measure(many, key, steps), replicas, seed)
    found = after_first(first, _judged(result, curve, steps))
    if found.outcome is Outcome.REFUTED and _says_nothing(result, curve):
        slower = found.statistic
        found = rate_by_order(result, theorem)
        note = f"{found.evidence}; its bound is above the start at T = {curve.x[0]:g}, so "
        note += f"that it says no rate up to {steps}: at its stepsizes the exponent is {slower:.3g}"
        found = replace(found, evidence=note)
    return about(found, theorem)


def _judged(result: TunedRun, curve: HorizonCurve, longest: int) -> Verdict:
    """The exponent over the horizons up to the ``longest``, against order and bound."""
    theorem = result.theorem
    assert theorem is not None
    stated = Fraction(theorem.order.exponents["T"])
    power = float(stated)
    try:
        fit = fit_power(curve.x, curve.samples, LOOK_ERROR, groups=curve.groups)
    except ValueError as error:
        unfitted = result.judged(CheckKind.RATE, CHECK, "rate in T", Outcome.COMPARED, str(error))
        return replace(unfitted, order=f"T^{power:g}", exponent=stated)
    return rate_verdict(
        fit, power, False, subject=result.row.key, problem=result.problem.name,
        claim=f"{theorem.metric.value} falls with T as fast as {theorem.name} at T up to "
        f"{longest}",
        reference=max(power, bound_slope(curve.x, curve.bound, fit.points)),
        provenance=f"{theorem.source}; {result.description}, error {LOOK_ERROR:g} a look",
    )  # fmt: skip


def _says_nothing(result: TunedRun, curve: HorizonCurve) -> bool:
    """Whether the bound is above what was measured at the start, at the shortest horizon at least:
    then it does not say how errors fall from there."""
    return result.start is not None and bool(curve.bound[0] >= result.start)


def _tuned_for_horizon(result: TunedRun) -> bool:
    return not isinstance(result.tuned.step, InverseTimeStep)


def _horizons(result: TunedRun, replicas: int, seed: int) -> HorizonCurve:
    """The metric and its bound: along one curve where the stepsize is anytime, else over runs each
    tuned for its own horizon."""
    if not _tuned_for_horizon(result):
        times, series = result.trace.steps.astype(np.float64), result.series
        assert series is not None
        tail = times >= result.steps / _TAIL
        return HorizonCurve(times[tail], series[:, tail], result.bound(times[tail]), len(series))
    ends, bounds, lengths = [], [], []
    for k in range(HORIZONS - 1, -1, -1):
        one = result
        if k:
            steps = result.steps >> k
            one = _untimed(result, steps, replicas, seed + k, 2)
        if one.series is None or one.theorem is not result.theorem:
            continue
        ends.append(one.series[:, -1])
        bounds.append(one.end_bound)
        lengths.append(float(one.steps))
    samples = np.stack(ends, axis=1)
    return HorizonCurve(np.array(lengths), samples, np.array(bounds), len(samples))


def _untimed(like: TunedRun, steps: int, replicas: int, seed: int, points: int) -> TunedRun:
    """A run of the same row, of which only the metric is asked: no clock runs beside it."""
    return tuned_run(like.row, like.problem, steps, replicas, seed, points=points, timing=None)


def _per_step(result: TunedRun) -> Verdict | None:
    """Fit where the bound falls by a factor a step: log of the metric against t, in units of T."""
    theorem, what = result.theorem, shown(result)
    if theorem is None or what.bound is None:
        return None
    x = np.exp(result.trace.steps[1:].astype(np.float64) / result.steps)
    try:
        fit = fit_power(x, what.samples[:, 1:], TEST_ERROR, groups=len(what.samples))
    except ValueError:
        return None
    due = bound_slope(x, what.bound[1:], fit.points)
    verdict = rate_verdict(
        fit, due, False, subject=result.row.key, problem=result.problem.name, reference=due,
        variable="e^(t/T)", coarsest=max(0.5, abs(due) / 2),
        claim=f"{what.quantity} falls by the factor of {theorem.name} a step",
        provenance=f"{theorem.source}; {result.description}, error {TEST_ERROR:g}",
    )  # fmt: skip
    return about(replace(verdict, check=CHECK, order="linear", exponent=None), theorem)
