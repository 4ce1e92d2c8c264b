"""Collective: an all-reduce as a program, rounds of messages that all nodes send at once.

Nodes 0, ..., n - 1 are workers, further ones servers. Messages of a round carry what the nodes held
when it began. Ints count elements of a vector of length d; what an element weighs is the caller's.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from theory.seconds.collectives import CollectiveCost

Ints = npt.NDArray[np.int64]


@final
class MessageRound(NamedTuple):
    """Messages that cross at once ``[k]`` each: the slice [start, stop) of source to target.

    Attributes:
        source: who sends.
        target: who receives, and adds the slice to its own, or puts it in its place.
        start: first element of the slice.
        stop: one past its last.
        adds: whether it is added.
    """

    source: Ints
    target: Ints
    start: Ints
    stop: Ints
    adds: bool

    @property
    def lengths(self) -> Ints:
        """Elements of each message."""
        return self.stop - self.start


def messages(
    source: npt.ArrayLike, target: npt.ArrayLike, start: npt.ArrayLike, stop: npt.ArrayLike,
    adds: bool,
) -> MessageRound:  # fmt: skip
    """A round of messages that broadcast against each other; empty ones are not sent."""
    s, t, a, b = (
        np.atleast_1d(x) for x in np.broadcast_arrays(*map(_ints, (source, target, start, stop)))
    )
    full = b > a
    return MessageRound(s[full], t[full], a[full], b[full], adds)


def _ints(values: npt.ArrayLike) -> Ints:
    return np.asarray(values, dtype=np.int64)


def bounds(d: int, parts: int) -> Ints:
    """Starts of ``parts`` nearly equal parts of [0, d), and d ``[parts + 1]``."""
    return np.arange(parts + 1, dtype=np.int64) * d // parts


class Collective(ABC):
    """An all-reduce of n workers: at the end each of them holds the sum of all n vectors.

    Attributes:
        n: number of workers.
    """

    n: int

    @property
    @abstractmethod
    def name(self) -> str:
        """Name in tables and verdicts."""

    @property
    def nodes(self) -> int:
        """Number of workers and servers."""
        return self.n

    @abstractmethod
    def rounds(self, d: int) -> Iterator[MessageRound]:
        """The program on vectors of d elements.

        Raises:
            ValueError: d < 0.
        """

    @abstractmethod
    def cost(self) -> CollectiveCost | None:
        """Its closed form through one port a node, for vectors whose length ``parts`` divides.

        None where it is made for a port to each neighbour and has no closed form through one.
        """

    def port_cost(self) -> CollectiveCost | None:
        """Its closed form with a port to each neighbour; None where that is of no use to it."""
        return None

    @abstractmethod
    def with_workers(self, n: int) -> Collective:
        """The same algorithm for n workers.

        Raises:
            ValueError: it has no form for so many.
        """

    def gives(self, d: int) -> Tensor:
        """Elements to which each worker contributes ``[n, d]``, bool; all by default."""
        return torch.ones(self.n, d, dtype=torch.bool)

    @property
    def parts(self) -> int:
        """Into how many parts it divides a vector, or the least that all its divisions divide."""
        return self.n


@final
@dataclass(frozen=True)
class Counted:
    """Cost of a program, counted message by message.

    A node sends one message at a time and receives one at a time: a round of which a node sends or
    receives j messages takes j steps. Slices that go from one node to another in one round are one
    message.

    Attributes:
        rounds: in which anything is sent.
        steps: one after another.
        path: elements that cross one after another, of each round those of the busiest node.
        longest: of each round, those of the longest slice: as if each had a link of its own.
        messages: all of them.
        elements: in all of them.
        sent: elements that each node sends ``[nodes]``.
        received: elements that each node receives ``[nodes]``.
    """

    rounds: int
    steps: int
    path: int
    longest: int
    messages: int
    elements: int
    sent: Ints
    received: Ints


def counted(program: Iterable[MessageRound], nodes: int) -> Counted:
    """Count the rounds of a program of ``nodes`` nodes."""
    rounds = steps = path = longest = number = 0
    sent, received = np.zeros(nodes, dtype=np.int64), np.zeros(nodes, dtype=np.int64)
    for one in program:
        if not one.source.size:
            continue
        ends = (one.source, one.target)
        loads = [np.bincount(end, one.lengths, nodes).astype(np.int64) for end in ends]
        sent, received = sent + loads[0], received + loads[1]
        pairs = np.unique(one.source * nodes + one.target)
        longest += int(one.lengths.max())
        rounds, number = rounds + 1, number + pairs.size
        steps += max(int(np.bincount(end).max()) for end in (pairs // nodes, pairs % nodes))
        path += max(int(load.max()) for load in loads)
    return Counted(rounds, steps, path, longest, number, int(sent.sum()), sent, received)


def executed(program: Iterable[MessageRound], held: Tensor) -> Tensor:
    """Vectors of the nodes at the end, from ``[..., nodes, d]`` held at first.

    Messages that add to one place in one round are all added.
    """
    nodes, d = held.shape[-2:]
    now = held.clone().reshape(held.shape[:-2].numel(), nodes * d)
    for one in program:
        source, target = (_places(end, one, d) for end in (one.source, one.target))
        values = now[:, source]
        if one.adds:
            now.index_add_(1, target, values)
        else:
            now[:, target] = values
    return now.reshape(held.shape)


def _places(end: Ints, one: MessageRound, d: int) -> Tensor:
    """Positions of the elements of all messages in ``[nodes * d]``, at one of their ends."""
    lengths = one.lengths
    first = np.repeat(end * d + one.start - np.cumsum(lengths) + lengths, lengths)
    return torch.from_numpy(first + np.arange(lengths.sum()))


def require_workers(n: int, least: int = 1) -> None:
    """Check that there are enough workers.

    Raises:
        ValueError: fewer than ``least``.
    """
    if n < least:
        raise ValueError(f"n must be at least {least}, got n={n}")
