"""The hybrid code of drop-out messages (Wangni et al. 2018, arXiv:1710.09854, Section 3.3)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import torch
from torch import Tensor

from algorithms.codes.base import Code, Field, Symbols
from algorithms.codes.lists import Column, Lists, Records, float_column
from theory.bits import index_bits


@final
@dataclass(frozen=True)
class Hybrid(Code):
    """A level, values for large coordinates, signs for small ones; the shorter of two forms.

    Listed (flag 0): the level, how many are large, their indices and values, then indices and signs
    of the small ones. Mapped (flag 1): the level, two bits for each of d coordinates (0 none, 1 and
    2 a small one above and below zero, 3 large), then the large values. Ties go to the list.

    Symbols: level, then count, indices and values of the large, count, indices and signs of the
    small coordinates.

    Attributes:
        dtype: the float type of the level and of large values.
    """

    d: int
    dtype: torch.dtype

    fixed_bits = None

    @cached_property
    def _listed(self) -> Lists:
        index, d = Column("indices", index_bits(self.d)), self.d
        large = Records((index, float_column("large values", self.dtype)), d, index_bits(d + 1))
        small = Records((index, Column("signs", 1)), d)
        head = (Field("mapped", 1, 1), Field.floats("level", 1, self.dtype))
        return Lists(head, (large, small))

    @cached_property
    def _mapped(self) -> Lists:
        head = (
            Field("mapped", 1, 1), Field.floats("level", 1, self.dtype), Field("map", self.d, 2),
        )  # fmt: skip
        return Lists(head, (Records((float_column("large values", self.dtype),), self.d),))

    def lengths(self, symbols: Symbols) -> Tensor:
        listed, mapped = self._forms(symbols)
        return torch.minimum(self._listed.lengths(listed), self._mapped.lengths(mapped))

    def pack(self, symbols: Symbols) -> Tensor:
        listed, mapped = self._forms(symbols)
        rows = self._listed.pack(listed), self._mapped.pack(mapped)
        sizes = self._listed.lengths(listed), self._mapped.lengths(mapped)
        width = max(part.shape[-1] for part in rows)
        one, other = (torch.nn.functional.pad(r, (0, width - r.shape[-1])) for r in rows)
        chosen = torch.where((sizes[1] < sizes[0])[..., None], other, one)
        most = -(-int(torch.minimum(*sizes).max()) // 8) if sizes[0].numel() else 0
        return chosen[..., :most].contiguous()

    def unpack(self, packed: Tensor, lengths: Tensor | None = None) -> Symbols:
        if lengths is None:
            raise ValueError("messages of this code vary in length: lengths [..., m] are needed")
        flag = torch.nn.functional.pad(packed, (0, 1))[..., 0] >= 128
        listed = self._listed.unpack(packed, torch.where(flag, 0, lengths))[1:]
        _, level, plan, count, values = self._mapped.unpack(packed, torch.where(flag, lengths, 0))
        large, small = _entries(plan == 3), _entries((plan == 1) | (plan == 2))
        negative = torch.where(_first(small[0], self.d), (plan.gather(-1, small[1]) == 2), False)
        mapped = (level, count, large[1], values, *small, negative.to(torch.int64))
        wide = flag[..., None]
        return tuple(torch.where(wide, b, a) for a, b in zip(listed, mapped, strict=True))

    def _forms(self, symbols: Symbols) -> tuple[Symbols, Symbols]:
        level, many, places, values, few, others, negative = symbols
        plan = torch.zeros((*level.shape[:-1], self.d + 1), dtype=torch.int64, device=level.device)
        plan.scatter_(-1, torch.where(_first(many, self.d), places, self.d), 3)
        signs = 1 + negative.to(torch.int64)
        plan.scatter_(-1, torch.where(_first(few, self.d), others, self.d), signs)
        flag = torch.zeros_like(many)
        return (flag, *symbols), (flag + 1, level, plan[..., : self.d].contiguous(), many, values)


def _first(count: Tensor, cap: int) -> Tensor:
    return torch.arange(cap, device=count.device) < count


def _entries(mask: Tensor) -> tuple[Tensor, Tensor]:
    """How many are set ``[..., m, 1]``, and where ``[..., m, d]``, ascending, then zeros."""
    order = (~mask).sort(dim=-1, stable=True).indices
    count = mask.sum(-1, keepdim=True)
    return count, torch.where(_first(count, mask.shape[-1]), order, 0)
