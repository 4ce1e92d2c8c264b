r"""Bounds on a problem's constants, from below or above, by what is found along runs.

A constant that holds for all x is a largest or a smallest value over R^d. Looking at points gives
one side: L is at least any curvature found, mu at most any. Each :class:`ConstantEstimate` names
its side, how it was found, where, and the error of the number itself. The other side is what a
proof is for (a problem's statement, if it has one), or stays open.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.core.key import Key
from algorithms.problems.base import Problem
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.limits import lower_limits, quantile
from proofs_check.problems import curvature
from proofs_check.problems.extremes import Extreme, extremes, of_workers
from proofs_check.problems.trajectory import Trajectory
from theory.constants import Kind

DENSE = 200
"""Parameters up to which Hessians are formed; above, Lanczos iterations multiply by them."""

_NEAR = 6  # points of runs at which curvature is looked for
_DRAWS = 4_000_000  # numbers that sampled gradients hold
_LEAST, _MOST = 64, 8192  # samples
_ROUNDING = 1e-12  # relative error of sums
_LOWEST = "the lowest point found"
_GAP = 1e-9  # f - f* below which a ratio to it is rounding


@final
@dataclass(frozen=True)
class ConstantEstimate:
    """One constant as found.

    Attributes:
        name: its name in :class:`theory.constants.Constants`.
        side: LOWER: the constant is at least ``value``; UPPER: at most; EXACT: it is ``value``;
            MEASURED: ``value`` belongs to the point, and says nothing of others.
        value: the extreme found.
        slack: error of ``value`` from rounding or differences; nothing is drawn.
        along: the extreme among points on the runs only.
        method: how it was found.
        where: at which point.
        interval: the same at that point from sampled gradients, or None where nothing is sampled.
        error: probability that ``interval`` misses.
    """

    name: str
    side: Kind
    value: float
    slack: float
    along: float
    method: str
    where: str
    interval: tuple[float, float] | None = None
    error: float = 0.0


def estimates(
    problem: Problem, trajectory: Trajectory, wanted: Iterable[str] | None = None,
    tell: Callable[[ConstantEstimate], None] = lambda _: None,
) -> tuple[ConstantEstimate, ...]:  # fmt: skip
    """Estimates of a problem's constants from a trajectory, of all or of those ``wanted``.

    L, L_max, mu, mu_min, pl, f_star, initial_gap, R2, sigma2, G2, zeta2, zeta2_star, lipschitz;
    ``tell`` hears each when it is there, those that cost least first.
    """
    names = set(ESTIMATED if wanted is None else wanted)
    found: list[ConstantEstimate] = []
    for group, search in _SEARCHES:
        if names & set(group):
            for one in search(problem, trajectory):
                if one.name in names:
                    found.append(one)
                    tell(one)
    return tuple(sorted(found, key=lambda one: ESTIMATED.index(one.name)))


def heterogeneity_along(problem: Problem, trajectory: Trajectory) -> tuple[tuple[int, float], ...]:
    """(1/n) sum_i ||grad f_i - grad f||^2 by step of the first run [(f / x)^2]."""
    values = problem.heterogeneity(trajectory.points[: len(trajectory.ticks)])
    return tuple(zip(trajectory.ticks, values.tolist(), strict=True))


def _found(name: str, side: Kind, one: Extreme, method: str) -> ConstantEstimate:
    return ConstantEstimate(
        name, side, one.value, one.slack, one.value, f"{method}; {one.method}", one.where
    )


def _curvature(problem: Problem, trajectory: Trajectory) -> Iterator[ConstantEstimate]:
    """L and mu of f, and of the f_i, from Hessians and from pairs of gradients."""
    points, labels = trajectory.near(_NEAR)
    slopes = curvature.pairs(problem, points)
    found = extremes(problem, points, labels, slopes, dense=problem.d <= DENSE)
    workers = of_workers(problem, points, slopes, found, dense=problem.d <= DENSE)
    yield _found("L", Kind.LOWER, found.norm, "largest slope of grad f")
    yield _found("L_max", Kind.LOWER, workers.norm, "largest slope of any grad f_i")
    yield _found("mu", Kind.UPPER, found.least, "smallest curvature of f")
    yield _found("mu_min", Kind.UPPER, workers.least, "smallest curvature of any f_i")


def _pl(problem: Problem, trajectory: Trajectory) -> Iterator[ConstantEstimate]:
    """Least ||grad f||^2 / (2 (f - f*)), f* at most the lowest value found.

    A value above f* makes the ratio larger, so that pl is at most what is found all the same.
    """
    lowest = trajectory.lowest
    points, labels = trajectory.points, trajectory.labels
    gap = problem.value(points) - lowest.value
    far = gap > _GAP * max(1.0, abs(lowest.value), float(gap.max()))
    if not bool(far.any()):
        return
    ratio = problem.mean_gradient(points).square().sum(-1) / (2 * gap)
    ratio = torch.where(far, ratio, torch.inf)
    at = int(ratio.argmin())
    slack = _ROUNDING * float(ratio[at]) * max(1.0, abs(lowest.value) / float(gap[at]))
    below = "f* of the problem" if lowest.known else f"the lowest f found, {lowest.value:.6g}"
    how = f"least ||grad f||^2 / (2 (f - f*)) with {below}"
    along = float(ratio[trajectory.on_runs].min())
    yield ConstantEstimate("pl", Kind.UPPER, float(ratio[at]), slack, along, how, labels[at])


def _minimum(problem: Problem, trajectory: Trajectory) -> Iterator[ConstantEstimate]:
    """f*, f(x_0) - f* and ||x_0 - x*||^2 by the lowest point."""
    start, lowest = problem.start(), trajectory.lowest
    first = float(problem.value(start))
    slack = _ROUNDING * max(1.0, abs(first), abs(lowest.value))
    how = "the problem's minimiser" if lowest.known else "scipy's L-BFGS"
    how += f", ||grad f|| = {lowest.slope:.2g}"
    side = Kind.EXACT if lowest.known else Kind.UPPER
    yield ConstantEstimate("f_star", side, lowest.value, slack, lowest.value, how, _LOWEST)
    side = Kind.EXACT if lowest.known else Kind.LOWER
    gap = first - lowest.value
    yield ConstantEstimate("initial_gap", side, gap, slack, gap, how, f"the start and {_LOWEST}")
    square = float((start - lowest.x).square().sum())
    side = Kind.EXACT if lowest.known else Kind.MEASURED
    yield ConstantEstimate(
        "R2", side, square, _ROUNDING * square, square, how, "from there to the start"
    )


def _moments(problem: Problem, trajectory: Trajectory) -> Iterator[ConstantEstimate]:
    """sigma2 and G2: the problem's noise(x) at all points, and sampled at the largest."""
    noise = problem.noise(trajectory.points)
    if not bool(noise.isfinite().all()):
        how = "noise(x) is infinite: gradients have no variance"
        for name in ("sigma2", "G2"):
            yield ConstantEstimate(
                name, Kind.LOWER, math.inf, 0.0, math.inf, how, trajectory.labels[0]
            )
        return
    second = noise + problem.all_gradients(trajectory.points).square().sum(-1)
    inside = trajectory.points.norm(dim=-1) <= problem.G2_radius
    inside[0] = True
    second = torch.where(inside[:, None], second, 0.0)
    for name, values, what in (("sigma2", noise, "noise(x)"), ("G2", second, "E||g_i||^2")):
        how = f"largest {what} of any worker, exact at each point"
        flat = int(values.argmax())
        point, worker = divmod(flat, problem.n)
        value = float(values[point, worker])
        yield ConstantEstimate(
            name, Kind.LOWER, value, _ROUNDING * value,
            float(values[trajectory.on_runs].max()), how,
            f"worker {worker}, {trajectory.labels[point]}",
            _sampled(problem, trajectory, point, worker, centred=name == "sigma2"), ALPHA,
        )  # fmt: skip


