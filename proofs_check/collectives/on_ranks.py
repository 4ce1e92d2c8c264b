"""Collectives over torch.distributed: every node a rank, the exact sum, the bytes that cross."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from algorithms.collectives.base import Collective, counted, executed
from algorithms.collectives.binary_tree import BinaryTree
from algorithms.collectives.sparse_lists import run_lists
from algorithms.network.launch import launch
from algorithms.network.message_rounds import SummedOnRanks, exchanged
from algorithms.network.ranks import place
from algorithms.network.sparse_rounds import ListOnRank, exchanged_lists
from proofs_check.collectives.lists import MERGED, drawn_lists
from proofs_check.verdict import CheckKind, Outcome, Verdict

_BYTES, _SEED = 8, 15
_LONG, _KEPT = 61, 5


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
    """Initial vector of each node ``[nodes, d]``: random integers; zero at a server."""
    d = 2 * one.parts + 3
    drawn = torch.randint(
        -(2**62), 2**62, (one.n, d), generator=torch.Generator().manual_seed(_SEED)
    )
    held = torch.zeros(one.nodes, d, dtype=torch.int64)
    held[: one.n] = drawn * one.gives(d)
    return held


ListProgram = tuple[Collective, int | None]
"""A program that lists are merged along, and the limit on their length."""

LISTS: tuple[ListProgram, ...] = (*((one, None) for one in MERGED), (BinaryTree(8), _KEPT))
"""Those of SparCML, and gTop-k's."""


def on_ranks(
    ranks: int, parts: Sequence[Collective], lists: Sequence[ListProgram] = LISTS
) -> tuple[Verdict, ...]:
    """A verdict on each collective that has a form for so many nodes, and on each program of lists;
    ranks start once.

    Raises:
        ValueError: ranks < 1.
        RankLost: a rank died or stalled.
    """
    todo = [one for part in parts if (one := for_nodes(part, ranks)) is not None]
    merged = [(one.with_workers(ranks), keep) for one, keep in lists]
    told = launch(_played, todo, merged, ranks=ranks) if todo or merged else []
    sums = (_verdict(one, [mine[0][i] for mine in told]) for i, one in enumerate(todo))
    of_lists = (
        _list_verdict(one, keep, [mine[1][i] for mine in told])
        for i, (one, keep) in enumerate(merged)
    )
    return (*sums, *of_lists)


def _played(
    todo: Sequence[Collective], merged: Sequence[ListProgram]
) -> tuple[list[SummedOnRanks], list[ListOnRank]]:
    """On a rank: its part in all of them."""
    rank, ranks = place()
    starts = [beginning(one) for one in todo]
    sums = [exchanged(one.rounds(x.shape[1]), x[rank]) for one, x in zip(todo, starts, strict=True)]
    mine = drawn_lists(ranks, _LONG, _KEPT)[rank]
    return sums, [exchanged_lists(one.rounds(_LONG), mine, keep) for one, keep in merged]


def _list_verdict(one: Collective, keep: int | None, told: Sequence[ListOnRank]) -> Verdict:
    """Lists entry for entry, and bytes out of and into every rank."""
    lists = drawn_lists(one.n, _LONG, _KEPT)
    whole = run_lists(one.rounds(_LONG), lists, keep)
    alike = all(
        np.array_equal(mine.held.places, its.places)
        and np.array_equal(mine.held.values, its.values)
        for mine, its in zip(told, whole.held, strict=True)
    )
    summed = np.sum([entries.dense(_LONG) for entries in lists], axis=0)
    right = all(np.array_equal(mine.held.dense(_LONG), summed) for mine in told)
    if keep is not None:  # cut on the way: all the same, and no longer than the limit
        right = all(
            mine.held.places.size <= keep and np.array_equal(mine.held.places, told[0].held.places)
            for mine in told
        )
    sent = [mine.sent for mine in told] == [_BYTES * int(count) for count in whole.sent]
    received = sum(mine.received for mine in told) == sum(mine.sent for mine in told)
    what = "the exact sum" if keep is None else f"one list of at most {keep} entries"
    return Verdict(
        subject=f"lists along {one.name}",
        claim=f"{len(told)} ranks hold {what}, entry for entry what the program on lists "
        "holds, and send the bytes that are counted",
        check="lists on ranks",
        kind=CheckKind.RANKS,
        outcome=Outcome.AGREES if right and alike and sent and received else Outcome.REFUTED,
        statistic=float(sum(mine.sent for mine in told)),
        bound=float(_BYTES * int(whole.sent.sum())),
        resolution=0.0,
        evidence=f"{what} {right}, as on lists {alike}, bytes sent {sent}, received {received}: "
        f"{sum(mine.sent for mine in told)} bytes, and {sum(mine.lengths for mine in told)} of "
        "lengths",
        provenance=f"{_KEPT} entries of {_LONG}, integers of 64 bits, gloo",
    )


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
        kind=CheckKind.RANKS,
        outcome=Outcome.AGREES if summed and alike and sent and received else Outcome.REFUTED,
        statistic=float(sum(mine.sent for mine in told)),
        bound=float(_BYTES * seen.elements),
        resolution=0.0,
        evidence=f"sum {summed}, as on tensors {alike}, bytes sent {sent}, received {received}: "
        f"{sum(mine.sent for mine in told)} bytes in all",
        provenance=f"vectors of {d} integers of 64 bits, seed {_SEED}, gloo",
    )
