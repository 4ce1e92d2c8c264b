"""Gossip dual averaging: samples that travel let workers minimise a function of pairs."""

from __future__ import annotations

from typing import Any

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip_convex.gossip_dual_averaging import GossipDualAveraging
from algorithms.problems.pairwise import breast_cancer_pairs
from algorithms.problems.partitions import SortedByLabel
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, at_end
from proofs_check.mutants.gossip_convex import AllAtHome, GuestsAtHome
from theory.stepsizes import InverseRootStep

_N, _STEPS, _STEP, _REPLICAS = 6, 300, InverseRootStep(0.2), 24


def measure(side: Arm) -> Measurement:
    """A ranking's loss; workers hold samples of one class each."""
    problem = breast_cancer_pairs(_N, 0.05, samples=4, partition=SortedByLabel())
    right = row("gossip-dual-averaging").tune(problem, _STEPS, _STEP).method
    assert isinstance(right, GossipDualAveraging)
    method: Method[Any] = {
        Arm.METHOD: right, Arm.BASELINE: AllAtHome(right), Arm.FAULT: GuestsAtHome(right)
    }[side]  # fmt: skip
    trace = run(method, problem, steps=_STEPS, replicas=_REPLICAS, points=60)
    return at_end(trace, "distance_of_workers")


SIGNATURE = EffectCheck(
    row="gossip-dual-averaging",
    problem="pairwise-logistic, sorted by label",
    effect="samples that travel make functions of pairs a matter of gossip",
    quantity=f"E (1/n) sum ||x_i - x*||^2 after {_STEPS} ticks [x^2]",
    method="gossip dual averaging",
    baseline="workers by themselves, over own pairs alone",
    fault="sums are averaged, samples stay at home",
    at_most=0.35,
    measure=measure,
    x_label="ticks",
    y_label="(1/n) sum ||x_i - x*||^2 [x^2]",
    source="Colin, Bellet, Salmon, Clemencon 2016, arXiv:1606.02421, Theorem 3 and section 5",
    told=f"n = {_N}, random pairs of a ring, 4 samples each, alpha_t = 0.2/sqrt(t + 1), "
    f"{_REPLICAS} replicas of seed 0",
)
