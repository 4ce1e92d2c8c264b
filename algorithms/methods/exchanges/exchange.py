"""Exchanges: one linear mixing of rows, along fixed links or at random meetings."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from typing import final

import numpy as np
import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.core.key import Key
from algorithms.kernels.devices import put
from algorithms.methods.base import RunContext
from algorithms.methods.exchanges.gossip import gossip
from algorithms.network.base import Exchanged, Packet
from algorithms.pipeline.links import FixedLists, Links, MeetingLinks
from algorithms.topologies.base import MixingSequence, Pattern
from algorithms.topologies.random_mixing import MixingDraw, RandomMixing
from theory.constants import Constants
from theory.networks.mixing import SUM_TOLERANCE


class Exchange(Pattern):
    """One round of linear mixing: row i becomes sum_j P_ij (row j); a member says who and how."""

    @property
    @abstractmethod
    def averaging(self) -> str:
        """Name of averaging by this exchange."""

    @property
    @abstractmethod
    def averages(self) -> bool:
        """Whether every row's weights sum to 1, whatever is lost: equal rows stay as they are."""

    @abstractmethod
    def meeting(self, t: int, context: RunContext) -> MixingDraw:
        """Links and weights of the mixing in round t, if every message arrives."""

    @abstractmethod
    def mix(self, packet: Packet, t: int, context: RunContext) -> Exchanged:
        """Rows ``[..., m, k]`` after round t, and what the own ones read as; charged."""

    def links(self) -> Links | None:
        """Mixing links, for blocks of steps; None: :meth:`mix` is more than a weighted sum."""
        return None

    def mixed(self, rows: Tensor, t: int, context: RunContext) -> Tensor:
        """Uncompressed rows ``[..., m, k]`` after round t."""
        return self.mix(context.pack(Identity(), rows, t), t, context).result

    @abstractmethod
    def constants(self) -> Constants:
        """n, and lam where it is known of every single round."""

    @abstractmethod
    def movement(self) -> float | None:
        r"""E\|P - I\|_F^2 where one law serves all rounds, else None."""


@final
@dataclass(frozen=True)
class FixedLinks(Exchange):
    """Along the links of a mixing sequence; every message arrives.

    Attributes:
        topology: who hears whom, and the mixing matrices W.
    """

    topology: MixingSequence

    @property
    def n(self) -> int:
        """Number n of workers that exchange values."""
        return self.topology.n

    @property
    def name(self) -> str:
        return self.topology.name

    @property
    def averaging(self) -> str:
        return "gossip averaging"

    @property
    def averages(self) -> bool:
        return _averages(self.topology)

    def meeting(self, t: int, context: RunContext) -> MixingDraw:
        lists = self.topology.neighbours(t)
        device = context.network.workers.device
        return MixingDraw(put(lists.index, device), put(lists.weight, device))

    def mix(self, packet: Packet, t: int, context: RunContext) -> Exchanged:
        return context.network.mix(packet, self.topology.neighbours(t))

    def links(self) -> Links | None:
        return FixedLists.from_topology(self.topology)

    def constants(self) -> Constants:
        return self.topology.each_step()

    def movement(self) -> float | None:
        return self.topology.movement()


@final
@dataclass(frozen=True)
class RandomLinks(Exchange):
    """At random meetings, other ones in every replica; every message arrives."""

    meetings: RandomMixing

    @property
    def n(self) -> int:
        """Number n of workers that exchange values."""
        return self.meetings.n

    @property
    def name(self) -> str:
        return self.meetings.name

    @property
    def averaging(self) -> str:
        return "randomised gossip"

    @property
    def averages(self) -> bool:
        some = self.meetings.draw(0, Key.seed(0), torch.arange(16))
        return bool(((some.weights.sum(-1) - 1).abs() <= SUM_TOLERANCE).all())

    def meeting(self, t: int, context: RunContext) -> MixingDraw:
        return self.meetings.draw(t, context.key, context.replicas)

    def mix(self, packet: Packet, t: int, context: RunContext) -> Exchanged:
        mixed = gossip(context.network, packet, self.meeting(t, context))
        return Exchanged(mixed, packet.own(context.network.workers))

    def links(self) -> Links | None:
        return MeetingLinks(self.meetings)

    def constants(self) -> Constants:
        return self.meetings.constants()

    def movement(self) -> float | None:
        return self.meetings.movement()


@lru_cache(maxsize=64)
def _averages(topology: MixingSequence) -> bool:
    sums = [topology.matrix(t).sum(axis=1) for t in range(topology.period)]
    return bool(np.abs(np.array(sums) - 1.0).max() <= SUM_TOLERANCE)
