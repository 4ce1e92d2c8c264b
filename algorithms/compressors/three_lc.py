"""3LC's ternary quantiser (Lim, Andersen, Kaminsky 2018, arXiv:1802.07389)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.codes.base import Code, Field, Layout, Symbols
from algorithms.codes.packed import Packed
from algorithms.codes.zero_runs import ZeroRuns
from algorithms.compressors.base import Compressor, Property, StatedLength
from algorithms.compressors.requirements import require_finite, require_rows
from algorithms.core.key import Draws
from algorithms.core.row_slices import SLICE, row_slices
from algorithms.kernels import extremes, ternary_packing
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.kernels.sign_rows import ternaries
from theory import bits
from theory.claims import Claim, Confidence, Contraction, Source

_PAPER = Source("Lim, Andersen, Kaminsky", 2018, "1802.07389", "Section 3.1; derived here")
_ZEROS = 121  # the byte of five zeros: every digit 1


@final
@dataclass(frozen=True)
class ThreeLC(Compressor):
    r"""$C(x)_j = M\,\mathrm{round}(x_j/M)$, M = s max|x|: three values, five to a byte.

    s in [1, 2) is the sparsity multiplier; a half is rounded to zero. Deterministic. With ``runs``
    two to fourteen bytes of five zeros become one (Section 3.3), so messages vary in length.

    Proof of the sharp delta = s (2 - s)/(1 + (d - 1) s^2/4), with max |x| = 1: the largest
    coordinate errs by s - 1. Of another, a, what it adds to error - rho ||x||^2, rho < 1, is convex
    on [0, s/2], where the error is a^2, and on [s/2, 1], where it is (s - a)^2: so largest at s/2,
    (1 - rho) s^2/4, or at 1, like the largest itself. The sum of all is zero at rho = 1 - delta
    with all others at s/2, and there the constant is attained. At least (1 - (s - 1)^2)/d.

    Raises:
        ValueError: s outside [1, 2).
    """

    s: float = 1.0
    runs: bool = False

    properties: ClassVar[frozenset[Property]] = frozenset(
        {Property.SCALE, Property.ODD, Property.PERMUTATION}
    )

    def __post_init__(self) -> None:
        if not 1 <= self.s < 2:
            raise ValueError(f"s must lie in [1, 2), got s={self.s}")

    @property
    def name(self) -> str:
        return f"3LC(s={self.s:g}{', zero runs' if self.runs else ''})"

    def claims(self, d: int) -> tuple[Claim, ...]:
        s = self.s
        delta = s * (2 - s) / (1 + (d - 1) * s * s / 4)
        formula = "s(2-s)/(1+(d-1)s^2/4)"
        return (Contraction(delta, formula, _PAPER, True, Confidence.DERIVED),)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return (Field.floats("scale", 1, dtype), Field("quintets", -(-d // 5), 8, torch.uint8))

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        require_rows(x, self.name)
        scale = extremes.tops(x) * self.s
        require_finite(scale, x, self.name)
        parts = (x[..., 5 * h.start : 5 * h.stop] for h in row_slices(-(-x.shape[-1] // 5)))
        packed = [ternary_packing.packed(part, scale / 2) for part in parts]
        return scale, packed[0] if len(packed) == 1 else torch.cat(packed, -1)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        scale, packed = symbols
        if packed.shape[-1] <= SLICE:
            return ternary_packing.spread(packed, scale.to(dtype), d)
        out = torch.empty((*packed.shape[:-1], d), dtype=dtype, device=scale.device)
        for here in row_slices(packed.shape[-1]):
            there = slice(5 * here.start, min(5 * here.stop, d))
            size = there.stop - there.start
            out[..., there] = ternary_packing.spread(packed[..., here], scale.to(dtype), size)
        return out

    def code(self, d: int, dtype: torch.dtype) -> Code:
        head, fives = self.layout(d, dtype)
        return ZeroRuns((head,), fives.count, _ZEROS) if self.runs else Packed((head, fives))

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        head = torch.finfo(dtype).bits if self.runs else -1
        return RowPart(ternaries, numbers(dtype, self.s, ints=(head, _ZEROS)), draws=False)

    def stated_bits(self, d: int, float_bits: int) -> float:
        """8 bits for every five coordinates, the longest message where runs are shortened."""
        return float(float_bits + 8 * -(-d // 5))

    def stated_lengths(self, sent: Tensor, float_bits: int) -> StatedLength:
        if not self.runs:
            return super().stated_lengths(sent, float_bits)
        padded = torch.nn.functional.pad(sent, (0, -sent.shape[-1] % 5))
        full = (padded.reshape(-1, padded.shape[-1] // 5, 5) != 0).any(-1).tolist()
        lengths = [float_bits + 8.0 * bits.zero_run_bytes(groups) for groups in full]
        length = torch.tensor(lengths, dtype=torch.float64).reshape(sent.shape[:-1])
        return StatedLength(length, length)
