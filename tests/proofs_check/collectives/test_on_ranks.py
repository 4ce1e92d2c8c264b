"""Collectives over torch.distributed; ranks start once for all of them."""

from __future__ import annotations

import pytest

from algorithms.catalogue import ROWS
from algorithms.collectives.base import Collective
from algorithms.collectives.binary_tree import BinaryTree
from algorithms.collectives.ring import RingAllReduce
from algorithms.collectives.servers import ServerShards
from proofs_check.collectives.on_ranks import LISTS, for_nodes, on_ranks
from proofs_check.mutants.collectives import TamperedProgram, without_last
from proofs_check.verdict import Outcome

PARTS = (
    *(
        part
        for row in ROWS
        if row.subject
        for part in row.subject.parts
        if isinstance(part, Collective)
    ),
    ServerShards(2, 2),
)


@pytest.mark.sharded
@pytest.mark.parametrize(("ranks", "most_without"), [(2, 3), (4, 3), (8, 2)])
def test_ranks_hold_the_sum_and_send_the_bytes_that_are_counted(ranks: int, most_without: int):
    """Several servers need nodes of their own, and trees of servers fill some numbers only."""
    without = [part.name for part in PARTS if for_nodes(part, ranks) is None]
    assert len(without) <= most_without, without
    wrong = TamperedProgram(RingAllReduce(8), without_last)
    short = TamperedProgram(BinaryTree(8), without_last)
    verdicts = on_ranks(ranks, (*PARTS, wrong), (*LISTS, (short, None)))
    assert len(verdicts) == len(PARTS) - len(without) + 1 + len(LISTS) + 1
    faulty = (len(PARTS) - len(without), len(verdicts) - 1)
    sound = [v for i, v in enumerate(verdicts) if i not in faulty]
    assert [v.evidence for v in sound if v.outcome is not Outcome.AGREES] == []
    assert verdicts[faulty[0]].outcome is Outcome.REFUTED, "the ring without its last round"
    assert verdicts[faulty[1]].outcome is Outcome.REFUTED, "lists that do not come down to all"
