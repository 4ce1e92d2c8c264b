"""DC-ASGD: compensation gives back what the delay of 16 workers costs, at their stepsize."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.parts.delay_compensation import DiagonalCompensation, NoCorrection
from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.problems.entries import problem
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, at_end
from theory.stepsizes import ConstantStep

_N, _STEPS, _REPLICAS = 16, 300, 128
_STEP = ConstantStep(1 / 8)


def measure(side: Arm) -> Measurement:
    """The server's model on the quadratic with noise, of which the compensation lives."""
    stage = problem("quadratic-sc", _N)
    compensated = row("dc-asgd").tune(stage, _STEPS, _STEP).method
    assert isinstance(compensated, ParameterServer)
    compensated = replace(compensated, replicas=_REPLICAS)
    method: Method[Any] = compensated
    match side:
        case Arm.BASELINE:
            method = replace(compensated, correction=NoCorrection())
        case Arm.FAULT:
            method = replace(compensated, correction=DiagonalCompensation(0.04, adaptive=True))
    trace = run(method, stage, steps=_STEPS, replicas=_REPLICAS, points=80)
    return at_end(trace, last=8)


SIGNATURE = EffectCheck(
    row="dc-asgd",
    problem="quadratic-sc",
    effect="compensation gives back what the delay costs",
    quantity="E f(x_t) - f* over the last eighth of the run's records [f]",
    method="DC-ASGD-a",
    baseline="asynchronous SGD at the same stepsize",
    fault="compensation of 0.04 instead of 2",
    at_most=0.5,
    measure=measure,
    x_label="gradients of all workers",
    y_label="f(x_t) - f* [f]",
    source="Zheng et al. 2016, arXiv:1609.08326, Sections 4 and 6: as accurate as sequential SGD",
    told=f"n = {_N}, gamma = 1/8, {_STEPS} gradients, {_REPLICAS} replicas",
    scales=("linear", "log"),
)
