r"""Local SGD on smooth strongly convex functions.

Stich 2018 (arXiv:1805.09767), Theorem 2.2. All workers draw gradients of the same f, with variance
at most :math:`\sigma^2` and second moment at most :math:`G^2`; two averagings are at most H steps
apart; :math:`\gamma_t = 4 / (\mu (a + t))` with :math:`a > \max(16 L/\mu, H)`. Then, with
:math:`w_t = (a+t)^2`, :math:`S_T = \sum_{t<T} w_t` and :math:`\hat x_T = \frac1{S_T}
\sum_{t<T} w_t \bar x_t` (the mean model after t = 0, ..., T-1 steps),

.. math::
   :label: local_sgd

   \gamma_t = \frac{4}{\mu(a+t)}, a > \max(16\kappa, H) \Rightarrow E f(\hat x_T) - f^* \le
   \frac{\mu a^3}{2 S_T} R^2 + \frac{4T(T+2a)}{\mu n S_T}\sigma^2 + \frac{256 T}{\mu^2 S_T} G^2 H^2
   L.

:math:`S_T` is used exactly, not through :math:`S_T \ge T^3/3`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import InverseTimeStep
from theory.theorem import Order
from theory.theorems.conditions import Condition, at_least, equal, one_objective, positive
from theory.theorems.families import WeightedAverage


@final
@dataclass(frozen=True)
class LocalSgd(WeightedAverage):
    """See the file's docstring for the statement."""

    name = "local_sgd"
    title = "Local SGD, strongly convex, identical workers"
    source = Source("Stich", 2018, "1805.09767", "Theorem 2.2")
    confidence = Confidence.CERTAIN
    needs = ("n", "L", "mu", "sigma2", "zeta2", "G2", "H", "R2")
    order = Order({"T": -1, "n": -1})
    tight = False
    example = Constants(n=4, L=2.0, mu=0.5, sigma2=5.0, zeta2=0.0, G2=7.0, H=5, R2=6.0)

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return positive(c, "mu"), one_objective(c)

    def conditions(self, c: Constants, step: InverseTimeStep) -> tuple[Condition, ...]:
        mu, periods = c.need("mu"), c.need("H")
        return (
            equal("scale", step.scale, 4 / mu, "4/mu"),
            at_least("shift", step.shift, 16 * c.need("L") / mu, "16 L/mu"),
            (step.shift > periods, f"shift must exceed H={periods:g}, got shift={step.shift:.6g}"),
        )

    def prescribed(self, c: Constants, horizon: int) -> InverseTimeStep:
        mu = c.positive("mu")
        return InverseTimeStep(4 / mu, max(16 * c.need("L") / mu, c.need("H")) + 1)

    def parts(self, c: Constants, shift: float) -> tuple[float, float, float]:
        mu = c.need("mu")
        noise = 4 * c.need("sigma2") / (mu * c.need("n"))
        drift = 256 * c.need("G2") * c.need("H") ** 2 * c.need("L") / mu**2
        return mu * shift**3 / 2 * c.need("R2"), noise, drift


local_sgd = LocalSgd()
