"""Means over workers of several tensors that travel together."""

from __future__ import annotations

import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.methods.base import RunContext


def averaged_pieces(
    pieces: list[Tensor], t: int, purpose: str, context: RunContext
) -> list[Tensor]:
    """Means over workers of several tensors ``[..., m, *]``, sent as one message of floats
    for each worker, answered by one."""
    m = len(context.network.workers)
    lead = len(context.replicas.shape) + 1
    flats = [piece.reshape(*piece.shape[:lead], -1) for piece in pieces]
    row = torch.cat(flats, -1)
    mean, _ = context.network.average(context.pack(Identity(), row, t, purpose=purpose))
    assert row.shape[-2] == m
    parts = torch.split(
        context.published(mean, t, f"mean {purpose}"), [piece.shape[-1] for piece in flats], -1
    )
    return [
        part.reshape(*part.shape[:-1], *piece.shape[lead:])
        for part, piece in zip(parts, pieces, strict=True)
    ]
