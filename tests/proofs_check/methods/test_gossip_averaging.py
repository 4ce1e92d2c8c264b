"""Linear iterations: what is averaged, how fast, by which messages; the theorem that says so."""

import numpy as np
import pytest
import torch

from algorithms.catalogue import problem, row
from algorithms.engine.run import run
from algorithms.methods.exchanges.exchange import FixedLinks
from algorithms.methods.gossip_averaging.gossip_averaging import GossipAveraging
from algorithms.topologies.base import Topology
from algorithms.topologies.directed_ring import DirectedRing
from algorithms.topologies.grid import Grid
from algorithms.topologies.one_peer_exponential import OnePeerExponential
from algorithms.topologies.optimal_weights import FDLA, FMMC
from algorithms.topologies.ring import Ring
from algorithms.topologies.weights import BestConstant
from proofs_check.instruments.paths import path
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorems.gossip_averaging import gossip_averaging

TOPOLOGIES = [
    Ring(8),
    DirectedRing(8),
    OnePeerExponential(8),
    Grid(2, 4, BestConstant()),
    Grid(2, 4, FDLA()),
    Grid(2, 4, FMMC()),
]


def targets(n: int) -> torch.Tensor:
    built = problem("consensus", n)
    x0 = built.start()
    return x0 - built.full_gradient(x0[None], torch.arange(n))


@pytest.mark.parametrize("topology", TOPOLOGIES, ids=lambda t: t.name)
def test_rows_are_multiplied_by_the_weights_and_bits_are_those_of_the_edges(
    topology: Topology,
) -> None:
    """Against numpy's matrix product; 64-bit rows to every other worker that W names."""
    built, steps, messages = problem("consensus", 8), 6, 0
    wanted = targets(8).numpy()
    for t in range(steps):
        w = topology.matrix(t)
        wanted = w @ wanted
        messages += int((w != 0).sum() - (w.diagonal() != 0).sum())
    *_, (_, state, context) = path(
        GossipAveraging(FixedLinks(topology)), built, steps, seed=1, replicas=1
    )
    np.testing.assert_allclose(state.x[0].numpy(), wanted, rtol=0, atol=1e-13)
    assert int(context.network.ledger.account().sent_bits.sum()) == messages * built.d * 64


@pytest.mark.parametrize("topology", TOPOLOGIES[:2] + TOPOLOGIES[3:], ids=lambda t: t.name)
def test_the_distance_stays_under_the_theorem_and_reaches_it_in_the_limit(
    topology: Topology,
) -> None:
    built, steps = problem("consensus", 8), 60
    method = GossipAveraging(FixedLinks(topology))
    c = method.constants(built)
    assert c.initial_potential == pytest.approx(
        float((targets(8) - targets(8).mean(0)).square().sum()), rel=1e-12
    )
    trace = run(method, built, steps=steps, seed=0, replicas=1, every=1)
    distance = 8 * trace.consensus[0]
    bound = gossip_averaging.bound(c, gossip_averaging.stepsize(c, steps), trace.steps)
    assert (distance <= bound * (1 + 1e-9) + 1e-25).all()
    rate = (distance[50] / distance[40]) ** (1 / 20)
    assert rate == pytest.approx(c.need("lam"), rel=0.02)


def test_the_row_reaches_the_mean_at_its_optimal_rate() -> None:
    built = problem("consensus", 16)
    tuned = row("fdla").tune(built, 80)
    assert tuned.theorem is gossip_averaging
    trace = run(tuned.method, built, steps=80, seed=0, replicas=1)
    assert trace.squared_distance[0, -1] < 1e-25 and trace.consensus[0, -1] < 1e-12
    plain = GossipAveraging(FixedLinks(Grid(4, 4))).constants(built).need("lam")
    assert tuned.method.constants(built).need("lam") < plain - 0.03


def test_the_bound_by_hand_and_what_it_refuses() -> None:
    c = Constants(lam=0.5, initial_potential=3.0)
    times = np.array([0.0, 1.0, 5.0])
    values = gossip_averaging.bound(c, ConstantStep(1.0), times)
    assert values.tolist() == [3.0, 0.75, 3.0 / 1024]
    (said,) = gossip_averaging.violations(c, ConstantStep(0.5), 10)
    assert said == "gamma must be the whole way = 1, got gamma=0.5"
    (apart,) = gossip_averaging.violations(c.state(lam=1.0), ConstantStep(1.0), 10)
    assert apart == "lam must be below 1 (a connected network), got lam=1"
    (missing,) = gossip_averaging.violations(Constants(lam=0.5), ConstantStep(1.0), 10)
    assert missing.startswith("this theorem needs initial_potential")


def test_another_number_of_workers_is_refused() -> None:
    with pytest.raises(ValueError, match="n=4 nodes, the network n=8 workers"):
        run(
            GossipAveraging(FixedLinks(Ring(4))),
            problem("consensus", 8),
            steps=1,
            seed=0,
            replicas=1,
        )
