"""Rates in T where no theorem applies: an order that a source states, or the exponent alone.

An order is looked at where its stepsizes are: gamma proportional to 1/sqrt(T), or to the power of T
that it states, or 2 / (mu (s + t)) for an order of 1/T under strong convexity. The first is a
quarter of the largest of 1/L, 1/(2 L), ... with which the shortest and the longest run end below
their start; a few replicas decide. Where steps are shares of a layer's length, the first that is
tried moves a layer by its own. A second look is taken where the first is slower or too coarse, and
where it does not show whether the order is attained.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple, TypeGuard

from algorithms.engine.run import Diverged
from proofs_check.instruments.rates import PowerLawFit, fit_power, late_exponent, rate_verdict
from proofs_check.instruments.standings import COARSE, RateStanding, standing_of
from proofs_check.methods.linear_rates import factor_a_step
from proofs_check.methods.order_places import Stated, fits
from proofs_check.methods.order_runs import OrderRuns
from proofs_check.methods.rate_looks import (
    CHECK,
    FEWER_REPLICAS,
    LOOK_ERROR,
    HorizonCurve,
    after_first,
    batched,
)
from proofs_check.methods.sweep_points import HORIZONS
from proofs_check.methods.tuned_run import TunedRun
from proofs_check.methods.unstated_rates import UnstatedReason, unstated_rate
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.theorem import OrderOnly, Result, Theorem
from theory.theorems.reached import Reached

_LONGER = 4
_TOO_WIDE = 2 * COARSE  # for as many replicas to show an order attained
_COARSEST = 0.5  # an interval wider than that asks for more replicas
_DOUBTED = 0.05  # of orders without constants: from that p-value on the form is left open


class OrderRate(NamedTuple):
    """An exponent against a stated order.

    Attributes:
        verdict: whether it falls as fast.
        standing: whether the order is attained too.
    """

    verdict: Verdict
    standing: RateStanding

    @property
    def told(self) -> Verdict:
        """The verdict, with how the exponent stands to the order."""
        return replace(self.verdict, evidence=f"{self.verdict.evidence}; {self.standing}")


def rate_by_order(result: TunedRun, theorem: Theorem | None = None) -> Verdict:
    """Against an order without constants, at the stepsizes of that order; or the exponent alone.

    ``theorem`` is one whose constants say nothing at such T: its order is taken without them.
    """
    stated = theorem or stated_order_of(result, "T")
    runs = OrderRuns(result, stated)
    try:
        if stated is not None:
            return against_order(result, stated, runs).told
        found = _alone(result, runs.curve(result.steps // 2, result.replicas, result.trace.seed))
        return _instead(result, found, runs.margin * runs.gamma)
    except (Diverged, ValueError) as error:
        return _unfitted(result, error)


def stated_order_of(result: TunedRun, variable: str) -> OrderOnly | Reached | None:
    """The first order in a variable that speaks of a row's runs on the problem."""
    spoken = (one for one in result.row.results if _speaks_of(one, result, variable))
    return next(spoken, None)


def against_order(
    result: TunedRun, stated: Stated, runs: OrderRuns, *, thorough: bool = False
) -> OrderRate:
    """The exponent of T of ``runs`` against an order; ``thorough`` looks are longer than a survey
    has time for.

    Raises:
        Diverged: a run left the range of its number type.
        ValueError: no exponent could be fitted.
    """
    replicas, seed, longest = runs.replicas, runs.seed, runs.longest
    first = _judged(result, runs.curve(longest, replicas, seed), stated, runs)
    coarse = 2 * (first.verdict.uncertainty or 0.0) > _COARSEST
    decided = first.verdict.outcome is Outcome.SUPPORTED
    if not decided and coarse:
        curve = batched(lambda many, key: runs.curve(longest, many, key), replicas, seed)
        first = _after(first, _judged(result, curve, stated, runs))
    if first.verdict.outcome is Outcome.REFUTED or not (decided or coarse):
        many = replicas if coarse else min(replicas, FEWER_REPLICAS)
        curve = runs.curve(_LONGER * longest, many, seed + HORIZONS)
        first = _after(first, _judged(result, curve, stated, runs))
    if first.verdict.outcome is Outcome.REFUTED or first.standing is RateStanding.ATTAINED:
        return first
    for other, steps, many in _further(runs, first.verdict, thorough):
        look = _judged(result, other.curve(steps, many, seed), stated, other)
        if look.standing is RateStanding.ATTAINED:
            return look
        if look.verdict.outcome is Outcome.REFUTED and other is runs:
            second = _judged(result, other.curve(steps, many, seed + HORIZONS), stated, other)
            if second.verdict.outcome is Outcome.REFUTED:
                return _after(look, second)
    return first


