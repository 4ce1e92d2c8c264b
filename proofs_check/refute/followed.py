"""Runs followed step by step: any metric of a theorem, and the second moment along the run."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, final

import numpy as np
import torch
from torch import Tensor

from algorithms.engine.noted_records import mean_model
from algorithms.engine.run import one_thread
from algorithms.methods.base import Method
from algorithms.problems.base import Problem
from proofs_check.bounds.check import potential_of
from proofs_check.instruments.limits import lower_limits
from proofs_check.instruments.paths import path
from proofs_check.instruments.regret import regrets
from proofs_check.refute.attacker import Confirmation
from proofs_check.refute.claim import PROBE, Claim
from proofs_check.refute.instance import Instance
from proofs_check.refute.measured import SURE, BoundTrial, Unfit, compared, known, method_of, rule
from theory.arrays import Floats
from theory.constants import Constants
from theory.stepsizes import Stepsize
from theory.theorem import Metric

ERROR = 1e-6
"""Chance that a limit of a mean lies above it."""

AGAIN = 4096
"""Replicas that confirm."""

_SURE = 6.0
_FRESH, _AGAIN_ERROR = 100012, 1e-9
_AVERAGES = (Metric.AVERAGE_SQUARED_GRADIENT, Metric.AVERAGE_GRADIENT_ONE_NORM)


@final
class MetricRecorder:
    """The metric of a claim after every step, by replicas, the largest second moment seen, and how
    far points lay apart.
    """

    def __init__(self, claim: Claim, problem: Problem, method: Method[Any]) -> None:
        self._claim, self._problem, self._method = claim, problem, method
        self.moment, self.spread = 0.0, 0.0

    def series(self, c: Constants, step: Stepsize, steps: int, replicas: int, seed: int) -> Floats:
        """The metric ``[R, T + 1]``.

        Raises:
            Unfit: the method does not run on the problem.
        """
        if self._claim.theorem.metric is Metric.AVERAGE_REGRET:
            return self._regret(steps, replicas, seed)
        columns: list[Tensor] = []
        total = torch.zeros(())
        weights = 0.0
        metric = self._claim.theorem.metric
        steps_of = path(self._method, self._problem, steps, seed=seed, replicas=replicas)
        for t, state, context in steps_of:
            if metric.of_agreement:
                columns.append(potential_of(state))
                continue
            rows = self._method.models(state)
            x = mean_model(self._method, context.network, rows)
            if "G2" in self._claim.theorem.needs:
                self._look(rows)
            seen = self._seen(x, metric)
            if metric in _AVERAGES:
                columns.append(total / t if t else seen)
                total = total + seen
            elif metric is Metric.WEIGHTED_SUBOPTIMALITY:
                columns.append(self._excess(total / weights if weights else x))
                w = self._claim.theorem.weight(c, step, t)
                total, weights = total + w * x, weights + w
            else:
                columns.append(seen)
        found: Floats = torch.stack(columns, -1).numpy()
        return found

    def _regret(self, steps: int, replicas: int, seed: int) -> Floats:
        """Average regret ``[R, T + 1]`` after so many gradients; 0 where they are no whole clocks
        of all workers, of which the bound says nothing."""
        assert self._problem.x_star is not None
        found = regrets(
            self._method, self._problem, self._problem.x_star, steps, seed=seed, replicas=replicas
        )
        self.spread = found.spread
        series = np.zeros((replicas, steps + 1))
        series[:, found.gradients.astype(np.int64)] = found.average
        return series

    def _seen(self, x: Tensor, metric: Metric) -> Tensor:
        """A step's own part of the metric."""
        if metric is Metric.SQUARED_DISTANCE:
            assert self._problem.x_star is not None
            return (x - self._problem.x_star).square().sum(-1)
        if metric in (Metric.SUBOPTIMALITY, Metric.WEIGHTED_SUBOPTIMALITY):
            return self._excess(x)
        g = self._problem.mean_gradient(x)
        return g.abs().sum(-1) if metric is _AVERAGES[1] else g.square().sum(-1)

    def _excess(self, x: Tensor) -> Tensor:
        assert self._problem.f_star is not None
        return (self._problem.value(x) - self._problem.f_star).clamp_min(0.0)

    def _look(self, rows: Tensor) -> None:
        """Second moments of gradients at the models, means and what their errors may hide."""
        problem = self._problem
        n = problem.n
        own = rows.shape[-2] == n
        g = (
            problem.full_gradient(rows, torch.arange(n))
            if own
            else problem.all_gradients(rows[..., 0, :])
        )
        squares = g.square().sum(-1) + problem.noise(rows.mean(-2))
        mean, off = squares.mean(0), squares.std(0, correction=0) / math.sqrt(len(squares))
        self.moment = max(self.moment, float((mean + _SURE * off).max()))


