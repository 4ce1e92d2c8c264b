"""Uniform gossip: everyone keeps half and pushes half to a random neighbour."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import final

import numpy as np
import torch
from torch import Tensor

from algorithms.core.key import Key
from algorithms.kernels.compiled import COMPILED
from algorithms.kernels.deferred_checks import now
from algorithms.kernels.meetings import calls_of_all, push_meetings
from algorithms.topologies.base import StaticTopology
from algorithms.topologies.edges import adjacency
from algorithms.topologies.partners import circle, partners
from algorithms.topologies.random_mixing import Calls, DrawnMeetings, MixingDraw, words_of
from theory.arrays import Floats


@final
@dataclass(frozen=True)
class RandomOutNeighbour(Calls):
    r"""P = (I + F)/2, column j of F the unit vector of a uniform neighbour of j.

    Columns sum to 1 and rows need not: for push-sum. (Kempe, Dobra, Gehrke 2003, FOCS, Protocol
    Push-Sum, on the complete graph; receivers there may be the sender itself, here they are not.)

    Raises:
        ValueError: a worker without a neighbour (at the first use).
    """

    @property
    def name(self) -> str:
        return f"a random neighbour of each on {self.topology.name}"

    def draw(self, t: int, key: Key, replicas: Tensor) -> MixingDraw:
        everyone = torch.arange(self.n, device=replicas.device)
        callers = everyone.expand(*replicas.shape, self.n)
        called = partners(self.topology, key.fold("meeting", t), replicas, callers)
        chosen = called[..., None, :] == everyone[:, None]
        if now() is None:
            slots = max(1, int(chosen.sum(-1).max()))
        else:  # as many as may call one worker
            slots = int(adjacency(self.topology).in_degree.max())
        first = chosen.to(torch.int64).sort(dim=-1, descending=True, stable=True)
        there = first.values[..., :slots].bool()
        senders = torch.where(there, first.indices[..., :slots], everyone[:, None])
        own = everyone[:, None].expand(*replicas.shape, self.n, 1)
        half = torch.full(own.shape, 0.5, dtype=torch.float64, device=own.device)
        weights = torch.cat((half, there.to(torch.float64) / 2), dim=-1)
        return MixingDraw(torch.cat((own, senders), dim=-1), weights)

    def over(self, steps: range, key: Key, replicas: Tensor) -> DrawnMeetings:
        if not COMPILED:
            return super().over(steps, key, replicas)
        words = words_of([key.fold("meeting", t) for t in steps])
        known, shape = circle(self.topology), (len(steps), len(replicas), self.n)
        called, most = np.empty(shape, np.int64), np.empty(len(steps), np.int64)
        ids, degrees = known.ids.numpy(), known.degrees.numpy()
        calls_of_all(words, replicas.numpy(), ids, degrees, called, most)
        slots = 1 + int(most.max())
        sources, weights = np.empty((*shape, slots), np.int64), np.empty((*shape, slots))
        push_meetings(called, sources, weights)
        return DrawnMeetings(sources, weights, 1 + most)

    def expected(self) -> Floats:
        return (np.eye(self.n) + _receivers(self.topology)) / 2.0

    def expected_square(self) -> Floats:
        q = _receivers(self.topology)
        together = q.T @ q
        np.fill_diagonal(together, 1.0)  # one receiver each
        return (np.eye(self.n) + q + q.T + together) / 4.0


@lru_cache(maxsize=64)
def _receivers(topology: StaticTopology) -> Floats:
    """E F ``[n, n]``: probability that column j's worker calls row i's."""
    known = circle(topology)
    q = np.zeros((topology.n, topology.n))
    for j, degree in enumerate(known.degrees.tolist()):
        q[known.ids[j, :degree].numpy(), j] = 1.0 / degree
    q.setflags(write=False)
    return q
