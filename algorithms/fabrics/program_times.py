"""Seconds of a program by the length of its vector: the fabric is asked once, not each time.

Rates of max-min sharing do not depend on how long messages are while all grow alike, so that a
program on a fabric takes a + b m seconds for a vector of m bits. Links that treat short messages
otherwise are a fabric for each range of lengths; a round belongs to that of its longest message.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple, final

from algorithms.collectives.base import Collective, MessageRound
from algorithms.fabrics.base import Fabric, RoundKind, round_kinds, sent_seconds
from algorithms.fabrics.sharing import Sharing, max_min_rates


@final
class FabricRegime(NamedTuple):
    """A fabric as messages up to some length see it.

    Attributes:
        most: longest of these messages [bits]; infinite for the last regime.
        fabric: with the links as they are for them.
    """

    most: float
    fabric: Fabric


@final
class TimedLengths(NamedTuple):
    """Vectors up to some length, and what a program takes with them.

    Attributes:
        most: longest of these vectors [bits]; infinite for the last.
        alpha: seconds whatever the length.
        beta: seconds a bit.
    """

    most: float
    alpha: float
    beta: float


def program_times(
    collective: Collective,
    regimes: Sequence[FabricRegime],
    hosts: Sequence[int] | None = None,
    sharing: Sharing = max_min_rates,
) -> tuple[TimedLengths, ...]:
    """All lengths of vectors, the shortest first; ``hosts`` says where each node lies.

    Vectors are divided into equal parts, whatever their length.

    Raises:
        ValueError: regimes that do not grow to an infinite one, or a node without a host.
    """
    places = None if hosts is None else tuple(hosts)
    return _times(_kinds(collective, places), collective.parts, regimes, sharing)


def rounds_times(
    program: Iterable[MessageRound], d: int, regimes: Sequence[FabricRegime]
) -> tuple[TimedLengths, ...]:
    """The same of the rounds of a program on vectors of ``d`` elements, node i on host i."""
    return _times(round_kinds(program), d, regimes, max_min_rates)


@lru_cache(maxsize=64)
def _kinds(collective: Collective, hosts: tuple[int, ...] | None) -> tuple[RoundKind, ...]:
    """Kept for the next fabric."""
    return round_kinds(collective.rounds(collective.parts), hosts)


def _times(
    kinds: Sequence[RoundKind], d: int, regimes: Sequence[FabricRegime], sharing: Sharing
) -> tuple[TimedLengths, ...]:
    ends = [regime.most for regime in regimes]
    if not ends or ends != sorted(set(ends)) or ends[-1] != math.inf:
        raise ValueError(f"regimes must grow and end with an infinite one, got {ends}")
    costs = [[_affine(kind, one.fabric, d, sharing) for one in regimes] for kind in kinds]
    longest = [int(kind.lengths.max()) / d for kind in kinds]
    knots = {most / share for most in ends[:-1] for share in longest}
    timed = []
    for knot in (*sorted(knots), math.inf):
        alpha = beta = 0.0
        for kind, share, by_regime in zip(kinds, longest, costs, strict=True):
            # a vector of that length is cut into messages that may lie on a regime's end
            place = next(i for i, end in enumerate(ends) if knot * share <= end * (1 + 1e-12))
            alpha += kind.repeats * by_regime[place][0]
            beta += kind.repeats * by_regime[place][1]
        timed.append(TimedLengths(knot, alpha, beta))
    return tuple(timed)


def _affine(kind: RoundKind, fabric: Fabric, d: int, sharing: Sharing) -> tuple[float, float]:
    """Start-up of a round, and seconds for each bit of the vector."""
    return fabric.start_up(kind.source, kind.target), sent_seconds(kind, fabric, 1.0, sharing) / d
