"""LAG: workers whose gradients hardly change stay silent, and nothing is lost."""

from __future__ import annotations

from typing import Any

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.lazy.lag import LAG
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.entries import problem
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, to_reach
from proofs_check.mutants.lazy import Forgetful
from theory.stepsizes import ConstantStep

_N, _STEPS, _TARGET = 9, 160, 1e-8


def measure(side: Arm) -> Measurement:
    """Bits a worker sends, in the mean, until the model is good; curvature rises."""
    stage = problem("least-squares-rising", _N)
    step = ConstantStep(1 / stage.constants().need("L"))
    lazy = row("lag").tune(stage, _STEPS, step).method
    assert isinstance(lazy, LAG)
    method: Method[Any] = lazy
    match side:
        case Arm.BASELINE:
            method = BSP(step)  # gradients of this problem are full
        case Arm.FAULT:
            method = Forgetful(lazy)
    return to_reach(run(method, stage, steps=_STEPS, points=_STEPS + 1), _TARGET, "sent_bits")


SIGNATURE = EffectCheck(
    row="lag",
    problem="least-squares-rising",
    effect="workers of small curvature stay silent, at the rate of gradient descent",
    quantity=f"bits a worker sends until f - f* = {_TARGET:g} [bits]",
    method="LAG, worker's rule",
    baseline="gradient descent at the same stepsize 1/L",
    fault="the server forgets what silent workers sent before",
    at_most=0.2,
    measure=measure,
    x_label="bits sent per worker",
    y_label="f(x_t) - f* [f]",
    source="Chen, Giannakis, Sun, Yin 2018, arXiv:1805.09965, Section 4: uploads on this problem",
    told=f"n = {_N}, gamma = 1/L, weights 0.08 over ten moves: nothing is drawn",
)
