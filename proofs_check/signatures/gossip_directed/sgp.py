"""SGP: one-way messages over far links, less error for the bits than symmetric neighbours."""

from __future__ import annotations

from functools import partial
from typing import Any

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_directed.sgp import SGP
from algorithms.problems.quadratic_data import unequal
from algorithms.topologies.ring import Ring
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, at_budget
from proofs_check.instruments.tuned_arm import at_best
from proofs_check.methods.faulty.push import WeightKept
from theory.stepsizes import ConstantStep

_N, _STEPS, _BITS = 16, 1500, 1.9e6
_GRID = (0.0125, 0.025, 0.05, 0.1, 0.2)


def measure(side: Arm) -> Measurement:
    """The workers' distance from the optimum for equal bits."""
    return at_best(partial(_play, side), _GRID)


def _play(side: Arm, gamma: float, *, seed: int, replicas: int) -> Measurement:
    """One side at one stepsize."""
    step = ConstantStep(gamma)
    problem = unequal(_N, sigma2=0.0)
    right = row("sgp").tune(problem, _STEPS, step).method
    assert isinstance(right, SGP)
    methods: dict[Arm, Method[Any]] = {
        Arm.METHOD: right, Arm.BASELINE: DPSGD(step, Ring(_N)), Arm.FAULT: WeightKept(right)
    }  # fmt: skip
    trace = run(methods[side], problem, steps=_STEPS, seed=seed, replicas=replicas)
    return at_budget(trace, _BITS, "sent_bits", "distance_of_workers")


SIGNATURE = EffectCheck(
    row="sgp",
    problem="quadratic-unequal, no noise",
    effect="one-way messages over far links keep workers together for fewer bits",
    quantity=f"(1/n) sum ||z_i - x*||^2 for {_BITS:g} bits sent by a worker [x^2]",
    method="SGP",
    baseline="D-PSGD on a ring",
    fault="the weight is not sent",
    at_most=0.2,
    measure=measure,
    x_label="bits sent by a worker",
    y_label="(1/n) sum ||z_i - x*||^2 [x^2]",
    source="Assran, Loizou, Ballas, Rabbat 2018, arXiv:1811.10792, section 4 and Theorem 1",
    told=f"n = {_N}, exponential graph with uneven in-degrees, "
    f"each at the best of {_GRID} on seed 1; nothing is drawn",
)
