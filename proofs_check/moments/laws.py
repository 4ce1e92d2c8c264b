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
    """Draws of a source: ``size`` integers below ``high``, or uniforms where that is 0."""

    high: int
    size: int


Choices = Sequence[Choice]
Tables = dict[int, Tensor]
"""Numbers ``[S, c]`` by the place of their source among the choices of a step."""

Named = Callable[[Tables], Tensor]
"""Which of its outcomes ``[S]`` a factor has under real draws."""

Effect = Callable[[Tables], Tensor]
"""What S choices do to a few fixed states: ``[S, numbers]``."""

_GRID = 64
_CHECKS = 64
_MOST_TOGETHER = 2048
_MOST_ORDERED = 5
_TINY = 2.0**-20
_DENOMINATOR = 720720  # of which all small numbers are divisors: simple fractions are exact
_AROUND = (1, 12)  # surroundings in which a source is looked at, first a few


@final
@dataclass(frozen=True)
class ChoiceFactor:
    """Independent choices that are made together: ``tables`` of K outcomes, ``[K, c]`` a source,
    with ``weights`` ``[K]`` that sum to 1. ``named`` tells outcomes ``[S]`` of real draws."""

    tables: Tables
    weights: Tensor
    named: Named


@final
@dataclass(frozen=True)
class ChoiceLaw:
    """The law of a step's choices: independent factors whose effects add up, around ``base``.

    Attributes:
        base: the choice ``[1, c]`` of each source that the factors depart from.
        factors: the choices, each of which moves its own places.
    """

    base: Tables
    factors: tuple[ChoiceFactor, ...]

    def tables(self, factor: ChoiceFactor) -> Tables:
        """Choices ``[K, c]`` of all sources for the outcomes of one factor."""
        return {s: factor.tables.get(s, b.expand(len(factor.weights), -1))
                for s, b in self.base.items()}  # fmt: skip


def choice_law(effect: Effect, choices: Choices) -> ChoiceLaw:
    """The law of the choices of a step.

    Raises:
        NotLinear: it is of no recognised kind, or too large.
    """
    for around in _AROUND:
        bases = [_real(choices, 1, seed) for seed in range(7, 7 + around)]
        single = [f for place, choice in enumerate(choices)
                  for f in _of_source(Around(effect, bases, place), choice)]  # fmt: skip
        law = ChoiceLaw(bases[0], tuple(single))
        if adds_up(effect, law, choices):
            return law
        if not single:
            continue
        joint = ChoiceLaw(bases[0], (_together(effect, bases[0], single),))
        if adds_up(effect, joint, choices):
            return joint
    raise NotLinear(Reason.LAW, what="real draws do what no enumerated choice does")


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


@final
@dataclass(frozen=True)
class Around:
    """The effect of one ``source`` in several surroundings.

    Attributes:
        bases: the surroundings, each a choice ``[1, c]`` of every source.
    """

    effect: Effect
    bases: Sequence[Tables]
    source: int

    def effects(self, tables: Callable[[Tensor], Tensor]) -> Tensor:
        """Effects ``[K, numbers]`` in all surroundings of the ``[K, c]`` that are made of the
        source's own choice ``[1, c]``."""
        return torch.cat([self._in(base, tables) for base in self.bases], -1)

    def _in(self, base: Tables, tables: Callable[[Tensor], Tensor]) -> Tensor:
        table = tables(base[self.source])
        lines = {s: b.expand(len(table), -1) for s, b in base.items()}
        return self.effect({**lines, self.source: table})

    def with_values(self, place: int, values: Tensor) -> Tensor:
        """Effects of ``values`` ``[K]`` of one of its numbers."""
        return self.effects(lambda own: _replaced(own, place, values))

    def factor(self, place: int, values: Tensor, weights: Tensor, named: Named) -> ChoiceFactor:
        """One of its numbers as a factor."""
        own = self.bases[0][self.source]
        return ChoiceFactor({self.source: _replaced(own, place, values)}, weights, named)


def _replaced(own: Tensor, place: int, values: Tensor) -> Tensor:
    table = own.repeat(len(values), 1)
    table[:, place] = values
    return table


def _of_source(around: Around, choice: Choice) -> list[ChoiceFactor]:
    if choice.high != UNIFORM:
        every = (_integer(around, choice.high, j) for j in range(choice.size))
        return [factor for factor in every if factor is not None]
    ordered = _ordered(around, choice.size)
    if ordered is not None:
        return ordered
    found = (_thresholds(around, j) for j in range(choice.size))
    return [factor for factor in found if factor is not None]


