r"""Laws of operators whose outcome is a sum of what few uniforms decide, each for itself.

$C(x) = c + \sum_i g_i(U_i)$ with step functions $g_i$ into R^d, as atoms that are kept or dropped
one by one. All g_i are run at one uniform at a time, and every step is located by bisection, all
uniforms at once; then $E C(x) = c + \sum_i E g_i$ and $E\|C(x) - E C(x)\|^2 = \sum_i (E\|g_i\|^2 -
\|E g_i\|^2)$ follow to rounding, whatever the g_i share.

The law is taken only if it is seen to be one: outcomes at tables of uniforms of which half are
exchanged add up, near 0 and 1 too, and for real draws every outcome is the foretold one to
rounding. A step so narrow that no probe and no real draw meets it is not seen; probes lie at 2^-k
and 1 - 2^-k as well, for atoms that are hardly ever kept or dropped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.core.key import Key
from proofs_check.instruments.exact import (
    TINY,
    LawMismatch,
    outcomes_at,
    random_tables,
)
from proofs_check.instruments.scripted import NotEnumerable, drawn_tables
from proofs_check.instruments.statistics import sample

_STEPS = 1 << 53
_MOST_TERMS, _MOST_STEPS = 64, 16
_EXCHANGES, _DRAWN = 8, 64
_ROUNDED = 1e-12
_EVEN, _FINE = 16, 30  # probes: multiples of 1/16, and powers of 1/2 near both ends


class Term(NamedTuple):
    """One g_i: its pieces in the order of its uniform.

    Attributes:
        ends: where pieces end ``[K]``, as multiples of 2^-53.
        values: what it adds on them ``[K, d]``, beyond what it adds on the first piece.
    """

    ends: Tensor
    values: Tensor

    @property
    def chances(self) -> Tensor:
        """Probabilities of the pieces ``[K, 1]``."""
        zero = torch.zeros_like(self.ends[:1])
        return (torch.diff(self.ends, prepend=zero).to(torch.float64) / _STEPS)[:, None]


@final
@dataclass(frozen=True)
class SumLaw:
    """The law of C(x) = base + a sum of independent terms, for x ``[d]``.

    Attributes:
        x: the vector ``[d]``.
        base: the outcome ``[d]`` where every term is on its first piece.
        terms: the terms that are not constant, with the number of their uniform.
    """

    x: Tensor
    base: Tensor
    terms: dict[int, Term]

    @property
    def mean(self) -> Tensor:
        """The mean E C(x) ``[d]``, to rounding."""
        return self.base + sum((term.chances * term.values).sum(0) for term in self.terms.values())

    @property
    def square_error(self) -> float:
        """E||C(x) - x||^2, to rounding."""
        total = float((self.mean - self.x).square().sum())
        for term in self.terms.values():
            off = term.values - (term.chances * term.values).sum(0)
            total += float((term.chances * off.square()).sum())
        return total

    @property
    def extremes(self) -> Tensor:
        """Outcomes ``[2, d]`` beyond which no coordinate goes."""
        low = self.base + sum(term.values.amin(0) for term in self.terms.values())
        high = self.base + sum(term.values.amax(0) for term in self.terms.values())
        return torch.stack((low, high))

    def foretold(self, uniforms: Tensor) -> Tensor:
        """Outcomes ``[S, d]``, to rounding, for uniforms ``[S, m]``."""
        total = self.base.expand(uniforms.shape[0], -1)
        for i, term in self.terms.items():
            place = (uniforms[:, i] * _STEPS).to(torch.int64)[:, None]
            total = total + term.values[(place >= term.ends[:-1]).sum(1)]
        return total


def sum_law(compressor: Compressor, x: Tensor, key: Key) -> SumLaw | None:
    """The law at x ``[d]``, or None where uniforms are too many or do not act by themselves."""
    try:
        drawn = drawn_tables(compressor, x, _DRAWN, key)
        if not 0 < drawn.shape[1] <= _MOST_TERMS or not _adds(compressor, x, drawn.shape[1]):
            return None
        law = _located(compressor, x, drawn.shape[1])
    except (NotEnumerable, LawMismatch):
        return None
    if law is None:
        return None
    gap = (law.foretold(drawn) - sample(compressor, x, _DRAWN, key)).abs()
    return law if bool((gap <= _slack(law.extremes)).all()) else None


def _slack(outcomes: Tensor) -> float:
    return _ROUNDED * float(outcomes.abs().max())


def _padded(table: Tensor, d: int) -> Tensor:
    """Tables of as many columns as coordinates; the operator reads the first ones."""
    return torch.nn.functional.pad(table, (0, d - table.shape[-1]), value=0.5)


def _adds(compressor: Compressor, x: Tensor, count: int) -> bool:
    """Whether exchanging half of the uniforms of two tables keeps the sum of their outcomes."""
    tables, after, lots = (random_tables(_EXCHANGES, count, seed) for seed in (1, 2, 3))
    chosen = lots < 0.5
    for before in (tables, TINY * tables, 1 - TINY * (1 - tables)):
        four = (before, after, torch.where(chosen, before, after),
                torch.where(chosen, after, before))  # fmt: skip
        first, second, mixed, other = (
            outcomes_at(compressor, x, _padded(table, len(x))) for table in four
        )
        slack = _slack(torch.cat((first, second, mixed, other)))
        if bool(((first + second - mixed - other).abs() > slack).any()):
            return False
    return True


def _probes() -> Tensor:
    """Multiples of 2^-53, the first 0 and the last 1 - 2^-53."""
    even = torch.arange(_EVEN) * (_STEPS // _EVEN)
    near = torch.tensor([_STEPS >> k for k in range(5, 5 + _FINE)])
    ends = torch.tensor([_STEPS - 1])
    return torch.cat((even, near, _STEPS - near, ends)).sort().values


def _located(compressor: Compressor, x: Tensor, count: int) -> SumLaw | None:
    """Every term's steps; None where one has too many. Other uniforms stay at the first probe."""
    probes = _probes()

    def along(i: Tensor, place: Tensor) -> Tensor:
        """Outcomes ``[S, d]`` with uniform i ``[S]`` at ``place`` ``[S]``, all others 0."""
        table = torch.zeros(len(i), count, dtype=torch.float64)
        table[torch.arange(len(i)), i] = place.to(torch.float64) / _STEPS
        return outcomes_at(compressor, x, _padded(table, len(x)))

    which = torch.arange(count).repeat_interleave(len(probes))
    seen = along(which, probes.repeat(count)).reshape(count, len(probes), -1)
    base = seen[0, 0]
    slack = _slack(seen)
    jumps = ((seen[:, 1:] - seen[:, :-1]).abs() > slack).any(-1)
    if int(jumps.sum(1).max()) > _MOST_STEPS:
        return None
    i, at = jumps.nonzero(as_tuple=True)
    low, high, left = probes[at], probes[at + 1], seen[i, at]
    while bool((high - low > 1).any()):
        middle = (low + high) // 2
        same = ((along(i, middle) - left).abs() <= slack).all(-1)
        low, high = torch.where(same, middle, low), torch.where(same, high, middle)
    last = torch.tensor([_STEPS])
    terms = {}
    for number in sorted(set(i.tolist())):
        own = i == number
        values = torch.cat((left[own], seen[number, -1:])) - base
        terms[number] = Term(torch.cat((high[own], last)), values)
    return SumLaw(x, base, terms)
