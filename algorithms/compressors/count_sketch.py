"""Count sketch as an operator (Charikar et al. 2002; Ivkin et al. 2019, arXiv:1903.04488)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.codes.base import Field, Layout, Symbols
from algorithms.compressors.base import Compressor, Property
from algorithms.compressors.requirements import require_finite, require_rows
from algorithms.core.key import Draws, uniforms
from algorithms.kernels import sketch as kernel
from algorithms.kernels.compiled import by_torch
from algorithms.kernels.drawn_sketch import drawn_estimates, drawn_sketch
from algorithms.kernels.philox import Counters
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.kernels.sketch_rows import count_sketch
from theory import bits
from theory.claims import Claim, Confidence, Source, Unbiased, VarianceBound

_PAPER = Source("Charikar, Chen, Farach-Colton", 2002, "", "Lemma 1; Ivkin et al. 2019")
_OURS = Source("Ivkin et al.", 2019, "1903.04488", "variance of one row, derived here")


def hashes(draws: Draws, rows: int, width: int, d: int) -> Tensor:
    """Fully independent buckets and signs ``[..., m, rows, d]``, as the kernels take them."""
    drawn = draws.integers(2 * width, rows * d)
    return drawn.reshape(*drawn.shape[:-1], rows, d)


@final
@dataclass(frozen=True)
class CountSketch(Compressor):
    r"""S_{r,b} = \sum_{j: h_r(j) = b} s_r(j) x_j; C(x)_j = median_r s_r(j) S_{r, h_r(j)}.

    Hashes and signs come from the seed that sender and receiver share. Each row's estimate of x_j
    is x_j plus the signed sum of what fell into the same bucket: unbiased, with variance
    (||x||^2 - x_j^2) / width, so one row has omega = (d - 1) / width exactly for every x. Flipping
    s_r(j) alone flips the noise, so it is symmetric and the median of independent rows is unbiased
    too. At least half the rows, rounded up, lie on the median's side of x_j and no nearer to it, so
    its squared error is at most the sum of theirs over ceil(rows / 2): omega <= rows / ceil(rows/2)
    (d - 1) / width, below twice that of one row. Linear in x for one row.

    Raises:
        ValueError: rows or width below 1.
    """

    rows: int
    width: int

    properties: ClassVar[frozenset[Property]] = frozenset({Property.SCALE, Property.ODD})

    def __post_init__(self) -> None:
        for name in ("rows", "width"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {name}={getattr(self, name)}")

    @property
    def name(self) -> str:
        return f"count sketch({self.rows} x {self.width})"

    def claims(self, d: int) -> tuple[Claim, ...]:
        one = self.rows == 1
        omega = (d - 1) / self.width * self.rows / -(-self.rows // 2)
        formula = "(d - 1)/width" if one else "rows/ceil(rows/2) (d - 1)/width"
        return (
            Unbiased(_PAPER, Confidence.DERIVED),
            VarianceBound(omega, formula, _OURS, one, Confidence.DERIVED),
        )

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return (Field.floats("sketch", self.rows * self.width, dtype),)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        require_rows(x, self.name)
        require_finite(x, x, self.name)
        numbers = uniforms(draws, x)
        if isinstance(numbers, Counters) and not by_torch(x):
            flat = x.reshape(-1, x.shape[-1])
            rows = drawn_sketch(flat, numbers, self.rows, self.width)
            return (rows.reshape(*x.shape[:-1], -1),)
        table = hashes(draws, self.rows, self.width, x.shape[-1])
        rows = kernel.sketch(x.expand(*table.shape[:-2], x.shape[-1]), table, self.width)
        return (rows.reshape(*rows.shape[:-2], -1),)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        rows = symbols[0].reshape(*symbols[0].shape[:-1], self.rows, self.width)
        numbers = uniforms(draws, symbols[0])
        if isinstance(numbers, Counters) and not by_torch(rows):
            flat = rows.reshape(-1, self.rows, self.width)
            return drawn_estimates(flat, numbers, d).reshape(*rows.shape[:-2], d)
        table = hashes(draws, self.rows, self.width, d)
        return kernel.median_estimates(rows, table)

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        own = numbers(dtype, ints=(self.rows, self.width))
        return RowPart(count_sketch, own, work=16 * self.rows * d)

    def stated_bits(self, d: int, float_bits: int) -> float:
        return bits.dense(self.rows * self.width, float_bits)
