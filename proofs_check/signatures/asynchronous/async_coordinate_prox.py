"""Asynchronous coordinate prox: once the support is found, little else is sent."""

from __future__ import annotations

from dataclasses import replace

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.asynchronous.coordinate_prox import CoordinateProx
from algorithms.methods.parts.coordinate_selection import Selection
from algorithms.problems.entries import problem
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, to_reach
from theory.stepsizes import ConstantStep

_N, _STEPS, _TARGET = 8, 360, 2e-3


def measure(side: Arm) -> Measurement:
    """Bits a worker sends until the server's model is good enough."""
    stage = problem("sparse-signal", _N)
    steepest = stage.constants().L_max
    assert steepest is not None
    step = ConstantStep(1 / (2 * steepest))
    method = row("async-coordinate-prox").tune(stage, _STEPS, step).method
    assert isinstance(method, CoordinateProx)
    match side:
        case Arm.BASELINE:
            method = replace(method, selection=Selection(1.0))
        case Arm.FAULT:
            method = replace(method, selection=replace(method.selection, support=False))
    return to_reach(run(method, stage, steps=_STEPS, points=_STEPS), _TARGET, "sent_bits")


SIGNATURE = EffectCheck(
    row="async-coordinate-prox",
    problem="sparse-signal",
    effect="the support is found and then served first, so that a fraction of the uploads does",
    quantity=f"bits a worker sends until f - f* = {_TARGET:g} [bits]",
    method="support and a fifth of the rest",
    baseline="all coordinates, DAve-PG",
    fault="a fifth of all coordinates, whatever the support",
    at_most=0.5,
    measure=measure,
    x_label="bits sent per worker",
    y_label="f(x_t) - f* [f]",
    source="Grishchenko, Iutzeler, Malick, Amini 2018, arXiv:1812.03871: identification, Section 4",
    told=f"n = {_N}, gamma = 1/(2 L_max) in all, weight 0.02, masks of seed 0",
)
