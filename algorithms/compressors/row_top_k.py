"""Top-k of rows: what unified meProp leaves of a gradient (Sun, Ren, Ma, Wang 2017, 1706.06197)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.codes.base import Field, Layout, Symbols
from algorithms.compressors.base import Compressor, Property, Shapes
from algorithms.compressors.entries import Entries, all_of
from algorithms.compressors.requirements import kept, require_finite, require_rows, share_name
from algorithms.core.key import Draws
from algorithms.kernels import row_norms, selection
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.kernels.sparsifier_rows import row_top_k
from theory.bits import index_bits
from theory.claims import Claim, Confidence, Contraction, Source

_SHARP = Source("Sun et al.", 2017, "1706.06197", "derived here: the largest k of r square norms")


@final
@dataclass(frozen=True)
class RowTopK(Compressor):
    r"""The k rows of largest Euclidean norm of a matrix; ties go to the lowest row.

    A layer's gradient is $\sum_s \delta_s a_s^T$: where an entry of the error $\delta$ is dropped
    for all samples of the minibatch, a row is. A vector is a matrix of one column: top-k of
    coordinates. ``k`` is a number of rows or a fraction of them; ``shapes`` come with
    :meth:`for_shapes`, one tensor each (see ``LayerWise`` for models of several), else one column.

    $\|C(x) - x\|^2 \le (1 - k/r)\|x\|^2$ for r rows, attained where their norms are equal.
    Message: k rows and k row indices of ceil(log2 r) bits.

    Attributes:
        shape: shape of the matrix, rows first; empty: a column of d numbers.

    Raises:
        ValueError: from :meth:`for_shapes`, more than one shape; from the others, a shape unlike d.
    """

    properties: ClassVar[frozenset[Property]] = frozenset({Property.SCALE, Property.ODD})

    k: int | float
    shape: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        return f"row top-k({share_name(self.k)})"

    def for_shapes(self, shapes: Shapes) -> Compressor:
        if len(shapes) != 1:
            raise ValueError(
                f"{self.name} takes one tensor, got shapes {shapes}; layer-wise would do"
            )
        return replace(self, shape=shapes[0])

    def matrix(self, d: int) -> tuple[int, int]:
        """Rows and columns of a tensor of d numbers: the first axis, and all others.

        Raises:
            ValueError: the shape is not one of d numbers.
        """
        if not self.shape:
            return d, 1
        if math.prod(self.shape) != d:
            raise ValueError(f"shape must hold d={d} numbers, got {self.shape}")
        return self.shape[0], d // self.shape[0]

    def claims(self, d: int) -> tuple[Claim, ...]:
        count, _ = self.matrix(d)
        delta = kept(self.k, count) / count
        return (Contraction(delta, "k/r", _SHARP, True, Confidence.DERIVED),)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        count, width = self.matrix(d)
        k = kept(self.k, count)
        return (Field.floats("rows", k * width, dtype), Field("indices", k, index_bits(count)))

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        require_rows(x, self.name)
        count, width = self.matrix(x.shape[-1])
        table = x.reshape(*x.shape[:-1], count, width)
        sizes = row_norms.norms(table)[..., 0] if width > 1 else x
        require_finite(sizes.sum(-1), x, self.name)
        chosen = selection.largest(sizes.contiguous(), kept(self.k, count))
        if width == 1:
            return Entries(all_of(chosen), chosen).pick(x), chosen
        places = chosen[..., None].expand(*chosen.shape, width)
        return table.gather(-2, places).reshape(*x.shape[:-1], -1), chosen

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        values, chosen = symbols
        count, width = self.matrix(d)
        if width == 1:
            return Entries(all_of(chosen), chosen).spread(values, d)
        table = torch.zeros((*chosen.shape[:-1], count, width), dtype=dtype, device=values.device)
        places = chosen[..., None].expand(*chosen.shape, width)
        table.scatter_(-2, places, values.reshape(places.shape))
        return table.reshape(*chosen.shape[:-1], d)

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        count, width = self.matrix(d)
        most = torch.finfo(dtype).max / 4
        own = numbers(dtype, ints=(kept(self.k, count), count, width), reals=(most,))
        return RowPart(row_top_k, own, draws=False, work=2 * d + 8 * count)

    def stated_bits(self, d: int, float_bits: int) -> float:
        count, width = self.matrix(d)
        return float(kept(self.k, count) * (width * float_bits + index_bits(count)))
