"""Programs of messages on lists of entries: what SparCML and gTop-k send, list by list.

Renggli et al. 2019 (arXiv:1802.08021, SparCML); Shi, Wang, Chu et al. 2019 (arXiv:1901.04359,
gTop-k). Any program whose slices are added or replaced runs on lists: a message is the entries of
its slice, index and value, or all numbers of the slice where these are no more. With a limit on
its length a list keeps its largest entries whenever another was added to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np
import numpy.typing as npt

from algorithms.collectives.base import Ints, MessageRound

Values = npt.NDArray[Any]
"""Integers or floats of 64 bits."""


@final
class SparseList(NamedTuple):
    """Entries of a vector that are not zero.

    Attributes:
        places: their indices, growing ``[k]``.
        values: their values ``[k]``.
    """

    places: Ints
    values: Values

    @classmethod
    def from_vector(cls, vector: Values) -> SparseList:
        """The list of a vector ``[d]``."""
        places = np.flatnonzero(vector)
        return cls(places, vector[places])

    def dense(self, d: int) -> Values:
        """The vector of all d numbers ``[d]``."""
        vector = np.zeros(d, dtype=self.values.dtype)
        vector[self.places] = self.values
        return vector

    def within(self, start: int, stop: int) -> SparseList:
        """Entries of the slice [start, stop)."""
        low, high = np.searchsorted(self.places, (start, stop))
        return SparseList(self.places[low:high], self.values[low:high])

    def plus(self, other: SparseList) -> SparseList:
        """The sum of both; entries that cancel stay in the list, as they do on the wire."""
        places, at = np.unique(np.append(self.places, other.places), return_inverse=True)
        values = np.zeros(places.size, dtype=self.values.dtype)
        np.add.at(values, at, np.append(self.values, other.values))
        return SparseList(places, values)

    def replaced(self, start: int, stop: int, other: SparseList) -> SparseList:
        """The slice [start, stop) is ``other``."""
        low, high = np.searchsorted(self.places, (start, stop))
        places = np.concatenate([self.places[:low], other.places, self.places[high:]])
        values = np.concatenate([self.values[:low], other.values, self.values[high:]])
        return SparseList(places, values)

    def largest(self, keep: int) -> SparseList:
        """The ``keep`` entries of largest magnitude; of equal ones the first."""
        if self.places.size <= keep:
            return self
        kept = np.sort(np.argsort(-np.abs(self.values), kind="stable")[:keep])
        return SparseList(self.places[kept], self.values[kept])


def packed(entries: SparseList, start: int, stop: int) -> Values:
    """A message ``[numbers]``: indices, then values; or the slice where it is no longer."""
    if 2 * entries.places.size < stop - start:
        return np.append(entries.places.astype(entries.values.dtype), entries.values)
    moved = SparseList(entries.places - start, entries.values)
    return moved.dense(stop - start)


def unpacked(message: Values, start: int, stop: int) -> SparseList:
    """The entries of a message of the slice [start, stop)."""
    if message.size < stop - start:
        half = message.size // 2
        return SparseList(message[:half].astype(np.int64), message[half:])
    whole = SparseList.from_vector(message)
    return SparseList(whole.places + start, whole.values)


@final
@dataclass(frozen=True)
class RunOfLists:
    """Lists of the nodes at the end of a program on lists, and its traffic.

    Attributes:
        held: list of each node.
        rounds: in which anything was sent.
        path: numbers that crossed one after another, of each round those of the busiest node.
        sent: numbers that each node sent ``[nodes]``.
    """

    held: tuple[SparseList, ...]
    rounds: int
    path: int
    sent: Ints


def run_lists(
    program: Iterable[MessageRound], lists: Sequence[SparseList], keep: int | None = None
) -> RunOfLists:
    """Run a program whose nodes hold ``lists`` at first; ``keep`` is the limit on their length.

    Raises:
        ValueError: keep < 1.
    """
    if keep is not None and keep < 1:
        raise ValueError(f"keep must be at least 1 entry, got keep={keep}")
    held, rounds, path = list(lists), 0, 0
    total = np.zeros(len(held), dtype=np.int64)
    for one in program:
        if not one.source.size:
            continue
        out, into = np.zeros((2, len(held)), dtype=np.int64)
        before = list(held)
        ends = zip(
            *(c.tolist() for c in (one.source, one.target, one.start, one.stop)), strict=True
        )
        for source, target, start, stop in ends:
            message = packed(before[source].within(start, stop), start, stop)
            out[source] += message.size
            into[target] += message.size
            came = unpacked(message, start, stop)
            held[target] = taken(held[target], came, one.adds, (start, stop), keep)
        rounds, path = rounds + 1, path + int(max(out.max(), into.max()))
        total += out
    return RunOfLists(tuple(held), rounds, path, total)


def taken(
    mine: SparseList, came: SparseList, adds: bool, where: tuple[int, int], keep: int | None
) -> SparseList:
    """List of a node after receiving a message of the slice ``where``."""
    if not adds:
        return mine.replaced(*where, came)
    both = mine.plus(came)
    return both if keep is None else both.largest(keep)
