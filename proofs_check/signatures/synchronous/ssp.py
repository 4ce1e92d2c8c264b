"""SSP: who may run three clocks ahead waits less, and loses less than that."""

from __future__ import annotations

from dataclasses import replace

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.barriers import Bulk
from algorithms.synchronisation.worker_states import Decision, WorkerStates
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, to_reach
from proofs_check.methods.faulty.barriers import SpoiltBarrier
from theory.stepsizes import ConstantStep

_N, _STEPS, _REPLICAS, _TARGET = 8, 400, 32, 2e-2
_STEP = ConstantStep(1 / 4)


def _never(now: WorkerStates, d: Decision) -> Decision:
    """Workers go on with the first model and their own updates."""
    return d._replace(fetched=now.nobody())


def measure(side: Arm) -> Measurement:
    """Modelled seconds until the server's model is good enough, one mean over n a clock for all."""
    stage = Quadratic.strongly_convex(_N, 20, sigma2=0.01, zeta2=1.0)
    method = row("ssp").tune(stage, _STEPS, _STEP).method
    assert isinstance(method, ParameterServer)
    steps = _STEPS
    match side:
        case Arm.BASELINE:
            method, steps = replace(method, barrier=Bulk()), _STEPS // 4
        case Arm.FAULT:
            method = replace(method, barrier=SpoiltBarrier(method.barrier, _never))
    trace = run(method, stage, steps=steps, replicas=_REPLICAS, points=120)
    return to_reach(trace, _TARGET, "seconds")


SIGNATURE = EffectCheck(
    row="ssp",
    problem="strongly convex quadratic, kappa = 10, sigma2 = 0.01, zeta2 = 1",
    effect="who may run ahead of stragglers is there sooner, stale or not",
    quantity=f"modelled seconds until f - f* = {_TARGET:g} [s]",
    method="SSP, three clocks",
    baseline="BSP at the same stepsize and weights",
    fault="nobody ever fetches: staleness without a bound",
    at_most=0.8,
    measure=measure,
    x_label="modelled time [s]",
    y_label="f(x_t) - f* [f]",
    source="Ho et al. 2013, NIPS, Section 5: faster in wall time than BSP",
    told=f"n = {_N}, gamma = 1/4, times of the survey, {_REPLICAS} replicas",
    scales=("linear", "log"),
)
