"""A mask with a scale: the coordinates that it sets are sent, as many as there are."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

import torch
from torch import Tensor

from algorithms.codes.base import Code, Field, Layout, Symbols
from algorithms.codes.lists import Column, Lists, Records, float_column
from algorithms.codes.packed import symbols_in
from algorithms.compressors.base import ListedRows, StatedLength, code_of
from algorithms.compressors.entries import Entries, all_of, entries_of, listed
from algorithms.compressors.requirements import require_finite, require_rows
from algorithms.compressors.sparse import SparseCompressor
from algorithms.core.key import Draws
from algorithms.core.row_slices import row_slices
from algorithms.kernels.entries import place_type
from algorithms.kernels.mask_to_indices import drop_zeros
from theory.bits import index_bits


class MaskCompressor(SparseCompressor):
    """C(x)_j = factor x_j where a mask is set, else 0. A member chooses the mask of each row, and
    so how many entries are sent.

    Message: the values of the mask; or, where ``indices_sent``, index and value of each that is not
    zero. Its end is the end of the list.
    """

    @property
    @abstractmethod
    def indices_sent(self) -> bool:
        """Whether the message holds the indices; else the receiver draws the mask again."""

    @property
    @abstractmethod
    def factor(self) -> float:
        """Factor that multiplies the chosen coordinates."""

    @abstractmethod
    def mask(self, x: Tensor, draws: Draws) -> Tensor:
        """Mask of coordinates of rows ``[..., m, d]`` that are sent (bool)."""

    def chosen(self, x: Tensor, draws: Draws) -> tuple[Entries, Tensor]:
        """The coordinates that are listed, and what x holds there."""
        mask = self.mask(x, draws)
        return listed(drop_zeros(mask, x) if self.indices_sent else mask, x)

    @abstractmethod
    def mask_again(self, d: int, draws: Draws) -> Tensor:
        """The receiver's copy of the mask where the indices are not sent.

        Raises:
            TypeError: the mask depends on values, so indices must be sent.
        """

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        count = Field("count", 1, index_bits(d + 1))
        values = Field.floats("values", d, dtype)
        if not self.indices_sent:
            return (count, values)
        return (count, Field("indices", d, index_bits(d)), values)

    def code(self, d: int, dtype: torch.dtype) -> Code:
        index = (Column("indices", index_bits(d), place_type(d)),) if self.indices_sent else ()
        return Lists((), (Records((*index, float_column("values", dtype)), d),))

    def lengths(self, d: int, dtype: torch.dtype) -> tuple[int, int]:
        """Bits of a message of no entries, and of each entry more."""
        return 0, torch.finfo(dtype).bits + (index_bits(d) if self.indices_sent else 0)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        require_rows(x, self.name)
        require_finite(x, x, self.name)
        entries, values = self.chosen(x, draws)
        if self.factor != 1.0:
            values = values.mul_(self.factor)
            require_finite(values, x, self.name)
        if not self.indices_sent:
            return entries.count, values
        return entries.count, entries.positions, values

    def listed(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> ListedRows:
        if self.indices_sent:
            count, positions, values = symbols
            return ListedRows(count, positions, values)
        drawn = entries_of(self.mask_again(d, draws))
        count, values = symbols
        return ListedRows(count, drawn.positions, values)

    def lists_in(
        self, packed: Tensor, bits: slice, d: int, dtype: torch.dtype, draws: Draws
    ) -> Iterator[ListedRows]:
        code = code_of(self, d, dtype)
        if self.indices_sent:
            assert isinstance(code, Lists)
            for symbols in code.pieces(packed, bits):
                yield self.listed(symbols, d, dtype, draws)
            return
        mask, start = self.mask_again(d, draws).view(-1), 0
        values = Field.floats("values", d, dtype)
        for here in row_slices(d):
            places = mask[here].nonzero().view(1, -1) + here.start
            if not places.numel():
                continue
            stop = start + places.shape[-1]
            some = symbols_in(packed, values, bits.start, slice(start, stop))
            yield ListedRows(all_of(places), places, some)
            start = stop

    def stated_lengths(self, sent: Tensor, float_bits: int) -> StatedLength:
        """Without indices zeros are sent too, and cannot be told from what was not sent."""
        d = sent.shape[-1]
        each = float_bits + (index_bits(d) if self.indices_sent else 0)
        least = ((sent != 0).sum(-1) * each).to(torch.float64)
        return StatedLength(least, least if self.indices_sent else torch.full_like(least, d * each))
