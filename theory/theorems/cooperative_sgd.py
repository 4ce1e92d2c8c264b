r"""Cooperative SGD: local steps, and every H of them one step of gossip; non-convex, one objective.

Wang, Joshi 2018 (arXiv:1808.07576), Theorem 1 without auxiliary variables:
:math:`X_{t+1} = (X_t - \gamma G_t) S_t` with S_t = W when H | t + 1, else I, W symmetric and doubly
stochastic. With :math:`\lambda = \|W - J\|_2`, the mean model :math:`\bar x_t` obeys

.. math:: \frac1T\sum_{t<T} E\|\nabla f(\bar x_t)\|^2 \le \frac{2\Delta}{\gamma T}
   + \frac{\gamma L\sigma^2}n
   + \gamma^2L^2\sigma^2\left(\frac{1+\lambda^2}{1-\lambda^2} H - 1\right).

The paper asks for a stepsize of the order :math:`(1-\lambda)/(L H)`. Its proof needs no more than
:math:`\gamma L + \gamma^2L^2 K \le 1` with

.. math:: K = H(H-1)\,\frac{1+2\lambda}{1-\lambda} + 2\left(\frac{H\lambda}{1-\lambda}\right)^2,

derived here. W = J is local SGD (``local_sgd_nonconvex``). D-PSGD mixes before it steps: the latest
gradients are then mixed once less, and the statement is not for it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import ConstantStep, Stepsize
from theory.theorem import Curve, Metric, Order, Theorem, missing_sentence
from theory.theorems.conditions import (
    CONSTANT,
    HALF,
    at_most,
    check_horizon,
    connected,
    constant_step,
    failures,
    one_objective,
    per_step,
    symmetric,
    tuned,
    wrong_kind,
)


@final
@dataclass(frozen=True)
class CooperativeSgd(Theorem):
    """See the file's docstring for the statement."""

    name = "cooperative_sgd"
    title = "Cooperative SGD, non-convex, identical workers"
    source = Source("Wang, Joshi", 2018, "1808.07576", "Theorem 1")
    confidence = Confidence.CERTAIN
    needs = ("n", "L", "sigma2", "zeta2", "H", "lam", "initial_gap")
    metric = Metric.AVERAGE_SQUARED_GRADIENT
    order = Order({"T": -HALF, "n": -HALF})
    tight = False
    statement = (
        r"\gamma L + \gamma^2L^2K \le 1 \Rightarrow \frac1T \sum_{t<T} "
        r"E\|\nabla f(\bar x_t)\|^2 \le \frac{2\Delta}{\gamma T} + \frac{\gamma L\sigma^2}{n} + "
        r"\gamma^2 L^2 \sigma^2 \left(\frac{1+\lambda^2}{1-\lambda^2}H - 1\right)"
    )

    def limit(self, c: Constants) -> float:
        """The largest stepsize allowed, 2/(L (1 + sqrt(1 + 4 K))), or 0 [x^2 / f]."""
        H, lam = c.need("H"), c.need("lam")
        if lam >= 1:
            return 0.0
        K = H * (H - 1) * (1 + 2 * lam) / (1 - lam) + 2 * (H * lam / (1 - lam)) ** 2
        return 2 / (c.need("L") * (1 + math.sqrt(1 + 4 * K)))

    def violations(self, c: Constants, step: Stepsize, horizon: int) -> tuple[str, ...]:
        missing = missing_sentence(self, c)
        if missing:
            return missing
        if not isinstance(step, ConstantStep):
            return wrong_kind(step, CONSTANT)
        basic = failures(one_objective(c.need("zeta2")), connected(c), symmetric(c))
        if basic:
            return basic
        formula = "2/(L (1 + sqrt(1 + 4 K)))"
        return failures(at_most("gamma", step.gamma, self.limit(c), formula))

    def stepsize(self, c: Constants, horizon: int) -> Stepsize:
        check_horizon(horizon)
        signal = 2 * c.need("n") * c.need("initial_gap")
        limit = self.limit(c) or 1 / c.need("L")  # not connected: no stepsize would do
        return tuned(limit, signal, c.need("L") * c.need("sigma2") * horizon)

    def bound(self, c: Constants, step: Stepsize, times: Curve) -> Curve:
        gamma, L, sigma2 = constant_step(step), c.need("L"), c.need("sigma2")
        square = c.need("lam") ** 2
        periods = (1 + square) / (1 - square) * c.need("H") - 1
        floor = gamma * L * sigma2 / c.need("n") + (gamma * L) ** 2 * sigma2 * periods
        return per_step(2 * c.need("initial_gap") / gamma, times) + floor


cooperative_sgd = CooperativeSgd()
