"""Lost messages, a dead worker, a partition: nothing hangs, and nothing is lost in silence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch

from algorithms.catalogue.gossip_directed import uneven_exponential
from algorithms.compressors.fixed_point import FixedPoint
from algorithms.compressors.identity import Identity
from algorithms.engine.run import Diverged, run
from algorithms.methods.base import Method
from algorithms.methods.exchanges.exchange import Exchange, FixedLinks, RandomLinks
from algorithms.methods.exchanges.unreliable import LostWeight, Unreliable
from algorithms.methods.gossip.d_psgd import DPSGD, LossyDPSGD
from algorithms.methods.gossip_averaging.gossip_averaging import GossipAveraging
from algorithms.methods.gossip_compressed.quantised_consensus import OwnValue, QuantisedConsensus
from algorithms.methods.gossip_directed.gossipgrad import GossipGraD
from algorithms.methods.gossip_directed.overlap_sgp import OverlapSGP
from algorithms.methods.gossip_directed.push_sum import PushSum
from algorithms.methods.gossip_directed.sgp import SGP
from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.base import MixingSequence
from algorithms.topologies.complete import Complete
from algorithms.topologies.directed_ring import DirectedRing
from algorithms.topologies.dissemination import RotatingHypercube
from algorithms.topologies.losses import DeadNode, Losses, LostMessage, RandomLosses
from algorithms.topologies.partitioned import Partitioned
from algorithms.topologies.random_mixing import RandomEdge
from algorithms.topologies.random_out_neighbour import RandomOutNeighbour
from algorithms.topologies.ring import Ring
from proofs_check.evidence.gossip.closed_forms import consensus_problem
from proofs_check.evidence.gossip_directed import effects as sgp_speedup
from proofs_check.evidence.gossip_directed import studies as gossip_losses
from proofs_check.evidence.gossip_directed import studies as push_sum_rounds
from proofs_check.evidence.gossip_directed.closed_forms import DIGRAPH, Averaging
from proofs_check.instruments.paths import path
from proofs_check.instruments.study import StudyResult
from proofs_check.methods.equivalence import Case, cross_validate
from proofs_check.methods.faulty.push import WeightKept
from proofs_check.verdict import Outcome
from theory.stepsizes import ConstantStep, Stepsize

STEP = ConstantStep(0.05)
LINKS = int((DIGRAPH.matrix(0) > 0).sum()) - DIGRAPH.n


def lossy(losses: Losses, lost: LostWeight = LostWeight.VANISHES) -> Unreliable:
    return Unreliable(FixedLinks(DIGRAPH), losses, lost)


def test_without_losses_it_is_the_reliable_exchange() -> None:
    problem = consensus_problem(7, 3, 44)
    for reliable in (FixedLinks(DIGRAPH), RandomLinks(RandomOutNeighbour(Complete(7)))):
        one = run(PushSum(reliable), problem, steps=20, replicas=2, points=2)
        for lost in LostWeight:
            exchange = Unreliable(reliable, RandomLosses(0.0), lost)
            other = run(PushSum(exchange), problem, steps=20, replicas=2, points=2)
            torch.testing.assert_close(one.rows, other.rows, rtol=1e-14, atol=1e-14)
            assert torch.equal(one.account.sent_bits, other.account.sent_bits)
            assert torch.equal(one.account.received_bits, other.account.received_bits)


@pytest.mark.parametrize(
    ("losses", "steps", "sent", "arrived"),
    [
        (LostMessage(int(np.flatnonzero(DIGRAPH.matrix(0)[0, 1:])[0]) + 1, 0, 2), 5, 5, 5),
        (RandomLosses(1.0), 5, 5, 0),
    ],
    ids=lambda v: v.name if isinstance(v, Losses) else str(v),
)
def test_the_ledger_tells_what_was_lost(
    losses: Losses, steps: int, sent: int, arrived: int
) -> None:
    """Senders pay for every message, receivers for those that come."""
    trace = run(PushSum(lossy(losses)), consensus_problem(7, 3, 44), steps=steps, points=2)
    out, in_ = trace.account.sent_messages.sum(), trace.account.received_messages.sum()
    assert int(out) == sent * LINKS
    assert int(in_) == arrived * LINKS - isinstance(losses, LostMessage)
    assert int(trace.account.received_bits.sum()) == 64 * 4 * int(in_)


def test_a_dead_worker_neither_sends_nor_hears() -> None:
    dead, start, steps = 2, 3, 8
    trace = run(PushSum(lossy(DeadNode(dead, start))), consensus_problem(7, 3, 44), steps=steps)
    p = DIGRAPH.matrix(0) > 0
    out, in_ = p[:, dead].sum() - 1, p[dead].sum() - 1
    assert int(trace.account.sent_messages[0, dead]) == start * out
    assert int(trace.account.received_messages[0, dead]) == start * in_
    total = int(trace.account.sent_messages.sum() - trace.account.received_messages.sum())
    assert total == (steps - start) * in_  # what the others send to it is lost


def test_a_partition_parts_and_heals() -> None:
    """While cut off both sides agree among themselves; afterwards all do."""
    problem, part = consensus_problem(6, 2, 44), (0, 1, 2)
    exchange = Unreliable(FixedLinks(Ring(6)), Partitioned(part, 0, 200), LostWeight.OWN_INSTEAD)
    moments = list(path(PushSum(exchange), problem, 400))
    cut, healed = (PushSum(exchange).models(moments[t].state)[0] for t in (200, 400))
    b = problem.all_gradients(torch.zeros(2, dtype=torch.float64)).neg()
    torch.testing.assert_close(cut[:3], b[:3].mean(0).expand(3, 2), rtol=0, atol=1e-9)
    torch.testing.assert_close(cut[3:], b[3:].mean(0).expand(3, 2), rtol=0, atol=1e-9)
    torch.testing.assert_close(healed, b.mean(0).expand(6, 2), rtol=0, atol=1e-9)


def test_returned_weight_is_kept_to_the_last_bit_of_rounding() -> None:
    problem = consensus_problem(7, 3, 44)
    exchange = lossy(RandomLosses(0.4), LostWeight.RETURNED)
    for moment in path(PushSum(exchange), problem, 60, replicas=4):
        total = moment.state.w.sum((-2, -1))
        assert (moment.state.w > 0).all()
        torch.testing.assert_close(total, torch.full_like(total, 7.0), rtol=1e-13, atol=0)


def test_sgp_whose_weight_vanishes_diverges_loudly() -> None:
    r"""w falls by (1 - p/2) a step, so gamma L / w passes 2 and the run must end in an error."""
    problem = Quadratic.strongly_convex(8, 4, zeta2=1.0)
    exchange = Unreliable(FixedLinks(DirectedRing(8)), RandomLosses(0.3))
    with pytest.raises(Diverged, match="lost weight vanishes"):
        run(SGP(STEP, exchange), problem, steps=600, points=3)


@pytest.mark.parametrize("lost", [LostWeight.VANISHES, LostWeight.RETURNED])
@pytest.mark.parametrize(
    "make",
    [
        lambda exchange: GossipGraD(STEP, exchange),
        lambda exchange: LossyDPSGD(STEP, exchange),
        GossipAveraging,
        lambda exchange: QuantisedConsensus(exchange, FixedPoint(3, 12)),
    ],
    ids=["GossipGraD", "D-PSGD", "averaging", "quantised"],
)
def test_averages_refuse_losses_that_shrink_models(
    make: Callable[[Exchange], Method[Any]], lost: LostWeight
) -> None:
    with pytest.raises(ValueError, match=r"sum to 1 by row.*OWN_INSTEAD would do"):
        make(Unreliable(FixedLinks(Ring(6)), RandomLosses(0.1), lost))
    with pytest.raises(ValueError, match="sum to 1 by row"):
        make(RandomLinks(RandomOutNeighbour(Complete(6))))


def test_lossy_averaging_is_push_sum_whose_weights_stay_one() -> None:
    """All agree, and on the same value, drifted from the mean."""
    problem = consensus_problem(6, 3, 44)
    exchange = Unreliable(FixedLinks(Ring(6)), RandomLosses(0.3), LostWeight.OWN_INSTEAD)
    plain = run(GossipAveraging(exchange), problem, steps=300, replicas=4, points=2)
    pushed = run(PushSum(exchange), problem, steps=300, replicas=4, points=2)
    torch.testing.assert_close(plain.rows, pushed.rows, rtol=0, atol=1e-12)
    assert float(plain.consensus[:, -1].max()) < 1e-12
    assert (plain.model - problem.x_star).abs().amax(-1).min() > 1e-3


@pytest.mark.parametrize("own", list(OwnValue))
def test_lossy_quantised_averaging_without_error_is_lossy_averaging(own: OwnValue) -> None:
    """And with errors of at most a grid's width it keeps to it that far, round by round."""
    problem = consensus_problem(6, 3, 44)
    exchange = Unreliable(FixedLinks(Ring(6)), RandomLosses(0.3), LostWeight.OWN_INSTEAD)
    exact = run(GossipAveraging(exchange), problem, steps=5, replicas=4, points=2)
    same = run(QuantisedConsensus(exchange, Identity(), own), problem, steps=5, replicas=4)
    torch.testing.assert_close(exact.rows, same.rows, rtol=0, atol=1e-14)
    near = run(QuantisedConsensus(exchange, FixedPoint(16, 22), own), problem, steps=5, replicas=4)
    torch.testing.assert_close(exact.rows, near.rows, rtol=0, atol=20 * 2.0**-16)


