"""Local SGD over gossip: both worlds (CoLa's too), refusals, faults that studies must see."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from algorithms.catalogue import problem, row
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.top_k import TopK
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.exchanges.gossip_rounds import PlainRound
from algorithms.methods.gossip.choco import ChocoRound
from algorithms.methods.gossip_local.gossip_local_sgd import GossipLocalSGD
from algorithms.problems.base import Problem
from algorithms.problems.mixed_curvature import MixedCurvature
from algorithms.topologies.complete import Complete
from algorithms.topologies.one_peer_exponential import OnePeerExponential
from algorithms.topologies.ring import Ring
from proofs_check.evidence.gossip_local import studies as gossip_local_phase
from proofs_check.evidence.gossip_local import studies as settings
from proofs_check.evidence.gossip_local import studies_compressed as gossip_local_compressed
from proofs_check.evidence.gossip_local import studies_rate as gossip_local_rate
from proofs_check.evidence.gossip_local.closed_forms import plain
from proofs_check.evidence.gossip_local.closed_forms_moments import (
    Recursion,
    boundary,
    lazy_complete,
)
from proofs_check.evidence.gossip_local.effects import period_off_by_one
from proofs_check.methods.equivalence import Case, cross_validate
from proofs_check.problems.check import check_problem
from proofs_check.verdict import Outcome
from theory.stepsizes import ConstantStep

STEP = ConstantStep(0.05)


COLUMNS = ("lasso-diabetes", "logistic-l1-breast-cancer", "sigmoid-breast-cancer")


def built(kind: str) -> tuple[Method[Any], Problem]:
    """What the two worlds both make."""
    if kind in COLUMNS:
        split = problem(kind, 4)
        return row("cola").build(split, 5), split
    rounds = {
        "top-k": ChocoRound(Ring(4), TopK(0.25), 0.3),
        "rand-k": ChocoRound(Ring(4), RandK(0.25, scaled=False), 0.3),
        "one-peer": PlainRound(OnePeerExponential(4)),
    }
    return GossipLocalSGD(STEP, rounds[kind], 3), problem("quadratic-sc", 4)


@pytest.mark.slow
@pytest.mark.sharded
def test_both_worlds_agree() -> None:
    kinds = ("top-k", "rand-k", "one-peer", *COLUMNS)
    cases = tuple(Case(kind, built, (kind,), steps=7) for kind in kinds)
    for verdict in cross_validate(cases, 2):
        assert verdict.outcome is Outcome.AGREES, verdict


def test_only_meetings_are_charged() -> None:
    trace = run(*built("one-peer"), steps=11)
    assert (trace.account.sent_messages == 3).all()
    assert (trace.account.sent_bits == 3 * 64 * problem("quadratic-sc", 4).d).all()


def test_constants_speak_only_of_what_theorems_cover() -> None:
    p = problem("quadratic-sc", 4)
    plain = GossipLocalSGD(STEP, PlainRound(Ring(4)), 4).constants(p)
    assert plain.H == 4 and plain.lam == pytest.approx(1 / 3)
    choco = ChocoRound(Ring(4), TopK(0.25), 0.3)
    assert GossipLocalSGD(STEP, choco, 1).constants(p).delta == 0.25
    assert GossipLocalSGD(STEP, choco, 4).constants(p).lam is None


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: GossipLocalSGD(STEP, PlainRound(Ring(4)), 0), "period=0"),
        (lambda: ChocoRound(Ring(4), TopK(2), 1.5), "consensus_step=1.5"),
        (lambda: ChocoRound(OnePeerExponential(4), TopK(2), 0.5), "static topology"),
        (lambda: run(GossipLocalSGD(STEP, PlainRound(Ring(5)), 2), built("top-k")[1], steps=1),
         "n=5"),
    ],
)  # fmt: skip
def test_bad_input_is_named(make: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        make()


def test_mixed_curvature_states_what_holds() -> None:
    generator = torch.Generator().manual_seed(5)
    a = 0.5 + torch.randn((6, 4), generator=generator, dtype=torch.float64)
    a += (0.6 - a.mean(0)).clamp_min(0.0)
    c = torch.randn((6, 4), generator=generator, dtype=torch.float64)
    mixed = MixedCurvature("mixed", a, c, torch.zeros(4, dtype=torch.float64))
    assert bool((a < 0).any())
    for verdict in check_problem(mixed, seed=3):
        assert verdict.outcome is not Outcome.REFUTED, verdict
    with pytest.raises(ValueError, match="positive mean"):
        MixedCurvature("mixed", -a, c, mixed.x0)
    with pytest.raises(ValueError, match="shape"):
        MixedCurvature("mixed", a, c[:, :2], mixed.x0)


def test_the_moments_growth_is_that_of_matrix_powers() -> None:
    """Spectral radius of second moments against iterating them."""
    a = settings.alternating(4)
    own = Recursion(lazy_complete(4, 0.5), a, 0 * a, 0.01, 5, 0.25, 0.3)
    m = own.start(1.0)
    totals = []
    for _ in range(400):
        m = own.after(m)
        totals.append(np.trace(m[:-1, :-1]))
    assert 0.5 * np.log(totals[-1] / totals[-2]) == pytest.approx(own.growth(), abs=1e-9)
    with pytest.raises(ValueError, match="change its sign"):
        boundary(lambda _h: -1.0)
    with pytest.raises(ArithmeticError, match="no long run"):
        Recursion(lazy_complete(4, 0.1), a, 0 * a, 0.01, 50).settled()


def test_studies_see_a_wrong_period_and_a_wrong_step() -> None:
    late, _ = gossip_local_phase._brackets(period_off_by_one)
    assert all(v.outcome is Outcome.REFUTED for v in late)
    longer = gossip_local_rate._moment_in_simulation(
        lambda step, w, h: plain(ConstantStep(1.5 * step(0)), w, h)
    )
    assert longer.outcome is Outcome.REFUTED, longer


def test_the_compressed_boundary_sees_a_round_that_sends_all() -> None:
    """A consensus step of 1 in place of gamma_c moves H* and is told apart."""

    def eager(step: ConstantStep, gossip: ChocoRound, period: int) -> Method[Any]:
        return GossipLocalSGD(step, PlainRound(gossip.topology), period)

    verdict = gossip_local_compressed._bracket(eager, TopK(4), 0.5, 0.4)
    assert verdict.outcome is Outcome.REFUTED, verdict


def test_complete_graph_is_forgiving() -> None:
    """On the complete graph every round ends in agreement."""
    method = GossipLocalSGD(STEP, PlainRound(Complete(4)), 3)
    trace = run(method, problem("quadratic-sc", 4), steps=6, points=7)
    assert trace.consensus[0, [3, 6]].max() < 1e-28 < trace.consensus[0, [1, 2, 4, 5]].min()
