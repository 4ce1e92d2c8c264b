"""ESSP: pushed models are fresher than fetched ones, where workers may run far ahead."""

from __future__ import annotations

from dataclasses import replace

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.stale import SSP, EagerSSP
from algorithms.synchronisation.worker_states import Decision, WorkerStates
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, at_end
from proofs_check.methods.faulty.barriers import SpoiltBarrier
from theory.stepsizes import ConstantStep

_N, _STEPS, _REPLICAS = 8, 400, 64
_STEP = ConstantStep(1 / 2)


def _seldom(now: WorkerStates, d: Decision) -> Decision:
    """Pushes only every eighth advance of the slowest clock."""
    eighth = (now.clock + d.arrived).min(axis=1) % 8 == 0
    return d._replace(fetched=d.fetched & eighth[:, None])


def measure(side: Arm) -> Measurement:
    """The server's model under the same times and leads, who is pushed what when differs."""
    stage = Quadratic.strongly_convex(_N, 20, sigma2=0.01, zeta2=1.0)
    method = row("essp").tune(stage, _STEPS, _STEP).method
    assert isinstance(method, ParameterServer)
    assert isinstance(method.barrier, EagerSSP)
    match side:
        case Arm.BASELINE:
            method = replace(method, barrier=SSP(method.barrier.s))
        case Arm.FAULT:
            method = replace(method, barrier=SpoiltBarrier(method.barrier, _seldom))
    trace = run(method, stage, steps=_STEPS, replicas=_REPLICAS, points=81)
    return at_end(trace, last=60)


SIGNATURE = EffectCheck(
    row="essp",
    problem="strongly convex quadratic, kappa = 10, sigma2 = 0.01, zeta2 = 1",
    effect="eager pushes are fresher, and so larger steps are stable",
    quantity="E f(x_t) - f*, mean over the last three quarters of the records [f]",
    method="eager SSP, eight clocks",
    baseline="SSP of the same lead and stepsize",
    fault="pushes at every eighth advance only",
    at_most=0.6,
    measure=measure,
    x_label="server updates",
    y_label="f(x_t) - f* [f]",
    source="Dai et al. 2015, AAAI, arXiv:1410.8043, Section 4: staleness and stability",
    told=f"n = {_N}, gamma = 1/2, {_REPLICAS} replicas",
    scales=("linear", "log"),
)
