"""Random mixing: who hears whom at a step, drawn anew for every step and replica."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from algorithms.core.key import Key, NumbersAsked
from algorithms.kernels.compiled import COMPILED
from algorithms.kernels.meetings import edge_meetings
from algorithms.topologies.base import Pattern, StaticTopology
from algorithms.topologies.partners import circle, partners
from theory.arrays import Floats
from theory.constants import Constants, Kind, Statement


class MixingDraw(NamedTuple):
    """Worker i takes sum_s ``weights[..., i, s]`` x_{``sources[..., i, s]``}: both ``[..., n, s]``.

    A worker's own id stands for its own row, as others read it; it costs nothing.
    """

    sources: Tensor
    weights: Tensor

    @property
    def kept(self) -> Tensor:
        """Weight ``[..., n]`` of a worker's own row: 1 for those that meet nobody."""
        own = torch.arange(self.sources.shape[-2], device=self.sources.device)[:, None]
        return torch.where(self.sources == own, self.weights, 0).sum(-1)


class DrawnMeetings(NamedTuple):
    """Meetings of several steps, in the order of :class:`MixingDraw`.

    Attributes:
        sources: ids ``[T, R, n, s]``.
        weights: their weights ``[T, R, n, s]`` (float64).
        slots: how many of the s slots each step has ``[T]``.
    """

    sources: NDArray[np.int64]
    weights: Floats
    slots: NDArray[np.int64]


class RandomMixing(Pattern):
    """Random mixing matrices W_0, W_1, ..., drawn by a seeded key, independently by replica."""

    @abstractmethod
    def draw(self, t: int, key: Key, replicas: Tensor) -> MixingDraw:
        """Links and weights at step t in ``replicas`` ``[...]``; the same on all ranks."""

    def over(self, steps: range, key: Key, replicas: Tensor) -> DrawnMeetings:
        """:meth:`draw` for many steps, in ``replicas`` ``[R]``; members may draw faster."""
        drawn = [self.draw(t, key, replicas) for t in steps]
        slots = np.array([one.sources.shape[-1] for one in drawn], np.int64)
        shape = (len(drawn), len(replicas), self.n, int(slots.max()))
        sources, weights = np.zeros(shape, np.int64), np.zeros(shape)
        for i, one in enumerate(drawn):
            sources[i], weights[i] = np.arange(self.n)[:, None], 0.0
            sources[i, ..., : slots[i]] = one.sources.numpy()
            weights[i, ..., : slots[i]] = one.weights.numpy()
        return DrawnMeetings(sources, weights, slots)

    @abstractmethod
    def expected(self) -> Floats:
        """E W ``[n, n]``, exactly."""

    @abstractmethod
    def expected_square(self) -> Floats:
        """E W^T W ``[n, n]``, exactly: E||W x||^2 = x^T (E W^T W) x."""

    def contraction(self) -> float:
        r"""max E||W x - J x||^2 / ||x - J x||^2 over one step, where rows and columns of W sum to
        1: the second eigenvalue of E W^T W.
        """
        return float(np.linalg.eigvalsh(self.expected_square() - 1.0 / self.n)[-1])

    def movement(self) -> float:
        r"""The mean squared movement E\|W - I\|_F^2 of one draw."""
        return float(np.trace(self.expected_square()) - 2 * np.trace(self.expected()) + self.n)

    def constants(self) -> Constants:
        """n, and lam of a step in mean square: lam^2 is the second eigenvalue of E W^T W."""
        known = Statement(Kind.EXACT, "every tick", "root of the second eigenvalue of E W^T W")
        return Constants(n=self.n).state(known, lam=self.contraction() ** 0.5)


@dataclass(frozen=True)
class Calls(RandomMixing):
    """Workers call uniform neighbours on ``topology``.

    Raises:
        ValueError: a worker without a neighbour (at the first use).
    """

    topology: StaticTopology

    @property
    def n(self) -> int:
        """Number n of workers, the nodes of the graph."""
        return self.topology.n


@final
@dataclass(frozen=True)
class RandomEdge(Calls):
    r"""A worker drawn uniformly calls a uniform neighbour, and both take the mean of their rows.

    W = I - (e_i - e_j)(e_i - e_j)^T / 2, a projection, so E W^T W = E W. (Boyd, Ghosh, Prabhakar,
    Shah 2006, IEEE Trans. Inf. Theory 52(6), Section II, with natural probabilities.)

    Raises:
        ValueError: a worker without a neighbour (at the first use).
    """

    @property
    def name(self) -> str:
        return f"a random edge of {self.topology.name}"

    def draw(self, t: int, key: Key, replicas: Tensor) -> MixingDraw:
        draws = key.fold("meeting", t)
        first = torch.zeros((*replicas.shape, 1), dtype=torch.int64, device=replicas.device)
        caller = draws.draws(replicas, first).integers(self.n, 1)[..., 0]
        called = partners(self.topology, draws.fold("called"), replicas, caller)
        return pair(caller, called, self.n)

    def over(self, steps: range, key: Key, replicas: Tensor) -> DrawnMeetings:
        if not COMPILED:
            return super().over(steps, key, replicas)
        keys = [key.fold("meeting", t) for t in steps]
        known, shape = circle(self.topology), (len(steps), len(replicas), self.n, 2)
        sources, weights = np.empty(shape, np.int64), np.empty(shape)
        edge_meetings(
            words_of(keys), words_of([one.fold("called") for one in keys]), replicas.numpy(),
            known.ids.numpy(), known.degrees.numpy(), sources, weights,
        )  # fmt: skip
        return DrawnMeetings(sources, weights, np.full(len(steps), 2))

    def expected(self) -> Floats:
        return _edge_mean(self.topology)

    def expected_square(self) -> Floats:
        return self.expected()


def pair(one: Tensor, other: Tensor, n: int) -> MixingDraw:
    """The meeting of two workers ``[..., 1]``: both take the mean, all others keep their row."""
    own = torch.arange(n, device=one.device)
    met = torch.where(own == one, other, torch.where(own == other, one, own))
    share = torch.where(met == own, 0.0, 0.5).to(torch.float64)
    sources = torch.stack((own.expand_as(met), met), dim=-1)
    return MixingDraw(sources, torch.stack((1 - share, share), dim=-1))


def words_of(keys: list[Key]) -> NDArray[np.int64]:
    """Words ``[T, 2]`` of keys, for kernels that draw by them.

    Raises:
        NumbersAsked: the keys have no numbers.
    """
    if not all(key.numbers for key in keys):
        raise NumbersAsked
    return np.array([key.words for key in keys], np.int64)


@lru_cache(maxsize=64)
def _edge_mean(topology: StaticTopology) -> Floats:
    n, known = topology.n, circle(topology)
    mean = np.eye(n)
    for i in range(n):
        degree = int(known.degrees[i])
        for j in known.ids[i, :degree].tolist():
            e = np.zeros(n)
            e[i], e[j] = 1.0, -1.0
            mean -= np.outer(e, e) / (2.0 * n * degree)
    mean.setflags(write=False)
    return mean
