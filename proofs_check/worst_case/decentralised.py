"""Decentralised methods over any averaging matrix of a spectral range: runs and one step."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from proofs_check.worst_case.functions import Lipschitz, SampledPoint, Smooth
from proofs_check.worst_case.gram import DEVIATION, MEAN, Vector
from proofs_check.worst_case.lyapunov import LyapunovSearch
from proofs_check.worst_case.programme import Programme, WorstCase

# Averaging matrices of a given spectrum, for any number of agents that are all alike.
#
# One symmetric W with W 1 = 1 and its other eigenvalues in [lo, hi]; the conditions are necessary
# for every such W (Colla, Hendrickx 2023, IEEE Transactions on Automatic Control 68,
# arXiv:2103.14396, Theorem 1 and Section IV), so that what they allow is a bound from above.


@final
class AnyAveraging:
    """Y = W X for one W, whichever has its spectrum in a range.

    ``pose`` asks the programme for what is true of all the averages that were taken.

    Raises:
        ValueError: the range does not lie in [-1, 1].
    """

    def __init__(self, programme: Programme, lo: float, hi: float) -> None:
        if not -1 <= lo <= hi <= 1:
            raise ValueError(f"a spectral range must lie in [-1, 1], got [{lo}, {hi}]")
        self._programme, self._lo, self._hi = programme, lo, hi
        self._taken: list[tuple[Vector, Vector]] = []

    def __call__(self, x: Vector) -> Vector:
        """W x: the mean stays, the deviation is a new one (or lo times that, where lo = hi)."""
        off = x.part(DEVIATION)
        if self._lo == self._hi:
            return x - off + self._lo * off
        new = self._programme.vector(DEVIATION)
        self._taken.append((off, new))
        return x - off + new

    def pose(self) -> None:
        """Ask for W to be symmetric and its spectrum to lie in the range."""
        taken = self._taken
        for k, (x, y) in enumerate(taken):
            for u, v in taken[:k]:
                self._programme.equate(x @ v - u @ y)
        if taken:
            self._programme.negative(
                [[(y - self._lo * x) @ (v - self._hi * u) for u, v in taken] for x, y in taken]
            )


# Decentralised methods over any averaging matrix of a spectral range: runs and one step.
#
# All agents are alike, so that the number of agents drops out: a vector of each is a mean and a
# deviation, inner products are means over agents (arXiv:2403.11724).

_GRID = 81


def subgradient_average(
    steps: int, lo: float, hi: float, alpha: float, radius: float = 1.0, far: float = 1.0
) -> WorstCase:
    """DGD on convex functions with subgradients up to ``radius``, from one start at most ``far``
    from x*: the largest F(mean over agents and iterates 0 to ``steps``) - F*."""
    p = Programme()
    average = AnyAveraging(p, lo, hi)
    x = p.vector()
    p.at_most(x.square, far**2)
    star = SampledPoint(p.zero(), p.vector(DEVIATION), p.value())
    samples, iterates = [star], [x]
    for _ in range(steps):
        g = p.agent()
        samples.append(SampledPoint(x, g, p.value()))
        x = average(x) - alpha * g
        iterates.append(x)
    centre = sum((one.part(MEAN) for one in iterates), p.zero()) / len(iterates)
    samples.append(SampledPoint(centre, p.agent(), p.value()))
    p.function(Lipschitz(radius), samples)
    average.pose()
    return p.largest(samples[-1].f - star.f)


def tracking_step(
    lo: float, hi: float, alpha: float, mu: float, L: float, weight: float
) -> WorstCase:
    """One step of DIGing: the largest mean of |x_i+ - x*|^2 + weight |s_i+ - mean g+|^2 where the
    same before is at most 1."""
    p = Programme()
    average = AnyAveraging(p, lo, hi)
    x, g = p.agent(), p.agent()
    tracker = g.part(MEAN) + p.vector(DEVIATION)
    moved = average(x) - alpha * tracker
    new = p.agent()
    followed = average(tracker) + new - g
    samples = [SampledPoint(p.zero(), p.vector(DEVIATION), p.value())]
    samples += [SampledPoint(x, g, p.value()), SampledPoint(moved, new, p.value())]
    p.function(Smooth(L, mu), samples)
    average.pose()
    p.at_most(x.square + weight * tracker.part(DEVIATION).square, 1.0)
    return p.largest(moved.square + weight * followed.part(DEVIATION).square)


def tracking_guarantee(lam: float, alpha: float, mu: float, L: float, agents: int) -> float:
    r"""Rate stated for DIGing on a fixed network, of the distance a step; 1 or more: nothing is
    stated. It is the larger of \sqrt{1 - \alpha \mu/1.5}, that of short steps, and \lambda +
    \sqrt{2 \alpha L (1 + 4 \sqrt{n L/\mu})}.

    Source: Nedic, Olshevsky and Shi 2016, arXiv:1607.03218, theorem 3.14 with B = 1, J = 3 (L/mu)
    (1 + 4 sqrt(n L/mu)), whose rate for long steps is sqrt(alpha mu J/1.5) + lam.
    """
    long = lam + math.sqrt(2 * alpha * L * (1 + 4 * math.sqrt(agents * L / mu)))
    return max(long, math.sqrt(max(0.0, 1 - alpha * mu / 1.5)))


@final
@dataclass(frozen=True)
class AgentStep:
    """One step of a method about its fixed point: what it knows before and after.

    Attributes:
        before: the state's parts.
        after: the same one step later.
        samples: of every agent's function, shifted so that its gradient is 0 at the fixed point.
    """

    before: Sequence[Vector]
    after: Sequence[Vector]
    samples: Sequence[SampledPoint]


Step = Callable[[Programme, AnyAveraging, float], AgentStep]


def _dgd(p: Programme, average: AnyAveraging, alpha: float) -> AgentStep:
    """X+ = W X - alpha G, about DGD's own limit."""
    x, g = p.agent(), p.agent()
    return AgentStep([x], [average(x) - alpha * g], [SampledPoint(x, g, p.value())])


