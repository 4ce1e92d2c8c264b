"""Points at which a problem's moments are as large as an ascent finds them.

A bound on E||g_i||^2 or on the spread of the workers' gradients is far above what drawn points
have, so that one that is half of what it should be stands there. Ascents need no more than exact
gradients: a Hessian times a vector is a central difference of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from algorithms.problems.base import Problem
from theory.constants import Constants

_STARTS = 8  # of an ascent
_TURNS = 40  # steps of an ascent, of two gradients of every worker each
_FIRST = 0.1  # length of the first step [x], relative to that of the point and 1
_APART = 1e-5  # of central differences [x]
_FAR = 1e4  # farther out nothing changes but rounding [x]
_WITHIN = 1 - 1e-12  # of a radius: rounding of a point on its sphere


def worst_points(problem: Problem, stated: Constants, points: Tensor) -> Iterator[Tensor]:
    """Points ``[k, d]`` at which the moments that are ``stated`` are large, from the best of
    ``points`` ``[P, d]``."""
    if stated.zeta2 is not None:
        yield widest_spread(problem, points)
    radii = {math.inf} if stated.sigma2 is not None else set[float]()
    radii |= {problem.G2_radius} if stated.G2 is not None else set()
    for radius in sorted(radii):
        yield longest_gradients(problem, points, radius)


def widest_spread(problem: Problem, points: Tensor) -> Tensor:
    """Points ``[k, d]`` with (1/n) sum_i ||grad f_i - grad f||^2 as large as found from the best of
    ``points`` ``[P, d]``."""
    workers = torch.arange(problem.n)

    def ascent(x: Tensor) -> tuple[Tensor, Tensor]:
        rows = problem.all_gradients(x)
        apart = rows - rows.mean(-2, keepdim=True)
        slope = _times(problem, x[..., None, :], apart, workers).sum(-2)
        return apart.square().sum(-1).mean(-1), slope

    return _ascended(ascent, _best(problem.heterogeneity(points), points), _FAR)


def longest_gradients(problem: Problem, points: Tensor, radius: float = math.inf) -> Tensor:
    """Points ``[k n, d]``, for every worker some with ||grad f_i|| as large as found from the best
    of ``points`` ``[P, d]``, within a ``radius`` around 0."""
    workers = torch.arange(problem.n)
    lengths = problem.all_gradients(points).square().sum(-1)
    lengths = torch.where((points.norm(dim=-1) <= radius)[:, None], lengths, -1.0)
    starts = points[lengths.topk(min(_STARTS, len(points)), dim=0).indices]

    def ascent(x: Tensor) -> tuple[Tensor, Tensor]:
        rows = problem.full_gradient(x, workers)
        return rows.square().sum(-1), _times(problem, x, rows, workers)

    return _ascended(ascent, starts, min(radius * _WITHIN, _FAR)).flatten(0, 1)


def _times(problem: Problem, x: Tensor, v: Tensor, workers: Tensor) -> Tensor:
    """Hessians of the f_i at points ``[..., k or 1, d]`` times vectors ``[..., k, d]``."""
    length = v.norm(dim=-1, keepdim=True)
    step = _APART * torch.where(length > 0, v / length.clamp_min(1e-300), 0.0)
    change = problem.full_gradient(x + step, workers) - problem.full_gradient(x - step, workers)
    product: Tensor = change * length / (2 * _APART)
    return product


def _best(values: Tensor, points: Tensor) -> Tensor:
    return points[values.topk(min(_STARTS, len(points))).indices]


def _ascended(
    ascent: Callable[[Tensor], tuple[Tensor, Tensor]], x: Tensor, radius: float
) -> Tensor:
    """Points to which steps along slopes lead, each of a length of its own that grows while what
    is climbed does; ``ascent`` gives values and slopes at points ``[..., d]``."""
    value, slope = ascent(x)
    length = _FIRST * (1.0 + x.norm(dim=-1, keepdim=True))
    for _ in range(_TURNS):
        ahead = x + length * slope / slope.norm(dim=-1, keepdim=True).clamp_min(1e-300)
        ahead = ahead * (radius / ahead.norm(dim=-1, keepdim=True).clamp_min(1e-300)).clamp_max(1.0)
        found, there = ascent(ahead)
        higher = (found > value)[..., None]
        value = torch.maximum(value, found)
        x, slope = torch.where(higher, ahead, x), torch.where(higher, there, slope)
        length = torch.where(higher, 2.0 * length, 0.25 * length)
    return x
