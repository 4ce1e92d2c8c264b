r"""Exact laws of operators, read off the code itself by scripting its uniforms.

An operator is run with uniforms that are chosen, not drawn. Three kinds of law are recognised:

*fixed*      no draw is asked for: one outcome;
*by place*   coordinate j is a step function of the j-th uniform alone (rounding to a grid): every
             threshold is located by bisection over the multiples of 2^-53;
*by order*   the outcome depends on the order of the d uniforms only (random subsets): all d! orders
             are run.

Probabilities and values are then exact up to the last place of doubles. Each is replaced by a
fraction only if they agree to 2^-50: the operator's declared law where it has one, else the one
fraction with a denominator of at most 10^6 that is so near (two such differ by 10^-12).
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.compressors.grid import GridCompressor, GridStep, IrrationalScale
from proofs_check.instruments.scripted import NotEnumerable, ScriptedDraws

Vector = tuple[Fraction, ...]
Marginal = tuple[tuple[Fraction, Fraction], ...]

_STEPS = 1 << 53
_NEAR = Fraction(1, 1 << 50)
_PROBES = 4096
_MOST_PIECES = 64
_MOST_ORDERED = 7
TINY = 2.0**-20
"""Factor that moves uniforms to where rare outcomes are."""


class LawMismatch(AssertionError):
    """The code's law differs from the one the operator declares."""


@final
@dataclass(frozen=True)
class ExactLaw:
    """Law of C(x): per coordinate its values with their probabilities, all fractions.

    Attributes:
        kind: which of the three kinds of law it is, in words.
        marginals: for each coordinate its values and their probabilities.
    """

    kind: str
    x: Vector
    marginals: tuple[Marginal, ...]

    @property
    def mean(self) -> Vector:
        """The mean E C(x), coordinate by coordinate."""
        return tuple(sum((v * p for v, p in law), Fraction(0)) for law in self.marginals)

    @property
    def error(self) -> Fraction:
        """The mean squared error E||C(x) - x||^2."""
        return sum(
            (
                p * (v - t) ** 2
                for t, law in zip(self.x, self.marginals, strict=True)
                for v, p in law
            ),
            Fraction(0),
        )

    @property
    def nonzeros(self) -> Fraction:
        """Expected number of coordinates that are not zero."""
        return sum((p for law in self.marginals for v, p in law if v != 0), Fraction(0))


def exact_law(compressor: Compressor, x: Sequence[Fraction | int]) -> ExactLaw:
    """The law of the code at x, whose entries must be doubles.

    Raises:
        NotEnumerable: the law is of no recognised kind, or not rational at x.
        LawMismatch: the code does not follow the law it declares, or C(x) is not finite.
        ValueError: an entry of x is not a double, or the operator refuses x.
    """
    vector = tuple(Fraction(t) for t in x)
    point = torch.tensor([float(t) for t in vector], dtype=torch.float64)
    if any(Fraction(f) != t for f, t in zip(point.tolist(), vector, strict=True)):
        raise ValueError(f"x must consist of doubles, got x={[str(t) for t in vector]}")
    if not is_random(compressor, point):
        outcome = outcomes_at(compressor, point, torch.zeros(1, len(vector), dtype=torch.float64))[
            0
        ]
        return ExactLaw(
            "fixed", vector, tuple(((_value(v), Fraction(1)),) for v in outcome.tolist())
        )
    if _by_place(compressor, point):
        return ExactLaw("by place", vector, _steps(compressor, vector, point))
    if by_order(compressor, point):
        return ExactLaw("by order", vector, _orders(compressor, point))
    raise NotEnumerable(f"outcomes of {compressor.name} depend neither on place nor on order alone")


def is_random(compressor: Compressor, point: Tensor) -> bool:
    """Whether compressing the vector ``point`` ``[d]`` asks for any draw."""
    draws = ScriptedDraws(torch.zeros(1, 1, point.shape[-1], dtype=torch.float64))
    try:
        compressor.compress(point.expand(1, 1, -1), draws)
    except NotEnumerable:
        return True
    return draws.asked > 0


