"""ASP: nobody waits, and the time of the stragglers is saved."""

from __future__ import annotations

from dataclasses import replace

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.synchronous.parameter_server import ParameterServer, Weighting
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.barriers import Bulk
from algorithms.synchronisation.worker_states import Decision, WorkerStates
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, to_reach
from proofs_check.methods.faulty.barriers import SpoiltBarrier
from theory.stepsizes import ConstantStep

_N, _ROUNDS, _REPLICAS, _TARGET = 8, 60, 32, 2e-2
_EVERY = 64
_STEP = ConstantStep(1 / 4)  # of a mean over all workers; of a single gradient an n-th of it


def _seldom(now: WorkerStates, d: Decision) -> Decision:
    """Models only at every 64th server update, to whoever has just arrived: most never hear."""
    return d._replace(fetched=d.fetched & (now.updates % _EVERY == 0))


def measure(side: Arm) -> Measurement:
    """Modelled seconds until the server's model is good enough, every gradient of one weight."""
    stage = Quadratic.strongly_convex(_N, 20, sigma2=0.01, zeta2=1.0)
    ticks = _ROUNDS * _N
    method = row("asp").tune(stage, ticks, ConstantStep(_STEP.gamma / _N)).method
    assert isinstance(method, ParameterServer)
    match side:
        case Arm.BASELINE:
            method, ticks = replace(method, barrier=Bulk(), weighting=Weighting.SUM), _ROUNDS
        case Arm.FAULT:
            method = replace(method, barrier=SpoiltBarrier(method.barrier, _seldom))
    trace = run(method, stage, steps=ticks, replicas=_REPLICAS, points=121)
    return to_reach(trace, _TARGET, "seconds")


SIGNATURE = EffectCheck(
    row="asp",
    problem="strongly convex quadratic, kappa = 10, sigma2 = 0.01, zeta2 = 1",
    effect="nobody waits: the time of the slowest is saved, and staleness costs less",
    quantity=f"modelled seconds until f - f* = {_TARGET:g} [s]",
    method="ASP",
    baseline="BSP, every gradient of the same weight",
    fault="models are fetched at every 64th gradient of all only: staleness without end",
    at_most=0.8,
    measure=measure,
    x_label="modelled time [s]",
    y_label="f(x_t) - f* [f]",
    source="Lian et al. 2015, arXiv:1506.08272: linear speed-up while tau is bounded",
    told=f"n = {_N}, gamma = 1/4 over n, times of the survey, {_REPLICAS} replicas",
    scales=("linear", "log"),
)
