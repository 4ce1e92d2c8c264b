"""What growing batches are for: the accuracy of a decaying stepsize in fewer updates."""

from __future__ import annotations

from dataclasses import replace

from algorithms.catalogue import row
from algorithms.engine.run import Trace, run
from algorithms.methods.large_batch.batched import Batched
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.effect_check import Arm, Measurement, to_reach
from theory.rules.batch_rules import FixedBatch
from theory.stepsizes import ConstantStep, InverseTimeStep

_N, _D, _MU = 8, 100, 0.1
_REPLICAS, _SEED, _OTHER = 64, 47, 48
_SCALES = (0.5, 1.0, 2.0)
PROBLEM = f"quadratic-pl, d = {_D}, sigma2 = 16"
TOLD = (
    f"n = {_N}; the baseline's gamma_t = (c/mu)/(10 c + t) with c of {_SCALES} by seed {_OTHER}; "
    f"{_REPLICAS} replicas, seed {_SEED}"
)


def _problem() -> Quadratic:
    return Quadratic.pl(_N, _D, mu_pl=_MU, sigma2=16.0)


def _single(scale: float, gradients: int, seed: int, replicas: int) -> Trace:
    step = InverseTimeStep(scale / _MU, 10 * scale)
    return run(
        BSP(step), _problem(), steps=gradients, replicas=replicas, seed=seed, points=100
    )  # fmt: skip


def updates(side: Arm, key: str, rounds: int, gamma: float, target: float) -> Measurement:
    """Updates until f(x) - f* is at most ``target``, of row ``key`` with ``rounds`` updates at
    stepsize ``gamma``; the other sides take single gradients, as many in all.
    """
    method = row(key).tune(_problem(), rounds, ConstantStep(gamma)).method
    assert isinstance(method, Batched)
    gradients = sum(method.batch(t) for t in range(rounds))
    if side is Arm.BASELINE:
        tried = {c: _single(c, gradients, _OTHER, 4).suboptimality[:, -1].mean() for c in _SCALES}
        best = min(tried, key=lambda c: float(tried[c]))
        return to_reach(_single(best, gradients, _SEED, _REPLICAS), target, "steps")
    if side is Arm.FAULT:
        method, rounds = replace(method, batch=FixedBatch(1)), gradients
    trace = run(method, _problem(), steps=rounds, replicas=_REPLICAS, seed=_SEED, points=100)
    return to_reach(trace, target, "steps")
