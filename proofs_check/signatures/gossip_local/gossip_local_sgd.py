"""Local SGD over gossip: a round every four steps, for a quarter of the bits."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_local.gossip_local_sgd import GossipLocalSGD
from algorithms.problems.quadratic_data import unequal
from algorithms.topologies.ring import Ring
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, to_reach
from proofs_check.instruments.tuned_arm import at_best
from theory.stepsizes import ConstantStep

_N, _STEPS, _TARGET, _REPLICAS = 8, 400, 0.1, 64
_GRID = (0.03, 0.06, 0.12, 0.24)


def measure(side: Arm) -> Measurement:
    """Bits until the mean model of workers that differ is accurate."""
    return at_best(partial(_play, side), _GRID, _REPLICAS)


def _play(side: Arm, gamma: float, *, seed: int, replicas: int) -> Measurement:
    """One side at one stepsize."""
    step = ConstantStep(gamma)
    problem = unequal(_N, sigma2=8.0)
    right = row("gossip-local-sgd").tune(problem, _STEPS, step).method
    assert isinstance(right, GossipLocalSGD)
    method: Method[Any] = right
    if side is Arm.BASELINE:
        method = DPSGD(step, Ring(_N))
    elif side is Arm.FAULT:
        method = replace(right, period=1)
    trace = run(method, problem, steps=_STEPS, seed=seed, replicas=replicas, points=_STEPS + 1)
    return to_reach(trace, _TARGET, "sent_bits")


SIGNATURE = EffectCheck(
    row="gossip-local-sgd",
    problem="quadratic-unequal, sigma2 = 8",
    effect="local steps between rounds of gossip save bits",
    quantity=f"bits sent by a worker until f(x_t) - f* of the mean model is {_TARGET:g} [bit]",
    method="local SGD over gossip, H = 4",
    baseline="D-PSGD",
    fault="H = 1: a round after every step",
    at_most=0.65,
    measure=measure,
    x_label="bits sent by a worker",
    y_label="f(x_t) - f* of the mean model [f]",
    source="Wang, Joshi 2018, arXiv:1808.07576; Koloskova et al. 2020, arXiv:2003.10422, Theorem 2",
    told=f"n = {_N}, ring, d = 20, each at the best of {_GRID} on seed 1; "
    f"{_REPLICAS} replicas of seed 2",
)
