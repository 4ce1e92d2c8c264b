"""GossipGraD: partners that rotate bring everyone's steps to all, with one message a step."""

from __future__ import annotations

from functools import partial

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.exchanges.exchange import FixedLinks
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_directed.gossipgrad import GossipGraD
from algorithms.problems.quadratic_data import unequal
from algorithms.topologies.directed_ring import DirectedRing
from algorithms.topologies.ring import Ring
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, at_budget
from proofs_check.instruments.tuned_arm import at_best
from theory.stepsizes import ConstantStep

_N, _STEPS, _BITS = 16, 1000, 1.2e6
_GRID = (0.0125, 0.025, 0.05, 0.1, 0.2)


def measure(side: Arm) -> Measurement:
    """The workers' distance from the optimum for equal bits."""
    return at_best(partial(_play, side), _GRID)


def _play(side: Arm, gamma: float, *, seed: int, replicas: int) -> Measurement:
    """One side at one stepsize."""
    step = ConstantStep(gamma)
    problem = unequal(_N, sigma2=0.0)
    match side:
        case Arm.METHOD:
            method = row("gossipgrad").tune(problem, _STEPS, step).method
        case Arm.BASELINE:
            method = DPSGD(step, Ring(_N))
        case Arm.FAULT:
            method = GossipGraD(step, FixedLinks(DirectedRing(_N)))
    trace = run(method, problem, steps=_STEPS, seed=seed, replicas=replicas)
    return at_budget(trace, _BITS, "sent_bits", "distance_of_workers")


SIGNATURE = EffectCheck(
    row="gossipgrad",
    problem="quadratic-unequal, no noise",
    effect="partners that rotate keep workers together with one message a step",
    quantity=f"(1/n) sum ||x_i - x*||^2 for {_BITS:g} bits sent by a worker [x^2]",
    method="GossipGraD",
    baseline="D-PSGD on a ring",
    fault="partners that never rotate: always the next worker",
    at_most=0.05,
    measure=measure,
    x_label="bits sent by a worker",
    y_label="(1/n) sum ||x_i - x*||^2 [x^2]",
    source="Daily, Vishnu, Siegel, Warfel, Amatya 2018, arXiv:1803.05880, section 4: diffusion in "
    "ceil(log2 n) steps",
    told=f"n = {_N}, dissemination, samples pass round, "
    f"each at the best of {_GRID} on seed 1; nothing is drawn",
)
