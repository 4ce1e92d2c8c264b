"""Backup workers: the slowest are not waited for."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.barriers import BackupWorkers
from algorithms.synchronisation.compute_times import Pareto
from algorithms.synchronisation.worker_states import Decision, WorkerStates
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, to_reach
from proofs_check.instruments.tuned_arm import at_best
from proofs_check.methods.faulty.barriers import SpoiltBarrier
from theory.stepsizes import ConstantStep

_N, _STEPS, _REPLICAS, _TARGET = 16, 400, 256, 4e-3
_TIMES = Pareto(1e-3, tail=1.5)
_GRID = (1 / 32, 1 / 16, 1 / 8, 1 / 4)


def _waiting(now: WorkerStates, d: Decision) -> Decision:
    """The update is made when all have arrived, of the gradients of the fastest."""
    return d._replace(now=now.latest(~now.nobody()))


def measure(side: Arm) -> Measurement:
    """Modelled seconds until the server's model is good enough; the times' tail is heavy."""
    return at_best(partial(_play, side), _GRID, _REPLICAS)


def _play(side: Arm, gamma: float, *, seed: int, replicas: int) -> Measurement:
    """One side at one stepsize."""
    step = ConstantStep(gamma)
    stage = Quadratic.strongly_convex(_N, 20, sigma2=1.0, zeta2=1.0)
    method = row("backup-workers").tune(stage, _STEPS, step).method
    assert isinstance(method, ParameterServer)
    method = replace(method, times=_TIMES, replicas=_REPLICAS)
    match side:
        case Arm.BASELINE:  # none to drop: plain BSP
            method = replace(method, barrier=BackupWorkers(0))
        case Arm.FAULT:
            method = replace(method, barrier=SpoiltBarrier(method.barrier, _waiting))
    trace = run(method, stage, steps=_STEPS, seed=seed, replicas=replicas, points=121)
    return to_reach(trace, _TARGET, "seconds")


SIGNATURE = EffectCheck(
    row="backup-workers",
    problem="strongly convex quadratic, kappa = 10, sigma2 = zeta2 = 1",
    effect="the slowest eighth is not waited for nor missed",
    quantity=f"modelled seconds until f - f* = {_TARGET:g} [s]",
    method="two backup workers of 16",
    baseline="BSP of the same 16 workers",
    fault="the slowest are dropped when they have come",
    at_most=0.75,
    measure=measure,
    x_label="modelled time [s]",
    y_label="f(x_t) - f* [f]",
    source="Chen et al. 2016, arXiv:1604.00981, Section 4: stragglers mitigated",
    told=f"n = {_N}, each at the best of {_GRID} on seed 1, "
    f"gradients of Pareto times, tail 1.5, {_REPLICAS} replicas",
    scales=("log", "log"),
)
