"""Families of theorems: bounds that have one form, each member with terms and limits of its own."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import TypeVar

import numpy as np

from theory.arrays import Floats
from theory.constants import Constants
from theory.stepsizes import ConstantStep, GradualWarmUpStep, InverseTimeStep, Stepsize, WarmUpStep
from theory.theorem import Metric, Order
from theory.theorems.conditions import (
    Condition,
    at_most,
    connected,
    convex,
    decay,
    equal,
    per_step,
    positive,
    tuned,
    weighted_bound,
)
from theory.theorems.kinds import ConstantStepTheorem, InverseTimeTheorem, OneKind

W = TypeVar("W", WarmUpStep, GradualWarmUpStep)


class Limited(ConstantStepTheorem):
    """A constant stepsize up to a limit, whose ``formula`` is told to whom it is too large."""

    formula: str
    balanced = 1.0
    """Start over the first floor after T steps of the prescribed size, as T grows: 1 is best. Of a
    geometric start gamma mu T times as much: its derivative over the floor's."""

    @abstractmethod
    def limit(self, c: Constants) -> float:
        """The largest stepsize covered [x^2 / f]."""

    @abstractmethod
    def balance(self, c: Constants) -> tuple[float, float]:
        """Signal and noise, between which the prescribed stepsize weighs."""

    def conditions(self, c: Constants, step: ConstantStep) -> tuple[Condition, ...]:
        return (at_most("gamma", step.gamma, self.limit(c), self.formula),)


class Descent(Limited):
    r"""(1/T) sum E||grad f(x_t)||^2 <= start/T + floors, gamma = sqrt(signal/(noise T)) if allowed.

    Smooth functions: each step descends by gamma/2 ||grad f||^2 or a part of it, up to the floors.
    """

    metric = Metric.AVERAGE_SQUARED_GRADIENT

    @abstractmethod
    def start(self, c: Constants, gamma: float) -> float:
        """Contribution of the start to the sum over all steps [(f / x)^2]."""

    @abstractmethod
    def floors(self, c: Constants, gamma: float) -> tuple[float, ...]:
        """Terms that no number of steps takes away [(f / x)^2]."""

    def prescribed(self, c: Constants, horizon: int) -> ConstantStep:
        signal, noise = self.balance(c)
        return tuned(self.limit(c), signal, noise * horizon)

    def curve(self, c: Constants, step: ConstantStep, times: Floats) -> Floats:
        bound = per_step(self.start(c, step.gamma), times)
        for floor in self.floors(c, step.gamma):
            bound = bound + floor
        return bound


def within_drift(theorem: Descent, c: Constants, horizon: int) -> ConstantStep:
    """The root of signal over noise, and at most where floors of order gamma^2 are half the start.

    (start/(2 T drift))^{1/3} with start and drift per unit of stepsize, of the start what falls as
    1/gamma; no order is lost by it.
    """
    step = tuned(theorem.limit(c), theorem.balance(c)[0], theorem.balance(c)[1] * horizon)
    start = theorem.start(c, 1.0) - theorem.start(c, math.inf)
    drift = sum(theorem.floors(c, 1.0)[1:])
    if start <= 0 or drift <= 0:
        return step
    return ConstantStep(min(step.gamma, (start / (2 * horizon * drift)) ** (1 / 3)))


class MiniBatchDescent(Descent):
    """A descent tuned like mini-batch SGD: gamma = sqrt(2 n Delta/(L sigma2 T))."""

    smoothness = "L"

    def balance(self, c: Constants) -> tuple[float, float]:
        noise = c.need(self.smoothness) * c.need("sigma2")
        return 2 * c.need("n") * c.need("initial_gap"), noise


class VirtualDescent(MiniBatchDescent):
    r"""Error feedback: 2 Delta/(gamma T) + gamma L sigma2/n + residual, gamma <= 1/(2L).

    The virtual iterate :math:`\tilde x = x - \bar e` takes plain steps; half of the descent pays
    for the residual and for the square of the step.
    """

    formula = "1/(2 L)"

    @abstractmethod
    def residual(self, c: Constants, gamma: float) -> float:
        r"""2 L^2 times what :math:`E\|\bar e\|^2` is at most [(f / x)^2]."""

    def limit(self, c: Constants) -> float:
        return 1 / (2 * c.need("L"))

    def start(self, c: Constants, gamma: float) -> float:
        return 2 * c.need("initial_gap") / gamma

    def floors(self, c: Constants, gamma: float) -> tuple[float, ...]:
        noise = gamma * c.need("L") * c.need("sigma2") / c.need("n")
        return noise, self.residual(c, gamma)


