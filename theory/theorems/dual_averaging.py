r"""Distributed dual averaging: every worker's average model, convex and Lipschitz.

Duchi, Agarwal, Wainwright 2012 (arXiv:1005.2012), Theorems 1 and 2 (with noise: Theorem 3). W
doubly stochastic, :math:`\sigma = \|W - J\|_2` its second singular value (``lam``), every f_i
convex, every gradient of norm at most l, :math:`\psi(x^*) \le R^2` (for
:math:`\psi = \|x - x_0\|^2/2`: R^2 is ``R2``/2) and :math:`\alpha_t = a/\sqrt{t+1}`. For every
worker i, with :math:`\hat x_i = \frac1T \sum_{t<T} x_{i,t}`,

.. math::
   :label: dual_averaging

   \alpha_t = \frac{a}{\sqrt{t+1}} \Rightarrow E f(\hat x_i) - f^* \le \frac{1}{\sqrt T}
   \left(\frac{R^2}{a} + a l^2 \left(\frac{12 \log(T\sqrt n)}{1-\sigma} + 19\right)\right).

At the paper's :math:`a = R\sqrt{1-\sigma}/(4l)` it is
:math:`\frac{Rl}{\sqrt{T(1-\sigma)}}(3\log(T\sqrt n) + 4 + \frac{19}{4}(1-\sigma))`, at most the
paper's :math:`8Rl\log(T\sqrt n)/\sqrt{T(1-\sigma)}` once :math:`T\sqrt n \ge e^{7/4}`
(:meth:`DualAveragingTheorem.printed`). By convexity the mean of the workers' averages obeys it
too, which is what the metric is about. The statement is derived here: it is below the printed one
by the constant of the logarithm, 3 for 8, and says so for every a.

Of W the proof uses :math:`\|W^k e_i - 1/n\|_1 \le \sqrt n \sigma^k` alone. For symmetric W_t drawn
anew at each step, of gradients apart, the product of k of them obeys it in expectation with
:math:`\sigma^2` the second eigenvalue of :math:`E W_t^2`, and so the bound holds (derived).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from theory.arrays import Floats
from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import InverseRootStep, Stepsize
from theory.theorem import HALF, Metric, Order
from theory.theorems.conditions import Condition, connected, convex, per_step
from theory.theorems.kinds import InverseRootTheorem


@final
@dataclass(frozen=True)
class DualAveragingTheorem(InverseRootTheorem):
    """See the file's docstring for the statement."""

    name = "dual_averaging"
    title = "Distributed dual averaging, convex"
    source = Source("Duchi et al.", 2012, "1005.2012", "Theorems 1, 2; constants derived")
    confidence = Confidence.DERIVED
    needs = ("n", "lam", "lipschitz", "R2", "convex")
    metric = Metric.WEIGHTED_SUBOPTIMALITY
    order = Order({"T": -HALF, "gap": -HALF})
    tight = False
    any_scale = True
    example = Constants(n=4, lam=0.6, lipschitz=3.0, R2=6.0, convex=True)

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return connected(c), convex(c, "f_i")

    def prescribed(self, c: Constants, horizon: int) -> InverseRootStep:
        R = math.sqrt(c.positive("R2") / 2)
        return InverseRootStep(R * math.sqrt(1 - c.need("lam")) / (4 * c.need("lipschitz")))

    def curve(self, c: Constants, step: InverseRootStep, times: Floats) -> Floats:
        a, square = step.scale, c.need("lipschitz") ** 2
        network = 12 * self._log(c, times) / (1 - c.need("lam")) + 19
        return (c.need("R2") / (2 * a) + a * square * network) * per_step(1, times**0.5)

    def printed(self, c: Constants, times: Floats) -> Floats:
        """The paper's bound at the paper's stepsize."""
        t = np.asarray(times, dtype=np.float64)
        R = math.sqrt(c.need("R2") / 2)
        amount = 8 * R * c.need("lipschitz") / math.sqrt(1 - c.need("lam"))
        return np.asarray(amount * self._log(c, t) * per_step(1, t**0.5))

    def logarithm(self, c: Constants, horizon: int) -> float:
        """The logarithm log(T sqrt(n)) that the bound carries."""
        return math.log(horizon * math.sqrt(c.need("n")))

    def weight(self, c: Constants, step: Stepsize, t: int) -> float:
        return 1.0

    def _log(self, c: Constants, t: Floats) -> Floats:
        """log(T sqrt n), 0 at T = 0 where no bound is stated."""
        return np.asarray(np.log(np.maximum(t, 1) * math.sqrt(c.need("n"))))


dual_averaging = DualAveragingTheorem()
