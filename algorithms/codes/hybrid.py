"""The hybrid code of drop-out messages (Wangni et al. 2018, arXiv:1710.09854, Section 3.3)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import torch
from torch import Tensor

from algorithms.codes.base import Code, Field, Symbols, layout_bits
from algorithms.codes.lists import Column, Lists, Records, float_column
from algorithms.kernels import entries as kernel
from algorithms.kernels.entries import place_type
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
        index, d = Column("indices", index_bits(self.d), place_type(self.d)), self.d
        large = Records((index, float_column("large values", self.dtype)), d, index_bits(d + 1))
        small = Records((index, Column("signs", 1, torch.uint8)), d)
        head = (Field("mapped", 1, 1), Field.floats("level", 1, self.dtype))
        return Lists(head, (large, small))

    @cached_property
    def _mapped(self) -> Lists:
        head = (
            Field("mapped", 1, 1),
            Field.floats("level", 1, self.dtype),
            Field("map", self.d, 2, torch.uint8),
        )
        return Lists(head, (Records((float_column("large values", self.dtype),), self.d),))

    def lengths(self, symbols: Symbols) -> Tensor:
        return torch.minimum(*self._sizes(symbols))

    def _sizes(self, symbols: Symbols) -> tuple[Tensor, Tensor]:
        """Bits of the list and of the map."""
        _, many, _, values, *_ = symbols
        head = layout_bits(self._mapped.head)
        mapped = head + many[..., 0] * torch.finfo(values.dtype).bits
        return self._listed.lengths((torch.zeros_like(many), *symbols)), mapped

    def pack(self, symbols: Symbols) -> Tensor:
        listed, mapped = self._sizes(symbols)
        flag = mapped < listed
        rows = []
        if not flag.all():
            rows.append(self._listed.pack((torch.zeros_like(symbols[1]), *symbols)))
        if flag.any():
            rows.append(self._mapped.pack(self._map(symbols)))
        most = -(-int(torch.minimum(listed, mapped).max()) // 8) if flag.numel() else 0
        if len(rows) == 2:
            one, other = (_cut(part, most) for part in rows)
            rows = [torch.where(flag[..., None], other, one)]
        return _cut(rows[0], most) if rows else flag.new_zeros((*flag.shape, 0), dtype=torch.uint8)

    def unpack(self, packed: Tensor, lengths: Tensor | None = None) -> Symbols:
        if lengths is None:
            raise ValueError("messages of this code vary in length: lengths [..., m] are needed")
        flag = (packed[..., 0] if packed.shape[-1] else packed.new_zeros(packed.shape[:-1])) >= 128
        if not flag.any():
            return self._listed.unpack(packed, lengths)[1:]
        if flag.all():
            return self._unmapped(packed, lengths)
        listed = self._listed.unpack(packed, torch.where(flag, 0, lengths))[1:]
        mapped = self._unmapped(packed, torch.where(flag, lengths, 0))
        chosen = []
        for one, other in zip(listed, mapped, strict=True):
            width = max(one.shape[-1], other.shape[-1])
            chosen.append(torch.where(flag[..., None], _cut(other, width), _cut(one, width)))
        return tuple(chosen)

    def _unmapped(self, packed: Tensor, lengths: Tensor) -> Symbols:
        """The symbols of maps; rows of length 0, whose bytes may be a list's, name nothing."""
        _, level, plan, count, values = self._mapped.unpack(packed, lengths)
        plan.masked_fill_((lengths == 0)[..., None], 0)
        large, small = _entries(plan == 3), _entries((plan == 1) | (plan == 2))
        there = plan.gather(-1, small[1].to(torch.int64))
        negative = torch.where(_first(small[0], there.shape[-1]), there == 2, False)
        return (level, count, large[1], values, *small, negative.to(torch.uint8))

    def _map(self, symbols: Symbols) -> Symbols:
        """The symbols of the mapped form."""
        level, many, places, values, few, others, negative = symbols
        plan = torch.zeros((*level.shape[:-1], self.d + 1), dtype=torch.uint8, device=level.device)
        three = torch.full_like(plan[..., :1], 3).expand(places.shape)
        plan.scatter_(-1, _meant(many, places, self.d), three)
        plan.scatter_(-1, _meant(few, others, self.d), 1 + negative.to(torch.uint8))
        return torch.ones_like(many), level, plan[..., : self.d], many, values


def _cut(rows: Tensor, width: int) -> Tensor:
    """Rows ``[..., width]``, zeros beyond their end."""
    return torch.nn.functional.pad(rows, (0, width - rows.shape[-1])).contiguous()


def _meant(count: Tensor, places: Tensor, d: int) -> Tensor:
    """The places that are meant (int64), d for the others."""
    return torch.where(_first(count, places.shape[-1]), places, d).to(torch.int64)


def _first(count: Tensor, cap: int) -> Tensor:
    return torch.arange(cap, device=count.device) < count


def _entries(mask: Tensor) -> tuple[Tensor, Tensor]:
    """Counts ``[..., m, 1]`` and places ``[..., m, cap]`` set, ascending, then zeros."""
    count, places = kernel.places(mask.reshape(-1, mask.shape[-1]))
    return count.reshape(*mask.shape[:-1], 1), places.reshape(*mask.shape[:-1], places.shape[-1])
