r"""Descent along estimates whose error shrinks by itself and grows as the model moves.

The step is :math:`x^+ = x - \gamma g` and a measure G of the estimate's error, :math:`E\|g - \nabla
f(x)\|^2 \le G`, has :math:`E G^+ \le (1 - a) G + b\,\|x^+ - x\|^2` with a share a and a drift b
(EF21: Richtarik, Sokolov, Fatkhullin 2021, arXiv:2106.05203, Lemma 2 and Theorem 1; PAGE and MARINA
alike). Then :math:`f + \frac{\gamma}{2a} G` falls by :math:`\frac\gamma2 \|\nabla f\|^2` where
:math:`\gamma L + \gamma^2 b/a \le 1`, of which :math:`\gamma \le 1/(L + \sqrt{b/a})` is enough.
"""

from __future__ import annotations

from abc import abstractmethod

from theory.arrays import Floats
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorem import Metric
from theory.theorems.conditions import Condition, decay, positive
from theory.theorems.families import Descent, Limited


def noiseless(c: Constants) -> Condition:
    """The condition that gradients are exact."""
    noise = c.need("sigma2")
    return noise == 0, f"gradients must be exact (sigma2 = 0), got sigma2={noise:.6g}"


class NoiselessDescent(Descent):
    """Exact gradients: no floor, so that the longest stepsize is the best; 2 Delta/(gamma T)."""

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return (noiseless(c),)

    def balance(self, c: Constants) -> tuple[float, float]:
        return c.need("initial_gap"), 0.0

    def start(self, c: Constants, gamma: float) -> float:
        return 2 * c.need("initial_gap") / gamma

    def floors(self, c: Constants, gamma: float) -> tuple[float, ...]:
        return ()


class TrackedDescent(NoiselessDescent):
    r"""(1/T) sum E||grad f(x_t)||^2 <= (2 Delta/gamma + G_0/share)/T, gamma <= 1/(L +
    sqrt(drift/share)); without noise, so that the longest stepsize is the best."""

    @abstractmethod
    def share(self, c: Constants) -> float:
        """Share a of the estimate's error that a step takes away."""

    @abstractmethod
    def drift(self, c: Constants) -> float:
        """Error b that a step adds for its squared length [(f / x^2)^2]."""

    def error(self, c: Constants) -> float:
        """The estimate's error G_0 at the start [(f / x)^2]; 0 unless a member says otherwise."""
        return 0.0

    def limit(self, c: Constants) -> float:
        root: float = (self.drift(c) / self.share(c)) ** 0.5
        return 1 / (c.need("L") + root)

    def start(self, c: Constants, gamma: float) -> float:
        return super().start(c, gamma) + self.error(c) / self.share(c)


class TrackedLinear(Limited):
    r"""E f(x_T) - f* <= (1 - gamma pl)^T (Delta + gamma G_0/share), gamma <= min(1/(L + sqrt(2
    drift/share)), share/(2 pl)): :class:`TrackedDescent` where 2 pl (f - f*) <= ||grad f||^2.

    Attributes:
        descent: the theorem without that inequality.
    """

    metric = Metric.SUBOPTIMALITY
    descent: TrackedDescent

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return positive(c, "pl"), *self.descent.premises(c)

    def limit(self, c: Constants) -> float:
        share = self.descent.share(c)
        root: float = (2 * self.descent.drift(c) / share) ** 0.5
        return min(1 / (c.need("L") + root), share / (2 * c.need("pl")))

    def balance(self, c: Constants) -> tuple[float, float]:
        return c.need("initial_gap"), 0.0

    def prescribed(self, c: Constants, horizon: int) -> ConstantStep:
        return ConstantStep(self.limit(c))

    def curve(self, c: Constants, step: ConstantStep, times: Floats) -> Floats:
        start = step.gamma * self.descent.error(c) / self.descent.share(c)
        left = decay(step.gamma * c.need("pl"), times)
        return left * (c.need("initial_gap") + start)
