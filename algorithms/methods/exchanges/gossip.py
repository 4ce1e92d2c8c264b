"""Gossip over meetings: weighted sums of what the workers hear."""

from __future__ import annotations

from torch import Tensor

from algorithms.network.base import Network, Packet
from algorithms.topologies.random_mixing import MixingDraw


def gossip(network: Network, packet: Packet, meeting: MixingDraw) -> Tensor:
    """Rows ``[..., m, d]`` after a meeting: weighted sums of what is heard, slots in order."""
    rows = network.receive(packet, meeting.sources)
    weights = meeting.weights.to(rows)[..., network.workers, :]
    total = weights[..., 0, None] * rows[..., 0, :]
    for s in range(1, rows.shape[-2]):
        total = total + weights[..., s, None] * rows[..., s, :]
    return total
