r"""Delay-compensated asynchronous SGD whose gradients are bounded.

Zheng et al. 2017 (arXiv:1609.08326) prove the rate of SGD up to the error of :math:`\lambda g g^T`
as a Hessian, for bounded gradients (Theorem 5.1). Derived here with constants: one gradient an
update, at the model of at most :math:`\tau` updates ago; what is added to it is at most c times as
long as the model's move since (c is :math:`\lambda G_\infty^2`, and with :math:`\lambda_0/\sqrt{M +
\epsilon}` it is :math:`\lambda_0 G_\infty/\sqrt{1 - m}`); every component's gradient is at most
:math:`G_\infty` long. With :math:`U = \frac{G_\infty}{1 - \gamma c \tau}`

.. math::
   :label: dc_asgd_bounded

   \gamma \le \min\Bigl(\frac1L, \frac1{2 c \tau}\Bigr) \Rightarrow \frac1T \sum_{t<T} E\|\nabla
   f(x_t)\|^2 \le \frac{2\Delta}{\gamma T} + \gamma L U^2 + \gamma^2 (L + c)^2 \tau^2 U^2.

Proof: an update's direction is at most U long, by induction: :math:`U = G_\infty + \gamma c \tau
U`. The model has moved by at most :math:`\gamma \tau U` since it was read; the direction's mean is
off by L times that, and by c times that at most. An error of the compensation beside the Hessian
that is smaller than L + c may stand in its place. All workers share one objective. No step asks for
:math:`\gamma \le 1/L`: it is what is prescribed, as above it the bound is more than :math:`U^2`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorem import HALF, Order
from theory.theorems.conditions import Condition, one_objective
from theory.theorems.families import Descent


@final
@dataclass(frozen=True)
class DcAsgdBounded(Descent):
    """See the file's docstring for the statement and its derivation."""

    name = "dc_asgd_bounded"
    title = "Delay-compensated asynchronous SGD with bounded gradients, non-convex"
    source = Source("Zheng et al.", 2017, "1609.08326", "setting; constants derived here")
    confidence = Confidence.DERIVED
    needs = ("L", "lipschitz", "zeta2", "tau", "compensation", "initial_gap")
    order = Order({"T": -HALF})
    formula = "1/max(L, 2 c tau)"
    tight = False
    example = Constants(L=2.0, lipschitz=3.0, zeta2=0.0, tau=3, compensation=0.5, initial_gap=3.0)

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return (one_objective(c),)

    def limit(self, c: Constants) -> float:
        return 1 / max(c.need("L"), 2 * c.need("compensation") * c.need("tau"))

    def balance(self, c: Constants) -> tuple[float, float]:
        return 2 * c.need("initial_gap"), c.need("L") * c.need("lipschitz") ** 2

    def prescribed(self, c: Constants, horizon: int) -> ConstantStep:
        step = super().prescribed(c, horizon)
        late = (c.need("L") + c.need("compensation")) * c.need("tau") * c.need("lipschitz")
        if late <= 0 or c.need("initial_gap") <= 0:
            return step
        half = (c.need("initial_gap") / (horizon * late**2)) ** (1 / 3)  # half of the start
        return ConstantStep(min(step.gamma, half))

    def longest(self, c: Constants, gamma: float) -> float:
        """U, the longest direction of an update [f / x]."""
        return c.need("lipschitz") / (1 - gamma * c.need("compensation") * c.need("tau"))

    def start(self, c: Constants, gamma: float) -> float:
        return 2 * c.need("initial_gap") / gamma

    def floors(self, c: Constants, gamma: float) -> tuple[float, ...]:
        L, square = c.need("L"), self.longest(c, gamma) ** 2
        late = gamma * (L + c.need("compensation")) * c.need("tau")
        return gamma * L * square, late**2 * square


dc_asgd_bounded = DcAsgdBounded()
