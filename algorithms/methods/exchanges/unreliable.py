"""Exchanges some of whose messages are lost, and what becomes of the weight of those."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import assert_never, final

import torch
from torch import Tensor

from algorithms.methods.base import RunContext
from algorithms.methods.exchanges.exchange import Exchange
from algorithms.network.base import Exchanged, Packet
from algorithms.topologies.losses import Losses
from algorithms.topologies.random_mixing import MixingDraw
from theory.constants import Constants


class LostWeight(Enum):
    """Treatment of the weight of a message that does not arrive.

    VANISHES     nobody has it: rows and columns sum to less than 1
    OWN_INSTEAD  the receiver takes its own row in its place: rows still sum to 1, columns do not
    RETURNED     the sender, told so, keeps it: columns still sum to 1, rows do not
    """

    VANISHES = "vanishes"
    OWN_INSTEAD = "own value instead"
    RETURNED = "returned"


@final
@dataclass(frozen=True)
class Unreliable(Exchange):
    """``reliable`` with some messages lost; ``losses`` says which, ``lost`` what becomes of them.

    Senders pay for what is lost and receivers do not, so that the ledger's sent less received
    messages are those that were lost.
    """

    reliable: Exchange
    losses: Losses
    lost: LostWeight = LostWeight.VANISHES

    @property
    def n(self) -> int:
        """Number n of workers that exchange values."""
        return self.reliable.n

    @property
    def name(self) -> str:
        return f"{self.reliable.name}, {self.losses.name}, lost weight {self.lost.value}"

    @property
    def averaging(self) -> str:
        return self.reliable.averaging

    @property
    def averages(self) -> bool:
        return self.reliable.averages and self.lost is LostWeight.OWN_INSTEAD

    def meeting(self, t: int, context: RunContext) -> MixingDraw:
        return self.reliable.meeting(t, context)

    def mix(self, packet: Packet, t: int, context: RunContext) -> Exchanged:
        planned = self.meeting(t, context)
        shape = (*context.replicas.shape, *planned.sources.shape[-2:])
        sources, weights = (part.expand(shape) for part in planned)
        own = torch.arange(self.n, device=sources.device)[:, None]
        delivery = self.losses.delivery(t, context.key.fold("losses", t), context.replicas, sources)
        sources = torch.where(delivery.sent, sources, own)
        got = (planned.sources == own) | (delivery.sent & delivery.arrives)
        missing = torch.where(got, 0, weights)
        extra = self._own_share(missing, planned.sources.expand(shape))
        incoming = context.network.receive(packet, sources, delivery.arrives)
        mine = context.network.workers
        rows = packet.own(mine)
        share = torch.where(got, weights, 0).to(rows)[..., mine, :]
        total = extra.to(rows)[..., mine, None] * rows
        for s in range(incoming.shape[-2]):
            total = total + share[..., s, None] * incoming[..., s, :]
        return Exchanged(total, rows)

    def constants(self) -> Constants:
        return Constants().state(n=self.n)

    def movement(self) -> float | None:
        return None

    def _own_share(self, missing: Tensor, sources: Tensor) -> Tensor:
        """Weight ``[..., n]`` that goes back to a worker's own row, of ``[..., n, s]`` missing."""
        nothing = torch.zeros_like(missing[..., 0])
        match self.lost:
            case LostWeight.VANISHES:
                return nothing
            case LostWeight.OWN_INSTEAD:
                return missing.sum(-1)
            case LostWeight.RETURNED:
                return nothing.scatter_add(-1, sources.flatten(-2), missing.flatten(-2))
            case _:
                assert_never(self.lost)