def logarithmic(
    limit: float, mu: float, balance: tuple[float, float], horizon: int
) -> ConstantStep:
    """log(1 + T signal/noise)/(mu T), or the limit where it is smaller or one of the two is 0."""
    signal, noise = balance
    if noise <= 0 or signal <= 0:
        return ConstantStep(limit)
    return ConstantStep(min(limit, math.log1p(signal * horizon / noise) / (mu * horizon)))


class LinearConvergence(Limited):
    """E||x_T - x*||^2 shrinks by 1 - gamma mu a step: gamma = log(1 + T signal/noise)/(mu T).

    The stepsize is kept below the limit; signal is mu^2 R2 in the unit of the noise.
    """

    metric = Metric.SQUARED_DISTANCE

    def logarithm(self, c: Constants, horizon: int) -> float:
        """The exponent gamma mu T, which the tuned stepsize makes a logarithm."""
        return self.own(self.stepsize(c, horizon)).gamma * c.need("mu") * horizon

    def prescribed(self, c: Constants, horizon: int) -> ConstantStep:
        return logarithmic(self.limit(c), c.need("mu"), self.balance(c), horizon)


class PolyakLojasiewicz(Limited):
    r"""E f(x_T) - f* <= (1 - gamma mu)^T Delta + floors (1 - (1 - gamma mu)^T)/(2 mu), mu = ``pl``.

    From E f(x+) <= f(x) - gamma/2 ||grad f(x)||^2 + gamma/2 floors, which ``descent`` sums for
    non-convex functions, and ||grad f||^2 >= 2 mu (f - f*). The stepsize is log(1 + 2 mu^2 Delta
    T/noise)/(mu T) below the limit, noise the first floor per unit of stepsize.
    """

    metric = Metric.SUBOPTIMALITY
    descent: Descent

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return (positive(c, "pl"), *self.descent.premises(c))

    def limit(self, c: Constants) -> float:
        return self.descent.limit(c)

    def floors(self, c: Constants, gamma: float) -> tuple[float, ...]:
        """Contribution of a step to f, over gamma/2 [(f / x)^2]."""
        return self.descent.floors(c, gamma)

    def balance(self, c: Constants) -> tuple[float, float]:
        return 2 * c.need("pl") ** 2 * c.need("initial_gap"), self.floors(c, 1.0)[0]

    def logarithm(self, c: Constants, horizon: int) -> float:
        """The exponent gamma mu T, which the tuned stepsize makes a logarithm."""
        return self.own(self.stepsize(c, horizon)).gamma * c.need("pl") * horizon

    def prescribed(self, c: Constants, horizon: int) -> ConstantStep:
        return logarithmic(self.limit(c), c.need("pl"), self.balance(c), horizon)

    def curve(self, c: Constants, step: ConstantStep, times: Floats) -> Floats:
        mu = c.need("pl")
        left = decay(step.gamma * mu, times)
        return left * c.need("initial_gap") + (1 - left) * sum(self.floors(c, step.gamma)) / (
            2 * mu
        )


class WeightedAverage(InverseTimeTheorem):
    """The mean of the iterates by weights (a + t)^2, a the stepsize's shift."""

    metric = Metric.WEIGHTED_SUBOPTIMALITY

    @abstractmethod
    def parts(self, c: Constants, shift: float) -> tuple[float, float, float]:
        """start, noise and drift of :func:`weighted_bound`."""

    def curve(self, c: Constants, step: InverseTimeStep, times: Floats) -> Floats:
        return weighted_bound(*self.parts(c, step.shift), step.shift, times)

    def weight(self, c: Constants, step: Stepsize, t: int) -> float:
        """Weight w_t = (a + t)^2 of the model x_t in the averaged output."""
        return (self.own(step).shift + t) ** 2


class Neighbourhood(ConstantStepTheorem):
    """D/(gamma T) + gamma floor for the average of all mean models: convex, Lipschitz, mixed.

    D is the distance of the start from x*, by which steps are measured: R2/2 or a divergence.
    """

    metric = Metric.WEIGHTED_SUBOPTIMALITY
    any_scale = True
    far = "R2"

    @abstractmethod
    def floor(self, c: Constants) -> float:
        """Size of the neighbourhood per unit of stepsize [(f / x)^2]."""

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return connected(c), convex(c, "f_i")

    def distance(self, c: Constants) -> float:
        """D(x*, x_0): half the squared distance, or the divergence of another geometry."""
        return c.need(self.far) / 2 if self.far == "R2" else c.need(self.far)

    def prescribed(self, c: Constants, horizon: int) -> ConstantStep:
        c.positive(self.far)
        return ConstantStep(math.sqrt(self.distance(c) / (horizon * self.floor(c))))

    def curve(self, c: Constants, step: ConstantStep, times: Floats) -> Floats:
        return per_step(self.distance(c) / step.gamma, times) + step.gamma * self.floor(c)

    def weight(self, c: Constants, step: Stepsize, t: int) -> float:
        return 1.0


