"""An operator whose messages are never longer than the row that they stand for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import final

import torch
from torch import Tensor

from algorithms.codes.base import Code, Field, Layout, Symbols
from algorithms.codes.or_row import OrRow
from algorithms.codes.packed import Packed, float_slices
from algorithms.compressors.absolute_threshold import AbsoluteThreshold
from algorithms.compressors.base import Compressor, ListedRows, Shapes, StatedLength, code_of
from algorithms.compressors.top_k import TopK
from algorithms.core.key import Draws
from algorithms.kernels.row_parts import RowPart, published
from theory import bits
from theory.claims import Claim


@final
@dataclass(frozen=True)
class AtMostRow(Compressor):
    """``inner``, but where its message is longer than the row, the row that it decodes to is sent.

    C(x) and its claims are those of ``inner``. Messages of fixed length are all of one kind; where
    lengths vary, one that is just as long as the row is sent as the row too, for the length is how
    the receiver tells them apart. (As DEFLATE stores what it cannot shrink: Deutsch 1996, RFC 1951,
    Section 3.2.4.) What lists nearly every entry with its position is such
    (top-k of all: 52 bits an entry for d = 2^20, against 32).

    Attributes:
        inner: what the rows go through.
    """

    inner: Compressor

    @property
    def name(self) -> str:
        return f"{self.inner.name}, or the row"

    def claims(self, d: int) -> tuple[Claim, ...]:
        return self.inner.claims(d)

    @property
    def steady(self) -> bool:
        return self.inner.steady

    def at_step(self, t: int) -> Compressor:
        inner = self.inner.at_step(t)
        return self if inner is self.inner else replace(self, inner=inner)

    def for_shapes(self, shapes: Shapes) -> Compressor:
        return replace(self, inner=self.inner.for_shapes(shapes))

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        row = Field.floats("row", d, dtype)
        if self._always(d, dtype):
            return (row,)
        own = self.inner.layout(d, dtype)
        return (*own, Field("whole", 1, 1), row) if self._varies(d, dtype) else own

    def code(self, d: int, dtype: torch.dtype) -> Code:
        if self._always(d, dtype):
            return Packed(self.layout(d, dtype))
        own = code_of(self.inner, d, dtype)
        return OrRow(own, d, dtype) if self._varies(d, dtype) else own

    @property
    def takes_guide(self) -> bool:
        return self.inner.takes_guide

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return self._sent_for(self.inner.encode(x, draws), x.shape[-1], x.dtype, draws)

    def encode_guided(self, x: Tensor, guide: Tensor, draws: Draws) -> Symbols:
        return self._sent_for(
            self.inner.encode_guided(x, guide, draws), x.shape[-1], x.dtype, draws
        )

    def _sent_for(self, own: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Symbols:
        """Symbols of ``inner``, or the row itself where it is no longer than they are."""
        if self._always(d, dtype):
            return (self.inner.decode(own, d, dtype, draws),)
        code = code_of(self, d, dtype)
        if not isinstance(code, OrRow):
            return own
        whole = (code.inner.lengths(own) >= code.row.fixed_bits)[..., None]
        if not whole.any():
            return (*own, whole, whole.new_empty((*whole.shape[:-1], 0), dtype=dtype))
        row = self.inner.decode(own, d, dtype, draws)
        return (*(code.nothing(whole) if whole.all() else own), whole, row)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        if self._always(d, dtype):
            return symbols[0]
        if not self._varies(d, dtype):
            return self.inner.decode(symbols, d, dtype, draws)
        *own, whole, row = symbols
        if not row.shape[-1]:
            return self.inner.decode(tuple(own), d, dtype, draws)
        if whole.all():
            return row
        return torch.where(whole, row, self.inner.decode(tuple(own), d, dtype, draws))

    def listed(
        self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws
    ) -> ListedRows | None:
        own = self._listing(symbols, d, dtype)
        return None if own is None else self.inner.listed(own, d, dtype, draws)

    def pieces(
        self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws
    ) -> Iterator[ListedRows] | None:
        own = self._listing(symbols, d, dtype)
        return None if own is None else self.inner.pieces(own, d, dtype, draws)

    def lists_in(
        self, packed: Tensor, bits: slice, d: int, dtype: torch.dtype, draws: Draws
    ) -> Iterator[ListedRows] | None:
        code = code_of(self, d, dtype)
        whole = isinstance(code, OrRow) and bits.stop - bits.start == code.row.fixed_bits
        if whole or self._always(d, dtype):
            return None
        return self.inner.lists_in(packed, bits, d, dtype, draws)

    def sent_rows(
        self, packed: Tensor, lengths: Tensor | None, d: int, dtype: torch.dtype
    ) -> Iterator[tuple[slice, Tensor]] | None:
        code = code_of(self, d, dtype)
        if self._always(d, dtype):
            return float_slices(packed, d, dtype)
        if isinstance(code, OrRow) and lengths is not None:
            whole = bool((lengths == code.row.fixed_bits).all())
            return float_slices(packed, d, dtype) if whole else None
        return self.inner.sent_rows(packed, lengths, d, dtype)

    def _listing(self, symbols: Symbols, d: int, dtype: torch.dtype) -> Symbols | None:
        """The symbols of ``inner``; None where a row is sent."""
        if self._always(d, dtype):
            return None
        if not self._varies(d, dtype):
            return symbols
        *own, _, row = symbols
        return None if row.shape[-1] else tuple(own)

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart | None:
        if self._varies(d, dtype):  # a part writes the lengths of its own messages
            return None
        own: RowPart | None = published(self.inner, d, dtype)
        return own

    def stated_bits(self, d: int, float_bits: int) -> float:
        return min(self.inner.stated_bits(d, float_bits), bits.dense(d, float_bits))

    def stated_lengths(self, sent: Tensor, float_bits: int) -> StatedLength:
        most = bits.dense(sent.shape[-1], float_bits)
        least, longest = self.inner.stated_lengths(sent, float_bits)
        return StatedLength(least.clamp_max(most), longest.clamp_max(most))

    def _varies(self, d: int, dtype: torch.dtype) -> bool:
        return code_of(self.inner, d, dtype).fixed_bits is None

    def _always(self, d: int, dtype: torch.dtype) -> bool:
        """Whether every message of ``inner`` is longer than the row."""
        fixed = code_of(self.inner, d, dtype).fixed_bits
        return fixed is not None and fixed > d * torch.finfo(dtype).bits


EXAMPLES = (AtMostRow(TopK(0.7)), AtMostRow(AbsoluteThreshold(0.7)))
