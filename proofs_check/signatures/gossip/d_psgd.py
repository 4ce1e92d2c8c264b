"""D-PSGD: as accurate as a server's SGD for the steps, and sooner, for no link carries it all."""

from __future__ import annotations

from functools import partial
from typing import Any

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.base import Method, dense_bits
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.problems.quadratic_data import unequal
from algorithms.topologies.complete import Complete
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, to_reach
from proofs_check.instruments.tuned_arm import at_best
from theory.seconds.costs import AlphaBeta, gossip_seconds, parameter_server_seconds
from theory.stepsizes import ConstantStep

_N, _STEPS, _TARGET, _REPLICAS = 16, 300, 0.05, 128
_GRID = (0.025, 0.05, 0.1, 0.2, 0.4)
_LINK, _GRADIENT = AlphaBeta(1e-4, 1e-6), 1e-3  # 0.1 ms and 1 Mbit/s; 1 ms


def measure(side: Arm) -> Measurement:
    """Seconds until the mean model of workers that differ is accurate, every node with one link."""
    return at_best(partial(_play, side), _GRID, _REPLICAS)


def _play(side: Arm, gamma: float, *, seed: int, replicas: int) -> Measurement:
    """One side at one stepsize."""
    step = ConstantStep(gamma)
    problem = unequal(_N, sigma2=8.0)
    bits = dense_bits(problem.d, problem.dtype)
    method: Method[Any]
    match side:
        case Arm.METHOD:
            method = row("d-psgd").tune(problem, _STEPS, step).method
            seconds = gossip_seconds(_LINK, 2, bits, _GRADIENT)
        case Arm.BASELINE:
            method = row("bsp-sgd").tune(problem, _STEPS, step).method
            seconds = parameter_server_seconds(_LINK, _N, bits, _GRADIENT)
        case Arm.FAULT:
            method = DPSGD(step, Complete(_N))
            seconds = gossip_seconds(_LINK, _N - 1, bits, _GRADIENT)
    trace = run(method, problem, steps=_STEPS, seed=seed, replicas=replicas, points=_STEPS + 1)
    seen = to_reach(trace, _TARGET, "steps")
    return Measurement(seen.values * seconds, seen.x * seconds, seen.y)


SIGNATURE = EffectCheck(
    row="d-psgd",
    problem="quadratic-unequal, sigma2 = 8",
    effect="without a server that hears all, training is sooner done on slow links",
    quantity=f"seconds until f(x_t) - f* of the mean model is {_TARGET:g} [s]",
    method="D-PSGD, ring",
    baseline="BSP over one parameter server",
    fault="everyone hears everyone",
    at_most=0.55,
    measure=measure,
    x_label="modelled time [s]",
    y_label="f(x_t) - f* of the mean model [f]",
    source="Lian, Zhang, Zhang, Hsieh, Zhang, Liu 2017, arXiv:1705.09056, Corollary 2 and Figure 2",
    told=f"n = {_N}, each at the best of {_GRID} on seed 1, "
    "links of 1 Mbit/s with 0.1 ms latency, a gradient takes 1 ms, "
    f"{_REPLICAS} replicas of seed 2",
)
