"""Reduce-scatter and all-gather on rings: the phases that larger collectives are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, final

import numpy as np

from algorithms.collectives.base import Ints, MessageRound, bounds, messages


@final
class Rings(NamedTuple):
    """Rings of nodes that run at once, ``[g, p]``: row by row the nodes in the ring's order.

    Attributes:
        nodes: ids of the nodes.
        start: where the slice of each ring begins ``[g]``.
        stop: one past its last element ``[g]``.
    """

    nodes: Ints
    start: Ints | None = None
    stop: Ints | None = None

    @classmethod
    def of(cls, *rings: Iterable[int]) -> Rings:
        """Rings of these nodes, all of one length."""
        return cls(np.array([list(ring) for ring in rings], dtype=np.int64))

    def parts(self, start: int, stop: int) -> Ints:
        """Bounds of the p parts of each ring's slice, by default [start, stop) ``[g, p + 1]``."""
        low = np.full(len(self.nodes), start) if self.start is None else self.start
        high = np.full(len(self.nodes), stop) if self.stop is None else self.stop
        p = self.nodes.shape[1]
        edges: Ints = low[:, None] + np.arange(p + 1) * (high - low)[:, None] // p
        return edges


def scatter(lines: Rings, start: int, stop: int) -> Iterator[MessageRound]:
    """p - 1 rounds after which place i of a ring holds the sum of part i + 1 (mod p)."""
    yield from _around(lines, start, stop, late=0)


def gather(lines: Rings, start: int, stop: int) -> Iterator[MessageRound]:
    """p - 1 rounds after which all have every part; place i began with part i + 1 (mod p)."""
    yield from _around(lines, start, stop, late=1)


def _around(lines: Rings, start: int, stop: int, late: int) -> Iterator[MessageRound]:
    nodes, edges = lines.nodes, lines.parts(start, stop)
    p = nodes.shape[1]
    after = np.roll(nodes, -1, axis=1)
    for t in range(p - 1):
        part = np.broadcast_to((np.arange(p) - t + late) % p, nodes.shape)
        low = np.take_along_axis(edges, part, 1)
        high = np.take_along_axis(edges, part + 1, 1)
        yield messages(nodes.ravel(), after.ravel(), low.ravel(), high.ravel(), not late)


def together(*programs: Iterable[MessageRound]) -> Iterator[MessageRound]:
    """Programs of one length, round by round at once."""
    for rounds in zip(*programs, strict=True):
        columns = (np.concatenate(column) for column in zip(*(r[:4] for r in rounds), strict=True))
        source, target, low, high = columns
        yield MessageRound(source, target, low, high, rounds[0].adds)


def owned(lines: Rings, start: int, stop: int) -> tuple[Ints, Ints]:
    """Which slice each place of each ring holds after :func:`scatter`, ``[g, p]`` each."""
    edges = lines.parts(start, stop)
    return np.roll(edges[:, :-1], -1, axis=1), np.roll(edges[:, 1:], -1, axis=1)


def grid(shape: Sequence[int]) -> Ints:
    """Workers 0, 1, ... laid out in a grid."""
    return np.arange(int(np.prod(shape)), dtype=np.int64).reshape(tuple(shape))


__all__ = ["Rings", "bounds", "gather", "grid", "owned", "scatter", "together"]