def test_d_psgd_without_losses_is_d_psgd_bit_for_bit() -> None:
    problem = Quadratic.strongly_convex(6, 4, sigma2=1.0, zeta2=1.0)
    one = run(DPSGD(STEP, Ring(6)), problem, steps=20, replicas=2, points=2)
    other = run(LossyDPSGD(STEP, FixedLinks(Ring(6))), problem, steps=20, replicas=2, points=2)
    assert torch.equal(one.rows, other.rows)
    assert torch.equal(one.account.sent_bits, other.account.sent_bits)


def test_sgp_told_of_its_losses_keeps_its_mean() -> None:
    r"""\bar x_{t+1} = \bar x_t - \gamma mean_i g_i(z_i), whatever is lost and returned."""
    problem = Quadratic.strongly_convex(7, 4, zeta2=1.0, sigma2=0.0)
    method = SGP(STEP, lossy(RandomLosses(0.4), LostWeight.RETURNED))
    moments = list(path(method, problem, 30, replicas=3))
    for before, after in pairwise(moments):
        g = problem.full_gradient(method.models(before.state), before.context.network.workers)
        due = before.state.s.mean(-2) - 0.05 * g.mean(-2)
        torch.testing.assert_close(after.state.s.mean(-2), due, rtol=0, atol=1e-13)


