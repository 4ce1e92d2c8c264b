"""Packet loss: a transport that may lose a bounded share of every message (Xia et al. 2019)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.codes.base import Field, Layout, Symbols
from algorithms.compressors.base import Compressor, Property
from algorithms.compressors.requirements import adds_up, require_finite, require_rows
from algorithms.core.key import Draws, drawn_lots
from algorithms.kernels import top_of_uniforms
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.kernels.sparsifier_rows import packets
from theory import bits
from theory.claims import Claim, Confidence, Contraction, Source, Unbiased, VarianceBound

_PAPER = Source("Xia et al.", 2019, "", "bounded-loss tolerance")
_PACKETS = "P = ceil(d/size)"


@final
@dataclass(frozen=True)
class PacketLoss(Compressor):
    r"""Of P = ceil(d/size) packets exactly floor(p P) get lost, by lot, and are read as zero.

    p is the share of packets that the transport may lose without sending them again; ``size`` the
    coordinates in a packet [floats; 365 fill an Ethernet frame in single precision]. Each worker's
    lot is its own. With l = floor(p P) a coordinate arrives with probability 1 - l/P, so as it is
    $E\,C(x) = (1 - l/P) x$ and $E\|C(x) - x\|^2 = (l/P) \|x\|^2$ for every x: a contraction with
    delta = 1 - l/P. ``scaled`` by P/(P - l): unbiased, omega = l/(P - l), both exact for every x.
    All bits are sent, and charged; packets without their headers. (Xia, Zeng, Zhang,
    Wang, Bai, Jiang, Chen 2019, "Rethinking transport layer design for distributed machine
    learning", APNet.)

    Raises:
        ValueError: p outside [0, 1), or size < 1.
    """

    properties: ClassVar[frozenset[Property]] = frozenset(
        {Property.SCALE, Property.ODD, Property.LINEAR}
    )

    p: float
    size: int = 365
    scaled: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.p < 1:
            raise ValueError(f"p must lie in [0, 1), got p={self.p}")
        if self.size < 1:
            raise ValueError(f"size must be at least 1 coordinate, got size={self.size}")

    @property
    def name(self) -> str:
        tail = ", scaled" if self.scaled else ""
        return f"packet loss(p={self.p:g}, size={self.size}{tail})"

    def packets(self, d: int) -> int:
        """P, packets in a message."""
        return -(-d // self.size)

    def lost(self, d: int) -> int:
        """floor(p P), packets of a message that get lost; products as 0.29 * 100 count as 29."""
        return math.floor(round(self.p * self.packets(d), 9))

    def claims(self, d: int) -> tuple[Claim, ...]:
        packets, lost = self.packets(d), self.lost(d)
        if not self.scaled:
            delta = 1 - lost / packets
            return (
                Contraction(
                    delta, f"1 - floor(p P)/P, {_PACKETS}", _PAPER, True, Confidence.DERIVED
                ),
            )
        omega = lost / (packets - lost)
        return (
            Unbiased(_PAPER, Confidence.DERIVED),
            VarianceBound(
                omega, f"floor(p P)/(P - floor(p P)), {_PACKETS}", _PAPER, True, Confidence.DERIVED
            ),
        )  # fmt: skip

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return (Field.floats("values", d, dtype),)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        require_rows(x, self.name)
        packets, lost = self.packets(x.shape[-1]), self.lost(x.shape[-1])
        values = x * (packets / (packets - lost)) if self.scaled and lost else x
        if not adds_up(values):
            require_finite(values, x, self.name)
        return (values,)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        packets, lost = self.packets(d), self.lost(d)
        if not lost:
            return symbols[0]
        lot = drawn_lots(draws, packets, lost)
        rows = symbols[0].reshape(-1, d)
        return top_of_uniforms.lost(rows, lot.reshape(len(rows), lost), self.size).view(
            symbols[0].shape
        )

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        count, lost = self.packets(d), self.lost(d)
        factor = count / (count - lost) if self.scaled and lost else 1.0
        own = numbers(dtype, factor, ints=(count, lost, self.size))
        return RowPart(packets, own, draws=lost > 0, work=2 * d + 24 * count)

    def stated_bits(self, d: int, float_bits: int) -> float:
        return bits.dense(d, float_bits)
