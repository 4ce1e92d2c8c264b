"""Collectives over torch.distributed: every node a rank, the exact sum, the bytes that cross."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from algorithms.collectives.base import Collective, counted, executed
from algorithms.network.launch import launch
from algorithms.network.message_rounds import SummedOnRanks, exchanged
from algorithms.network.ranks import place
from proofs_check.verdict import Outcome, Verdict

_BYTES, _SEED = 8, 15


def for_nodes(part: Collective, nodes: int) -> Collective | None:
    """The algorithm with as many workers as make so many nodes; None if no number does."""
    for n in range(nodes, 0, -1):
        try:
            one = part.with_workers(n)
        except ValueError:
            continue
        if one.nodes == nodes:
            return one
    return None


def beginning(one: Collective) -> Tensor:
    """What each node begins with ``[nodes, d]``: random integers; a server with nothing."""
    d = 2 * one.parts + 3
    drawn = torch.randint(
        -(2**62), 2**62, (one.n, d), generator=torch.Generator().manual_seed(_SEED)
    )
    held = torch.zeros(one.nodes, d, dtype=torch.int64)
    held[: one.n] = drawn * one.gives(d)
    return held


def on_ranks(ranks: int, parts: Sequence[Collective]) -> tuple[Verdict, ...]:
    """A verdict on each collective that has a form for so many nodes; ranks start once.

    Raises:
        ValueError: ranks < 1.
        RankLost: a rank died or stalled.
    """
    todo = [one for part in parts if (one := for_nodes(part, ranks)) is not None]
    told = launch(_played, todo, ranks=ranks) if todo else []
    return tuple(_verdict(one, [mine[i] for mine in told]) for i, one in enumerate(todo))


def _played(todo: Sequence[Collective]) -> list[SummedOnRanks]:
    """On a rank: its part in all of them."""
    rank, _ = place()
    starts = [beginning(one) for one in todo]
    return [exchanged(one.rounds(x.shape[1]), x[rank]) for one, x in zip(todo, starts, strict=True)]


def _verdict(one: Collective, told: Sequence[SummedOnRanks]) -> Verdict:
    """Sums bit for bit, and bytes out of and into every rank."""
    start = beginning(one)
    d = start.shape[1]
    ends, seen = torch.stack([mine.held for mine in told]), counted(one.rounds(d), one.nodes)
    summed = torch.equal(ends[: one.n], start.sum(0).expand(one.n, d))
    alike = torch.equal(ends, executed(one.rounds(d), start))
    sent = [mine.sent for mine in told] == [_BYTES * int(count) for count in seen.sent]
    received = [mine.received for mine in told] == [_BYTES * int(count) for count in seen.received]
    return Verdict(
        subject=one.name,
        claim=f"{len(told)} ranks hold the exact sum, what the program on tensors holds, and send "
        "and receive the bytes that are counted",
        check="collective on ranks",
        outcome=Outcome.AGREES if summed and alike and sent and received else Outcome.REFUTED,
        statistic=float(sum(mine.sent for mine in told)),
        bound=float(_BYTES * seen.elements),
        resolution=0.0,
        evidence=f"sum {summed}, as on tensors {alike}, bytes sent {sent}, received {received}: "
        f"{sum(mine.sent for mine in told)} bytes in all",
        provenance=f"vectors of {d} integers of 64 bits, seed {_SEED}, gloo",
    )