def _sampled(
    problem: Problem, trajectory: Trajectory, point: int, worker: int, *, centred: bool
) -> tuple[float, float]:
    """Interval of E||g_i - grad f_i||^2, or of E||g_i||^2, at one point from drawn gradients.

    Its lower end holds for every law (:mod:`proofs_check.instruments.limits`), its upper end for
    laws as skewed as an exponential.
    """
    samples = max(_LEAST, min(_MOST, _DRAWS // problem.d))
    x = trajectory.points[point].expand(samples, 1, -1)
    workers = torch.tensor([worker])
    key = Key.seed(trajectory.seed).fold("second moment", int(centred))
    g = problem.gradient(x, key.draws(torch.arange(samples), workers))[:, 0]
    if centred:
        g = g - problem.full_gradient(trajectory.points[point][None], workers)[0]
    square = g.square().sum(-1).double().numpy()
    half = quantile(ALPHA / 2, samples) * float(square.std(ddof=1)) / samples**0.5
    low = float(lower_limits(square[:, None], ALPHA / 2)[0])
    return low * (1 - _ROUNDING), float(square.mean()) + half


def _heterogeneity(problem: Problem, trajectory: Trajectory) -> Iterator[ConstantEstimate]:
    """zeta2 at all points, and zeta2_star at the lowest."""
    values = problem.heterogeneity(trajectory.points)
    at = int(values.argmax())
    value = float(values[at])
    how = "largest (1/n) sum_i ||grad f_i - grad f||^2, exact at each point"
    along = float(values[trajectory.on_runs].max())
    yield ConstantEstimate(
        "zeta2", Kind.LOWER, value, _ROUNDING * value, along, how, trajectory.labels[at]
    )
    lowest = trajectory.lowest
    star = float(problem.heterogeneity(lowest.x))
    side = Kind.EXACT if lowest.known else Kind.MEASURED
    how = f"at the {'minimiser' if lowest.known else 'lowest point found'}, ||grad f|| = "
    yield ConstantEstimate(
        "zeta2_star", side, star, _ROUNDING * max(1.0, star), star, f"{how}{lowest.slope:.2g}",
        _LOWEST,
    )  # fmt: skip


def _longest(problem: Problem, trajectory: Trajectory) -> Iterator[ConstantEstimate]:
    """The longest gradient that any worker drew."""
    draws = Key.seed(trajectory.seed).fold("longest")
    replicas = torch.arange(len(trajectory.points))
    lengths: list[Tensor] = []
    for again in range(4):
        key = draws.fold(again).draws(replicas, torch.arange(problem.n))
        lengths.append(problem.gradient(trajectory.points[:, None], key).norm(dim=-1))
    longest = torch.stack(lengths).amax((0, 2))
    at = int(longest.argmax())
    value = float(longest[at])
    how = "longest of 4 gradients drawn by every worker at each point"
    along = float(longest[trajectory.on_runs].max())
    yield ConstantEstimate(
        "lipschitz", Kind.LOWER, value, _ROUNDING * value, along, how, trajectory.labels[at]
    )


_SEARCHES: tuple[
    tuple[tuple[str, ...], Callable[[Problem, Trajectory], Iterator[ConstantEstimate]]], ...
] = (
    (("f_star", "initial_gap", "R2"), _minimum),
    (("zeta2", "zeta2_star"), _heterogeneity),
    (("lipschitz",), _longest),
    (("pl",), _pl),
    (("L", "L_max", "mu", "mu_min"), _curvature),
    (("sigma2", "G2"), _moments),
)
"""Searches with what they find, in the order of what they cost."""

ESTIMATED = (
    "L", "L_max", "mu", "mu_min", "pl", "f_star", "initial_gap", "R2", "sigma2", "G2", "zeta2",
    "zeta2_star", "lipschitz",
)  # fmt: skip
"""Names of the constants that are estimated, in the order in which they are shown."""
