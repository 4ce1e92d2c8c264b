r"""Descents of a virtual iterate near which gradients are taken, at distances that constants tell.

:mod:`theory.theorems.perturbed_iterate` has the statement and its derivation; members differ in the
distances S (``reach``) and B (``behind``), the ``gain`` a and the ``excess`` b of
:mod:`theory.rules.virtual_iterate_deviation`.
"""

from __future__ import annotations

from abc import abstractmethod

from theory.claims import Confidence
from theory.constants import Constants
from theory.rules.virtual_iterate_deviation import Reach
from theory.stepsizes import ConstantStep
from theory.theorem import HALF, Order
from theory.theorems.families import Descent, within_drift


class Reached(Descent):
    """2 Delta/(gamma a T) + gamma a L_max (sigma2 + b G2)/n + (gamma L_max)^2 (S^2 + 2 B^2) G2.

    B (``behind``) is 0 where the model that is looked at is the virtual iterate; then the stepsize
    may be twice as long.

    ``published`` says that the source has this order, without constants: what it assumes differs.
    """

    confidence = Confidence.DERIVED
    order = Order({"T": -HALF, "n": -HALF})
    formula = "1/(gain L_max), or half of that where the model is behind a virtual iterate,"
    tight = False
    published = True

    @abstractmethod
    def separation(self, c: Constants) -> Reach:
        """S, B, a and b of the method that ``c`` speaks of."""

    def limit(self, c: Constants) -> float:
        own = self.separation(c)
        return 1 / ((2 if own.behind else 1) * own.gain * c.need("L_max"))

    def noise(self, c: Constants) -> float:
        """(sigma2 + b G2)/n, the variance of a step of the virtual iterate [(f / x)^2]."""
        return (c.need("sigma2") + self.separation(c).excess * c.need("G2")) / c.need("n")

    def balance(self, c: Constants) -> tuple[float, float]:
        noise = self.separation(c).gain ** 2 * c.need("L_max") * self.noise(c)
        return 2 * c.need("initial_gap"), noise

    def prescribed(self, c: Constants, horizon: int) -> ConstantStep:
        return within_drift(self, c, horizon)

    def start(self, c: Constants, gamma: float) -> float:
        return 2 * c.need("initial_gap") / (gamma * self.separation(c).gain)

    def floors(self, c: Constants, gamma: float) -> tuple[float, ...]:
        own, y = self.separation(c), gamma * c.need("L_max")
        drift = y**2 * (own.reach**2 + 2 * own.behind**2) * c.need("G2")
        return y * own.gain * self.noise(c), drift
