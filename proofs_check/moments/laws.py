"""Finite laws of a step's random choices: what its uniforms and integers decide, enumerated.

A *place* is one number of one source. Three kinds of choice are recognised: by an integer (every
value is tried), by the order of a source's uniforms (every order is), by where a uniform lies among
thresholds (found by bisection over the multiples of 2^-53). Choices whose effects add up are
enumerated one by one, others together; real draws then check that nothing was missed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

import torch
from torch import Tensor

from proofs_check.moments.reasons import NotLinear, Reason
from proofs_check.moments.script import UNIFORM



class Choice(NamedTuple):
    """What a source gives: ``count`` integers below ``high``, or uniforms where that is 0."""

    high: int
    count: int


Choices = Sequence[Choice]
Tables = dict[int, Tensor]
"""Numbers ``[S, c]`` by the place of their source among the choices of a step."""

Effect = Callable[[Tables], Tensor]
"""What S choices do to a few fixed states: ``[S, numbers]``."""

_GRID = 64
_CHECKS = 64
_MOST_TOGETHER = 2048
_MOST_ORDERED = 5
_TINY = 2.0**-20


@final
@dataclass(frozen=True)
class Factor:
    """Independent choices that are made together: ``tables`` of K outcomes, ``[K, c]`` a source,
    with ``weights`` ``[K]`` that sum to 1. ``named`` tells outcomes ``[S]`` of real draws."""

    tables: Tables
    weights: Tensor
    named: Callable[[Tables], Tensor]


@final
@dataclass(frozen=True)
class ChoiceLaw:
    """The law of a step's choices: independent factors whose effects add up, around ``base``.

    Attributes:
        base: the choice ``[1, c]`` of each source that the factors depart from.
        factors: the choices, each of which moves its own places.
    """

    base: Tables
    factors: tuple[Factor, ...]

    def tables(self, factor: Factor) -> Tables:
        """Choices ``[K, c]`` of all sources for the outcomes of one factor."""
        return {s: factor.tables.get(s, b.expand(len(factor.weights), -1))
                for s, b in self.base.items()}  # fmt: skip


def choice_law(effect: Effect, choices: Choices) -> ChoiceLaw:
    """The law of the choices of a step.

    Raises:
        NotLinear: it is of no recognised kind, or too large.
    """
    base = _real(choices, 1, 7)
    single = [f for source, choice in enumerate(choices)
              for f in _of_source(effect, base, source, choice)]  # fmt: skip
    if not single:
        return ChoiceLaw(base, ())
    law = ChoiceLaw(base, tuple(single))
    if adds_up(effect, law, choices):
        return law
    joint = ChoiceLaw(base, (_together(effect, base, single),))
    if not adds_up(effect, joint, choices):
        raise NotLinear(Reason.LAW, what="real draws do what no enumerated choice does")
    return joint


def adds_up(effect: Effect, law: ChoiceLaw, choices: Choices) -> bool:
    """Whether real draws do what the law's factors say, one effect added to the other."""
    real = _real(choices, _CHECKS, 8)
    seen, base = effect(real), effect(law.base)
    told = base.expand_as(seen).clone()
    for factor in law.factors:
        own = effect(law.tables(factor)) - base
        told += own[factor.named(real)]
    return bool(((seen - told).abs() <= 1e-9 * (1 + seen.abs())).all())


def _real(choices: Choices, count: int, seed: int) -> Tables:
    """Numbers ``[count, c]`` for every source as they could be drawn."""
    generator = torch.Generator().manual_seed(seed)
    return {
        source: torch.rand(count, size, dtype=torch.float64, generator=generator)
        if high == UNIFORM
        else torch.randint(high, (count, size), generator=generator)
        for source, (high, size) in enumerate(choices)
    }


def _of_source(
    effect: Effect, base: Tables, source: int, choice: Choice
) -> list[Factor]:
    high, count = choice
    if high != UNIFORM:
        every = (_integer(effect, base, source, high, j) for j in range(count))
        return [factor for factor in every if factor is not None]
    ordered = _ordered(effect, base, source, count)
    return _thresholds(effect, base, source, count) if ordered is None else ordered


def _with(base: Tables, source: int, table: Tensor) -> Tables:
    lines = {s: b.expand(len(table), -1) for s, b in base.items()}
    return {**lines, source: table}


def _integer(
    effect: Effect, base: Tables, source: int, high: int, place: int
) -> Factor | None:
    if high > _MOST_TOGETHER:
        raise NotLinear(Reason.LAW, what=f"integers below {high}")
    table = base[source].repeat(high, 1)
    table[:, place] = torch.arange(high)
    seen = effect(_with(base, source, table))
    if _same(seen, seen[:1]):
        return None
    weights = torch.full((high,), 1 / high, dtype=torch.float64)
    return Factor({source: table}, weights, lambda real: real[source][:, place])


