"""Participation: which workers take part in a round, drawn anew for every round and replica."""

from __future__ import annotations

import torch
from torch import Tensor

from algorithms.methods.base import RunContext


def require_workers(participants: int | None, n: int) -> None:
    """Refuse more ``participants`` of a round than there are workers.

    Raises:
        ValueError: participants > n.
    """
    if participants is not None and participants > n:
        raise ValueError(
            f"participants must be at most n={n} workers, got participants={participants}"
        )


def participants_of(size: int, number: int, context: RunContext) -> Tensor:
    """Mask ``[..., n]`` (bool) of the ``size`` workers of round ``number``, all sets alike.

    Every rank draws the same: those with the largest of n uniform numbers.
    """
    n, device = context.network.n, context.network.workers.device
    everyone = torch.arange(n, device=device)
    draws = context.key.fold("participants", number).draws(context.replicas, everyone)
    lots = draws.uniform(1, torch.float64)[..., 0]
    chosen = lots.topk(size, dim=-1).indices
    return torch.zeros_like(lots, dtype=torch.bool).scatter(-1, chosen, True)


def taking_part(size: int | None, number: int, context: RunContext) -> Tensor | None:
    """Mask ``[..., n]`` of the workers of round ``number``; None: all take part."""
    return None if size is None else participants_of(size, number, context)
