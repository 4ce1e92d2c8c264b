"""Reduce-scatter and all-gather in groups: the phases that larger collectives are made of.

In all of them place i of a group of p ends a scatter with the sum of part i + 1 (mod p) of the
group's slice, and a gather begins with that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, final

import numpy as np
import numpy.typing as npt

from algorithms.collectives.base import Ints, MessageRound, messages


@final
class Rings(NamedTuple):
    """Groups of p nodes that work at once, each on its slice.

    Attributes:
        nodes: ids, in the order of the ring ``[g, p]``.
        start: where the slice of each group begins ``[g]``.
        stop: one past its last element ``[g]``.
    """

    nodes: Ints
    start: Ints
    stop: Ints

    @classmethod
    def from_nodes(cls, nodes: npt.ArrayLike, start: npt.ArrayLike, stop: npt.ArrayLike) -> Rings:
        """Groups of these ``nodes`` ``[g, p]``; one slice for all of them, or one each."""
        ids = np.asarray(nodes, dtype=np.int64)
        low, high = (np.full(len(ids), end, dtype=np.int64) for end in (start, stop))
        return cls(ids, low, high)

    def slices(self, part: npt.ArrayLike) -> tuple[Ints, Ints]:
        """Begin and end of part ``part`` ``[g, p]`` (mod p) of each group's slice."""
        p = self.nodes.shape[1]
        index = np.broadcast_to(np.asarray(part, dtype=np.int64) % p, self.nodes.shape)
        low, size = self.start[:, None], (self.stop - self.start)[:, None]
        return low + index * size // p, low + (index + 1) * size // p

    def owned(self) -> tuple[Ints, Ints]:
        """Slices held at each place between a scatter and a gather ``[g, p]``."""
        return self.slices(np.arange(self.nodes.shape[1]) + 1)


Phase = Callable[[Rings, bool], Iterator[MessageRound]]
"""Rounds of a scatter (True) or a gather (False)."""


def around(rings: Rings, adds: bool) -> Iterator[MessageRound]:
    """p - 1 rounds, each to the next place of the ring."""
    p = rings.nodes.shape[1]
    for t in range(p - 1):
        low, high = rings.slices(np.arange(p) - t + (not adds))
        yield _sent(rings, 1, low, high, adds)


def directly(rings: Rings, adds: bool) -> Iterator[MessageRound]:
    """p - 1 rounds, in the r-th to the place r further on: its part, or one's own."""
    p = rings.nodes.shape[1]
    for r in range(1, p):
        low, high = rings.slices(np.arange(p) + 1 + r * adds)
        yield _sent(rings, r, low, high, adds)


def _sent(rings: Rings, far: int, low: Ints, high: Ints, adds: bool) -> MessageRound:
    to = np.roll(rings.nodes, -far, axis=1)
    return messages(rings.nodes.ravel(), to.ravel(), low.ravel(), high.ravel(), adds)


def by_dimension(
    shape: Sequence[int], order: Iterable[int], start: int, stop: int, phase: Phase
) -> Iterator[MessageRound]:
    """Scatter along the axes of a grid of workers in turn, then gather along them backwards.

    Workers 0, 1, ... fill the grid of this ``shape`` row by row; ``order`` names its axes.
    """
    ids = np.arange(int(np.prod(shape)), dtype=np.int64).reshape(tuple(shape))
    low, high = np.full(ids.size, start), np.full(ids.size, stop)
    done = []
    for axis in order:
        nodes = np.moveaxis(ids, axis, -1).reshape(-1, shape[axis])
        rings = Rings.from_nodes(nodes, low[nodes[:, 0]], high[nodes[:, 0]])
        yield from phase(rings, True)
        low[nodes], high[nodes] = rings.owned()
        done.append(rings)
    for rings in reversed(done):
        yield from phase(rings, False)


def together(*programs: Iterable[MessageRound]) -> Iterator[MessageRound]:
    """Programs of as many rounds each, round by round at once."""
    for rounds in zip(*programs, strict=True):
        source, target, start, stop = (
            np.concatenate([one[column] for one in rounds]) for column in range(4)
        )
        yield MessageRound(source, target, start, stop, rounds[0].adds)
