"""SAPS-PSGD: peers that are matched by bandwidth save seconds."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip_pairwise.saps_psgd import SAPSPSGD
from algorithms.problems.quadratic_data import unequal
from algorithms.synchronisation.compute_times import Constant
from algorithms.synchronisation.stopwatch import Timing
from algorithms.topologies.bandwidth_matching import BandwidthMatching, drawn_bandwidth
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, to_reach
from proofs_check.instruments.tuned_arm import at_best
from proofs_check.methods.faulty.faulty_method import OnLinks
from proofs_check.mutants.gossip_pairwise import HeaviestAlways
from theory.seconds.costs import AlphaBeta
from theory.stepsizes import ConstantStep

_N, _STEPS, _TARGET, _REPLICAS = 8, 400, 2.0, 64
_GRID = (0.02, 0.04, 0.08, 0.16, 0.32)
_SLOW = Timing(Constant(1e-3), AlphaBeta(1e-5, 1e-4))


def measure(side: Arm) -> Measurement:
    """Seconds until all workers are near the optimum, over links of uneven bandwidth."""
    return at_best(partial(_play, side), _GRID, _REPLICAS)


def _play(side: Arm, gamma: float, *, seed: int, replicas: int) -> Measurement:
    """One side at one stepsize."""
    step = ConstantStep(gamma)
    problem = unequal(_N, sigma2=0.0)
    right = row("saps-psgd").tune(problem, _STEPS, step).method
    assert isinstance(right, SAPSPSGD) and isinstance(right.meetings, BandwidthMatching)
    links = right.meetings.bandwidth
    method: Method[Any] = right
    if side is Arm.BASELINE:
        others = replace(right.meetings, bandwidth=drawn_bandwidth(_N, 1))
        method = OnLinks(replace(right, meetings=others), links)
    elif side is Arm.FAULT:
        method = OnLinks(replace(right, meetings=HeaviestAlways(right.meetings)), links)
    trace = run(method, problem, steps=_STEPS, seed=seed, replicas=replicas, timing=_SLOW)
    return to_reach(trace, _TARGET, "seconds", "distance_of_workers")


SIGNATURE = EffectCheck(
    row="saps-psgd",
    problem="quadratic-unequal, no noise",
    effect="peers matched by bandwidth save seconds",
    quantity=f"seconds until (1/n) sum ||x_i - x*||^2 is {_TARGET:g} [s]",
    method="SAPS-PSGD, peers by bandwidth",
    baseline="SAPS-PSGD, peers by chance",
    fault="the fastest links always: no look at who was left apart",
    at_most=0.85,
    measure=measure,
    x_label="modelled time [s]",
    y_label="(1/n) sum ||x_i - x*||^2 [x^2]",
    source="Tang, Shi, Chu 2020, arXiv:2002.09692, section IV",
    told=f"n = {_N}, links of 10 to 50 kbit/s, a gradient takes 1 ms, "
    f"each at the best of {_GRID} on seed 1, {_REPLICAS} "
    "replicas of seed 2; by chance: matched by other bandwidths, drawn alike",
)