def _tracking(p: Programme, average: AnyAveraging, alpha: float) -> AgentStep:
    """X+ = W X - alpha Y, Y+ = W Y + G+ - G, mean Y = mean G."""
    x, g = p.agent(), p.agent()
    y = g.part(MEAN) + p.vector(DEVIATION)
    moved = average(x) - alpha * y
    new = p.agent()
    samples = [SampledPoint(x, g, p.value()), SampledPoint(moved, new, p.value())]
    return AgentStep([x, g, y], [moved, new, average(y) + new - g], samples)


def _extra(p: Programme, average: AnyAveraging, alpha: float) -> AgentStep:
    """X+ = W X - alpha G - (S - W S)/2, S+ = S + X: EXTRA, S the sum of iterates so far."""
    x, g, s = p.agent(), p.agent(), p.vector(DEVIATION)
    wx, ws = average(x), average(s)
    moved = wx - alpha * g - 0.5 * (s - ws)
    grown = s + x.part(DEVIATION)
    mixed = ws + wx.part(DEVIATION)
    return AgentStep(
        [x, s, ws, wx], [moved, grown, mixed, average(moved)], [SampledPoint(x, g, p.value())]
    )


def _diffusion(p: Programme, average: AnyAveraging, alpha: float) -> AgentStep:
    """X+ = W (X - alpha G - S), S = Q - W Q, Q+ = Q + X - alpha G - S: exact diffusion and D2, as
    X'' = W (2 X' - X - alpha (G' - G))."""
    x, g, q = p.agent(), p.agent(), p.vector(DEVIATION)
    wq = average(q)
    half = x - alpha * g - q + wq
    moved = average(half)
    grown, mixed = q + half.part(DEVIATION), wq + moved.part(DEVIATION)
    return AgentStep([x, q, wq], [moved, grown, mixed], [SampledPoint(x, g, p.value())])


STEPS: Mapping[str, Step] = {
    "DGD": _dgd, "DIGing": _tracking, "EXTRA": _extra, "exact diffusion": _diffusion,
    "D2": _diffusion,
}  # fmt: skip
"""Methods by name; exact diffusion is D2 with (I + W)/2 in the place of W."""

_HALVED = frozenset({"exact diffusion"})


def own_range(name: str, lo: float, hi: float) -> tuple[float, float]:
    """The range of the eigenvalues that a method mixes with, for W in [lo, hi]."""
    return ((1 + lo) / 2, (1 + hi) / 2) if name in _HALVED else (lo, hi)


def step_search(
    name: str, lo: float, hi: float, alpha: float, mu: float, L: float
) -> LyapunovSearch:
    """The search for a Lyapunov function of a method of ``STEPS``, about its fixed point."""
    p = Programme()
    average = AnyAveraging(p, *own_range(name, lo, hi))
    step = STEPS[name](p, average, alpha)
    rest = SampledPoint(p.zero(), p.zero(), 0.0 * p.value())
    p.function(Smooth(L, mu), [rest, *step.samples])
    average.pose()
    return LyapunovSearch(p, step.before, step.after)


def slowest_mode(name: str, lo: float, hi: float, alpha: float, mu: float, L: float) -> float:
    """The factor per step of the worst quadratic, all Hessians a I with a in [mu, L], and the worst
    eigenvalue of W in the range: what no rate over the range is below."""
    low, high = own_range(name, lo, hi)
    steps = alpha * np.linspace(mu, L, _GRID)
    s, l = np.meshgrid(steps, np.linspace(low, high, _GRID))  # noqa: E741
    one, zero = np.ones_like(s), np.zeros_like(s)
    rows = {
        "DGD": [[l - s]],
        "DIGing": [[l, -one], [s * (l - 1), l - s]],
        "EXTRA": [[1 + l - s, s - (1 + l) / 2], [one, zero]],
        "D2": [[l * (2 - s), -l * (1 - s)], [one, zero]],
    }["D2" if name in _HALVED else name]
    matrices = np.stack([np.stack(row, -1) for row in rows], -2)
    return float(max(np.abs(np.linalg.eigvals(matrices)).max(), np.abs(1 - steps).max()))


def local_descent(periods: int, alpha: float, mu: float, L: float) -> WorstCase:
    """The squared factor per round of local descent of so many steps towards its own limit, agents
    with functions of their own: differences from the limit's local path."""
    p = Programme()
    x = p.vector()
    p.at_most(x.square, 1.0)
    y = x
    for _ in range(periods):
        g = p.agent()
        rest = SampledPoint(p.zero(), p.zero(), 0.0 * p.value())
        p.function(Smooth(L, mu), [rest, SampledPoint(y, g, p.value())])
        y = y - alpha * g
    return p.largest(y.part(MEAN).square)
