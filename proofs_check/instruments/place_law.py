r"""Laws of operators that act coordinate by coordinate, in any dimension, without sampling error.

Where coordinate j of C(x) is a step function of the j-th uniform alone, all coordinates are run at
one uniform at a time and every step is located by bisection, all coordinates at once. Mean and mean
squared error follow to rounding: nothing of a bias or of an excess of variance hides behind chance,
in R^1000 as little as in R^4.

The law is taken only if it is seen to be one: in tables of uniforms of which half are exchanged no
coordinate feels another's uniform, and for real draws every outcome is the one that the steps
foretell, bit by bit. A step so narrow that no probe and no real draw meets it is not seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.core.key import Key
from proofs_check.instruments.exact import (
    TINY,
    LawMismatch,
    outcomes_at,
    random_tables,
)
from proofs_check.instruments.scripted import NotEnumerable, drawn_tables
from proofs_check.instruments.statistics import sample

_STEPS = 1 << 53
_PROBES, _EXCHANGES, _DRAWN = 256, 8, 64
_MOST_STEPS = 8
_ROUNDED = 2.0**-52


@final
@dataclass(frozen=True)
class PlaceLaw:
    """The law of C(x) for x ``[d]``: piece k of coordinate j ends where its uniform is ends[k, j].

    Attributes:
        x: the vector ``[d]``.
        ends: where pieces end ``[K, d]``, as multiples of 2^-53; pieces of no length pad.
        values: outcomes on them ``[K, d]``.
    """

    x: Tensor
    ends: Tensor
    values: Tensor

    @property
    def chances(self) -> Tensor:
        """Probabilities of the pieces ``[K, d]``."""
        zero = torch.zeros_like(self.ends[:1])
        return torch.diff(self.ends, dim=0, prepend=zero).to(torch.float64) / _STEPS

    @property
    def mean(self) -> Tensor:
        """The mean E C(x) ``[d]``, to rounding."""
        return (self.chances * self.values).sum(0)

    @property
    def extremes(self) -> Tensor:
        """Outcomes ``[K, d]`` beyond which no coordinate goes."""
        return self.values

    @property
    def square_error(self) -> float:
        """E||C(x) - x||^2, less what may be rounding: chances are known to 2^-53."""
        squares = (self.values - self.x).square()
        return float(((self.chances - _ROUNDED).clamp_min(0) * squares).sum())

    def foretold(self, uniforms: Tensor) -> Tensor:
        """Outcomes ``[S, d]`` for uniforms ``[S, c]`` of the first c coordinates, those that have
        steps among them."""
        uniforms = torch.nn.functional.pad(
            uniforms, (0, len(self.x) - uniforms.shape[-1]), value=0.5
        )
        place = (uniforms * _STEPS).to(torch.int64)[:, None, :]
        piece = (place >= self.ends[None, :-1]).sum(1)
        return self.values.gather(0, piece)


def place_law(compressor: Compressor, x: Tensor, key: Key) -> PlaceLaw | None:
    """The law at x ``[d]``, or None where coordinates do not act alone or step too often."""
    try:
        if not _alone(compressor, x):
            return None
        law = _located(compressor, x)
    except (NotEnumerable, LawMismatch):
        return None
    if law is None:
        return None
    foretold = law.foretold(drawn_tables(compressor, x, _DRAWN, key))
    return law if torch.equal(foretold, sample(compressor, x, _DRAWN, key)) else None


def _alone(compressor: Compressor, x: Tensor) -> bool:
    """Whether no coordinate feels the uniforms of others, half of which are exchanged;
    those near 0 and 1 too, where what happens once in a million draws would show."""
    tables, after, lots = (random_tables(_EXCHANGES, len(x), seed) for seed in (1, 2, 3))
    chosen, second = lots < 0.5, outcomes_at(compressor, x, after)
    for before in (tables, TINY * tables, 1 - TINY * (1 - tables)):
        first = outcomes_at(compressor, x, before)
        mixed = outcomes_at(compressor, x, torch.where(chosen, before, after))
        if not torch.equal(mixed, torch.where(chosen, first, second)):
            return False
    return True


def _located(compressor: Compressor, x: Tensor) -> PlaceLaw | None:
    """The steps, each in its row; None where there are too many."""
    probes = torch.arange(_PROBES + 1) * (_STEPS // _PROBES)
    probes[-1] = _STEPS - 1
    seen = outcomes_at(
        compressor, x, (probes.to(torch.float64) / _STEPS)[:, None].expand(-1, len(x))
    )
    jumps = seen[1:] != seen[:-1]
    count = int(jumps.sum(0).max())
    if count > _MOST_STEPS:
        return None
    order = jumps.to(torch.int8).sort(dim=0, descending=True, stable=True)
    there, at = order.values[:count].bool(), order.indices[:count]
    low, high = probes[at], probes[at + 1]
    left = seen.gather(0, at)
    while bool((there & (high - low > 1)).any()):
        middle = (low + high) // 2
        found = outcomes_at(compressor, x, middle.to(torch.float64) / _STEPS)
        low, high = (
            torch.where(found == left, middle, low),
            torch.where(found == left, high, middle),
        )
    last = torch.full((1, len(x)), _STEPS)
    ends = torch.cat((torch.where(there, high, last), last))
    values = torch.cat((torch.where(there, left, seen[-1]), seen[-1:]))
    return PlaceLaw(x, ends, values)