def _ordered(
    effect: Effect, base: Tables, source: int, count: int
) -> list[Factor] | None:
    """The factor of a source whose effect hangs on the order of its uniforms alone, or None."""
    if not 1 < count <= _MOST_ORDERED:
        return None
    table = _real((Choice(UNIFORM, count),), _CHECKS, 9)[0]
    seen = effect(_with(base, source, table))
    for moved in (table**5, table**0.2, table * _TINY, 1 - (1 - table) * _TINY):
        if not _same(seen, effect(_with(base, source, moved))):
            return None
    orders = torch.tensor(list(itertools.permutations(range(count))))
    outcomes = effect(_with(base, source, (orders + 0.5) / count))
    kept, which = _distinct(outcomes)
    if len(kept) == 1:
        return []
    weights = torch.zeros(len(kept), dtype=torch.float64).index_add_(
        0, which, torch.full((len(orders),), 1 / len(orders), dtype=torch.float64)
    )
    code = _code(orders, count)

    def named(real: Tables) -> Tensor:
        ranks = _code(real[source].argsort(-1).argsort(-1), count)
        return which[(ranks[:, None] == code).long().argmax(-1)]

    return [Factor({source: ((orders + 0.5) / count)[kept]}, weights, named)]


def _thresholds(
    effect: Effect, base: Tables, source: int, count: int
) -> list[Factor]:
    """One factor for each of a source's uniforms that decides by thresholds."""
    grid = (torch.arange(_GRID, dtype=torch.float64) + 0.5) / _GRID
    tables = base[source].repeat(count * _GRID, 1)
    for place in range(count):
        tables[place * _GRID : (place + 1) * _GRID, place] = grid
    seen = effect(_with(base, source, tables)).reshape(count, _GRID, -1)
    found = []
    for place in range(count):
        jumps = [i for i in range(_GRID - 1) if not _same(seen[place, i], seen[place, i + 1])]
        if len(jumps) > _GRID // 2:
            raise NotLinear(Reason.LAW, what="a uniform number that decides by no finite law")
        if jumps:
            ends = [_end(effect, base, source, place, grid[i], grid[i + 1]) for i in jumps]
            found.append(_pieces(base, source, place, ends))
    return found


def _end(
    effect: Effect, base: Tables, source: int, place: int, low: Tensor, high: Tensor
) -> float:
    """Where the effect of a uniform changes between two values, to 2^-53."""

    def at(values: Tensor) -> Tensor:
        table = base[source].repeat(len(values), 1)
        table[:, place] = values
        return effect(_with(base, source, table))

    left = at(low[None])
    while float(high - low) > 2.0**-52:
        inner = low + (high - low) * torch.arange(1, 64, dtype=torch.float64) / 64
        same = [_same(one, left[0]) for one in at(inner)]
        place_of = same.index(False) if False in same else len(same)
        low, high = (
            inner[place_of - 1] if place_of else low,
            inner[place_of] if place_of < len(same) else high,
        )
    nearest = round(float(high) * 720720) / 720720  # whatever has a small denominator, exactly
    return nearest if abs(nearest - float(high)) < 2.0**-50 else float(high)


def _pieces(
    base: Tables, source: int, place: int, ends: Sequence[float]
) -> Factor:
    edges = torch.tensor([0.0, *ends, 1.0], dtype=torch.float64)
    table = base[source].repeat(len(edges) - 1, 1)
    table[:, place] = (edges[1:] + edges[:-1]) / 2
    inner = edges[1:-1].contiguous()

    def named(real: Tables) -> Tensor:
        return torch.searchsorted(inner, real[source][:, place].contiguous(), right=True)

    return Factor({source: table}, edges.diff(), named)


def _together(effect: Effect, base: Tables, single: Sequence[Factor]) -> Factor:
    """All choices as one: every combination, those that do the same thing joined."""
    sizes = [len(f.weights) for f in single]
    if math.prod(sizes) > _MOST_TOGETHER:
        raise NotLinear(Reason.LAW, what=f"{math.prod(sizes)} combinations of choices")
    grid = torch.cartesian_prod(*(torch.arange(size) for size in sizes)).reshape(-1, len(sizes))
    tables = {s: b.repeat(len(grid), 1) for s, b in base.items()}
    weights = torch.ones(len(grid), dtype=torch.float64)
    for factor, which in zip(single, grid.T, strict=True):
        weights *= factor.weights[which]
        for source, table in factor.tables.items():
            own = (table != base[source]).any(0)
            tables[source][:, own] = table[which][:, own]
    kept, joined = _distinct(effect(tables))
    total = torch.zeros(len(kept), dtype=torch.float64).index_add_(0, joined, weights)
    strides = [math.prod(sizes[i + 1 :]) for i in range(len(sizes))]

    def named(real: Tables) -> Tensor:
        lines = zip(single, strides, strict=True)
        return joined[torch.stack([f.named(real) * by for f, by in lines]).sum(0)]

    return Factor({s: table[kept] for s, table in tables.items()}, total, named)


def _distinct(effects: Tensor) -> tuple[Tensor, Tensor]:
    """Places of the first of each kind of lines ``[S, numbers]``, and the kind of each line."""
    rounded = (effects / (1 + effects.abs().max())).mul(1e9).round()
    _, which = torch.unique(rounded, dim=0, return_inverse=True)
    first = torch.stack([(which == kind).nonzero()[0, 0] for kind in range(int(which.max()) + 1)])
    return first, which


def _code(ranks: Tensor, count: int) -> Tensor:
    return (ranks * count ** torch.arange(count)).sum(-1)


def _same(one: Tensor, other: Tensor) -> bool:
    return bool(((one - other).abs() <= 1e-10 * (1 + one.abs())).all())
