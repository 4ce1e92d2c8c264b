"""Operators whose message lists the coordinates that it speaks of; all others are zero."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

import torch
from torch import Tensor

from algorithms.codes.base import Symbols
from algorithms.compressors.base import Compressor, ListedRows
from algorithms.compressors.entries import Entries
from algorithms.core.key import Draws


class SparseCompressor(Compressor):
    """Members say which coordinates a message lists; decoding writes them into rows of zeros."""

    @abstractmethod
    def listed(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> ListedRows:
        """The entries of messages that decode to rows ``[..., m, d]``."""

    def pieces(
        self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws
    ) -> Iterator[ListedRows]:
        yield self.listed(symbols, d, dtype, draws)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        pieces = self.pieces(symbols, d, dtype, draws)
        first = next(pieces)  # before there are rows, for it may have to be drawn again
        rows = Entries(first.count, first.positions).spread(first.values, d)
        for piece in pieces:
            Entries(piece.count, piece.positions).spread_onto(rows, piece.values)
        return rows
