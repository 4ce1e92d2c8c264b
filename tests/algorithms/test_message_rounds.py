"""Collectives over torch.distributed: the exact sum, and the bytes that were counted.

Ranks start once for all collectives.
"""

from __future__ import annotations

import pytest
import torch

from algorithms.catalogue import ROWS
from algorithms.collectives.base import Collective, counted, executed
from algorithms.collectives.servers import ServerShards, ServerTree
from algorithms.network.launch import launch
from algorithms.network.message_rounds import exchanged
from algorithms.network.ranks import place

PARTS = tuple(
    part
    for row in ROWS
    if row.subject
    for part in row.subject.parts
    if isinstance(part, Collective)
)


def on(ranks: int) -> tuple[Collective, ...]:
    """Every collective that has a form for so many nodes."""
    found: list[Collective] = []
    for part in PARTS:
        for n in range(1, ranks + 1):
            try:
                one = part.with_workers(n)
            except ValueError:
                continue
            if one.nodes == ranks:
                found.append(one)
    return tuple(dict.fromkeys(found))


def vectors(one: Collective) -> torch.Tensor:
    """What each node begins with: random integers; servers with nothing."""
    d = 2 * one.parts + 3
    held = torch.zeros(one.nodes, d, dtype=torch.int64)
    drawn = torch.randint(-(2**62), 2**62, (one.n, d), generator=torch.Generator().manual_seed(15))
    held[: one.n] = drawn * one.gives(d)
    return held


def work() -> list[tuple[torch.Tensor, int, int]]:
    rank, ranks = place()
    found = []
    for one in on(ranks):
        held = vectors(one)
        found.append(tuple(exchanged(one.rounds(held.shape[1]), held[rank])))
    return found


@pytest.mark.sharded
@pytest.mark.parametrize("ranks", [2, 4, 8])
def test_ranks_hold_the_sum_and_send_the_bytes_that_are_counted(ranks: int) -> None:
    told = launch(work, ranks=ranks, timeout=120.0)
    collectives = on(ranks)
    assert len(collectives) >= 11
    for number, one in enumerate(collectives):
        held = vectors(one)
        d = held.shape[1]
        ends = torch.stack([told[rank][number][0] for rank in range(ranks)])
        assert torch.equal(ends, executed(one.rounds(d), held)), one.name
        assert torch.equal(ends[: one.n], held.sum(0).expand(one.n, d)), one.name
        seen = counted(one.rounds(d), ranks)
        assert [told[rank][number][1] for rank in range(ranks)] == list(8 * seen.sent), one.name
        assert [told[rank][number][2] for rank in range(ranks)] == list(8 * seen.received), one.name


def test_servers_are_among_them() -> None:
    kinds = {type(one) for one in on(4)}
    assert {ServerShards, ServerTree} <= kinds | {type(one) for one in on(8)}
