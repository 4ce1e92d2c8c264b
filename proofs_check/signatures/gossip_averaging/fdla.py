"""FDLA: optimal weights reach agreement in fewer rounds over the same links."""

from __future__ import annotations

from algorithms.catalogue import problem as of_catalogue
from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.exchanges.exchange import FixedLinks
from algorithms.methods.gossip_averaging.gossip_averaging import GossipAveraging
from algorithms.topologies.grid import Grid
from algorithms.topologies.weights import MaxDegree, MetropolisHastings
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, to_reach

_N, _STEPS, _TARGET = 16, 300, 1e-12


def measure(side: Arm) -> Measurement:
    """Rounds until the workers of a grid agree on the mean."""
    problem = of_catalogue("consensus", _N)
    match side:
        case Arm.METHOD:
            method = row("fdla").build(problem, _STEPS)
        case Arm.BASELINE:
            method = GossipAveraging(FixedLinks(Grid.square(_N, MetropolisHastings())))
        case Arm.FAULT:
            method = GossipAveraging(FixedLinks(Grid.square(_N, MaxDegree())))
    trace = run(method, problem, steps=_STEPS, points=_STEPS + 1)
    return to_reach(trace, _TARGET, "steps", "distance_of_workers")


SIGNATURE = EffectCheck(
    row="fdla",
    problem="consensus",
    effect="optimal weights agree in fewer rounds over the same links",
    quantity=f"rounds until (1/n) sum ||x_i - mean||^2 is {_TARGET:g} [1]",
    method="FDLA weights",
    baseline="Metropolis-Hastings weights",
    fault="no optimisation: the same weight on every link, by the largest degree",
    at_most=0.85,
    measure=measure,
    x_label="rounds",
    y_label="(1/n) sum ||x_i - mean of the starts||^2 [x^2]",
    source="Xiao, Boyd 2004, Systems and Control Letters 53, section 5",
    told=f"n = {_N}, grid of 4 by 4, d = 20; nothing is drawn",
    scales=("linear", "log"),
)
