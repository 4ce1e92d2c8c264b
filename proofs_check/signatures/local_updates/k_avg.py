"""K-AVG: on a non-convex loss local steps get further in as many rounds."""

from __future__ import annotations

from dataclasses import replace

from algorithms.catalogue import problem, row
from algorithms.engine.run import Trace, run
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.base import Problem
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, at_end
from theory.stepsizes import ConstantStep

_N, _K, _ROUNDS, _GAMMA, _GRID = 4, 8, 20, 0.1, (0.1, 0.3, 1.0)
_REPLICAS, _SEED, _OTHER = 96, 5, 6


def _each_step(built: Problem, gamma: float, seed: int, replicas: int) -> Trace:
    return run(BSP(ConstantStep(gamma)), built, steps=_ROUNDS, seed=seed, replicas=replicas)


def measure(side: Arm) -> Measurement:
    """The squared gradient after as many rounds, drawn by the bits that these take."""
    built = problem("nonconvex-digits-dirichlet", _N)
    if side is Arm.BASELINE:
        tried = {g: _each_step(built, g, _OTHER, 4).squared_gradient[:, -1].mean() for g in _GRID}
        best = min(tried, key=lambda g: float(tried[g]))
        trace = _each_step(built, best, _SEED, _REPLICAS)
        return at_end(trace, "squared_gradient", "sent_bits")
    steps = _ROUNDS * _K
    method = row("k-avg").tune(built, steps, ConstantStep(_GAMMA)).method
    assert isinstance(method, LocalSGD)
    if side is Arm.FAULT:
        method, steps = replace(method, period=1), _ROUNDS
    trace = run(method, built, steps=steps, seed=_SEED, replicas=_REPLICAS, points=steps + 1)
    return at_end(trace, "squared_gradient", "sent_bits")


SIGNATURE = EffectCheck(
    row="k-avg",
    problem="nonconvex-digits-dirichlet",
    effect="on a non-convex loss local steps get further in as many rounds",
    quantity=f"||grad f||^2 after {_ROUNDS} rounds",
    method="K-AVG, K = 8",
    baseline="SGD that averages every step (K = 1) at the best stepsize of three",
    fault="K = 1 at the same stepsize",
    at_most=0.6,
    measure=measure,
    x_label="bits sent by a worker",
    y_label="||grad f||^2 of the mean model",
    source="Zhou, Cong 2018, arXiv:1708.01012, Section 4: the best K is above 1",
    told=f"n = {_N}, gamma = {_GAMMA:g}, K = 1 of {_GRID} by seed {_OTHER}; {_REPLICAS} replicas, "
    f"seed {_SEED}",
    scales=("linear", "log"),
)
