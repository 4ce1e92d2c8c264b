"""AdaComp: bin-wise self-adjusting residual compression (Chen et al. 2018, arXiv:1712.02679)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.codes.base import Code, Field, Layout, Symbols
from algorithms.codes.lists import Column, Lists, Records
from algorithms.compressors.base import ListedRows, Property, StatedLength
from algorithms.compressors.entries import Entries, entries_of, first
from algorithms.compressors.requirements import require_finite, require_rows
from algorithms.compressors.sparse import SparseCompressor
from algorithms.core.key import Draws
from algorithms.core.row_slices import SLICE, row_slices
from algorithms.kernels import bins as kernel
from algorithms.kernels import row_norms
from algorithms.kernels.compiled import by_torch
from algorithms.kernels.entries import place_type
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.kernels.sparse_level_rows import adaptive_bins
from theory.bits import index_bits
from theory.claims import Claim, Confidence, Contraction, NoConstant, Source

_OURS = Source("Chen et al.", 2018, "1712.02679", "Algorithm 2; constant and witness found here")
_WIDTHS = (6, 14)  # bits of a place in a bin, the last place kept for bins that send nothing
_PLACES = torch.int16


@final
@dataclass(frozen=True)
class AdaComp(SparseCompressor):
    r"""G = residual + gradient, H = G + gradient; send j where |H_j| >= max_{bin of j} |G|.

    The gradient is the guide; without a memory G is the gradient and H = 2 G. What is sent is
    sign(G_j) s, s the mean over bins of max |G|: one float, and 8 bits an element for bins up to
    63, else 16, as in the paper: the place in its bin, the sign, and whether it is the bin's last
    element. A bin that sends nothing takes one such word.

    One bin: delta = 4/(d+3), attained where all but one coordinate are half the largest. Several:
    no constant, as a bin far smaller than the mean comes back at the size of the mean.

    Raises:
        ValueError: bin outside [4, 16383] (three coordinates a bin cannot expand).
    """

    bin: int = 10

    properties: ClassVar[frozenset[Property]] = frozenset({Property.SCALE, Property.ODD})

    def __post_init__(self) -> None:
        if not 4 <= self.bin < 1 << _WIDTHS[-1]:
            raise ValueError(f"bin must lie in [4, {(1 << _WIDTHS[-1]) - 1}], got bin={self.bin}")

    @property
    def name(self) -> str:
        return f"AdaComp(bin={self.bin})"

    @property
    def width(self) -> int:
        """Bits of a place in a bin."""
        return next(w for w in _WIDTHS if self.bin < 1 << w)

    def claims(self, d: int) -> tuple[Claim, ...]:
        if d <= self.bin:
            one = Contraction(4 / (d + 3), "4/(d+3)", _OURS, True, Confidence.DERIVED)
            return (one,)
        small = (self._bins(d) - 1) * self.bin
        witness = (*([1e-3 / d] * small), 1.0, *([0.0] * (d - small - 1)))
        why = "a bin far smaller than the mean of the bins' maxima comes back at that mean"
        return (NoConstant(why, _OURS, Confidence.DERIVED, witness, witness),)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return (
            Field.floats("scale", 1, dtype),
            Field("count", 1, index_bits(d + 1)),
            Field("places", d, self.width),
            Field("marks", d, 2),
        )

    def code(self, d: int, dtype: torch.dtype) -> Code:
        columns = (Column("places", self.width, _PLACES), Column("marks", 2, torch.uint8))
        return Lists((Field.floats("scale", 1, dtype),), (Records(columns, d),))

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return self.encode_guided(x, x, draws)

    def encode_guided(self, x: Tensor, guide: Tensor, draws: Draws) -> Symbols:
        require_rows(x, self.name)
        if by_torch(x):
            tops = torch.cat([self._cut(x[..., h]).abs().amax(-1) for h in self._slices(x)], -1)
        else:
            tops = kernel.bin_tops(x, self.bin)
        require_finite(tops, x, self.name)
        scale = row_norms.mean_abs(tops)
        if not by_torch(x):
            return scale, *kernel.words(x, guide, self.bin, (1 << self.width) - 1, tops, scale)
        parts = [self._records(x, guide, h, tops, scale) for h in self._slices(x)]
        count, place, marks = parts[0] if len(parts) == 1 else _end_to_end(parts)
        return scale, count, place, marks

    def listed(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> ListedRows:
        bins = torch.zeros_like(symbols[1])
        return self._entries(symbols, bins, d)

    def pieces(
        self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws
    ) -> Iterator[ListedRows]:
        """Slice by slice; which bin a slot speaks of is counted on from the slots before it."""
        scale, count, place, marks = symbols
        bins = torch.zeros_like(count)
        for here in row_slices(place.shape[-1]):
            left = (count - here.start).clamp(0, here.stop - here.start)
            yield self._entries((scale, left, place[..., here], marks[..., here]), bins, d)
            bins = bins + (marks[..., here] >> 1).sum(-1, keepdim=True)

    def _entries(self, symbols: Symbols, bins: Tensor, d: int) -> ListedRows:
        """Entries in these slots; ``bins`` ``[..., m, 1]`` of the row end before the first."""
        scale, count, place, marks = symbols
        if not by_torch(place):
            none = (1 << self.width) - 1
            kind = place_type(d)
            lists = kernel.owned(count, place, marks, bins, self.bin, none, scale, kind)
            return ListedRows(count, *lists)
        last = marks >> 1
        owner = last.cumsum(-1, dtype=place_type(d)) - last + bins.to(place_type(d))
        some = first(count, place.shape[-1]) & (place < (1 << self.width) - 1)
        values = torch.where(marks % 2 == 1, -scale, scale)
        positions = torch.where(some, owner * self.bin + place, 0)
        return ListedRows(count, positions, torch.where(some, values, 0))

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        ints = (torch.finfo(dtype).bits, self.width + 2, self.bin)
        return RowPart(adaptive_bins, numbers(dtype, ints=ints), draws=False, work=8 * d)

    def stated_bits(self, d: int, float_bits: int) -> float:
        """The longest message: every element."""
        return float(float_bits + d * (self.width + 2))

    def stated_lengths(self, sent: Tensor, float_bits: int) -> StatedLength:
        words = (self._cut(sent) != 0).sum(-1).clamp_min(1).sum(-1)
        length = float_bits + (words * (self.width + 2)).to(torch.float64)
        return StatedLength(length, length)

    def _slices(self, x: Tensor) -> Iterator[slice]:
        """Rows by slices of whole bins."""
        return row_slices(x.shape[-1], self.bin * max(1, SLICE // self.bin))

    def _records(
        self, x: Tensor, guide: Tensor, here: slice, tops: Tensor, scale: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Of a slice of whole bins: how many records there are, their places, their marks."""
        entries = entries_of(self._sent(x, guide, here, tops, scale))
        meant, (owner, place) = entries.meant, self._owned(entries.positions)
        none = place == self.bin
        there = (owner * self.bin + place).clamp_max_(here.stop - here.start - 1)
        sign = Entries(entries.count, there).pick(x[..., here]) < 0
        owner = torch.where(meant, owner, -1)
        last = torch.ones_like(meant)
        last[..., :-1] = owner[..., 1:] != owner[..., :-1]
        marks = 2 * last.to(torch.uint8) + (sign & ~none).to(torch.uint8)
        place = torch.where(none, (1 << self.width) - 1, place).to(_PLACES)
        return entries.count, torch.where(meant, place, 0), torch.where(meant, marks, 0)

    def _owned(self, slots: Tensor) -> tuple[Tensor, Tensor]:
        """Bin and place in it of slots of :meth:`_sent`; the place ``bin``: nothing is sent."""
        return slots // (self.bin + 1), slots % (self.bin + 1)

    def _sent(self, x: Tensor, guide: Tensor, here: slice, tops: Tensor, scale: Tensor) -> Tensor:
        """Mask of a slice's coordinates that are sent, and after each bin whether it is empty."""
        g = self._cut(x[..., here])
        h = self._cut(x[..., here] + guide[..., here]).abs()
        first = here.start // self.bin
        top = tops[..., first : first + h.shape[-2], None]
        mask = (h >= top) & (g != 0) & (scale > 0)[..., None]
        return torch.cat((mask, ~mask.any(-1, keepdim=True)), -1).flatten(-2)

    def _bins(self, d: int) -> int:
        return -(-d // self.bin)

    def _cut(self, x: Tensor) -> Tensor:
        """Rows by bins ``[..., bins, bin]``, the last one filled with zeros."""
        padded = torch.nn.functional.pad(x, (0, -x.shape[-1] % self.bin))
        return padded.reshape(*x.shape[:-1], -1, self.bin)


def _end_to_end(parts: list[tuple[Tensor, Tensor, Tensor]]) -> tuple[Tensor, Tensor, Tensor]:
    """Lists (count, places, marks) of slices, row by row, as one list."""
    counts = torch.stack([count for count, _, _ in parts])
    total = counts.sum(0)
    cap = max(1, int(total.max())) if total.numel() else 1
    starts = counts.cumsum(0) - counts
    joined = []
    for column in (1, 2):
        out = parts[0][column].new_zeros((*total.shape[:-1], cap))
        for part, start in zip(parts, starts, strict=True):
            slots = start + torch.arange(part[column].shape[-1], device=start.device)
            Entries(part[0], slots).spread_onto(out, part[column])
        joined.append(out)
    return total, joined[0], joined[1]
