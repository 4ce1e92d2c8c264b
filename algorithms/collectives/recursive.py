"""Partners 1, 2, 4, ... apart: recursive doubling, recursive halving and doubling.

Thakur, Rabenseifner, Gropp 2005 (Int. J. High Performance Computing Applications 19); Rabenseifner
2004 (ICCS). Where n is no power of two, workers above the largest one below it add their vectors to
those of as many below, and get the sum at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

from algorithms.collectives.base import Collective, MessageRound, bounds, messages, require_workers
from theory.seconds.collectives import (
    CollectiveCost,
    halving_doubling_cost,
    recursive_doubling_cost,
)


@final
@dataclass(frozen=True)
class RecursiveDoubling(Collective):
    """Partners exchange whole vectors.

    Attributes:
        n: number of workers.

    Raises:
        ValueError: n < 1.
    """

    n: int

    def __post_init__(self) -> None:
        require_workers(self.n)

    @property
    def name(self) -> str:
        return f"recursive doubling(n={self.n})"

    def rounds(self, d: int) -> Iterator[MessageRound]:
        power = power_below(self.n)
        yield from folded(self.n, d, adds=True)
        for k in range(power.bit_length() - 1):
            yield messages(np.arange(power), np.arange(power) ^ (1 << k), 0, d, True)
        yield from folded(self.n, d, adds=False)

    def with_workers(self, n: int) -> RecursiveDoubling:
        return RecursiveDoubling(n)

    def cost(self) -> CollectiveCost:
        return recursive_doubling_cost(self.n)

    @property
    def parts(self) -> int:
        return 1


@final
@dataclass(frozen=True)
class HalvingDoubling(Collective):
    """Halves, quarters, ... are exchanged and added; then they are gathered the same way back.

    Attributes:
        n: number of workers.

    Raises:
        ValueError: n < 1.
    """

    n: int

    def __post_init__(self) -> None:
        require_workers(self.n)

    @property
    def name(self) -> str:
        return f"halving and doubling(n={self.n})"

    def rounds(self, d: int) -> Iterator[MessageRound]:
        ids = np.arange(power_below(self.n))
        yield from folded(self.n, d, adds=True)
        yield from halved(ids, d)
        yield from doubled(ids, d)
        yield from folded(self.n, d, adds=False)

    def with_workers(self, n: int) -> HalvingDoubling:
        return HalvingDoubling(n)

    def cost(self) -> CollectiveCost:
        return halving_doubling_cost(self.n)

    @property
    def parts(self) -> int:
        return power_below(self.n)


def power_below(n: int) -> int:
    """The largest power of two that is at most n."""
    return 1 << (n.bit_length() - 1)


def folded(n: int, d: int, adds: bool) -> Iterator[MessageRound]:
    """Those above the power of two give their vectors to those below, or get the sum back."""
    power = power_below(n)
    above = np.arange(power, n)
    if above.size:
        pair = (above, above - power) if adds else (above - power, above)
        yield messages(*pair, 0, d, adds)


def halved(ids: np.ndarray[tuple[int], np.dtype[np.int64]], d: int) -> Iterator[MessageRound]:
    """Reduce-scatter among a power of two of workers; place p ends with the sum of part p.

    A block of 2w workers holds 2w parts; each keeps the half that it is in.
    """
    yield from _exchanged(ids, d, reducing=True)


def doubled(ids: np.ndarray[tuple[int], np.dtype[np.int64]], d: int) -> Iterator[MessageRound]:
    """All-gather among a power of two of workers; place p begins with part p."""
    yield from _exchanged(ids, d, reducing=False)


def _exchanged(
    ids: np.ndarray[tuple[int], np.dtype[np.int64]], d: int, reducing: bool
) -> Iterator[MessageRound]:
    place, edges = np.arange(ids.size), bounds(d, ids.size)
    spans = [1 << k for k in range(ids.size.bit_length() - 1)]
    for span in reversed(spans) if reducing else spans:
        first = (place ^ span if reducing else place) // span * span
        yield messages(ids, ids[place ^ span], edges[first], edges[first + span], reducing)
