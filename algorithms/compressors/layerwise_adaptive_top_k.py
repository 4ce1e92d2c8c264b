"""Top-k by layer, as much as the next layer's computation hides (Shi et al. 2019, 1911.08727)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import final

import torch

from algorithms.compressors.base import Compressor, Shapes
from algorithms.compressors.parted import Parted
from algorithms.compressors.top_k import TopK
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.kernels.sparsifier_rows import largest_of_parts
from theory.bits import index_bits
from theory.seconds.costs import AlphaBeta
from theory.seconds.sparse_times import hidden_counts

_FLOAT_BITS = 32


@final
@dataclass(frozen=True)
class LayerwiseAdaptiveTopK(Parted):
    r"""Top-k_l of layer l, k_l all that ``link`` carries while layer l - 1 computes.

    ``compute`` is a backward pass [s], spread over layers as their sizes; k_l >= d_l / ``ratio``.
    delta = min_l k_l/d_l. ``shapes`` come with :meth:`for_shapes`, else the row is one layer.

    Raises:
        ValueError: the shapes do not add up to d, compute < 0, or ratio < 1.
    """

    link: AlphaBeta
    compute: float
    ratio: float = 1000.0
    shapes: Shapes = ()

    def __post_init__(self) -> None:
        hidden_counts((1,), self.link, 1.0, self.compute, self.ratio)

    @property
    def name(self) -> str:
        return f"top-k hidden by layers(compute {self.compute:g} s, ratio {self.ratio:g})"

    @property
    def takes_guide(self) -> bool:
        return False

    @property
    def steady(self) -> bool:
        return True

    def at_step(self, t: int) -> Compressor:
        return self

    def for_shapes(self, shapes: Shapes) -> Compressor:
        return replace(self, shapes=shapes)

    def sizes(self, d: int) -> tuple[int, ...]:
        sizes = tuple(math.prod(shape) for shape in self.shapes) or (d,)
        if sum(sizes) != d:
            raise ValueError(f"shapes must hold d={d} numbers together, got {self.shapes}")
        return sizes

    def counts(self, d: int) -> tuple[int, ...]:
        """k_l of every layer, from the input on."""
        backward = self.sizes(d)[::-1]
        entry = _FLOAT_BITS + index_bits(max(backward))
        return hidden_counts(backward, self.link, entry, self.compute, self.ratio)[::-1]

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        pairs = zip(self.sizes(d), self.counts(d), strict=True)
        own = numbers(dtype, ints=tuple(number for pair in pairs for number in pair))
        return RowPart(largest_of_parts, own, draws=False, work=8 * d)

    def operators(self, d: int) -> tuple[Compressor, ...]:
        return tuple(TopK(k) for k in self.counts(d))
