"""All-gather: every worker hears every other's message, and adds them up in one order."""

from __future__ import annotations

import torch
from torch import Tensor

from algorithms.kernels.mean import sum_rows
from algorithms.methods.base import RunContext
from algorithms.network.base import Packet


def gathered_sum(packet: Packet, context: RunContext) -> Tensor:
    """Sum ``[..., 1, d]`` of the rows that all n messages stand for, the same for all workers.

    Each worker is charged n - 1 messages sent and n - 1 heard.
    """
    network = context.network
    everyone = torch.arange(network.n, device=network.workers.device)
    incoming = network.receive(packet, everyone.expand(network.n, -1))
    return sum_rows(incoming[..., 0, :, :], keepdim=True)
