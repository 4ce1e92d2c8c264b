"""Rates in T where no theorem applies: an order that a source states, or the exponent alone.

An order is looked at where its stepsizes are: gamma proportional to 1/sqrt(T), or to the power of T
that it states, or 2 / (mu (s + t))
for an order of 1/T under strong convexity. The first is a quarter of the largest of 1/L, 1/(2 L),
... with which the shortest and the longest run end below their start; a few replicas decide. Where
steps are shares of a layer's length, the first that is tried moves a layer by its own.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TypeGuard

import numpy as np

from algorithms.engine.run import Diverged, run
from algorithms.engine.trace import Trace
from proofs_check.instruments.rates import fit_power, rate_verdict
from proofs_check.methods.linear_rates import factor_a_step
from proofs_check.methods.rate_looks import (
    CHECK,
    FEWER_REPLICAS,
    LOOK_ERROR,
    HorizonCurve,
    after_first,
    batched,
)
from proofs_check.methods.sweep_points import HORIZONS
from proofs_check.methods.tuned_run import TunedRun, measured
from proofs_check.methods.unstated_rates import UnstatedReason, unstated_rate
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.arrays import Floats
from theory.constants import Constants
from theory.stepsizes import ConstantStep, InverseTimeStep, Stepsize
from theory.theorem import Metric, OrderOnly, Result, Theorem
from theory.theorems.reached import Reached

Stated = OrderOnly | Theorem

_LONGER = 4
_TRIED = 12  # stepsizes: 1/L and its halvings
_MARGIN = 4  # how far below the edge of what a few replicas find steady
_PILOT_REPLICAS, _PILOT_SEED = 4, 1_000_007  # no run that is fitted has that seed
_COARSEST = 0.5  # an interval wider than that asks for more replicas
_DOUBTED = 0.05  # of orders without constants: from that p-value on the form is left open


def rate_by_order(result: TunedRun, theorem: Theorem | None = None) -> Verdict:
    """Against an order without constants, at the stepsizes of that order; or the exponent alone.

    ``theorem`` is one whose constants say nothing at such T: its order is taken without them.
    """
    stated: Stated | None = theorem or next(
        (one for one in result.row.results if _speaks_of(one, result.constants)), None
    )
    power = None if stated is None else _power(stated)
    falls = float(stated.step_power) if isinstance(stated, OrderOnly) else 0.5
    metric = (stated and stated.metric) or Metric.AVERAGE_SQUARED_GRADIENT

    def measured_at(steps: int, many: int, first: int) -> HorizonCurve:
        traces = [
            _ordered_run(result, gamma, power, falls, metric, steps >> k, first + k, many, steps)
            for k in range(HORIZONS - 1, -1, -1)
        ]  # fmt: skip
        ends = np.stack([_ends(trace, metric) for trace in traces], axis=1)
        x = np.array([float(trace.steps[-1]) for trace in traces])
        return HorizonCurve(x, ends, np.ones_like(x), len(ends))

    replicas, seed = result.replicas, result.trace.seed
    try:
        gamma = _steady(result, power, falls, metric)
        first = measured_at(result.steps // 2, replicas, seed)
        found = _exponent_of(result, first, power, stated)
        if stated is not None and found.outcome is not Outcome.SUPPORTED:
            if 2 * (found.uncertainty or 0.0) > _COARSEST:
                again = batched(
                    lambda many, key: measured_at(result.steps // 2, many, key), replicas, seed
                )
            else:
                many = min(replicas, FEWER_REPLICAS)
                again = measured_at(_LONGER * result.steps // 2, many, seed + HORIZONS)
            found = after_first(found, _exponent_of(result, again, power, stated))
    except (Diverged, ValueError) as error:
        return replace(
            result.no_theorem(CheckKind.RATE, CHECK, "rate in T"),
            evidence=f"no exponent of T could be fitted ({error}); {result.reasons}",
        )
    return found if stated else _instead(result, found, gamma)


def _instead(result: TunedRun, found: Verdict, gamma: float) -> Verdict:
    """What was measured where nothing is stated, after the reason; of a linear rate the factor."""
    unstated = unstated_rate(result.row.base, result.reasons)
    if unstated.reason is UnstatedReason.LINEAR:
        with suppress(ValueError, Diverged):
            found = factor_a_step(result, _MARGIN * gamma)
    return replace(found, evidence=f"{unstated}; measured instead: {found.evidence}")


def _speaks_of(result: Result, c: Constants) -> TypeGuard[OrderOnly | Reached]:
    """Whether it is an order in T, not of one objective for all workers where they differ, and not
    of batches or other parameters that follow T, which no row with such an order has, nor of the
    smallest gradient of a run, which traces do not hold.

    A bound by second moments that a paper has the order of counts too: what it asks for is seldom
    known of a problem.
    """
    if isinstance(result, Reached):
        return result.published
    if not isinstance(result, OrderOnly) or _power(result) is None:
        return False
    if result.by_horizon or result.metric is Metric.MINIMUM_SQUARED_GRADIENT:
        return False
    return not (result.growing_batch or (result.homogeneous and c.zeta2 != 0))


def _power(result: Stated) -> float | None:
    power = None if result.order is None else result.order.exponents.get("T")
    return None if power is None else float(power)


def _exponent_of(
    result: TunedRun, curve: HorizonCurve, power: float | None, stated: Stated | None
) -> Verdict:
    fit = fit_power(curve.x, curve.samples, LOOK_ERROR, groups=curve.groups, rejected=_DOUBTED)
    name = stated.metric.value if stated and stated.metric else "mean squared gradient"
    provenance = (
        f"{len(curve.samples)} replicas, T = {', '.join(f'{x:g}' for x in curve.x)}, error "
        f"{LOOK_ERROR:g} a look"
    )
    if stated is None or power is None:
        return result.judged(
            CheckKind.RATE, CHECK, f"{name} as a power of T", Outcome.NOT_APPLICABLE,
            f"exponent of T {fit.slope:.4f} +- {fit.half_width:.4f}; {fit.shown}", provenance,
            statistic=fit.slope, uncertainty=fit.half_width, resolution=fit.resolution,
        )  # fmt: skip
    return replace(
        rate_verdict(
            fit, power, False, subject=result.row.key, problem=result.problem.name,
            claim=f"{name} falls with T as fast as {stated.order} ({stated.name}, {_sort(stated)})",
            provenance=f"{stated.source}; {provenance}",
        ),
        theorem=stated.name,
    )  # fmt: skip


def _sort(stated: Stated) -> str:
    if isinstance(stated, Reached):
        return "constants by second moments"
    return "order only" if isinstance(stated, OrderOnly) else "order alone"


def _ordered_step(
    gamma: float, power: float | None, falls: float, c: Constants, horizon: int, shortest: int
) -> Stepsize:
    """``gamma`` at the shortest horizon, falling as the order asks for."""
    if power == -1 and c.mu:
        return InverseTimeStep(2 / c.mu, 2 / (c.mu * gamma))
    return ConstantStep(gamma * (shortest / horizon) ** falls)


def _steady(result: TunedRun, power: float | None, falls: float, metric: Metric) -> float:
    """The first stepsize of an order's runs; of no meaning where the method takes none.

    Raises:
        ValueError: with none of those tried do runs end below their start.
    """
    if result.tuned.stepless:
        return 1.0
    c, longest = result.constants, result.steps // 2
    smoothness = c.L_max or c.L or result.problem.curvature_at_start
    largest = 1 / ((1 + (c.omega or 0.0)) * smoothness)
    if result.row.recipe is not None and result.row.recipe.relative_move:
        largest = 1 / result.row.recipe.relative_move

    def ends_below(gamma: float, steps: int) -> bool:
        try:
            trace = _ordered_run(
                result, gamma, power, falls, metric, steps, _PILOT_SEED, _PILOT_REPLICAS, longest
            )
        except Diverged:
            return False
        squared = measured(trace, metric) is None or metric is Metric.AVERAGE_SQUARED_GRADIENT
        start = trace.squared_gradient if squared else trace.suboptimality
        return float(_ends(trace, metric).mean()) < float(start[:, 0].mean())

    for gamma in (largest * 2.0**-k for k in range(_TRIED)):
        if all(ends_below(gamma, max(1, steps)) for steps in (longest >> (HORIZONS - 1), longest)):
            return gamma / _MARGIN
    raise ValueError(
        f"with no stepsize from {largest:.3g} down to {gamma:.3g} do runs of {longest} steps end "
        "below their start"
    )


def _ordered_run(
    result: TunedRun, gamma: float, power: float | None, falls: float, metric: Metric, steps: int,
    seed: int, replicas: int, longest: int,
) -> Trace:  # fmt: skip
    shortest = max(1, longest >> (HORIZONS - 1))
    own = None if result.tuned.stepless else _ordered_step(
        gamma, power, falls, result.constants, steps, shortest
    )  # fmt: skip
    tuned = result.row.tune(result.problem, steps, own)
    weighted = metric is Metric.WEIGHTED_SUBOPTIMALITY
    weight: Callable[[int], float] | None = (lambda t: float(t + 1)) if weighted else None
    averaged = metric is Metric.AVERAGE_SQUARED_GRADIENT
    return run(
        tuned.method, result.problem, steps=steps, seed=seed, replicas=replicas, points=2,
        every=1 if averaged else 0, weight=weight,
    )  # fmt: skip


def _ends(trace: Trace, metric: Metric) -> Floats:
    series = measured(trace, metric)
    if series is None:
        series = trace.average_squared_gradient
    return series[:, -1]
