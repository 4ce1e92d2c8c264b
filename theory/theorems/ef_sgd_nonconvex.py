r"""SGD with error feedback on smooth functions, constant stepsize.

Karimireddy et al. 2019 (arXiv:1901.09847), Theorem II, for :math:`p = \gamma g + e`,
:math:`x^+ = x - C(p)`, :math:`e^+ = p - C(p)`, any contraction C of quality delta and
:math:`E\|g\|^2 \le G^2` (their sigma^2), any gamma:

.. math::
   :label: ef_sgd_nonconvex

   \frac1T \sum_{t<T} E\|\nabla f(x_t)\|^2 \le \frac{2\Delta}{\gamma T} + \gamma L G^2 +
   \frac{4\gamma^2L^2G^2(1-\delta)}{\delta^2}.

Derivation: :math:`\tilde x = x - e` obeys :math:`\tilde x^+ = \tilde x - \gamma g`; smoothness at
:math:`\tilde x`, :math:`-\langle\nabla f(\tilde x), \nabla f(x)\rangle \le
-\frac12\|\nabla f(x)\|^2 + \frac{L^2}2\|e\|^2` and
:math:`E\|e\|^2 \le 4\gamma^2G^2(1-\delta)/\delta^2` (their Lemma 3). The middle term is also
quoted as :math:`\gamma L G^2/2`; the derivation does not give that next to
:math:`2\Delta/(\gamma T)`, so the larger one stands here. No run is known to exceed the smaller.

The paper has one worker; with n workers, each with its own residual, the same bound holds for the
mean of the residuals (the square is convex), whatever the heterogeneity, without a gain from n.
The stepsize is that which minimises the first two terms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.arrays import Floats
from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorem import HALF, Metric, Order
from theory.theorems.conditions import per_step, tuned
from theory.theorems.kinds import ConstantStepTheorem


@final
@dataclass(frozen=True)
class EfSgdNonconvex(ConstantStepTheorem):
    """See the file's docstring for the statement and its derivation."""

    name = "ef_sgd_nonconvex"
    title = "SGD with error feedback, non-convex"
    source = Source("Karimireddy et al.", 2019, "1901.09847", "Theorem II, constant derived")
    confidence = Confidence.DERIVED
    needs = ("L", "G2", "delta", "initial_gap")
    metric = Metric.AVERAGE_SQUARED_GRADIENT
    order = Order({"T": -HALF})
    tight = False
    any_scale = True
    example = Constants(L=2.0, G2=7.0, delta=0.25, initial_gap=3.0)

    def prescribed(self, c: Constants, horizon: int) -> ConstantStep:
        L = c.need("L")
        return tuned(1 / L, 2 * c.need("initial_gap"), L * c.need("G2") * horizon)

    def curve(self, c: Constants, step: ConstantStep, times: Floats) -> Floats:
        gamma, L, G2, delta = step.gamma, c.need("L"), c.need("G2"), c.need("delta")
        residual = 4 * (gamma * L) ** 2 * G2 * (1 - delta) / delta**2
        return per_step(2 * c.need("initial_gap") / gamma, times) + gamma * L * G2 + residual


ef_sgd_nonconvex = EfSgdNonconvex()