class SignDescent(ConstantStepTheorem):
    """Steps along signs: Delta/(gamma T) + gamma |L|_1/2 + 2 noise, gamma = 1/sqrt(|L|_1 T)."""

    metric = Metric.AVERAGE_GRADIENT_ONE_NORM
    any_scale = True

    @abstractmethod
    def noise(self, c: Constants) -> float:
        """Noise that keeps the signs from being right [f / x]."""

    def prescribed(self, c: Constants, horizon: int) -> ConstantStep:
        return ConstantStep(1 / math.sqrt(c.positive("L_one") * horizon))

    def curve(self, c: Constants, step: ConstantStep, times: Floats) -> Floats:
        floor = step.gamma * c.need("L_one") / 2 + 2 * self.noise(c)
        return per_step(c.need("initial_gap") / step.gamma, times) + floor


class SmallBatchSigns(SignDescent):
    """Signs of batches of any size: min over a <= 1/2 of B/(2 a) + a noise/2, B = (Delta/(gamma T)
    + gamma |L|_1/2)/share, gamma = sqrt(2 Delta/(|L|_1 T)).

    A step lowers f by gamma ``share`` min(|g_j|, g_j^2/noise_j) a coordinate at least, up to
    gamma^2 |L|_1/2, and that minimum is above 2 a |g_j| - a^2 noise_j.
    """

    @abstractmethod
    def share(self) -> float:
        """What a step keeps of a strong signal, over gamma: a pure number."""

    def prescribed(self, c: Constants, horizon: int) -> ConstantStep:
        gap = c.positive("initial_gap")
        return ConstantStep(math.sqrt(2 * gap / (c.positive("L_one") * horizon)))

    def curve(self, c: Constants, step: ConstantStep, times: Floats) -> Floats:
        noise = self.noise(c)
        start = per_step(c.need("initial_gap") / step.gamma, times)
        mixed = (start + step.gamma * c.need("L_one") / 2) / self.share()
        return np.where(4 * mixed <= noise, np.sqrt(mixed * noise), mixed + noise / 4)


class WholeStep(ConstantStepTheorem):
    """Gossip that goes the whole way to its mean, ``stepsize`` 1; linear, so of no order in T."""

    metric = Metric.CONSENSUS_POTENTIAL
    order = Order({}, linear=True)

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return (connected(c),)

    def conditions(self, c: Constants, step: ConstantStep) -> tuple[Condition, ...]:
        return (equal("gamma", step.gamma, 1.0, "the whole way"),)

    def prescribed(self, c: Constants, horizon: int) -> ConstantStep:
        for name in self.needs:
            c.need(name)
        return ConstantStep(1.0)


class WarmedUp(OneKind[W]):
    """E||x_T - x*||^2 step by step while the stepsize grows, then geometrically to a floor.

    A step leaves 1 - gamma (2 - gamma L) mu of the squared distance and adds gamma^2 sigma2/n, for
    gamma_t <= 1/L. The stepsize prescribed ends at 1/L, after a tenth of the horizon or sooner.
    """

    metric = Metric.SQUARED_DISTANCE
    order = Order({"n": -1})

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return (positive(c, "mu"),)

    def conditions(self, c: Constants, step: W) -> tuple[Condition, ...]:
        description = f"a warm-up must lead to a constant stepsize, got {step.rule}"
        return (
            (isinstance(step.rule, ConstantStep), description),
            at_most("the last gamma", step(step.length), 1 / c.need("L"), "1/L"),
        )

    def moved(self, c: Constants, gamma: float) -> tuple[float, float]:
        """Contraction factor of the squared distance per step, and what is added [x^2]."""
        kept = 1 - gamma * (2 - gamma * c.need("L")) * c.need("mu")
        return kept, gamma**2 * c.need("sigma2") / c.need("n")

    def curve(self, c: Constants, step: W, times: Floats) -> Floats:
        early = [c.need("R2")]
        for t in range(step.length):
            kept, added = self.moved(c, step(t))
            early.append(kept * early[-1] + added)
        kept, added = self.moved(c, step(step.length))
        floor = added / (1 - kept)
        late = floor + (early[-1] - floor) * kept ** np.maximum(times - step.length, 0.0)
        whole = np.minimum(times, step.length).astype(np.int64)
        return np.where(times <= step.length, np.array(early)[whole], late)
