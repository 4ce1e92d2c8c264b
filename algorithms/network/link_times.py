"""Seconds of messages between two ranks, by size, both ways at once as collectives send them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Protocol

import torch
import torch.distributed as dist

from algorithms.network.ranks import place

Wall = Callable[[], float]
"""A clock: seconds from some beginning on."""


class TwoWayMessage(Protocol):
    """A message of so many bytes each way at once."""

    def __call__(self, size: int, /) -> None: ...


def message_seconds(
    swap: TwoWayMessage, sizes: Sequence[int], repeats: int, clock: Wall = time.perf_counter
) -> list[float]:
    """Seconds of messages of each of ``sizes`` bytes, the least of ``repeats`` swaps.

    A first swap of each size is not counted: it sets up buffers and connections. The least is what
    the link takes; what is more is others' work on it. On a link that is full duplex a swap takes
    as long as one message; on one that is not, its two messages share it as they will in a ring.

    Raises:
        ValueError: repeats < 1.
    """
    if repeats < 1:
        raise ValueError(f"repeats must be at least 1, got repeats={repeats}")
    seconds = []
    for size in sizes:
        swap(size)
        times = []
        for _ in range(repeats):
            begin = clock()
            swap(size)
            times.append(clock() - begin)
        seconds.append(min(times))
    return seconds


def link_seconds(
    one: int, other: int, sizes: Sequence[int], repeats: int, device: str = "cpu"
) -> list[float]:
    """Seconds of messages between two ranks while the others wait; all ranks must call it.

    Only rank ``one`` knows; elsewhere the list is empty.

    Raises:
        ValueError: repeats < 1.
        RuntimeError: torch.distributed is not initialised.
    """
    rank, _ = place()
    peer = other if rank == one else one
    rooms = {size: torch.zeros((2, size), dtype=torch.uint8, device=device) for size in sizes}

    def swap(size: int) -> None:
        out, into = rooms[size]
        both = [dist.P2POp(dist.isend, out, peer), dist.P2POp(dist.irecv, into, peer)]
        for work in dist.batch_isend_irecv(both):
            work.wait()
        if device.startswith("cuda"):
            torch.cuda.synchronize(device)

    told: list[float] = []
    if rank in (one, other):
        found = message_seconds(swap, sizes, repeats)
        told = found if rank == one else []
    dist.barrier()
    return told