def _after(first: OrderRate, second: OrderRate) -> OrderRate:
    return second._replace(verdict=after_first(first.verdict, second.verdict))


def _further(
    runs: OrderRuns, found: Verdict, thorough: bool
) -> Iterator[tuple[OrderRuns, int, int]]:
    """Runs, steps and replicas of looks at whether an order is attained: longer; where the error
    fell faster than the order, also with more noise; and much longer. None where noise of the
    replicas hides it, unless looks are ``thorough``."""
    longer, many = _LONGER * runs.longest, runs.replicas
    if not thorough and (found.uncertainty or 0.0) > _TOO_WIDE:
        return
    yield runs, longer, many
    assert found.statistic is not None and found.exponent is not None
    if found.statistic < float(found.exponent) and runs.loud.problem is not runs.problem:
        yield runs.loud, longer, many
    if thorough:
        yield runs, _LONGER * longer, many
        yield runs.loud, _LONGER * longer, many


def _instead(result: TunedRun, found: Verdict, gamma: float) -> Verdict:
    """What was measured where nothing is stated, after the reason; of a linear rate the factor."""
    unstated = unstated_rate(result.row.base, result.reasons)
    if unstated.reason is UnstatedReason.LINEAR:
        with suppress(ValueError, Diverged):
            found = factor_a_step(result, gamma)
    return replace(found, evidence=f"{unstated}; measured instead: {found.evidence}")


def _unfitted(result: TunedRun, error: Exception, variable: str = "T") -> Verdict:
    return replace(
        result.no_theorem(CheckKind.RATE, f"rate in {variable}", f"rate in {variable}"),
        evidence=f"no exponent of {variable} could be fitted ({error}); {result.reasons}",
    )


def _speaks_of(one: Result, run: TunedRun, variable: str) -> TypeGuard[OrderOnly | Reached]:
    """Whether it is an order in the variable, not of one objective for workers who differ and
    cannot be made alike, nor of batches or other parameters that follow T where the row does not
    say how its method follows it.

    A bound by second moments that a paper has the order of counts too, in T: what it asks for is
    seldom known of a problem.
    """
    if isinstance(one, Reached):
        return one.published and variable == "T"
    if not isinstance(one, OrderOnly) or one.order is None or one.metric is None:
        return False
    if (one.by_horizon or one.growing_batch) and run.row.ready().as_stated is None:
        return False
    return variable in one.order.exponents and fits(one, run)


def _judged(result: TunedRun, curve: HorizonCurve, stated: Stated, runs: OrderRuns) -> OrderRate:
    fit = fit_power(curve.x, curve.samples, LOOK_ERROR, groups=curve.groups, rejected=_DOUBTED)
    assert stated.order is not None and stated.metric is not None
    power = float(stated.order.exponents["T"])
    verdict = rate_verdict(
        fit, power, False, subject=result.row.key, problem=runs.problem.name,
        claim=f"{stated.metric.value} falls with T as fast as {stated.order} ({stated.name}, "
        f"{_sort(stated)})",
        provenance=f"{stated.source}; {_provenance(curve, runs)}",
    )  # fmt: skip
    return OrderRate(replace(verdict, theorem=stated.name), _standing(fit, curve, power))


