"""D-squared, DCD- and ECD-PSGD, quantised consensus, QuanTimed: what they refuse and what they do.

Their laws are closed forms, tested with all others; here is what those do not see.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch

from algorithms.catalogue import problem, row
from algorithms.catalogue.gossip_compressed import ENTRIES
from algorithms.compressors.fixed_point import FixedPoint
from algorithms.compressors.identity import Identity
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.scaled_unbiased import ScaledUnbiased
from algorithms.core.key import Key
from algorithms.engine.run import run
from algorithms.methods.exchanges.exchange import FixedLinks, RandomLinks
from algorithms.methods.exchanges.unreliable import LostWeight, Unreliable
from algorithms.methods.gossip.choco import ChocoGossip
from algorithms.methods.gossip_compressed.d2 import D2
from algorithms.methods.gossip_compressed.dcd_psgd import DCDPSGD
from algorithms.methods.gossip_compressed.ecd_psgd import ECDPSGD
from algorithms.methods.gossip_compressed.moniqua import Moniqua
from algorithms.methods.gossip_compressed.quantimed import QuanTimed
from algorithms.methods.gossip_compressed.quantised_consensus import OwnValue, QuantisedConsensus
from algorithms.methods.parts.constants import operator_constants
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.compute_times import Constant
from algorithms.topologies.complete import Complete
from algorithms.topologies.hypercube import Hypercube
from algorithms.topologies.lazy import Lazy
from algorithms.topologies.losses import RandomLosses
from algorithms.topologies.one_peer_exponential import OnePeerExponential
from algorithms.topologies.random_mixing import RandomEdge
from algorithms.topologies.ring import Ring
from algorithms.topologies.static_exponential import StaticExponential
from theory.constants import Constants, MissingConstants
from theory.networks.compressed_gossip import (
    d2_limit,
    d2_radius,
    dcd_margin,
    ecd_estimate_error,
    relative_growth_of_differences,
)
from theory.stepsizes import ConstantStep
from theory.theorems.choco_gossip import consensus_stepsize
from theory.theorems.quantised_consensus import quantised_consensus

STEP = ConstantStep(0.1)


@pytest.fixture(scope="module")
def consensus() -> Quadratic:
    b = torch.from_numpy(np.random.default_rng(4).normal(size=(8, 6)))
    return Quadratic.from_arrays(torch.ones_like(b), b)


def test_d_squared_refuses_by_name_what_it_cannot_use() -> None:
    with pytest.raises(ValueError, match=r"lambda_n=-0.333333 of topology=ring\(n=8\); Lazy"):
        D2(STEP, Ring(8))
    with pytest.raises(ValueError, match="needs a static topology, got topology=one-peer"):
        D2(STEP, OnePeerExponential(8))
    with pytest.raises(ValueError, match="needs a symmetric W, got topology=static"):
        D2(STEP, StaticExponential(8))
    with pytest.raises(ValueError, match="above -1/3"):
        D2(STEP, Hypercube(16))
    D2(STEP, Lazy(Hypercube(16)))
    D2(STEP, Ring(8), allow_unstable=True)


@pytest.mark.parametrize("make", [DCDPSGD, ECDPSGD])
def test_sums_over_copies_need_a_fixed_w(make: type) -> None:
    with pytest.raises(ValueError, match="needs a static topology, got topology=one-peer"):
        make(STEP, OnePeerExponential(8), QSGD(4))


@pytest.mark.parametrize(("deadline", "most"), [(0.0, 2), (math.nan, 2), (1.0, 0)])
def test_quantimed_refuses(deadline: float, most: int) -> None:
    wrong = "most must be at least 1" if deadline == 1.0 else "deadline (must|should) be"
    with pytest.raises(ValueError, match=wrong):
        QuanTimed(STEP, ConstantStep(0.5), Ring(4), Identity(), Constant(), deadline, most)


def test_moniqua_refuses_what_is_no_circle() -> None:
    other: Any = QSGD(4)
    with pytest.raises(ValueError, match=r"circle must be a CircleGrid, got circle=QSGD"):
        Moniqua(STEP, Ring(4), other)


def test_meetings_of_others_are_refused(consensus: Quadratic) -> None:
    with pytest.raises(ValueError, match="n=5"):
        run(QuantisedConsensus(RandomLinks(RandomEdge(Ring(5))), QSGD(4)), consensus, steps=1)
    with pytest.raises(ValueError, match="row_error must be at least 0"):
        QuantisedConsensus(RandomLinks(RandomEdge(Ring(8))), QSGD(4), row_error=-1.0)
    with pytest.raises(ValueError, match="exchange ring"):
        run(QuantisedConsensus(FixedLinks(Ring(5)), QSGD(4)), consensus, steps=1)


def test_modes_of_d_squared_by_numpy() -> None:
    for lam in (-0.5, -0.2, 0.3, 0.9):
        for curvature in (0.0, 0.1, 0.7):
            roots = np.roots([1.0, -(2 - curvature) * lam, (1 - curvature) * lam])
            assert d2_radius(lam, curvature) == pytest.approx(np.abs(roots).max(), rel=1e-12)
    for curvature in (0.0, 0.3, 0.9):
        limit = d2_limit(curvature)
        assert d2_radius(limit, curvature) == pytest.approx(1.0, abs=1e-12)
        assert d2_radius(limit + 1e-3, curvature) < 1 < d2_radius(limit - 1e-3, curvature)
    with pytest.raises(ValueError, match="curvature=1"):
        d2_limit(1.0)


def test_signal_to_noise_by_hand() -> None:
    # complete graph: lambda = 0, mu = 1, so alpha^2 = omega < 1/4
    c = Complete(4).constants()
    assert dcd_margin(c.state(omega=0.2)) == pytest.approx(0.2, abs=1e-12)
    assert dcd_margin(c.state(omega=0.25)) == pytest.approx(0.0, abs=1e-12)
    with pytest.raises(MissingConstants, match="omega"):
        dcd_margin(c)


def test_estimates_by_the_recursion() -> None:
    error = 0.0
    for s in range(1, 50):
        assert ecd_estimate_error(s, 0.5) == pytest.approx(0.5 * error, rel=1e-12)
        error = (1 - 2 / s) ** 2 * error + (2 / s) ** 2
    late = [s for s in range(2, 50) if ecd_estimate_error(s, 0.5) > 1 / s]
    assert late == [2, 3, 4]  # the paper's sigma~^2/t, noise sigma~^2/2, holds from 5 on
    with pytest.raises(ValueError, match="s=0"):
        ecd_estimate_error(0, 1.0)


def test_second_moments_of_q2_by_enumeration() -> None:
    # rand-1 of 2 on two workers: four equally likely draws, W = J
    w, omega = np.full((2, 2), 0.5), 1.0
    x = np.array([1.0, -1.0])
    total = 0.0
    for one in (0, 2):
        for other in (0, 2):
            e = np.array([one - 1, other - 1]) * x
            total += np.square(w @ x + (w - np.eye(2)) @ e).sum() / 4
    # x has no mean; its second moment's eigenvalue is omega/2 = 1/2 of 2
    assert total == pytest.approx(omega / 2 * 2)
    assert relative_growth_of_differences(w, 3.0) == pytest.approx(1.5)
    assert relative_growth_of_differences(w, 1.0) == pytest.approx(1.0)  # the mean's own


def test_naive_gossip_stalls_where_it_should(consensus: Quadratic) -> None:
    """Without compression both are W^t x; on a grid of width D the level is of order D^2."""
    ring, w = FixedLinks(Ring(8)), torch.from_numpy(Ring(8).matrix(0).copy())
    b = -consensus.all_gradients(torch.zeros(6, dtype=torch.float64))
    for own in OwnValue:
        exact = run(QuantisedConsensus(ring, Identity(), own), consensus, steps=20, points=2)
        assert torch.allclose(exact.rows[0], torch.linalg.matrix_power(w, 20) @ b, atol=1e-12)
    centre = b.mean(0)
    kept = run(QuantisedConsensus(ring, FixedPoint(3, 12)), consensus, steps=200, points=2)
    assert torch.allclose(kept.model[0], centre, atol=1e-12)
    total = QuantisedConsensus(ring, FixedPoint(3, 12), OwnValue.TOTAL)
    moved = run(total, consensus, steps=200, points=2)
    assert (moved.model[0] - centre).abs().max() > 1e-3


def test_who_meets_nobody_keeps_its_value_and_pays_nothing(consensus: Quadratic) -> None:
    b = -consensus.all_gradients(torch.zeros(6, dtype=torch.float64))
    for own in OwnValue:
        method = QuantisedConsensus(RandomLinks(RandomEdge(Ring(8))), FixedPoint(2, 12), own)
        trace = run(method, consensus, steps=1, points=2, seed=3)
        still = (trace.rows[0] == b).all(-1)
        assert int(still.sum()) == 6
        sent = trace.account.sent_bits[0]
        assert torch.equal(sent, torch.where(still, 0, 6 * 12))


def test_quantised_consensus_states_its_theorem(consensus: Quadratic) -> None:
    meetings = RandomLinks(RandomEdge(Ring(8)))
    method = QuantisedConsensus(meetings, FixedPoint(3, 12), row_error=0.5)
    c = method.constants(consensus)
    assert meetings.movement() == pytest.approx(1.0)  # averages of pairs are projections
    assert c.absolute_error == pytest.approx(0.5)
    assert quantised_consensus.applies(c, ConstantStep(1.0), 10)
    assert not quantised_consensus.applies(c, ConstantStep(0.5), 10)
    late = quantised_consensus.bound(c, ConstantStep(1.0), np.array([1e6]))[0]
    assert late == pytest.approx(0.5 / (1 - c.need("lam") ** 2))
    every = QuantisedConsensus(FixedLinks(Ring(8)), FixedPoint(3, 12), row_error=0.5)
    c = every.constants(consensus)
    assert c.absolute_error == pytest.approx(0.5 * 8 * 6 / 9)  # rows (-2, 1, 1)/3 of W - I
    assert c.lam == Ring(8).constants().lam
    varying = FixedLinks(OnePeerExponential(8))
    lossy = Unreliable(FixedLinks(Ring(8)), RandomLosses(0.1), LostWeight.OWN_INSTEAD)
    for exchange in (varying, lossy):  # no law that serves every round is known
        c = QuantisedConsensus(exchange, FixedPoint(3, 12), row_error=0.5).constants(consensus)
        assert c.lam is None and c.absolute_error is None
    partial = QuantisedConsensus(meetings, FixedPoint(3, 12), OwnValue.PARTIAL, row_error=0.5)
    assert partial.constants(consensus).absolute_error is None
    told = quantised_consensus.violations(Constants(), ConstantStep(1.0), 1)
    assert told[0].startswith("this theorem needs lam, absolute_error, initial_potential")


def test_quantimed_takes_the_deadline_and_counts_gradients(consensus: Quadratic) -> None:
    times = Constant((0.5, 1.0, 2.0, 5.0, 1.0, 1.0, 1.0, 1.0))
    method = QuanTimed(STEP, ConstantStep(0.5), Ring(8), Identity(), times, 3.0, 4)
    trace = run(method, consensus, steps=4, points=2)
    assert trace.seconds[0, -1] == 4 * 5.0  # worker 3 never meets the deadline of 3 s
    quick = QuanTimed(STEP, ConstantStep(0.5), Ring(8), Identity(), Constant(1.0), 3.0, 4)
    assert run(quick, consensus, steps=4, points=2).seconds[0, -1] == 12.0


def test_dcd_diverges_beyond_its_condition_where_choco_does_not() -> None:
    """rand-1 of 8, omega = 7, beyond the condition on every graph."""
    built = Quadratic.strongly_convex(8, 8, sigma2=0.0)
    wild = DCDPSGD(ConstantStep(0.01), Ring(8), RandK(1))
    assert dcd_margin(wild.constants(built)) < 0
    end = run(wild, built, steps=60, points=2, replicas=4).consensus[:, -1]
    assert (end > 1e6).all()


@pytest.mark.parametrize("key", [entry.key for entry in ENTRIES])
def test_rows_make_progress(key: str) -> None:
    name = row(key).problems[0]
    built = problem(name, 8)
    trace = run(row(key).build(built, 120), built, steps=120, points=2)
    assert trace.suboptimality[0, -1] < 0.7 * trace.suboptimality[0, 0] or name == "consensus"
    assert np.isfinite(trace.consensus).all()


def test_choco_gossip_is_tuned_by_the_published_variance_at_a_thousand_coordinates() -> None:
    """At ring 8 the weaker of QSGD's two bounds, d/(4 s^2), left three times the error (74)."""
    n, d, operator, ring = 8, 1000, ScaledUnbiased(QSGD(4)), Ring(8)
    b = Key.seed(0).fold("consensus").draws(torch.tensor(0), torch.arange(n))
    rows = b.normal(d, torch.float64)
    problem = Quadratic.from_arrays(torch.ones_like(rows), rows)
    gamma = consensus_stepsize(ring.constants().merge(operator_constants(operator, d)))
    delta = 1 / (1 + d**0.5 / 4)
    assert gamma == pytest.approx(consensus_stepsize(ring.constants().state(delta=delta)), 1e-12)
    trace = run(ChocoGossip(ring, operator, gamma), problem, steps=3000)
    assert trace.consensus[..., 0].item() > 800 and trace.consensus[..., -1].item() < 25
