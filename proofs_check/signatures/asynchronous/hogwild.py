"""Hogwild: where gradients are sparse, n workers without a lock are n times as fast as one."""

from __future__ import annotations

from typing import Any

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.problems.entries import problem
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, to_reach
from proofs_check.mutants.asynchronous import Overwriting
from theory.stepsizes import ConstantStep

_N, _STEPS, _REPLICAS, _TARGET = 16, 800, 20, 5e-3
_STEP = ConstantStep(0.25)


def measure(side: Arm) -> Measurement:
    """Modelled seconds until the shared model is good enough."""
    stage = problem("sparse-linear", 1 if side is Arm.BASELINE else _N)
    method: Method[Any] = row("hogwild").tune(stage, _STEPS, _STEP).method
    if side is Arm.FAULT:
        method = Overwriting(method)
    trace = run(method, stage, steps=_STEPS, replicas=_REPLICAS, points=120)
    return to_reach(trace, _TARGET, "seconds")


SIGNATURE = EffectCheck(
    row="hogwild",
    problem="sparse-linear",
    effect="sixteen workers without a lock are eight times as fast as one, at least",
    quantity=f"modelled seconds until f - f* = {_TARGET:g} [s]",
    method="Hogwild, 16 workers",
    baseline="one worker, which is what a lock for a whole step leaves",
    fault="writes that store what was read and moved, where the move is to be added",
    at_most=0.125,
    measure=measure,
    x_label="modelled time [s]",
    y_label="f(x_t) - f* [f]",
    source="Niu, Recht, Re, Wright 2011, arXiv:1106.5730, Theorem 4.1 and Section 7: near-linear",
    told=f"n = {_N}, gamma = 1/4, 4 of 20 coordinates a sample, {_REPLICAS} replicas",
)