def _integer(around: Around, high: int, place: int) -> ChoiceFactor | None:
    if high > _MOST_TOGETHER:
        raise NotLinear(Reason.LAW, what=f"integers below {high}")
    values = torch.arange(high)
    seen = around.with_values(place, values)
    if bool(_same(seen, seen[:1]).all()):
        return None
    weights = torch.full((high,), 1 / high, dtype=torch.float64)
    return around.factor(place, values, weights, lambda real: real[around.source][:, place])


def _ordered(around: Around, count: int) -> list[ChoiceFactor] | None:
    """The factor of a source whose effect hangs on the order of its uniforms alone, or None."""
    if not 1 < count <= _MOST_ORDERED:
        return None
    table = _real((Choice(UNIFORM, count),), _CHECKS, 9)[0]
    seen = around.effects(lambda _: table)
    for moved in (table**5, table**0.2, table * _TINY, 1 - (1 - table) * _TINY):
        if not bool(_same(seen, around.effects(lambda _, moved=moved: moved)).all()):  # type: ignore[misc]
            return None
    orders = torch.tensor(list(itertools.permutations(range(count))))
    uniforms = (orders + 0.5) / count
    kept, which = _distinct(around.effects(lambda _: uniforms))
    if len(kept) == 1:
        return []
    weights = torch.bincount(which).double() / len(orders)
    code = _code(orders, count)

    def named(real: Tables) -> Tensor:
        ranks = _code(real[around.source].argsort(-1).argsort(-1), count)
        return which[(ranks[:, None] == code).long().argmax(-1)]

    return [ChoiceFactor({around.source: uniforms[kept]}, weights, named)]


def _thresholds(around: Around, place: int) -> ChoiceFactor | None:
    """The factor of a uniform that decides by thresholds, if it decides anything."""
    grid = (torch.arange(_GRID, dtype=torch.float64) + 0.5) / _GRID
    seen = around.with_values(place, grid)
    jumps = (~_same(seen[:-1], seen[1:])).nonzero()[:, 0].tolist()
    if len(jumps) > _GRID // 2:
        raise NotLinear(Reason.LAW, what="a uniform number that decides by no finite law")
    if not jumps:
        return None
    ends = [_end(around, place, float(grid[i]), float(grid[i + 1])) for i in jumps]
    edges = torch.tensor([0.0, *ends, 1.0], dtype=torch.float64)
    inner = edges[1:-1].contiguous()

    def named(real: Tables) -> Tensor:
        own = real[around.source][:, place].contiguous()
        return torch.searchsorted(inner, own, right=True)

    return around.factor(place, (edges[1:] + edges[:-1]) / 2, edges.diff(), named)


def _end(around: Around, place: int, low: float, high: float) -> float:
    """Point where the effect of a uniform changes between two values, to 2^-52."""
    left = around.with_values(place, torch.tensor([low], dtype=torch.float64))[0]
    while high - low > 2.0**-52:
        inner = low + (high - low) * torch.arange(1, _GRID, dtype=torch.float64) / _GRID
        same = _same(around.with_values(place, inner), left).tolist()
        first = same.index(False) if False in same else len(same)
        values = [low, *inner.tolist(), high]
        low, high = values[first], values[first + 1]
    simple = round(high * _DENOMINATOR) / _DENOMINATOR
    return simple if abs(simple - high) < 2.0**-50 else high


def _together(effect: Effect, base: Tables, single: Sequence[ChoiceFactor]) -> ChoiceFactor:
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
            tables[source][:, own] = table[which][:, own].to(base[source].dtype)
    kept, joined = _distinct(effect(tables))
    total = torch.bincount(joined, weights)
    strides = [math.prod(sizes[i + 1 :]) for i in range(len(sizes))]

    def named(real: Tables) -> Tensor:
        lines = zip(single, strides, strict=True)
        return joined[torch.stack([f.named(real) * by for f, by in lines]).sum(0)]

    return ChoiceFactor({s: table[kept] for s, table in tables.items()}, total, named)


def _distinct(effects: Tensor) -> tuple[Tensor, Tensor]:
    """Places of the first of each kind of lines ``[S, numbers]``, and the kind of each line."""
    rounded = (effects / (1 + effects.abs().max())).mul(1e9).round()
    _, which = torch.unique(rounded, dim=0, return_inverse=True)
    first = torch.stack([(which == kind).nonzero()[0, 0] for kind in range(int(which.max()) + 1)])
    return first, which


def _code(ranks: Tensor, count: int) -> Tensor:
    return (ranks * count ** torch.arange(count)).sum(-1)


def _same(effects: Tensor, others: Tensor) -> Tensor:
    """Whether effects ``[S, ...]`` are those of ``others`` but for rounding ``[S]``."""
    return ((effects - others).abs() <= 1e-10 * (1 + effects.abs())).flatten(1).all(-1)
