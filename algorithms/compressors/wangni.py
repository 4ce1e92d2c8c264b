"""Optimal drop-out probabilities (Wangni, Wang, Liu, Zhang 2018, arXiv:1710.09854)."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.codes.base import Code, Field, Layout, Symbols
from algorithms.codes.hybrid import Hybrid
from algorithms.compressors.base import Compressor, Property, StatedLength
from algorithms.compressors.entries import Entries, entries_of
from algorithms.compressors.repeated import distinct
from algorithms.compressors.requirements import require_finite, require_rows
from algorithms.core.key import Draws, below, uniforms
from algorithms.core.row_slices import mask_by_slices
from algorithms.kernels import drop_out, extremes, sparse_level_rows
from algorithms.kernels.dropped import dropped
from algorithms.kernels.grids import from_codebook
from algorithms.kernels.philox import Counters
from algorithms.kernels.row_parts import RowPart, numbers
from theory import bits
from theory.bits import index_bits
from theory.claims import Claim, Confidence, Source, Unbiased, VarianceBound

_PAPER = Source("Wangni et al.", 2018, "1710.09854", "Eq. 3, Algorithms 1 to 3")
_SHARP = Source("Wangni et al.", 2018, "1710.09854", "derived here: uniform p is no better")


class DropOut(Compressor):
    r"""C(x)_j = x_j / p_j with probability p_j = min(1, |x_j| / v), else 0; members give v.

    A coordinate of |x_j| >= v is sent as it is, any other as sign(x_j) v. The level is rounded to
    the type of x before the probabilities are found, so the mean is not touched by it. Message, the
    hybrid code of the paper: the level, index and value of every large coordinate, then for the
    others index and sign of those that stay, or two bits a coordinate where that is shorter.
    """

    properties: ClassVar[frozenset[Property]] = frozenset(
        {Property.SCALE, Property.ODD, Property.PERMUTATION}
    )

    @abstractmethod
    def level(self, a: Tensor, scales: Tensor) -> Tensor:
        """v ``[P]`` (float64), in units of 1 / ``scales``, for rows a ``[P, d]``; magnitudes times
        ``scales`` ``[P]`` (float64, powers of two) are at most 1, the largest at least 1/2."""

    def levels(self, x: Tensor) -> Tensor:
        """v ``[..., m, 1]`` of rows x, in their type; 0 for rows of zeros."""
        a = x.reshape(-1, x.shape[-1])
        power = torch.frexp(extremes.tops(a)[:, 0]).exponent.clamp(-1000, 1000).to(torch.float64)
        level = self.level(a, torch.ldexp(torch.ones_like(power), -power))
        return torch.ldexp(level, power).to(x.dtype).reshape(*x.shape[:-1], 1)

    def probabilities(self, x: Tensor) -> Tensor:
        """p ``[..., m, d]`` (float64) of rows x; 0 where x is 0."""
        level, size = self.levels(x).to(torch.float64), x.abs().to(torch.float64)
        return torch.where(size < level, size / level, (size > 0).to(torch.float64))

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        head = (Field.floats("level", 1, dtype), Field("large", 1, index_bits(d + 1)))
        large = (Field("large indices", d, index_bits(d)), Field.floats("large values", d, dtype))
        small = (Field("small indices", d, index_bits(d)), Field("signs", d, 1))
        return (*head, *large, Field("small", 1, index_bits(d + 1)), *small)

    def code(self, d: int, dtype: torch.dtype) -> Code:
        return Hybrid(d, dtype)

    def row_part(self, limit: float, by: int, d: int, dtype: torch.dtype) -> RowPart:
        """Members' :meth:`row_kernel`, by what sets their level."""
        value, index = torch.finfo(dtype).bits, index_bits(d)
        listed = (1 + value + index_bits(d + 1), index + value, index + 1)
        ints = (by, *listed, 1 + value + 2 * d, value)
        return RowPart(
            sparse_level_rows.drop_out, numbers(dtype, ints=ints, reals=limit), work=32 * d
        )

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        require_rows(x, self.name)
        require_finite(extremes.tops(x), x, self.name)
        rows = distinct(x)
        level = self.levels(rows)
        numbers = uniforms(draws, x)
        if isinstance(numbers, Counters):
            level = level.expand(*x.shape[:-1], 1)
            flat = x.reshape(-1, x.shape[-1]), level.reshape(-1, 1)
            parts = [part for parts in dropped(*flat, numbers) for part in parts]
            shape = x.shape[:-1]
            return level, *(part.reshape(*shape, part.numel() // shape.numel()) for part in parts)

        def chance(here: slice) -> Tensor:
            size = rows[..., here].abs()
            p = size.to(torch.float64) / level.to(torch.float64)
            return torch.where(size >= level, 0, p)

        small = entries_of(below(draws, chance, x.shape[-1]))
        large = mask_by_slices(rows, lambda part: (part.abs() >= level) & (part != 0))
        one, other = entries_of(large.expand(x.shape)), small
        signs = (other.pick(x) < 0).to(torch.uint8)
        level = level.expand(*x.shape[:-1], 1)
        return (
            level, one.count, one.positions, one.pick(x), other.count, other.positions, signs,
        )  # fmt: skip

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        level, many, places, values, few, others, negative = symbols
        rest = from_codebook(negative.to(torch.uint8), torch.cat((level, -level), -1))
        rows = Entries(many, places).spread(values, d)
        return Entries(few, others).spread_onto(rows, rest)

    def stated_lengths(self, sent: Tensor, float_bits: int) -> StatedLength:
        """The level does not show: what is as small as the smallest magnitude may be large or not.

        All larger ones are large for sure.
        """
        d, size = sent.shape[-1], sent.abs()
        least = torch.where(size > 0, size, torch.inf).amin(-1, keepdim=True)
        large = (size > least).sum(-1)
        doubtful = (size == least).sum(-1)
        pairs = list(zip(large.reshape(-1).tolist(), doubtful.reshape(-1).tolist(), strict=True))
        low = [bits.hybrid_code(d, sure, other, float_bits) for sure, other in pairs]
        high = [bits.hybrid_code(d, sure + other, 0, float_bits) for sure, other in pairs]
        shape = sent.shape[:-1]
        return StatedLength(
            *(torch.tensor(v, dtype=torch.float64).reshape(shape) for v in (low, high))
        )


@final
@dataclass(frozen=True)
class Wangni(DropOut):
    r"""Fewest coordinates on average for a variance of exactly epsilon ||x||^2 (Algorithm 2).

    min sum p_j subject to sum x_j^2 / p_j <= (1 + epsilon) ||x||^2: with magnitudes in falling
    order, k is the first with a_{k+1} sum_{i>k} a_i <= epsilon ||x||^2 + sum_{i>k} a_i^2; the k
    largest stay, and v = (epsilon ||x||^2 + sum_{i>k} a_i^2) / sum_{i>k} a_i for the others.

    Unbiased; E||C(x) - x||^2 = epsilon ||x||^2 for every x (to the rounding of v). If all but s
    coordinates have ||.||_1 at most rho times that of the s others, epsilon = rho gives
    E nnz <= (1 + rho) s (Lemma 3).

    Raises:
        ValueError: epsilon <= 0.
    """

    epsilon: float

    def __post_init__(self) -> None:
        if not self.epsilon > 0:
            raise ValueError(f"epsilon must be positive, got epsilon={self.epsilon}")

    @property
    def name(self) -> str:
        return f"Wangni(eps={self.epsilon:g})"

    def claims(self, d: int) -> tuple[Claim, ...]:
        variance = VarianceBound(self.epsilon, "epsilon", _PAPER, True, Confidence.CERTAIN)
        return (Unbiased(_PAPER), variance)

    def level(self, a: Tensor, scales: Tensor) -> Tensor:
        return drop_out.of_variance(a, scales, self.epsilon)

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        return self.row_part(self.epsilon, sparse_level_rows.VARIANCE, d, dtype)

    def stated_bits(self, d: int, float_bits: int) -> float:
        """A bound on the expected length: p_j = 1/(1 + epsilon) everywhere would do."""
        return bits.hybrid_code(d, d / (1 + self.epsilon), 0, float_bits)


@final
@dataclass(frozen=True)
class GreedyWangni(DropOut):
    r"""The greedy algorithm for a density: p_j = min(1, c |x_j|) with sum p_j = density d (Alg. 3).

    From c = density d / ||x||_1; while the coordinates that reach 1 leave part of the budget, c is
    rescaled for the others. It ends where none is added: there the p_j have the least variance of
    their sum.

    Unbiased; omega = 1/density - 1, attained by flat rows: p_j = density everywhere would give
    this, and is no better.

    Raises:
        ValueError: density outside (0, 1].
    """

    density: float

    def __post_init__(self) -> None:
        if not 0 < self.density <= 1:
            raise ValueError(f"density must lie in (0, 1], got density={self.density}")

    @property
    def name(self) -> str:
        return f"greedy Wangni(density={self.density:g})"

    def claims(self, d: int) -> tuple[Claim, ...]:
        omega = 1 / self.density - 1
        formula = "1/density - 1"
        return (
            Unbiased(_PAPER),
            VarianceBound(omega, formula, _SHARP, True, Confidence.DERIVED),
        )

    def level(self, a: Tensor, scales: Tensor) -> Tensor:
        return drop_out.of_density(a, scales, self.density * a.shape[-1])

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        return self.row_part(self.density * d, sparse_level_rows.DENSITY, d, dtype)

    def stated_bits(self, d: int, float_bits: int) -> float:
        """A bound on the expected length: all that are sent by value."""
        return bits.hybrid_code(d, self.density * d, 0, float_bits)