def _standing(fit: PowerLawFit, curve: HorizonCurve, power: float) -> RateStanding:
    """How the exponent over all points stands to an order; attained too where that between the last
    two is, since terms that fall faster are least there."""
    whole = standing_of(fit.slope, fit.half_width, power, None)
    if whole is RateStanding.ATTAINED:
        return whole
    late = standing_of(
        *late_exponent(curve.x, curve.samples, LOOK_ERROR, curve.groups), power, None
    )
    return late if late is RateStanding.ATTAINED else whole


def _provenance(curve: HorizonCurve, runs: OrderRuns) -> str:
    variable = f"T + {runs.shift:.4g}" if runs.shift else "T"
    return (
        f"{len(curve.samples)} replicas, {variable} = {', '.join(f'{x:g}' for x in curve.x)}, "
        f"error {LOOK_ERROR:g} a look"
    )


def _alone(result: TunedRun, curve: HorizonCurve) -> Verdict:
    fit = fit_power(curve.x, curve.samples, LOOK_ERROR, groups=curve.groups, rejected=_DOUBTED)
    provenance = (
        f"{len(curve.samples)} replicas, T = {', '.join(f'{x:g}' for x in curve.x)}, error "
        f"{LOOK_ERROR:g} a look"
    )
    return result.judged(
        CheckKind.RATE, CHECK, "mean squared gradient as a power of T", Outcome.NOT_APPLICABLE,
        f"exponent of T {fit.slope:.4f} +- {fit.half_width:.4f}; {fit.shown}", provenance,
        statistic=fit.slope, uncertainty=fit.half_width, resolution=fit.resolution,
    )  # fmt: skip


def _sort(stated: Stated) -> str:
    if isinstance(stated, Reached):
        return "constants by second moments"
    return "order only" if isinstance(stated, OrderOnly) else "order alone"


def rates_in_workers(result: TunedRun) -> tuple[Verdict, ...]:
    """Against an order in n that a source states without constants; none where none is stated."""
    stated = stated_order_of(result, "n")
    if stated is None:
        return ()
    runs = OrderRuns(result, stated)
    try:
        return (against_workers(result, stated, runs).told,)
    except (Diverged, ValueError) as error:
        return (_unfitted(result, error, "n"),)


def against_workers(
    result: TunedRun, stated: Stated, runs: OrderRuns, *, thorough: bool = False
) -> OrderRate:
    """The exponent of n of ``runs`` against an order; ``thorough`` looks as of T.

    Raises:
        Diverged: a run left the range of its number type.
        ValueError: no exponent could be fitted.
    """
    first = _in_workers(
        result, stated, runs, runs.workers_curve(runs.steps, runs.replicas, runs.seed)
    )
    if not thorough or first.standing is RateStanding.ATTAINED:
        return first
    for many in (runs.replicas, 2 * runs.replicas):
        curve = runs.loud.workers_curve(_LONGER * runs.steps, many, runs.seed)
        look = _in_workers(result, stated, runs.loud, curve)
        if look.standing is RateStanding.ATTAINED:
            return look
    return first


def _in_workers(
    result: TunedRun, stated: Stated, runs: OrderRuns, curve: HorizonCurve
) -> OrderRate:
    assert stated.order is not None and stated.metric is not None
    power = float(stated.order.exponents["n"])
    fit = fit_power(curve.x, curve.samples, LOOK_ERROR, groups=curve.groups, rejected=_DOUBTED)
    verdict = rate_verdict(
        fit, power, False, subject=result.row.key, problem=runs.problem.name, variable="n",
        claim=f"{stated.metric.value} falls with n as fast as {stated.order} ({stated.name}, "
        f"{_sort(stated)})",
        provenance=f"{stated.source}; {len(curve.samples)} replicas, "
        f"n = {', '.join(f'{x:g}' for x in curve.x)}, error {LOOK_ERROR:g}",
    )  # fmt: skip
    return OrderRate(replace(verdict, theorem=stated.name), _standing(fit, curve, power))