def outcomes_at(compressor: Compressor, point: Tensor, table: Tensor) -> Tensor:
    """Outcomes ``[S, d]`` at ``point`` ``[d]`` for uniforms ``[S, d]``.

    Raises:
        LawMismatch: one is not finite.
    """
    rows = point.expand(table.shape[0], 1, -1)
    outcomes = compressor.compress(rows, ScriptedDraws(table[:, None, :]))[:, 0]
    lost = ~torch.isfinite(outcomes).all(-1)
    if lost.any():
        raise LawMismatch(f"C(x) = {outcomes[lost][0].tolist()} is not finite")
    return outcomes


def random_tables(count: int, d: int, seed: int) -> Tensor:
    """``[count, d]`` uniforms of a seed."""
    generator = torch.Generator().manual_seed(seed)
    return torch.rand(count, d, dtype=torch.float64, generator=generator)


def _by_place(compressor: Compressor, point: Tensor, trials: int = 64) -> bool:
    """Whether moving uniform j moves coordinate j at most, tried at random tables."""
    d = point.shape[0]
    tables, after = random_tables(trials * d, d, 1), random_tables(trials * d, d, 2)
    moved = torch.arange(trials * d)[:, None] % d == torch.arange(d)
    for before in (tables, TINY * tables, 1 - TINY * (1 - tables)):  # rare outcomes too
        changed = outcomes_at(compressor, point, before) != outcomes_at(
            compressor, point, torch.where(moved, after, before)
        )
        if bool((changed & ~moved).any()):
            return False
    return True


def by_order(compressor: Compressor, point: Tensor) -> bool:
    """Whether outcomes stay the same when the uniforms are moved without changing their order.

    They are moved to near 0 and near 1 too, where what happens once in a million draws would show.

    Raises:
        NotEnumerable: d! orders are too many, or the operator draws more than d uniforms.
    """
    d = point.shape[0]
    if d > _MOST_ORDERED:
        raise NotEnumerable(f"{d}! orders are too many, d <= {_MOST_ORDERED} would do")
    table = random_tables(256, d, 3)
    reference = outcomes_at(compressor, point, table)
    moved = (table**0.2, table**5, table * TINY, 1 - (1 - table) * TINY)
    return all(torch.equal(outcomes_at(compressor, point, one), reference) for one in moved)


def every_order(d: int) -> Tensor:
    """Tables ``[d!, d]`` of d distinct uniforms, one in each order."""
    ranks = torch.tensor(list(itertools.permutations(range(d))), dtype=torch.float64)
    return (ranks + 0.5) / d


def _orders(compressor: Compressor, point: Tensor) -> tuple[Marginal, ...]:
    d = point.shape[0]
    outcomes = outcomes_at(compressor, point, every_order(d))
    each = Fraction(1, math.factorial(d))
    marginals = []
    for column in outcomes.T.tolist():
        counts = Counter(column)
        marginals.append(tuple((_value(v), count * each) for v, count in counts.items()))
    return tuple(marginals)


def _steps(compressor: Compressor, x: Vector, point: Tensor) -> tuple[Marginal, ...]:
    declared: tuple[GridStep | None, ...] = (None,) * len(x)
    if isinstance(compressor, GridCompressor):
        try:
            declared = compressor.law(x)
        except IrrationalScale as error:
            raise NotEnumerable(str(error)) from None
    pieces = _pieces(compressor, point)
    return tuple(
        _snapped(j, piece) if step is None else _agreed(j, piece, step)
        for j, (piece, step) in enumerate(zip(pieces, declared, strict=True))
    )


Pieces = list[tuple[Fraction, float]]


