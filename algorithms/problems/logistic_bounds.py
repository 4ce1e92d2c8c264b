"""Constants of logistic regression that hold for every x, from signed rows p_is ``[n, S, d]``.

grad f_i(x) = r'(x) - (1/S) sum_s w_s p_is with weights w_s in (0, 1) that depend on x: each bound
is a maximum over all weights in [0, 1]^S.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from algorithms.problems.top_eigenvalue import dense, largest, top

_SWEEPS, _WORK = 12, 6e8  # at most; multiplications that all of them together may take
_HALF_RANK = 4
_PACE = 0.3
_TOGETHER = 1 << 22  # numbers of the rows that are widened at once

_OUTWARD = 0.27846454276107380
"""Largest z / (1 + e^z): z - 1 where (z - 1) e^z = 1, Lambert's W(1/e)."""


class RowMoments(NamedTuple):
    r"""First and second moments of the rows of each worker, float64 on the CPU.

    Attributes:
        squares: \|p_is\|^2 ``[n, S]``.
        means: \bar p_i ``[n, d]``.
        along: p_is^T \bar p_i ``[n, S]``.
    """

    squares: Tensor
    means: Tensor
    along: Tensor


class Spectra(NamedTuple):
    r"""Bounds from largest eigenvalues of the rows of each worker ``[n]``, float64 on the CPU.

    Attributes:
        tops: the largest eigenvalue of (1/S) \sum_s p_is p_is^T.
        boxed: upper bound on \max \|P_i^T u\|^2 / S^2 over u in [-1/2, 1/2]^S.
    """

    tops: Tensor
    boxed: Tensor


