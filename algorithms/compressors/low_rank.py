"""Rank-r approximation by one power iteration (Vogels, Karimireddy, Jaggi 2019, 1905.13727)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple, final

import torch
from torch import Tensor

from algorithms.codes.base import Field, Layout, Symbols
from algorithms.compressors.base import Compressor, Property, Shapes
from algorithms.compressors.requirements import require_finite, require_rows
from algorithms.core.key import Draws
from algorithms.kernels import low_rank, sketch_rows
from algorithms.kernels.key_words import ending_of
from algorithms.kernels.row_parts import RowPart, numbers
from theory import bits
from theory.claims import Claim, Confidence, Contraction, Source

_OURS = Source("Vogels, Karimireddy, Jaggi", 2019, "1905.13727", "constant derived here")


class Block(NamedTuple):
    """``size`` numbers as a matrix of ``rows`` x ``columns``, padded with zeros; rank 0: as is."""

    size: int
    rows: int
    columns: int
    rank: int

    @property
    def floats(self) -> int:
        """Floats that cross for the block: r (rows + columns), or the numbers themselves."""
        return self.rank * (self.rows + self.columns) if self.rank else self.size


def plan(d: int, shapes: Shapes, rank: int) -> tuple[Block, ...]:
    """Blocks of a model with these tensors.

    A tensor of two axes or more is a matrix of its first axis against the others, at most of
    ``rank``; one of a single axis goes uncompressed, as do matrices whose factors would be no
    smaller. A model that is one flat vector is cut into a near-square matrix.

    Raises:
        ValueError: the shapes do not add up to d.
    """
    if len(shapes) <= 1 and len(shapes[0] if shapes else (d,)) == 1:
        rows = max(1, math.isqrt(d))
        return (_block(d, rows, -(-d // rows), rank),)
    if sum(math.prod(shape) for shape in shapes) != d:
        raise ValueError(f"shapes must hold d={d} numbers together, got {shapes}")
    return tuple(
        _block(math.prod(shape), shape[0], math.prod(shape[1:]), rank)
        if len(shape) > 1
        else Block(math.prod(shape), math.prod(shape), 1, 0)
        for shape in shapes
    )


def _block(size: int, rows: int, columns: int, rank: int) -> Block:
    fits = min(rank, rows, columns)
    return Block(size, rows, columns, fits if fits * (rows + columns) < size else 0)


def matrices(x: Tensor, block: Block) -> Tensor:
    """One block's part ``[..., size]`` of rows as matrices ``[..., rows, columns]``."""
    missing = block.rows * block.columns - block.size
    padded = torch.nn.functional.pad(x, (0, missing)) if missing else x
    return padded.reshape(*x.shape[:-1], block.rows, block.columns)


def flat(m: Tensor, block: Block) -> Tensor:
    """The inverse of :func:`matrices`."""
    return m.reshape(*m.shape[:-2], -1)[..., : block.size]


@final
@dataclass(frozen=True)
class LowRank(Compressor):
    r"""C(M) = \hat P \hat P^T M, \hat P = orthonormal columns of M Q, Q drawn N(0, 1) anew.

    With s = min(rows, columns) singular values, delta = r/s, attained where they are equal. Proof:
    in the singular basis the captured share is \sum_i l_i \sigma_i^2 / \sum_i \sigma_i^2, l_i the
    leverage of row i of \Sigma Q, \sum_i l_i = r. Swapping rows i and j of Q, with a, b, c the
    products of q_i, q_j in the metric of the other rows and K = ab - c^2 >= 0, the two differences
    l_i - l_j add up to a positive multiple of (1 + uvK)(u - v)(a + b) + 2ab(u^2 - v^2), u, v their
    squared singular values; so E l_i grows with sigma_i, and Chebyshev's sum inequality gives
    E \sum_i l_i \sigma_i^2 >= (r/s) \sum_i \sigma_i^2. With Q fixed there is no delta: M with rows
    orthogonal to Q is lost whole.

    Message: \hat P and M^T \hat P, r (rows + columns) floats a matrix; other tensors as they are.

    Attributes:
        rank: r, number of columns of \hat P.
        shapes: shapes of the model's tensors, flat one after another; empty: a row is one matrix.

    Raises:
        ValueError: rank < 1.
    """

    rank: int
    shapes: Shapes = ()

    properties: ClassVar[frozenset[Property]] = frozenset({Property.SCALE, Property.ODD})

    def __post_init__(self) -> None:
        if self.rank < 1:
            raise ValueError(f"rank must be at least 1, got rank={self.rank}")

    @property
    def name(self) -> str:
        return f"low rank(r={self.rank})"

    def for_shapes(self, shapes: Shapes) -> Compressor:
        return replace(self, shapes=shapes)

    def blocks(self, d: int) -> tuple[Block, ...]:
        """Partition of a row of d numbers."""
        return plan(d, self.shapes, self.rank)

    def claims(self, d: int) -> tuple[Claim, ...]:
        shares = [b.rank / min(b.rows, b.columns) for b in self.blocks(d) if b.rank]
        formula = "min of 1 and r / min(rows, columns) over matrices"
        delta = min(shares, default=1.0)
        square = all(b.rows * b.columns == b.size for b in self.blocks(d))
        return (Contraction(delta, formula, _OURS, square, Confidence.DERIVED),)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        fields: list[Field] = []
        for k, b in enumerate(self.blocks(d)):
            if not b.rank:
                fields.append(Field.floats(f"values of block {k}", b.size, dtype))
                continue
            fields.append(Field.floats(f"P of block {k}", b.rows * b.rank, dtype))
            fields.append(Field.floats(f"Q of block {k}", b.columns * b.rank, dtype))
        return tuple(fields)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        require_rows(x, self.name)
        require_finite(x, x, self.name)
        symbols: list[Tensor] = []
        blocks = self.blocks(x.shape[-1])
        for k, (b, part) in enumerate(
            zip(blocks, torch.split(x, [b.size for b in blocks], -1), strict=True)
        ):
            if not b.rank:
                symbols.append(part.contiguous())
                continue
            m = matrices(part, b)
            q = draws.fold("Q", k).normal(b.columns * b.rank, x.dtype)
            p = low_rank.orthonormal(low_rank.times(m, q.reshape(*q.shape[:-1], b.columns, b.rank)))
            right = low_rank.transposed_times(m, p)
            symbols += [p.reshape(*p.shape[:-2], -1), right.reshape(*right.shape[:-2], -1)]
        return tuple(symbols)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        rows, remaining = [], list(symbols)
        for b in self.blocks(d):
            first = remaining.pop(0)
            if not b.rank:
                rows.append(first)
                continue
            p = first.reshape(*first.shape[:-1], b.rows, b.rank)
            q = remaining.pop(0).reshape(*first.shape[:-1], b.columns, b.rank)
            rows.append(flat(low_rank.times(p, q.transpose(-1, -2)), b))
        return torch.cat(rows, -1)

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        ints: list[int] = []
        for k, block in enumerate(self.blocks(d)):
            words = ending_of("Q", k)
            ints += [1 + len(block) + len(words), *block, *words]
        work = sum(4 * b.rank * b.size for b in self.blocks(d))
        return RowPart(sketch_rows.low_rank, numbers(dtype, ints=tuple(ints)), work=work)

    def stated_bits(self, d: int, float_bits: int) -> float:
        return bits.dense(sum(b.floats for b in self.blocks(d)), float_bits)
