r"""CHOCO-SGD on smooth strongly convex functions.

Koloskova, Stich, Jaggi 2019 (arXiv:1902.00340), Theorem 4, which states the order

.. math:: O\left(\frac{\sigma^2}{\mu n T} + \frac{\kappa G^2}{\mu\delta^2 p^4 T^2}
          + \frac{G^2}{\mu\delta^3 p^6 T^3}\right);

the constants here are derived. Every f_i :math:`\mu`-strongly convex and L-smooth (``mu_min``,
``L_max``), second moments at most :math:`G^2`, contraction c = p^2 delta/82 of one round of
CHOCO-Gossip, :math:`\gamma_t = 4/(\mu(a+t))`, :math:`a \ge \max(5/c, 16\kappa)`; weights
:math:`w_t = (a+t)^2`, :math:`\hat x_T` the weighted mean of the mean models of t = 0, ..., T-1:

.. math::
   :label: choco_sgd_strongly_convex

   E f(\hat x_T) - f^* \le \frac{\mu a^3}{4 S_T} R^2 + \frac{2T(T+2a)}{\mu n S_T}\sigma^2 +
   \frac{960 T L}{\mu^2 c^2 S_T} G^2, c = p^2\delta/82.

Derivation: (1) the potential obeys :math:`e_{t+1} \le (1-c/2) e_t + (4/c) n\gamma_t^2 G^2`, hence
:math:`e_t \le 40 n \gamma_t^2 G^2/c^2` by induction, if the start does (start at the public copies:
e_0 = 0, taken where ``initial_potential`` is not stated). (2) With
:math:`\Xi = \frac1n\sum_i\|x_i-\bar x\|^2` and :math:`\gamma \le 1/(4L)`,
:math:`E\|\bar x_{t+1}-x^*\|^2 \le (1-\gamma\mu)\|\bar x_t-x^*\|^2 - \gamma(f(\bar x_t)-f^*)
+ \gamma^2\sigma^2/n + \frac32\gamma L\Xi`. (3) Stich 2018 (arXiv:1805.09767), Lemma 3.4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import InverseTimeStep
from theory.theorem import Order
from theory.theorems.choco_gossip import (
    at_consensus_stepsize,
    consensus_rate,
    consensus_stepsize,
)
from theory.theorems.conditions import (
    Condition,
    at_least,
    at_most,
    connected,
    equal,
    positive,
    symmetric,
)
from theory.theorems.families import WeightedAverage


@final
@dataclass(frozen=True)
class ChocoSgdStronglyConvex(WeightedAverage):
    """See the file's docstring for the statement and its derivation."""

    name = "choco_sgd_strongly_convex"
    title = "CHOCO-SGD, strongly convex"
    source = Source("Koloskova, Stich, Jaggi", 2019, "1902.00340", "Theorem 4, constants derived")
    confidence = Confidence.DERIVED
    needs = ("n", "L_max", "mu_min", "sigma2", "G2", "R2", "lam", "beta", "delta")
    order = Order({"T": -1, "n": -1})
    tight = False
    example = Constants(
        n=4, L_max=2.0, mu_min=0.5, sigma2=5.0, G2=7.0, R2=6.0, lam=0.6, beta=1.2, delta=0.25
    )

    def consensus_stepsize(self, c: Constants) -> float:
        """The consensus stepsize of CHOCO-Gossip, a pure number."""
        return consensus_stepsize(c)

    def least_shift(self, c: Constants) -> float:
        """The smallest shift a that the theorem allows: max(5/c, 16 L/mu)."""
        return max(5 / consensus_rate(c), 16 * (c.need("L_max") / c.need("mu_min")))

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return (
            positive(c, "mu_min"), connected(c), symmetric(c), *at_consensus_stepsize(c),
        )  # fmt: skip

    def conditions(self, c: Constants, step: InverseTimeStep) -> tuple[Condition, ...]:
        most = 40 * c.need("n") * c.need("G2") * (step(0) / consensus_rate(c)) ** 2
        formula = "40 n G2 (gamma_0 / c)^2"
        return (
            equal("scale", step.scale, 4 / c.need("mu_min"), "4/mu_min"),
            at_least("shift", step.shift, self.least_shift(c), "max(410/(p^2 delta), 16 kappa)"),
            at_most("initial_potential", c.initial_potential or 0.0, most, formula),
        )

    def prescribed(self, c: Constants, horizon: int) -> InverseTimeStep:
        return InverseTimeStep(4 / c.positive("mu_min"), self.least_shift(c))

    def parts(self, c: Constants, shift: float) -> tuple[float, float, float]:
        mu = c.need("mu_min")
        noise = 2 * c.need("sigma2") / (mu * c.need("n"))
        drift = 960 * c.need("L_max") * c.need("G2") / (mu * consensus_rate(c)) ** 2
        return mu * shift**3 / 4 * c.need("R2"), noise, drift


choco_sgd_strongly_convex = ChocoSgdStronglyConvex()
