"""Warm-up of the sparsity: one operator after another (Lin et al. 2018, arXiv:1712.01887)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import final

import torch
from torch import Tensor

from algorithms.codes.base import Code, Layout, Symbols
from algorithms.compressors.base import Compressor, Shapes, StatedLength
from algorithms.compressors.top_k import TopK
from algorithms.core.key import Draws
from theory.claims import Claim

_PAPER_D = 1000
"""Least d [coordinates] of which the paper's last share, 0.1 %, is a coordinate or more."""

_PAPER = (0.25, 0.0625, 0.015625, 0.004, 0.001)


@final
@dataclass(frozen=True)
class WarmUp(Compressor):
    """``stages`` for ``steps`` steps each, the last from then on; claims are those of the last.

    Raises:
        ValueError: no stage, or steps < 1.
    """

    stages: tuple[Compressor, ...]
    steps: int

    def __post_init__(self) -> None:
        if not self.stages or self.steps < 1:
            raise ValueError(
                f"stages must not be empty and steps at least 1, got {len(self.stages)} stages, "
                f"steps={self.steps}"
            )

    @property
    def name(self) -> str:
        return f"{self.last.name} after {len(self.stages) - 1} stages of {self.steps} steps"

    @property
    def last(self) -> Compressor:
        """The operator after the warm-up."""
        return self.stages[-1]

    def at_step(self, t: int) -> Compressor:
        return self.stages[min(t // self.steps, len(self.stages) - 1)]

    def for_shapes(self, shapes: Shapes) -> Compressor:
        return replace(self, stages=tuple(stage.for_shapes(shapes) for stage in self.stages))

    def claims(self, d: int) -> tuple[Claim, ...]:
        return self.last.claims(d)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return self.last.layout(d, dtype)

    def code(self, d: int, dtype: torch.dtype) -> Code:
        return self.last.code(d, dtype)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return self.last.encode(x, draws)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        return self.last.decode(symbols, d, dtype, draws)

    def stated_bits(self, d: int, float_bits: int) -> float:
        return self.last.stated_bits(d, float_bits)

    def stated_lengths(self, sent: Tensor, float_bits: int) -> StatedLength:
        return self.last.stated_lengths(sent, float_bits)


def sparsity_warm_up(steps: int, shares: tuple[float, ...] = _PAPER) -> WarmUp:
    """Top-k with 25, 6.25, 1.5625, 0.4 and 0.1 % kept, as in the paper."""
    return WarmUp(tuple(TopK(share) for share in shares), steps)


def graded_warm_up(steps: int, d: int) -> WarmUp:
    """Top-k in as many stages as the paper's, from a quarter of ``d`` coordinates to the least.

    The paper's shares where the last of them, 0.1 %, is a coordinate or more; below d = 1000 they
    would end in the same one coordinate, so there k falls by equal factors from d/4 to 1.

    Raises:
        ValueError: d < 1 or steps < 1.
    """
    if d < 1:
        raise ValueError(f"d must be at least 1, got d={d}")
    if d >= _PAPER_D:
        return sparsity_warm_up(steps)
    last = len(_PAPER) - 1
    ladder = (max(1.0, d / 4) ** (1 - j / last) for j in range(last + 1))
    return WarmUp(tuple(TopK(math.ceil(k)) for k in ladder), steps)
