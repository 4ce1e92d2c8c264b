"""ATOMO over coordinates (Wang, Sievert, Charles, Liu, Wright, Papailiopoulos 2018, 1806.04090)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import final

import torch
from torch import Tensor

from algorithms.compressors.requirements import kept, share_name
from algorithms.compressors.wangni import DropOut
from algorithms.kernels import drop_out, extremes, row_norms
from algorithms.kernels.row_parts import RowPart
from algorithms.kernels.sparse_level_rows import DENSITY, NORM, TOP
from theory import bits
from theory.claims import Claim, Confidence, Source, Unbiased, VarianceBound

_PAPER = Source("Wang et al.", 2018, "1806.04090", "Theorem 4, Corollaries 5 and 6")


class AtomBudget(Enum):
    """Budgets that follow the row: what ATOMO then is."""

    QSGD = "l1/l2"
    TERNGRAD = "l1/linf"


@final
@dataclass(frozen=True)
class Atomo(DropOut):
    r"""Atoms kept with probability p_j, sum p_j <= s, at the least variance: water-filling.

    p_j = s |x_j| / ||x||_1 where all are at most 1; else the largest is kept and the rest share
    s - 1 (Algorithm 1), which ends at p_j = min(1, |x_j| / v) with sum p_j = min(s, nnz). Uncapped,
    E||C(x)||^2 = ||x||_1^2 / s. With s = ||x||_1/||x||_2 it is QSGD of one level, with s =
    ||x||_1/||x||_inf TernGrad: the same outcomes from the same draws.

    ``budget`` is s, as a number of coordinates or a fraction of d, or one of those two. omega =
    d/s - 1 (uniform p would give that), sqrt(d) - 1, (sqrt(d) - 1)/2: all attained.

    Raises:
        ValueError: a budget outside [1, d], or a fraction outside (0, 1].
    """

    budget: int | float | AtomBudget = 0.25

    @property
    def name(self) -> str:
        own = self.budget
        return f"ATOMO(s={own.value if isinstance(own, AtomBudget) else share_name(own)[2:]})"

    def claims(self, d: int) -> tuple[Claim, ...]:
        if self.budget is AtomBudget.QSGD:
            omega, formula = math.sqrt(d) - 1, "sqrt(d) - 1"
        elif self.budget is AtomBudget.TERNGRAD:
            omega, formula = (math.sqrt(d) - 1) / 2, "(sqrt(d) - 1)/2"
        else:
            omega, formula = d / self._expected(d) - 1, "d/s - 1, s = budget"
        return (
            Unbiased(_PAPER),
            VarianceBound(omega, formula, _PAPER, True, Confidence.DERIVED),
        )

    def _expected(self, d: int) -> int:
        """s, the expected number of coordinates of d that are sent."""
        assert not isinstance(self.budget, AtomBudget)
        return kept(self.budget, d, "budget")

    def level(self, a: Tensor, scales: Tensor) -> Tensor:
        if self.budget is AtomBudget.QSGD:
            return row_norms.norms(a)[:, 0].to(torch.float64) * scales
        if self.budget is AtomBudget.TERNGRAD:
            return extremes.tops(a)[:, 0].to(torch.float64) * scales
        return drop_out.of_density(a, scales, float(self._expected(a.shape[-1])))

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        own = {AtomBudget.QSGD: NORM, AtomBudget.TERNGRAD: TOP}
        if isinstance(self.budget, AtomBudget):
            return self.row_part(0.0, own[self.budget], d, dtype)
        return self.row_part(float(self._expected(d)), DENSITY, d, dtype)

    def stated_bits(self, d: int, float_bits: int) -> float:
        """A bound on the expected length: s coordinates by value."""
        count = math.sqrt(d) if isinstance(self.budget, AtomBudget) else self._expected(d)
        if self.budget is AtomBudget.TERNGRAD:
            count = d  # all magnitudes may be equal
        return bits.hybrid_code(d, count, 0, float_bits)


def water_level(x: Tensor, s: int) -> Tensor:
    """v ``[..., 1]`` with sum_j min(1, x_j / v) = s for magnitudes ``[..., d]``, s <= d.

    With the c largest capped, v = (sum of the others) / (s - c): the least c for which the next
    largest is at most that. Where fewer than s are not zero, v is the smallest of those.
    """
    a = x.sort(dim=-1, descending=True).values
    tail = a.flip(-1).cumsum(-1).flip(-1)
    capped = torch.arange(x.shape[-1], device=x.device)
    room = (s - capped).to(x.dtype)
    fits = (a * room <= tail) & (room > 0)
    c = torch.where(fits, capped, x.shape[-1]).amin(-1, keepdim=True)
    inside = c.clamp_max(x.shape[-1] - 1)
    level = tail.gather(-1, inside) / room[inside].clamp_min(1)
    least = torch.where(a > 0, a, torch.inf).amin(-1, keepdim=True)
    least = torch.where(torch.isfinite(least), least, 0)
    return torch.where((c < x.shape[-1]) & (level > 0), level, least)