def _widened(rows: Tensor) -> Iterator[Tensor]:
    """Rows ``[b, S, d]`` of few workers after another, in double precision."""
    together = max(1, _TOGETHER // (rows.shape[1] * rows.shape[2]))
    return (rows[i : i + together].double() for i in range(0, len(rows), together))


def moments(rows: Tensor) -> RowMoments:
    """Of signed rows ``[n, S, d]``."""
    found = []
    for wide in _widened(rows):
        means = wide.mean(1)
        along = (wide @ means[..., None])[..., 0]
        found.append(RowMoments(wide.square().sum(-1).cpu(), means.cpu(), along.cpu()))
    return RowMoments(*(torch.cat(parts) for parts in zip(*found, strict=True)))


def spectra(rows: Tensor) -> Spectra:
    r"""Of signed rows ``[n, S, d]``.

    Any scales D > 0 bound what is boxed: \|P^T u\|^2 <= top(\sum_s p_s p_s^T / D_s) \sum_s D_s
    u_s^2, that of a relaxation to semidefinite matrices for the best D (Nesterov 1998: at most pi/2
    times the maximum). D = 1 is where the search begins; each of the few sweeps, fewer where they
    take long, moves D towards D_s^2 = p_s^T Y p_s with Y on the directions that are largest.
    """
    n, samples, d = rows.shape
    if not dense(samples, d):
        tops = torch.tensor([top(own) for own in rows], dtype=torch.float64)
        return Spectra(tops, 0.25 * tops)
    sweeps = min(_SWEEPS, int(_WORK // (n * samples * min(samples, d) ** 2)))
    found = [_spectra(wide, sweeps) for wide in _widened(rows)]
    return Spectra(*(torch.cat(parts) for parts in zip(*found, strict=True)))


def _spectra(wide: Tensor, sweeps: int) -> Spectra:
    samples, lengths = wide.shape[1], wide.norm(dim=-1)
    gram = wide @ wide.mT if samples < wide.shape[2] else wide.mT @ wide
    tops = largest(gram) / samples
    scaled = _short(gram) if samples < wide.shape[2] else _tall(wide)
    best, scales = 0.25 * tops, lengths
    least = 1e-9 * lengths.amax(-1, keepdim=True).clamp_min(1e-300)
    for _ in range(sweeps):
        scales = scales.maximum(least)
        scales = scales / scales.mean(-1, keepdim=True)
        high, squares = scaled(scales)
        best = torch.minimum(best, 0.25 * high * scales.sum(-1) / samples**2)
        moved = squares.clamp_min(0.0).sqrt()
        moved = moved / moved.mean(-1, keepdim=True).clamp_min(1e-300)
        scales = scales ** (1 - _PACE) * moved**_PACE
    return Spectra(tops.cpu(), best.cpu())


_Scaled = Callable[[Tensor], tuple[Tensor, Tensor]]
r"""From scales D ``[b, S]`` to the largest eigenvalue t ``[b]`` of A = \sum_s p_s p_s^T / D_s and
to p_s^T (A/t)^8 p_s ``[b, S]``."""


def _tall(wide: Tensor) -> _Scaled:
    """By A ``[b, d, d]`` of rows ``[b, S, d]``, S >= d."""

    def scaled(scales: Tensor) -> tuple[Tensor, Tensor]:
        thin = wide / scales.sqrt()[..., None]
        inner = thin.mT @ thin
        high = largest(inner)
        power = torch.linalg.matrix_power(inner / _positive(high), _HALF_RANK)
        return high, (wide @ power).square().sum(-1)

    return scaled


def _short(gram: Tensor) -> _Scaled:
    r"""By the Gram matrix B = D^{-1/2} P P^T D^{-1/2} ``[b, S, S]``: p_s^T A^8 p_s is D_s times
    entry s of the diagonal of B^9."""

    def scaled(scales: Tensor) -> tuple[Tensor, Tensor]:
        inverse = scales.rsqrt()
        outer = gram * inverse[..., None] * inverse[..., None, :]
        high = largest(outer)
        unit = outer / _positive(high)
        power = torch.linalg.matrix_power(unit, _HALF_RANK)
        return high, scales * (power * (power @ unit)).sum(-1) * high[..., None]

    return scaled


def _positive(high: Tensor) -> Tensor:
    return high.clamp_min(1e-300)[..., None, None]


def reach(longest_: float, lam: float, longest_step: float) -> float:
    r"""Radius [x] that SGD from x_0 = 0 never leaves with r = (lam/2) \|x\|^2 and \gamma up to
    ``longest_step`` <= 1/lam, whatever samples are drawn, none longer than ``longest_``.

    A step is x' = (1 - \gamma lam) x + \gamma v with v a mean of w_s p_s, w_s = 1/(1 + e^{z_s}) and
    z_s = p_s^T x. So v^T x is a mean of z / (1 + e^z) <= W(1/e) = 0.278 = a/2, and with
    \|v\| <= B = \max \|p\|, \|x'\|^2 <= (1 - \gamma lam)^2 \|x\|^2 + a \gamma (1 - \gamma lam) +
    \gamma^2 B^2, whose fixed point is (a (1 - \gamma lam) + \gamma B^2) / (lam (2 - \gamma lam)),
    monotone in \gamma. Means of such models stay inside too.
    """
    squares = [
        (2 * _OUTWARD * (1 - step * lam) + step * longest_**2) / (lam * (2 - step * lam))
        for step in (0.0, longest_step)
    ]
    return math.sqrt(max(squares))


def longest(rows: RowMoments) -> float:
    """Norm of the longest of the rows p_is, samples s of workers i: max_is ||p_is||."""
    return rows.squares.max().sqrt().item()


def variance(rows: RowMoments, batch: int) -> float:
    r"""Upper bound on max_i E||g_i(x) - grad f_i(x)||^2 for all x.

    b times the variance is at most (1/S) \sum_s \|w_s p_s - c\|^2 for any c, convex in w, hence at
    most (1/S) \sum_s \max(\|c\|^2, \|p_s - c\|^2); the better of c = 0 and c = \bar p_i / 2.
    """
    square = 0.25 * rows.means.square().sum(-1, keepdim=True)
    moved = rows.squares - rows.along + square
    centred = torch.maximum(moved, square).mean(-1)
    return torch.minimum(centred, rows.squares.mean(-1)).max().item() / batch


def heterogeneity(rows: RowMoments, boxed: Tensor) -> float:
    r"""Upper bound on (1/n) \sum_i \|\nabla f_i(x) - \nabla f(x)\|^2 for all x.

    With w = 1/2 + u, the deviation of grad f_i from r' - \bar p / 2 is at most
    \|\bar p_i - \bar p\| / 2 + \|P_i^T u\| / S, the last one at most the root of ``boxed``
    (:class:`Spectra`).
    """
    apart = (rows.means - rows.means.mean(0)).square().sum(-1).sqrt()
    return (0.5 * apart + boxed.sqrt()).square().mean().item()


def second_moment(rows: RowMoments, own: Spectra, batch: int) -> float:
    r"""Upper bound on max_i E\|g_i(x) - r'(x)\|^2 for all x.

    It is (1 - 1/b) \|v\|^2 + (1/b) (1/S) \sum_s w_s^2 \|p_s\|^2 with v = (1/S) P_i^T w and
    \|v\| at most \sqrt{top_i}, and at most \|\bar p_i\| / 2 and the root of what is boxed.
    """
    half = 0.5 * rows.means.norm(dim=-1)
    means = torch.minimum(own.tops, (half + own.boxed.sqrt()).square())
    bound = (1 - 1 / batch) * means + rows.squares.mean(-1) / batch
    return bound.max().item()
