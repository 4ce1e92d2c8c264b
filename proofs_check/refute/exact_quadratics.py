"""Quadratics measured by exact moments, and counterexamples on them again in fractions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from algorithms.engine.run import one_thread
from algorithms.problems.quadratic import Quadratic
from proofs_check.moments.engine import ExactCurve, exact_moments
from proofs_check.moments.reasons import NotLinear
from proofs_check.refute.attacker import Confirmation
from proofs_check.refute.claim import PROBE, Claim
from proofs_check.refute.instance import QuadraticInstance
from proofs_check.refute.measured import BoundTrial, Unfit, compared, known, rule
from proofs_check.refute.quadratics import (
    LONG,
    SHORT,
    STEPS,
    QuadraticAttacker,
    quadratic_of,
    quick,
)
from proofs_check.refute.rational import confirmed
from theory.constants import Constants
from theory.stepsizes import Stepsize
from theory.theorem import Metric

SERIES = {
    Metric.AVERAGE_SQUARED_GRADIENT: "average_squared_gradient",
    Metric.MINIMUM_SQUARED_GRADIENT: "squared_gradient",
    Metric.SUBOPTIMALITY: "suboptimality",
    Metric.SQUARED_DISTANCE: "squared_distance",
    Metric.WEIGHTED_SUBOPTIMALITY: "weighted_suboptimality",
}
"""By a metric, where an exact curve has it."""

_DENSE = 16
_SAMPLES = 8  # times the one difference that is known of rounding


class ExactQuadratics(QuadraticAttacker):
    """Expectations without simulation."""

    def held(self, claim: Claim) -> None:
        if claim.theorem.metric not in SERIES:
            raise Unfit(f"moments do not say what {claim.theorem.metric.value} is")

    def longest(self, claim: Claim) -> int:
        if not quick(claim):
            return SHORT
        return STEPS if claim.theorem.metric is Metric.WEIGHTED_SUBOPTIMALITY else LONG

    def measure(self, claim: Claim, instance: Any) -> BoundTrial:
        curve, c, step = self._curve(claim, instance)
        lost = np.max(list(curve.lost.values()), axis=0)
        metric = getattr(curve, SERIES[claim.theorem.metric]) * (1 - 2 * _SAMPLES * lost)
        if claim.theorem.metric is Metric.MINIMUM_SQUARED_GRADIENT:
            metric = np.minimum.accumulate(metric)
        return compared(
            claim, c, step, curve.steps, metric, attacker=self.name, instance=instance,
            problem=quadratic_of(instance),
        )  # fmt: skip

    def confirm(self, claim: Claim, trial: BoundTrial) -> Confirmation:
        instance: Any = trial.instance
        problem = quadratic_of(instance)
        _, c, step = self._curve(claim, instance)
        method = self.method(claim, step, problem, instance)
        return confirmed(claim, method, problem, c, step, trial)

    def _curve(
        self, claim: Claim, instance: QuadraticInstance
    ) -> tuple[ExactCurve, Constants, Stepsize]:
        """The exact curve, what the theorem is told, and the stepsize rule."""
        problem = quadratic_of(instance)
        c = known(claim, self.method(claim, PROBE, problem, instance), problem)
        step = rule(claim, c, instance.gamma, instance.steps)
        method = self.method(claim, step, problem, instance)
        moment = "G2" in claim.theorem.needs
        weighted = claim.theorem.metric is Metric.WEIGHTED_SUBOPTIMALITY

        def weight(t: int) -> float:
            return claim.theorem.weight(c, step, t)

        try:
            with one_thread(), np.errstate(all="ignore"):
                curve = exact_moments(
                    method, problem, times(instance.steps, dense=moment or weighted).tolist(),
                    weight=weight if weighted else None,
                )  # fmt: skip
            for name in curve.lost:  # none is believed beside one that rounding decides
                curve.metric(name)
        except (NotLinear, ValueError, ArithmeticError, NotImplementedError) as error:
            raise Unfit(str(error)) from error
        if moment:
            c = c.state(G2=second_moment(problem, curve, 1 if method.shared_model else problem.n))
            step = rule(claim, c, instance.gamma, instance.steps)
        return curve, c, step


def times(steps: int, dense: bool) -> NDArray[np.int64]:
    """The start, every early step and then some up to the last; all of them if ``dense``."""
    if dense:
        return np.arange(steps + 1)
    early = np.arange(min(steps, _DENSE) + 1)
    late = np.geomspace(_DENSE, max(steps, _DENSE), 24).round()
    return np.unique(np.append(early, np.minimum(late, steps))).astype(np.int64)


def second_moment(problem: Quadratic, curve: ExactCurve, rows: int) -> float:
    r"""Bound on E\|g_i\|^2 of any worker at any model of the run: (L_max sqrt(rows D) + z)^2
    + sigma2, D the mean squared distance of model rows from x*, z the longest gradient there.

    Raises:
        Unfit: the run diverges.
    """
    far = float(np.max(curve.squared_distance + curve.consensus))
    at_minimum = float(problem.all_gradients(problem.x_star).norm(dim=-1).max())
    found = (float(problem.a.max()) * math.sqrt(rows * far) + at_minimum) ** 2 + problem.sigma2
    if not math.isfinite(found):
        raise Unfit("its second moment is infinite")
    return found
