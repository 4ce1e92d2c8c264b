"""ATOMO over singular vectors (Wang et al. 2018, arXiv:1806.04090, Section 4)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.codes.base import Code, Field, Layout, Symbols
from algorithms.codes.lists import Lists, Records, float_column
from algorithms.compressors.atomo import water_level
from algorithms.compressors.base import Compressor, Property, Shapes, StatedLength
from algorithms.compressors.low_rank import Block, flat, matrices
from algorithms.compressors.repeated import distinct
from algorithms.compressors.requirements import require_finite, require_rows
from algorithms.core.key import Draws
from algorithms.kernels.deferred_checks import now
from theory.claims import Claim, Confidence, Source, Unbiased, VarianceBound

_PAPER = Source("Wang et al.", 2018, "1806.04090", "Theorem 4 on singular values")


@final
@dataclass(frozen=True)
class SpectralAtomo(Compressor):
    r"""Singular triplets sigma_i u_i v_i^T kept with probability p_i, sum p_i = s (water-filling).

    A triplet goes as sigma_i/p_i, u_i, v_i: s (1 + rows + columns) floats on average, to the end of
    the message. Atoms are orthonormal, so E||C(M) - M||^2 = sum_i sigma_i^2 (1/p_i - 1) <= (r/s -
    1) ||M||^2, r = min(rows, columns), attained by equal singular values. A row is one matrix, the
    first tensor of the model it is bound to (put it into ``LayerWise`` for several), or as near to
    square as it goes. The decomposition is LAPACK's, matrix by matrix.

    Attributes:
        shape: shape of the matrix that a row is; empty: as near to square as it goes.

    Raises:
        ValueError: s < 1 or larger than the number of singular values.
    """

    s: int = 1
    shape: tuple[int, ...] = ()

    properties: ClassVar[frozenset[Property]] = frozenset({Property.SCALE})

    def __post_init__(self) -> None:
        if self.s < 1:
            raise ValueError(f"s must be at least 1 triplet, got s={self.s}")

    @property
    def name(self) -> str:
        return f"spectral ATOMO(s={self.s})"

    def for_shapes(self, shapes: Shapes) -> Compressor:
        return replace(self, shape=shapes[0]) if len(shapes) == 1 else self

    def block(self, d: int) -> Block:
        """The matrix that a row of d numbers is."""
        shape = self.shape if len(self.shape) > 1 else ()
        rows = shape[0] if shape else max(1, int(d**0.5))
        columns = d // rows if shape else -(-d // rows)
        return Block(d, rows, columns, min(rows, columns))

    def claims(self, d: int) -> tuple[Claim, ...]:
        block = self.block(d)
        if self.s > block.rank:
            raise ValueError(
                f"s must be at most min(rows, columns) = {block.rank}, got s={self.s} with d={d}"
            )
        omega = block.rank / self.s - 1
        whole = block.rows * block.columns == d
        return (
            Unbiased(_PAPER),
            VarianceBound(omega, "min(rows, columns)/s - 1", _PAPER, whole, Confidence.DERIVED),
        )

    def _most(self, d: int) -> int:
        block = self.block(d)
        return block.rank * (1 + block.rows + block.columns)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        most = self._most(d)
        return (
            Field("count", 1, most.bit_length()),
            Field.floats("triplets", most, dtype),
        )

    def code(self, d: int, dtype: torch.dtype) -> Code:
        return Lists((), (Records((float_column("triplets", dtype),), self._most(d)),))

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        require_rows(x, self.name)
        require_finite(x, x, self.name)
        self.claims(x.shape[-1])
        block = self.block(x.shape[-1])
        wide = matrices(distinct(x), block).to(torch.float64)
        u, sigma, vt = torch.linalg.svd(wide, full_matrices=False)
        top = sigma[..., :1]
        scaled = torch.where(top > 0, sigma / top, 0)
        p = torch.where(sigma > 0, (scaled / water_level(scaled, self.s)).clamp_max(1), 0)
        keep = draws.uniform(block.rank, torch.float64) < p
        value = torch.where(keep, sigma / p.clamp_min(1e-300), 0)
        lead = value.shape
        sides = torch.cat((u.transpose(-1, -2), vt), -1)
        atoms = torch.cat((value[..., None], sides.expand(*lead, -1)), -1).to(x.dtype)
        size = atoms.shape[-1]
        order = (~keep).to(torch.int64).argsort(dim=-1, stable=True)[..., None]
        front = torch.where(keep[..., None], atoms, 0).gather(-2, order.expand(atoms.shape))
        count = keep.sum(-1, keepdim=True) * size
        slots = front.flatten(-2)
        if now() is not None:
            return count, slots
        cap = max(1, int(count.max())) if count.numel() else 1
        return count, slots[..., :cap].contiguous()

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        block = self.block(d)
        size = 1 + block.rows + block.columns
        slots = symbols[1].shape[-1] // size  # as many as the fullest row needs
        lead = symbols[1].shape[:-1]
        atoms = symbols[1][..., : slots * size].reshape(*lead, slots, size)
        value, u, v = atoms.split((1, block.rows, block.columns), -1)  # type: ignore[no-untyped-call]
        total = atoms.new_zeros((*lead, block.rows, block.columns))
        for i in range(slots):
            total = total + value[..., i, :, None] * u[..., i, :, None] * v[..., i, None, :]
        return flat(total, block).contiguous()

    def stated_bits(self, d: int, float_bits: int) -> float:
        """The expected length of a matrix of full rank, a bound elsewhere."""
        block = self.block(d)
        return float(self.s * (1 + block.rows + block.columns) * float_bits)

    def stated_lengths(self, sent: Tensor, float_bits: int) -> StatedLength:
        """Whole triplets: at least the rank of what was sent, at most all.

        Where the matrix was padded its rank does not show.
        """
        d = sent.shape[-1]
        block = self.block(d)
        each = float((1 + block.rows + block.columns) * float_bits)
        rank = torch.linalg.matrix_rank(matrices(sent, block).double(), rtol=1e-4)
        least = (rank.to(torch.float64) * each).clamp_max(block.rank * each)
        if block.rows * block.columns > d:
            least = torch.zeros_like(least)
        return StatedLength(least, torch.full_like(least, block.rank * each))