def test_bad_arguments() -> None:
    with pytest.raises(ValueError, match=r"probability must lie in \[0, 1\], got"):
        RandomLosses(1.5)
    with pytest.raises(ValueError, match="at least one worker"):
        Partitioned((), 0, 5)
    with pytest.raises(ValueError, match="stop must come after start"):
        Partitioned((0,), 5, 5)


def build(kind: str) -> tuple[Method[Any], Problem]:
    """Every kind of loss under a method, and forms that are no row, for two worlds."""
    problem = Quadratic.strongly_convex(4, 5, zeta2=1.0)
    ring: Exchange = FixedLinks(Ring(4))
    made: dict[str, Method[Any]] = {
        "losses": SGP(STEP, Unreliable(ring, RandomLosses(0.3), LostWeight.RETURNED)),
        "own instead": GossipGraD(
            STEP, Unreliable(ring, RandomLosses(0.3), LostWeight.OWN_INSTEAD)
        ),
        "dead": SGP(STEP, Unreliable(FixedLinks(DirectedRing(4)), DeadNode(3, 4))),
        "partition": GossipGraD(
            STEP, Unreliable(ring, Partitioned((0, 2), 3, 8), LostWeight.OWN_INSTEAD), shuffle=False
        ),
        "1-OSGP": OverlapSGP(STEP, uneven_exponential(4)),
        "3-OSGP": OverlapSGP(STEP, uneven_exponential(4), 3),
        "hypercube": GossipGraD(STEP, FixedLinks(RotatingHypercube(4)), shuffle=False),
        "D-PSGD": LossyDPSGD(STEP, Unreliable(ring, RandomLosses(0.3), LostWeight.OWN_INSTEAD)),
        "averaging": GossipAveraging(Unreliable(ring, RandomLosses(0.3), LostWeight.OWN_INSTEAD)),
        "quantised": QuantisedConsensus(
            Unreliable(ring, RandomLosses(0.3), LostWeight.OWN_INSTEAD), FixedPoint(3, 12)
        ),
        "Q1": QuantisedConsensus(ring, FixedPoint(3, 12), OwnValue.TOTAL),
        "partial": QuantisedConsensus(
            RandomLinks(RandomEdge(Ring(4))), FixedPoint(3, 12), OwnValue.PARTIAL
        ),
        "random": PushSum(
            Unreliable(RandomLinks(RandomOutNeighbour(Complete(4))), RandomLosses(0.2))
        ),
    }
    return made[kind], problem


@pytest.mark.sharded
def test_two_worlds_agree_and_none_hangs() -> None:
    kinds = (
        "losses", "own instead", "dead", "partition", "1-OSGP", "3-OSGP", "hypercube", "D-PSGD",
        "averaging", "quantised", "Q1", "partial", "random",
    )  # fmt: skip
    for verdict in cross_validate(tuple(Case(k, build, (k,)) for k in kinds), 2):
        assert verdict.outcome is Outcome.AGREES, (verdict.subject, verdict.evidence)


def outcomes(result: StudyResult) -> set[Outcome]:
    return {verdict.outcome for verdict in result.verdicts}


def test_the_study_of_losses_can_fail() -> None:
    def twice(exchange: Exchange) -> PushSum:
        assert isinstance(exchange, Unreliable) and isinstance(exchange.losses, RandomLosses)
        more = RandomLosses(2 * exchange.losses.probability)
        return PushSum(replace(exchange, losses=more))

    result = gossip_losses.measure(twice, GossipGraD, GossipGraD)
    assert [v.outcome for v in result.verdicts[:4]] == 4 * [Outcome.REFUTED]
    for k in (7, 11):  # samples passed round: another law
        assert result.verdicts[k].outcome is Outcome.REFUTED


def test_the_study_of_rounds_can_fail() -> None:
    result = push_sum_rounds.push_sum_rounds_measure(lambda exchange: WeightKept(PushSum(exchange)))
    assert Outcome.REFUTED in outcomes(result)


@pytest.mark.slow
def test_the_study_of_speedup_can_fail() -> None:
    def averaged(step: Stepsize, graph: MixingSequence) -> SGP:
        return SGP(step, FixedLinks(Averaging(graph)))

    result = sgp_speedup.sgp_speedup_measure(averaged)
    assert [v.outcome for v in result.verdicts[:4]] == 4 * [Outcome.REFUTED]
