"""Whole blocks of coordinates: by lot for each worker (IBCD), or one for all by turns (BCD)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.codes.base import Field, Layout, Symbols
from algorithms.compressors.base import Compressor, Property
from algorithms.compressors.requirements import require_finite, require_rows
from algorithms.core.key import Draws, Key, drawn_lots
from algorithms.kernels import top_of_uniforms
from algorithms.kernels.key_words import ending_of
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.kernels.sparsifier_rows import one_block, sampled_blocks
from theory import bits
from theory.claims import (
    Claim,
    Confidence,
    Contraction,
    NoConstant,
    Source,
    Unbiased,
    VarianceBound,
)

_IBCD = Source("Mishchenko, Hanzely, Richtarik", 2019, "1901.09437", "Section 3")
_BCD = Source("Beck, Tetruashvili", 2013, "", "block coordinate gradient projection")


def _check_blocks(blocks: int, d: int) -> None:
    if blocks > d:
        raise ValueError(f"blocks must be at most d, got blocks={blocks} with d={d}")


def _cut(x: Tensor, blocks: int) -> Tensor:
    """Rows ``[..., d]`` as blocks ``[..., blocks, size]``, the last padded with zeros."""
    missing = -x.shape[-1] % blocks
    padded = torch.nn.functional.pad(x, (0, missing)) if missing else x
    return padded.reshape(*x.shape[:-1], blocks, -1)


@final
@dataclass(frozen=True)
class BlockSampling(Compressor):
    r"""Keep ``taken`` of ``blocks`` consecutive blocks, a uniformly random set for every worker.

    Scaled by blocks/taken: unbiased, omega = blocks/taken - 1 exactly for every x; else a
    contraction with delta = taken/blocks exactly. Blocks have ceil(d/blocks) coordinates, the last
    fewer; the receiver draws the set again. In independent block coordinate descent a worker moves
    only these blocks, and the server averages: with steps gamma that is this operator, unscaled.
    (Mishchenko, Hanzely, Richtarik 2019, arXiv:1901.09437, IBCD.)

    Attributes:
        scaled: whether the kept values are scaled up so that C is unbiased.

    Raises:
        ValueError: taken outside [1, blocks]; more blocks than coordinates.
    """

    blocks: int
    taken: int = 1
    scaled: bool = True

    properties: ClassVar[frozenset[Property]] = frozenset(
        {Property.SCALE, Property.ODD, Property.LINEAR}
    )

    def __post_init__(self) -> None:
        if not 1 <= self.taken <= self.blocks:
            raise ValueError(
                f"taken must lie in [1, blocks], got taken={self.taken}, blocks={self.blocks}"
            )

    @property
    def name(self) -> str:
        tail = "" if self.scaled else ", unscaled"
        return f"{self.taken} of {self.blocks} blocks{tail}"

    def claims(self, d: int) -> tuple[Claim, ...]:
        _check_blocks(self.blocks, d)
        if not self.scaled:
            share = self.taken / self.blocks
            return (Contraction(share, "taken/blocks", _IBCD, True, Confidence.DERIVED),)
        omega = self.blocks / self.taken - 1
        return (
            Unbiased(_IBCD),
            VarianceBound(omega, "blocks/taken - 1", _IBCD, True, Confidence.DERIVED),
        )

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        _check_blocks(self.blocks, d)
        return (Field.floats("values", self.taken * -(-d // self.blocks), dtype),)

    def _chosen(self, draws: Draws) -> Tensor:
        """Blocks ``[..., m, taken]``, ascending."""
        return drawn_lots(draws, self.blocks, self.taken)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        require_rows(x, self.name)
        require_finite(x, x, self.name)
        _check_blocks(self.blocks, x.shape[-1])
        d, factor = x.shape[-1], self.blocks / self.taken if self.scaled else 1.0
        where = self._chosen(draws).expand(*x.shape[:-1], -1).reshape(-1, self.taken)
        sent = top_of_uniforms.picked(x.reshape(-1, d), where, -(-d // self.blocks), factor)
        return (sent.reshape(*x.shape[:-1], -1),)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        (values,) = symbols
        shape, where = values.shape[:-1], self._chosen(draws).expand(*values.shape[:-1], -1)
        flat = values.reshape(-1, values.shape[-1]), where.reshape(-1, self.taken)
        return top_of_uniforms.put_back(*flat, -(-d // self.blocks), d).view(*shape, d)

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        _check_blocks(self.blocks, d)
        factor = self.blocks / self.taken if self.scaled else 1.0
        own = numbers(dtype, factor, ints=(self.blocks, self.taken, -(-d // self.blocks)))
        return RowPart(sampled_blocks, own, work=2 * d + 24 * self.blocks)

    def stated_bits(self, d: int, float_bits: int) -> float:
        return bits.dense(self.taken * -(-d // self.blocks), float_bits)


@final
@dataclass(frozen=True)
class BlockInTurn(Compressor):
    r"""Keep one of ``blocks`` blocks, the same for all workers: block t mod blocks at step t.

    With ``lot`` the block of step t is drawn from that seed instead. Unscaled: block coordinate
    descent moves the block by the gradient itself. At one step neither unbiased nor a contraction,
    since what lies in the other blocks is lost whole. (Textbook.)

    Raises:
        ValueError: blocks < 1, or more blocks than coordinates.
    """

    blocks: int
    lot: int | None = None
    block: int = 0

    properties: ClassVar[frozenset[Property]] = frozenset(
        {Property.SCALE, Property.ODD, Property.LINEAR}
    )

    def __post_init__(self) -> None:
        if self.blocks < 1:
            raise ValueError(f"blocks must be at least 1, got blocks={self.blocks}")

    @property
    def name(self) -> str:
        return f"one of {self.blocks} blocks {'in turn' if self.lot is None else 'by lot'}"

    def at_step(self, t: int) -> Compressor:
        if self.lot is None:
            return replace(self, block=t % self.blocks)
        return replace(self, block=Key.seed(self.lot).fold("block", t).words[0] % self.blocks)

    def claims(self, d: int) -> tuple[Claim, ...]:
        _check_blocks(self.blocks, d)
        if self.blocks == 1:
            return (Contraction(1.0, "1", _BCD, True),)
        size = -(-d // self.blocks)
        lost = tuple(0.0 if j // size == self.block else 1.0 for j in range(d))
        why = "what lies in the other blocks is lost whole"
        return (NoConstant(why, _BCD, Confidence.DERIVED, lost, lost),)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        _check_blocks(self.blocks, d)
        return (Field.floats("values", -(-d // self.blocks), dtype),)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        require_rows(x, self.name)
        require_finite(x, x, self.name)
        _check_blocks(self.blocks, x.shape[-1])
        return (_cut(x, self.blocks)[..., self.block, :].contiguous(),)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        (values,) = symbols
        rows = values.new_zeros((*values.shape[:-1], self.blocks, values.shape[-1]))
        rows[..., self.block, :] = values
        return rows.flatten(-2)[..., :d].contiguous()

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        _check_blocks(self.blocks, d)
        ints: tuple[int, ...] = (self.blocks, -(-d // self.blocks))
        if self.lot is not None:
            before_step = ending_of("block", 0)[: -len("0))")]
            ints = (*ints, *Key.seed(self.lot).words, *before_step)
        return RowPart(one_block, numbers(dtype, ints=ints), draws=False, work=2 * d)

    def stated_bits(self, d: int, float_bits: int) -> float:
        return bits.dense(-(-d // self.blocks), float_bits)
