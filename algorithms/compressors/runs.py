"""Parts of a row that one call of their operator can treat: of one operator and one length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.codes.base import Symbols
from algorithms.codes.packed import Packed
from algorithms.compressors.base import Compressor, code_of
from algorithms.core.key import Draws, SideBySide
from algorithms.core.row_slices import SLICE


@final
class Run(NamedTuple):
    """Parts in turn of one operator and one length, as rows side by side of the operator's.

    Attributes:
        size: coordinates of a part.
        first: the number of the first part.
        start: where it begins.
        parts: how many there are.
        fields: how many symbols a part's message has.
    """

    operator: Compressor
    size: int
    first: int
    start: int
    parts: int
    fields: int

    def rows_of(self, x: Tensor) -> Tensor:
        """Rows ``[..., m, size]``, or ``[..., m, parts, size]``, of x ``[..., m, d]``."""
        part = x[..., self.start : self.start + self.parts * self.size].contiguous()
        return part if self.parts == 1 else part.view(*part.shape[:-1], self.parts, self.size)

    def draws(self, draws: Draws) -> Draws:
        """Draws of the parts: each by its number."""
        if self.parts == 1:
            return draws.fold("block", self.first)
        return SideBySide(draws, "block", range(self.first, self.first + self.parts))

    def apart(self, symbols: Symbols) -> Iterator[Tensor]:
        """Symbols of one part after another ``[..., m, k]``."""
        if self.parts == 1:
            return iter(symbols)
        return chain.from_iterable(zip(*(own.unbind(-2) for own in symbols), strict=True))

    def together(self, symbols: Symbols) -> Symbols:
        """The inverse of :meth:`apart`."""
        if self.parts == 1:
            return symbols
        return tuple(torch.stack(symbols[f :: self.fields], -2) for f in range(self.fields))


def runs_of(pairs: Sequence[tuple[Compressor, int]], dtype: torch.dtype) -> tuple[Run, ...]:
    """Runs of parts with these operators and lengths, one after another.

    Where messages vary in length every part is one by itself: how wide a list is depends on all
    rows that are treated together.
    """
    runs: list[Run] = []
    for b, (operator, size) in enumerate(pairs):
        last = runs[-1] if runs else Run(operator, 0, 0, 0, 0, 0)
        alike = last.operator is operator and last.size == size
        fits = (last.parts + 1) * size <= SLICE  # of a long row little is held at once
        if alike and fits and isinstance(code_of(operator, size, dtype), Packed):
            runs[-1] = last._replace(parts=last.parts + 1)
            continue
        fields = len(operator.layout(size, dtype))
        runs.append(Run(operator, size, b, last.start + last.parts * last.size, 1, fields))
    return tuple(runs)
