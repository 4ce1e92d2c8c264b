"""A code whose messages are never longer than the row: what would be is the row itself."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import torch
from torch import Tensor
from torch.nn.functional import pad

from algorithms.codes.base import Code, Field, Symbols
from algorithms.codes.packed import Packed


@final
@dataclass(frozen=True)
class OrRow(Code):
    """``inner``, whose messages vary in length, or a row of d numbers.

    Symbols: those of ``inner``, whether the row is sent ``[..., m, 1]`` (bool), and the row
    ``[..., m, d]``, or ``[..., m, 0]`` where none is sent. A message of ``inner`` that is as long
    as the row is sent as the row, so the length says which of the two it is.

    Attributes:
        inner: the code of the messages that are shorter than the row.
        d: length of the row.
        dtype: type of its numbers.
    """

    inner: Code
    d: int
    dtype: torch.dtype

    fixed_bits = None

    @cached_property
    def row(self) -> Packed:
        """Encoding of the row itself."""
        return Packed((Field.floats("row", self.d, self.dtype),))

    def lengths(self, symbols: Symbols) -> Tensor:
        *own, whole, _ = symbols
        if whole.all():
            return torch.full(whole.shape[:-1], self.row.fixed_bits, device=whole.device)
        return torch.where(whole[..., 0], self.row.fixed_bits, self.inner.lengths(tuple(own)))

    def pack(self, symbols: Symbols) -> Tensor:
        *own, whole, row = symbols
        if whole.numel() and whole.all():
            return self.row.pack((row,))
        packed = self.inner.pack(tuple(own))
        if not whole.any():
            return packed
        rows = self.row.pack((row,))
        shorter = packed[..., : rows.shape[-1]]
        return torch.where(whole, rows, pad(shorter, (0, rows.shape[-1] - shorter.shape[-1])))

    def unpack(self, packed: Tensor, lengths: Tensor | None = None) -> Symbols:
        if lengths is None:
            raise ValueError("messages of this code vary in length: lengths [..., m] are needed")
        whole = (lengths == self.row.fixed_bits)[..., None]
        if not whole.any():
            empty = packed.new_empty((*packed.shape[:-1], 0), dtype=self.dtype)
            return (*self.inner.unpack(packed, lengths), whole, empty)
        (row,) = self.row.unpack(packed[..., : -(-self.row.fixed_bits // 8)])
        if whole.all():
            return (*self.nothing(whole), whole, row)
        shorter = torch.where(whole, 0, packed)  # a code may look at bytes beyond the length
        own = self.inner.unpack(shorter, torch.where(whole[..., 0], 0, lengths))
        return (*own, whole, torch.where(whole, row, torch.zeros_like(row)))

    def nothing(self, whole: Tensor) -> Symbols:
        """The symbols of ``inner`` where nothing of its kind is sent, for rows ``[..., m, 1]``."""
        empty = whole.new_empty((*whole.shape[:-1], 0), dtype=torch.uint8)
        return self.inner.unpack(empty, torch.zeros_like(whole[..., 0], dtype=torch.int64))
