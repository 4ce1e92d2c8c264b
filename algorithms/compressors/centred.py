"""Randomised mean estimation around a centre (Konecny, Richtarik 2016, arXiv:1611.07555)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.codes.base import Code, Field, Layout, Symbols
from algorithms.codes.lists import Column, Lists, Records, float_column
from algorithms.compressors.base import Property, StatedLength
from algorithms.compressors.entries import listed
from algorithms.compressors.grid import GridCompressor, IrrationalScale
from algorithms.compressors.requirements import kept, require_finite, require_rows, share_name
from algorithms.core.key import Draws, below, below_one, uniforms
from algorithms.core.row_slices import row_slices
from algorithms.kernels import drop_out, dropped
from algorithms.kernels.coded_rows import centred
from algorithms.kernels.compiled import by_torch
from algorithms.kernels.entries import place_type
from algorithms.kernels.extremes import tops
from algorithms.kernels.philox import Counters
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.kernels.row_sums import totals
from theory.bits import index_bits
from theory.claims import Claim, Confidence, Source, Unbiased, VarianceBound

_PAPER = Source("Konecny, Richtarik", 2016, "1611.07555", "Lemma 3 and Section 5")


@final
@dataclass(frozen=True)
class Centred(GridCompressor):
    r"""C(x)_j = mu + (x_j - mu)/p_j with probability p_j, else the centre mu.

    Unbiased, E||C(x) - x||^2 = sum_j (1/p_j - 1)(x_j - mu)^2 exactly; for the mean of n workers
    1/n^2 of the sum over them (Lemma 3). ``budget`` is sum_j p_j: B coordinates, or a fraction of
    d. p_j = B/d each, or with ``optimal`` proportional to |x_j - mu| and capped at 1, which is
    best (water-filling). mu is the row's mean, or 0. omega = d/B - 1 for both, attained.

    Message: mu, then index and value of every coordinate that is not the centre.

    Raises:
        ValueError: a budget that does not fit d.
    """

    budget: int | float = 0.25
    optimal: bool = True
    mean: bool = True

    properties: ClassVar[frozenset[Property]] = frozenset({Property.SCALE, Property.ODD})

    @property
    def name(self) -> str:
        notes = ["optimal" if self.optimal else "uniform", "mean" if self.mean else "zero"]
        return f"centred(B={share_name(self.budget)[2:]}, {', '.join(notes)})"

    def claims(self, d: int) -> tuple[Claim, ...]:
        omega = d / self._expected(d) - 1
        return (
            Unbiased(_PAPER),
            VarianceBound(omega, "d/B - 1, B = budget", _PAPER, not self.mean, Confidence.DERIVED),
        )

    def _expected(self, d: int) -> int:
        """B, the expected number of coordinates of d that are sent."""
        return kept(self.budget, d, "budget")

    def centre(self, x: Tensor) -> Tensor:
        """mu ``[..., m, 1]`` of rows ``[..., m, d]``."""
        if not self.mean:
            return torch.zeros_like(x[..., :1])
        if not by_torch(x):
            return (totals(x) / x.shape[-1]).to(x.dtype)
        total = torch.zeros_like(x[..., :1], dtype=torch.float64)
        for here in row_slices(x.shape[-1]):
            part = torch.cat((total, x[..., here].to(torch.float64)), -1)
            total = totals(part)
        return (total / x.shape[-1]).to(x.dtype)

    def probabilities(self, x: Tensor) -> Tensor:
        """p ``[..., m, d]`` (float64)."""
        centre = self.centre(x)
        return self._chances(x, centre, self._level(x, centre), x.shape[-1])

    def _level(self, x: Tensor, centre: Tensor) -> Tensor:
        """The distance from the centre ``[..., m, 1]`` (float64) that is sent for sure."""
        off = (x - centre).reshape(-1, x.shape[-1])
        wanted = float(self._expected(x.shape[-1]))
        level = drop_out.of_density(off, torch.ones_like(off[:, 0], dtype=torch.float64), wanted)
        return level.reshape(*x.shape[:-1], 1)

    def _taken(self, x: Tensor, centre: Tensor, level: Tensor, draws: Draws) -> Tensor:
        """Mask ``[..., m, d]`` of the coordinates that are sent."""
        d = x.shape[-1]
        if not self.optimal:
            return below_one(draws, self._expected(d) / d, d)
        numbers = uniforms(draws, x)
        if isinstance(numbers, Counters):
            flat = x.reshape(-1, d), centre.reshape(-1, 1), level.reshape(-1, 1)
            return dropped.taken(*flat, numbers).view(x.shape)
        return below(draws, lambda h: self._chances(x[..., h], centre, level, d), d)

    def _chances(self, x: Tensor, centre: Tensor, level: Tensor, d: int) -> Tensor:
        """p of some coordinates x ``[..., m, k]`` of rows of d."""
        if not self.optimal:
            return torch.full_like(x, self._expected(d) / d, dtype=torch.float64)
        off = (x - centre).abs().to(torch.float64)
        return torch.where(off > 0, (off / level).clamp_max(1), 0)

    def cells(self, x: Tensor) -> tuple[Tensor, Tensor]:
        centre, p = self.centre(x), self.probabilities(x)
        outer = torch.where(p > 0, centre + (x - centre) / p.clamp_min(1e-300), x)
        return torch.where(p > 0, centre.expand(x.shape), x), outer.to(x.dtype)

    def exact_cells(self, x: Sequence[Fraction]) -> tuple[tuple[Fraction, Fraction], ...]:
        d = len(x)
        b = self._expected(d)
        centre = sum(x, Fraction(0)) / d if self.mean else Fraction(0)
        if self.optimal:
            raise IrrationalScale("the optimal probabilities are found in floating point")
        return tuple((centre, centre + (t - centre) * d / b) for t in x)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return (
            Field.floats("centre", 1, dtype),
            Field("count", 1, index_bits(d + 1)),
            Field("indices", d, index_bits(d)),
            Field.floats("values", d, dtype),
        )

    def code(self, d: int, dtype: torch.dtype) -> Code:
        columns = (Column("indices", index_bits(d), place_type(d)), float_column("values", dtype))
        return Lists((Field.floats("centre", 1, dtype),), (Records(columns, d),))

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        require_rows(x, self.name)
        centre = self.centre(x)
        require_finite(centre + tops(x), x, self.name)
        d = x.shape[-1]
        level = self._level(x, centre) if self.optimal else centre
        entries, values = listed(self._taken(x, centre, level, draws), x)
        share = 0.0 if self.optimal else self._expected(d) / d
        lines = centre.reshape(-1, 1), level.to(torch.float64).reshape(-1, 1)
        held = values.reshape(-1, values.shape[-1])
        sent = dropped.recentred(entries.count.reshape(-1, 1), held, *lines, share)
        return centre, entries.count, entries.positions, sent.view(values.shape)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        centre, count, positions, values = symbols
        lists = positions.reshape(-1, positions.shape[-1]), values.reshape(-1, values.shape[-1])
        rows = dropped.around(count.reshape(-1, 1), *lists, centre.reshape(-1, 1), d)
        return rows.view(*values.shape[:-1], d)

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        wanted, value = float(self._expected(d)), torch.finfo(dtype).bits
        ints = (self.mean, value, value + index_bits(d))
        reals = (wanted, 0.0 if self.optimal else wanted / d)
        return RowPart(centred, numbers(dtype, ints=ints, reals=reals))

    def stated_bits(self, d: int, float_bits: int) -> float:
        """The expected length, a bound where the optimal probabilities leave some out."""
        return float_bits + self._expected(d) * (float_bits + index_bits(d))

    def stated_lengths(self, sent: Tensor, float_bits: int) -> StatedLength:
        """At least what differs from the commonest value, at most everything."""
        d, each = sent.shape[-1], float_bits + index_bits(sent.shape[-1])
        flat = sent.reshape(-1, d)
        same = [int(torch.unique(row, return_counts=True)[1].max()) for row in flat]
        least = torch.tensor(same, dtype=torch.float64).reshape(sent.shape[:-1])
        low = float_bits + torch.minimum(d - least, torch.full_like(least, 0.0)) * each
        return StatedLength(low, torch.full_like(low, float_bits + d * each))
