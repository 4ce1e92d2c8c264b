"""Studies of pairwise gossip: each sees a fault."""

from __future__ import annotations

from dataclasses import replace

import pytest

from algorithms.methods.gossip_averaging.gossip_averaging import GossipAveraging
from algorithms.synchronisation.barriers import RoundRobin
from proofs_check.evidence.gossip_pairwise import studies as randomised_gossip_contraction
from proofs_check.evidence.gossip_pairwise import studies_ad_psgd as ad_psgd_straggler
from proofs_check.evidence.gossip_pairwise.effects import CallerAlone
from proofs_check.evidence.gossip_pairwise.studies import moment_time
from proofs_check.verdict import Outcome


def refuted(result):
    return {v.check for v in result.verdicts if v.outcome is Outcome.REFUTED}


def test_a_caller_that_averages_alone_is_too_slow() -> None:
    result = randomised_gossip_contraction.randomised_gossip_contraction_measure(
        lambda exchange: CallerAlone(GossipAveraging(exchange)), (6, 8, 10), (8, 12, 16)
    )
    assert "curve under bound" in refuted(result)


def test_workers_that_wait_for_their_turn_do_not_keep_the_pace() -> None:
    result = ad_psgd_straggler.ad_psgd_straggler_measure(
        lambda method: replace(method, barrier=RoundRobin())
    )
    assert {"pace", "slowdown by one worker"} <= refuted(result)


def test_the_slowest_second_moment_of_three_in_a_ring() -> None:
    """The complete graph of 3: every z falls by 1 - 1/2 a tick in mean square."""
    assert moment_time(3) == pytest.approx(1.4426950408889634)
