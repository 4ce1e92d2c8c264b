"""Measurements in one dimension: samples at given vectors, and the worst vector found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from proofs_check.audit.looks import looks
from proofs_check.audit.moments import Sample, SampledOperator, look, outcomes
from proofs_check.instruments.adversary import random_starts, search, structured_starts

_ROUNDS = 10
_FEWEST = 2
_DRAWS = 12


@final
@dataclass(frozen=True)
class Worst:
    """The vector found with the largest E||C(x)-x||^2 / ||x||^2, looked at with fresh draws.

    The search is optimistic, since it fits the draws that it sees.

    Attributes:
        look: what was seen there.
    """

    look: Sample
    found: str


@final
@dataclass(frozen=True)
class Measure:
    """All that was measured in R^d.

    Attributes:
        looks: one for each vector of the families, none of which is zero.
        worst: the worst vector that the search found.
        zero: what was seen at zero.
    """

    d: int
    looks: tuple[Sample, ...]
    worst: Worst
    zero: Sample

    @property
    def most_biased(self) -> Sample:
        """The look whose mean is farthest off, for its half-width."""
        return max(self.all, key=lambda one: (one.biased, one.excess))

    @property
    def biased(self) -> bool:
        """Whether the mean is off at any vector."""
        return any(one.biased for one in self.all)

    @property
    def low(self) -> float:
        """Lower end of the largest ratio's interval: no smaller constant can be true."""
        return max(self.worst.look.ratio_low, 0.0)

    @property
    def high(self) -> float:
        """The largest upper end of an interval of a ratio."""
        return max(one.ratio_high for one in self.all)

    @property
    def largest_first(self) -> list[Sample]:
        """All looks, from the largest ratio to the smallest."""
        return sorted(self.all, key=lambda one: one.ratio_low, reverse=True)

    @property
    def all(self) -> tuple[Sample, ...]:
        """All looks, the worst among them."""
        return (*self.looks, self.worst.look)


def measure(setting: SampledOperator, budget: int) -> Measure:
    """Looks, and a search for the worst vector that makes about ``budget`` calls."""
    seen = tuple(looks(setting))
    zero = _anew(setting, "zero", torch.zeros(setting.d, dtype=torch.float64))
    return Measure(setting.d, seen, _worst(setting, seen, budget), zero)


def _worst(setting: SampledOperator, seen: tuple[Sample, ...], budget: int) -> Worst:
    """The worst of the vectors looked at and the one that the search brings, both tried anew."""
    known = max(seen, key=lambda one: one.ratio)
    if not known.finite:
        return Worst(known, f"{known.name} vector")
    starts = _starts(setting)
    draws = _DRAWS if setting.random else 1
    if setting.share < 1:  # slow calls: fewer draws first, then fewer rounds
        draws = max(1, min(draws, budget // (starts * _ROUNDS)))
    least = _ROUNDS if setting.share == 1 else _FEWEST
    rounds = max(least, min(600, budget // (starts * draws)))
    if setting.d == 1:  # only the size and the sign can be varied, which starts do already
        rounds = least
    found = search(setting.operator, setting.d, _seed(setting), rounds=rounds, samples=draws)
    description = f"search from a {found.start} start, {found.tried} vectors tried ({found.how})"
    again = Worst(_anew(setting, "worst of looks", known.x), f"{known.name} vector")
    sought = Worst(_anew(setting, "worst found", found.x), description)
    return max(again, sought, key=lambda one: one.look.ratio_low)


def _anew(setting: SampledOperator, name: str, x: Tensor) -> Sample:
    return look(setting, name, x, outcomes(setting, x, setting.key.fold(name)))


def _seed(setting: SampledOperator) -> int:
    return setting.key.fold("search").words[0]


def _starts(setting: SampledOperator) -> int:
    """Number of vectors from which the search starts."""
    families = random_starts(setting.d, setting.key) | structured_starts(setting.d, setting.key)
    return sum(rows.shape[0] for rows in families.values())
