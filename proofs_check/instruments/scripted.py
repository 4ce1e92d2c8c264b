"""Uniforms that are chosen, not drawn, so that an operator's law can be read off its code."""

from __future__ import annotations

from typing import NoReturn, final

import torch
from torch import Tensor

from algorithms.key import Draws


class NotEnumerable(ValueError):
    """The law of this operator at this vector is none of the recognised kinds, or not rational."""


@final
class ScriptedDraws(Draws):
    """Draws that return a chosen table ``[..., m, c]`` of uniforms; worker ids are all 0.

    Raises:
        NotEnumerable: from every method that asks for anything else than c uniforms at most.
    """

    def __init__(self, table: Tensor) -> None:
        self._table = table
        self.workers = torch.zeros(table.shape[:-1], dtype=torch.int64)
        self.asked = 0

    def fold(self, *words: int | str) -> NoReturn:
        raise NotEnumerable(
            f"the operator folds its draws with {words}; only uniforms are scripted"
        )

    def uniform(self, count: int, dtype: torch.dtype) -> Tensor:
        if count > self._table.shape[-1]:
            raise NotEnumerable(f"the operator asks for {count} uniforms, more than coordinates")
        self.asked = max(self.asked, count)
        return self._table[..., :count].to(dtype)

    def normal(self, count: int, dtype: torch.dtype) -> NoReturn:
        raise NotEnumerable("the operator draws normals; its law is not discrete")

    def integers(self, high: int, count: int) -> NoReturn:
        raise NotEnumerable("the operator draws integers; only uniforms are scripted")