def _pieces(compressor: Compressor, point: Tensor) -> list[Pieces]:
    """Per coordinate the outcomes in order of the uniform, each with where it ends."""
    d = point.shape[0]
    probes = torch.arange(_PROBES + 1) * (_STEPS // _PROBES)
    probes[-1] = _STEPS - 1
    seen = outcomes_at(compressor, point, _uniforms(probes, d))
    where, coordinate = (seen[1:] != seen[:-1]).nonzero(as_tuple=True)
    if where.numel() > _MOST_PIECES * d:
        raise NotEnumerable(f"{where.numel()} outcomes at d={d}: the law looks continuous")
    ends = _bisect(compressor, point, probes[where], probes[where + 1], coordinate)
    pieces: list[Pieces] = [[] for _ in range(d)]
    for at, j, end in zip(where.tolist(), coordinate.tolist(), ends.tolist(), strict=True):
        pieces[j].append((Fraction(end, _STEPS), float(seen[at, j])))
    for j in range(d):
        pieces[j].append((Fraction(1), float(seen[-1, j])))
    return pieces


def _bisect(
    compressor: Compressor, point: Tensor, low: Tensor, high: Tensor, coordinate: Tensor
) -> Tensor:
    """First multiples of 2^-53 in (low, high] whose outcome differs from that at low."""
    d = point.shape[0]
    if low.numel() == 0:
        return high
    pick = coordinate[:, None]
    left = outcomes_at(compressor, point, _uniforms(low, d)).gather(1, pick)[:, 0]
    while bool((high - low > 1).any()):
        middle = (low + high) // 2
        same = outcomes_at(compressor, point, _uniforms(middle, d)).gather(1, pick)[:, 0] == left
        low, high = torch.where(same, middle, low), torch.where(same, high, middle)
    return high


def _uniforms(multiples: Tensor, d: int) -> Tensor:
    return (multiples.to(torch.float64) / _STEPS)[:, None].expand(-1, d)


def _agreed(j: int, pieces: Pieces, step: GridStep) -> Marginal:
    """The declared law of coordinate j, if the code's agrees with it to 2^-50 of its place."""
    law = _law(pieces)
    width = step.outer - step.inner
    level = abs(step.outer / width) if width else Fraction(1)
    tolerance = _NEAR * (level if level > 1 else Fraction(1))
    declared = {step.outer: step.up, step.inner: 1 - step.up}
    for value, probability in law.items():
        near = [v for v in declared if abs(v - Fraction(value)) <= _NEAR * abs(v)]
        if not near or abs(declared[near[0]] - probability) > tolerance:
            raise LawMismatch(
                f"coordinate {j}: the code gives {value} with probability {float(probability)}, "
                f"declared are { ({str(v): str(p) for v, p in declared.items()}) }"
            )
    return tuple((v, p) for v, p in declared.items() if p)


def _snapped(j: int, pieces: Pieces) -> Marginal:
    """The law of coordinate j with simple fractions for its thresholds."""
    snapped = [(_simple(end), value) for end, value in pieces]
    if any(end is None for end, _ in snapped):
        raise NotEnumerable(f"the probabilities of coordinate {j} are not simple fractions")
    law = _law([(end, value) for end, value in snapped if end is not None])
    return tuple((_value(value), probability) for value, probability in law.items())


def _law(pieces: Pieces) -> dict[float, Fraction]:
    law: dict[float, Fraction] = {}
    start = Fraction(0)
    for end, value in pieces:
        law[value] = law.get(value, Fraction(0)) + end - start
        start = end
    return law


def _simple(number: Fraction) -> Fraction | None:
    guess = number.limit_denominator(10**6)
    size = abs(number) if abs(number) > 1 else Fraction(1)
    return guess if abs(guess - number) <= _NEAR * size else None


def _value(number: float) -> Fraction:
    """The simple fraction a double stands for, else the double itself."""
    exact = Fraction(number)
    guess = _simple(exact)
    return exact if guess is None else guess