def runs(
    claim: Claim, problem: Problem, instance: Instance, *, attacker: str, steps: int,
    replicas: int, seed: int, error: float = ERROR,
) -> BoundTrial:  # fmt: skip
    """The lower limit of the metric's mean beside the bound; where nothing is drawn, the metric.

    Raises:
        Unfit: outside the claim's assumptions, or what runs cannot measure.
    """
    probe = _drawn_for(method_of(claim, PROBE, problem, steps), replicas)
    if said := probe.unfit(problem):
        raise Unfit(said)
    c = known(claim, probe, problem)
    step = rule(claim, c, instance.gamma, steps)
    method = _drawn_for(method_of(claim, step, problem, steps), replicas)
    follower = MetricRecorder(claim, problem, method)
    try:
        with one_thread(), np.errstate(all="ignore"):
            series = follower.series(c, step, steps, replicas, seed)
    except (ValueError, TypeError, ArithmeticError, NotImplementedError, AssertionError) as error_:
        raise Unfit(str(error_)) from error_
    if "G2" in claim.theorem.needs:
        if not math.isfinite(follower.moment):
            raise Unfit("its second moment is infinite")
        c = c.state(G2=follower.moment)
        step = rule(claim, c, instance.gamma, steps)
    if "diameter" in claim.theorem.needs:
        c = c.state(diameter=follower.spread)
        if broken := claim.theorem.violations(c, step, steps):
            raise Unfit("; ".join(broken))
    alike = bool((series == series[:1]).all())
    if not alike and "diameter" in claim.theorem.needs:
        raise Unfit("how far its points lie apart is known of runs that draw nothing")
    if not alike and series.min() < 0:
        raise Unfit("regrets below 0 have no limit by draws")
    limits = series[0] if alike else _limits(series, error)
    if claim.theorem.metric is Metric.MINIMUM_SQUARED_GRADIENT:
        limits = np.minimum.accumulate(limits)
    found = compared(
        claim,
        c,
        step,
        np.arange(steps + 1),
        limits,
        attacker=attacker,
        instance=instance,
        problem=problem,
    )
    return found if alike else replace(found, error=error)


def again(claim: Claim, problem: Problem, trial: BoundTrial, steps: int) -> Confirmation:
    """A trial with other draws, many more of them.

    Raises:
        Unfit: as :func:`runs`.
    """
    found = runs(
        claim, problem, trial.instance, attacker=trial.attacker, steps=steps, replicas=AGAIN,
        seed=_FRESH, error=_AGAIN_ERROR,
    )  # fmt: skip
    description = f"error {_AGAIN_ERROR:g}" if found.error else "which draw nothing"
    how = f"by {AGAIN} other runs, {description}"
    return Confirmation(how, found.measured, found.ratio > 1 + SURE)


def _drawn_for(method: Method[Any], replicas: int) -> Method[Any]:
    """The method with schedules for so many replicas, where it follows some."""
    if getattr(method, "replicas", replicas) >= replicas:
        return method
    more: Any = replace(method, replicas=replicas)  # type: ignore[type-var]
    return more  # type: ignore[no-any-return]


def _limits(series: Floats, error: float) -> Floats:
    finite = np.isfinite(series).all(0)
    safe = np.where(finite, series, 0.0)
    return np.where(finite, lower_limits(safe, error), np.inf)
