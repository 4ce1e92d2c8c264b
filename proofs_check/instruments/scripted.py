"""Uniforms that are chosen, not drawn, so that an operator's law can be read off its code."""

from __future__ import annotations

from typing import NoReturn, final

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.core.key import Draws, Key


class NotEnumerable(ValueError):
    """The law of this operator at this vector is none of the recognised kinds, or not rational."""


Purpose = tuple[tuple[int | str, ...], ...]
"""The words of one fold after another."""


@final
class ScriptedDraws(Draws):
    """Draws that return columns of a chosen table ``[..., m, c]`` of uniforms; worker ids are 0.

    What is folded has columns of its own: each purpose takes the next free ones when it first asks,
    so that the parts of a row that is cut draw side by side, and finds them again when it asks
    once more (a receiver asks after the sender).

    Attributes:
        workers: ids of the rows, all 0.

    Raises:
        NotEnumerable: from every method that asks for anything else than c uniforms in all.
    """

    def __init__(self, table: Tensor) -> None:
        self._table = table
        self._purpose: Purpose = ()
        self._columns: dict[Purpose, slice] = {}
        self.workers = torch.zeros(table.shape[:-1], dtype=torch.int64)

    @property
    def asked(self) -> int:
        """Number of columns asked for so far, by all purposes."""
        return max((own.stop for own in self._columns.values()), default=0)

    def drawn(self, draws: Draws) -> Tensor:
        """Columns asked for ``[..., m, asked]`` as they would be, had ``draws`` been
        asked in place of these (float64)."""
        parts = []
        for purpose, own in self._columns.items():
            folded = draws
            for words in purpose:
                folded = folded.fold(*words)
            parts.append(folded.uniform(own.stop - own.start, torch.float64))
        return torch.cat(parts, -1) if parts else self._table[..., :0]

    def fold(self, *words: int | str) -> ScriptedDraws:
        folded = ScriptedDraws(self._table)
        folded._purpose = (*self._purpose, words)
        folded._columns = self._columns
        return folded

    def uniform(self, count: int, dtype: torch.dtype) -> Tensor:
        own = self._columns.get(self._purpose, slice(self.asked, self.asked))
        stop = own.start + count
        if stop > own.stop:
            if own.stop != self.asked:
                raise NotEnumerable(f"the operator asks for {self._purpose} again, and for more")
            if stop > self._table.shape[-1]:
                raise NotEnumerable(f"the operator asks for {stop} uniforms, more than coordinates")
            self._columns[self._purpose] = slice(own.start, stop)
        return self._table[..., own.start : stop].to(dtype)

    def normal(self, count: int, dtype: torch.dtype) -> NoReturn:
        raise NotEnumerable("the operator draws normals; its law is not discrete")

    def integers(self, high: int, count: int) -> NoReturn:
        raise NotEnumerable("the operator draws integers; only uniforms are scripted")


def drawn_tables(compressor: Compressor, point: Tensor, count: int, key: Key) -> Tensor:
    """Tables ``[count, c]`` that, scripted, give what ``count`` real draws give.

    Raises:
        NotEnumerable: the operator draws anything else than uniforms.
    """
    scripted = ScriptedDraws(torch.zeros(1, 1, point.shape[-1], dtype=torch.float64))
    compressor.compress(point.expand(1, 1, -1), scripted)
    draws = key.draws(torch.arange(count), torch.zeros(1, dtype=torch.int64))
    return scripted.drawn(draws)[:, 0]
