"""Rounding without its chance: every uniform number an operator asks for is one half."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.codes.base import Symbols
from algorithms.compressors.base import Compressor
from algorithms.core.key import Draws
from proofs_check.mutants.method_mutant import FaultyCompressor


class Halves(Draws):
    """Draws whose uniforms are all 1/2; what else is asked for is drawn as it was."""

    def __init__(self, right: Draws) -> None:
        self.right = right
        self.workers = right.workers

    def fold(self, *words: int | str) -> Halves:
        return Halves(self.right.fold(*words))

    def uniform(self, count: int, dtype: torch.dtype) -> Tensor:
        return torch.full((*self.workers.shape, count), 0.5, dtype=dtype)

    def normal(self, count: int, dtype: torch.dtype) -> Tensor:
        return self.right.normal(count, dtype)

    def integers(self, high: int, count: int) -> Tensor:
        return self.right.integers(high, count)


@final
@dataclass(frozen=True)
class Undithered(FaultyCompressor):
    """A stochastic rounding that takes the likelier neighbour, and so is biased."""

    right: Compressor

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return self.right.encode(x, Halves(draws))
