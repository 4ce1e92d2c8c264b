"""A selection with a scale: k of d coordinates are sent, the others are zero."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

import torch
from torch import Tensor

from algorithms.codes.base import Field, Layout, Symbols
from algorithms.codes.packed import symbols_in
from algorithms.compressors.base import ListedRows
from algorithms.compressors.entries import Entries, all_of
from algorithms.compressors.requirements import adds_up, kept, require_finite, require_rows
from algorithms.compressors.sparse import SparseCompressor
from algorithms.core.key import Draws
from algorithms.core.row_slices import row_slices
from algorithms.kernels.entries import place_type
from theory.bits import index_bits


class Sparsifier(SparseCompressor):
    """C(x)_j = factor x_j for the chosen j, in ascending order on the wire; members choose.

    ``k`` is a number of coordinates or, as a float in (0, 1], a fraction of d (rounded up).
    A ``blind`` choice can be drawn again by the receiver; its indices may be left out.
    """

    k: int | float

    @property
    @abstractmethod
    def indices_sent(self) -> bool:
        """Whether the message holds the indices."""

    @abstractmethod
    def factor(self, d: int) -> float:
        """Factor that multiplies the chosen coordinates."""

    @abstractmethod
    def choose(self, x: Tensor, draws: Draws) -> Tensor:
        """Indices ``[..., m, kept]`` (integers, ascending) for rows ``[..., m, d]``.

        Raises:
            ValueError: x holds NaN or infinity that the chosen values would not show.
        """

    @abstractmethod
    def draw_again(self, d: int, draws: Draws) -> Tensor:
        """The receiver's copy of the indices where they are not sent.

        Raises:
            TypeError: the choice depends on values, so indices must be sent.
        """

    def kept(self, d: int) -> int:
        """Number of coordinates sent.

        Raises:
            ValueError: k does not fit d.
        """
        return kept(self.k, d)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        k = self.kept(d)
        values = Field.floats("values", k, dtype)
        indices = Field("indices", k, index_bits(d), place_type(d))
        return (values, indices) if self.indices_sent else (values,)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        require_rows(x, self.name)
        indices = self.choose(x, draws).to(place_type(x.shape[-1]))
        chosen = Entries(all_of(indices), indices).pick(x)
        factor = self.factor(x.shape[-1])
        values = chosen if factor == 1.0 else chosen.mul_(factor)
        if not adds_up(values):
            require_finite(values, x, self.name)
        return (values, indices) if self.indices_sent else (values,)

    def listed(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> ListedRows:
        indices = symbols[1] if self.indices_sent else self.draw_again(d, draws)
        return ListedRows(all_of(indices), indices, symbols[0])

    def lists_in(
        self, packed: Tensor, bits: slice, d: int, dtype: torch.dtype, draws: Draws
    ) -> Iterator[ListedRows]:
        values, *index = self.layout(d, dtype)
        after = bits.start + values.bits
        start = 0
        for here in () if index else self.places_again(d, draws):
            stop = start + here.shape[-1]
            some = symbols_in(packed, values, bits.start, slice(start, stop))
            yield ListedRows(all_of(here), here, some)
            start = stop
        for slots in row_slices(values.count) if index else ():
            here = symbols_in(packed, index[0], after, slots)
            yield ListedRows(all_of(here), here, symbols_in(packed, values, bits.start, slots))

    def places_again(self, d: int, draws: Draws) -> Iterator[Tensor]:
        """The indices of :meth:`draw_again` for one row, ``[1, count]`` after ``[1, count]``."""
        yield self.draw_again(d, draws).reshape(1, -1)
