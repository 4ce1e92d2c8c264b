"""AdaComp: bin-wise self-adjusting residual compression (Chen et al. 2018, arXiv:1712.02679)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.codes.base import Code, Field, Layout, Symbols
from algorithms.codes.lists import Column, Lists, Records
from algorithms.compressors.base import Compressor, Property, Stated
from algorithms.compressors.entries import Entries, entries_of
from algorithms.compressors.requirements import require_finite, require_rows
from algorithms.kernels import rows
from algorithms.key import Draws
from theory.bits import index_bits
from theory.claims import Claim, Confidence, NoConstant, Source

_OURS = Source("Chen et al.", 2018, "1712.02679", "Algorithm 2; witness found here")


@final
@dataclass(frozen=True)
class AdaComp(Compressor):
    r"""G = residual + gradient, H = G + gradient; send j where |H_j| >= max_{bin of j} |G|.

    The gradient is the guide; without a memory G is the gradient and H = 2 G. What is sent is
    sign(G_j) s, s the mean over bins of max |G|: one float, and per element a position and a sign.
    (The paper packs position in the bin and sign into 8 bits for bins up to 64, else into 16.) A
    bin of zeros sends nothing.

    No constant: a bin far smaller than the mean comes back at the size of the mean.

    Raises:
        ValueError: bin < 1.
    """

    bin: int = 10

    properties: ClassVar[frozenset[Property]] = frozenset({Property.SCALE, Property.ODD})

    def __post_init__(self) -> None:
        if self.bin < 1:
            raise ValueError(f"bin must be at least 1, got bin={self.bin}")

    @property
    def name(self) -> str:
        return f"AdaComp(bin={self.bin})"

    def claims(self, d: int) -> tuple[Claim, ...]:
        bins = -(-d // self.bin)
        if bins < 2 or d < 2 * self.bin:
            raise ValueError(f"d must hold two whole bins, got d={d} with bin={self.bin}")
        small = (1.0, *([0.0] * (self.bin - 1)), *([1e-3] * max(3, self.bin)))
        witness = (small * (-(-d // len(small))))[:d]
        why = "a bin far smaller than the mean of the bins' maxima comes back at that mean"
        return (NoConstant(why, _OURS, Confidence.DERIVED, witness, witness),)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return (
            Field.floats("scale", 1, dtype),
            Field("count", 1, index_bits(d + 1)),
            Field("indices", d, index_bits(d)),
            Field("negative", d, 1),
        )

    def code(self, d: int, dtype: torch.dtype) -> Code:
        columns = (Column("indices", index_bits(d)), Column("negative", 1))
        return Lists((Field.floats("scale", 1, dtype),), (Records(columns, d),))

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return self.encode_guided(x, x, draws)

    def encode_guided(self, x: Tensor, guide: Tensor, draws: Draws) -> Symbols:
        require_rows(x, self.name)
        size = x.abs()
        missing = -x.shape[-1] % self.bin
        padded = torch.nn.functional.pad(size, (0, missing))
        tops = padded.reshape(*x.shape[:-1], -1, self.bin).amax(-1)
        require_finite(tops, x, self.name)
        scale = rows.mean_abs(tops)
        own = tops.repeat_interleave(self.bin, -1)[..., : x.shape[-1]]
        mask = ((x + guide).abs() >= own) & (own > 0) & (x != 0)
        entries = entries_of(mask)
        negative = entries.pick((x < 0).to(torch.int64))
        return scale, entries.count, entries.positions, negative

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        scale, count, positions, negative = symbols
        values = torch.where(negative == 1, -scale, scale)
        return Entries(count, positions).spread(torch.where(positions >= 0, values, 0), d)

    def stated_bits(self, d: int, float_bits: int) -> float:
        """The longest message: every element."""
        return float(float_bits + d * (index_bits(d) + 1))

    def stated_lengths(self, sent: Tensor, float_bits: int) -> Stated:
        each = index_bits(sent.shape[-1]) + 1
        length = float_bits + ((sent != 0).sum(-1) * each).to(torch.float64)
        return Stated(length, length)
