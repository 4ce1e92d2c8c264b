"""EASGD: elastic workers bear periods at which pushed sums of gradients blow up."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from algorithms.catalogue import row
from algorithms.catalogue.synchronous import round_trip
from algorithms.engine.run import run
from algorithms.methods.asynchronous.downpour import Downpour
from algorithms.methods.base import Method
from algorithms.methods.cooperative.easgd import EASGD
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, at_end
from theory.stepsizes import ConstantStep

_N, _STEPS, _REPLICAS = 8, 80, 24
_STEP = ConstantStep(0.4)  # the best of 0.1, 0.2, 0.4, 0.8
_SMALL = ConstantStep(0.01)  # Downpour's, of 0.005, 0.01, 0.02, 0.04; twice is near instability


def measure(side: Arm) -> Measurement:
    """The error after equally many gradients and pushes of every worker."""
    stage = Quadratic.strongly_convex(_N, 20, sigma2=0.01, zeta2=1.0)
    easgd = row("easgd").tune(stage, _STEPS, _STEP).method
    assert isinstance(easgd, EASGD)
    method: Method[Any] = easgd
    steps, period = _STEPS, easgd.period
    match side:
        case Arm.BASELINE:
            steps = _STEPS * _N  # a step is one worker's gradient
            method = Downpour(_SMALL, steps, round_trip(stage), period, period)
        case Arm.FAULT:
            method = replace(easgd, beta=0.0)
    seen = at_end(run(method, stage, steps=steps, replicas=_REPLICAS, points=81), last=8)
    return seen._replace(x=seen.x / (_N if side is Arm.BASELINE else 1))


SIGNATURE = EffectCheck(
    row="easgd",
    problem="strongly convex quadratic, kappa = 10, sigma2 = 0.01, zeta2 = 1",
    effect="the elastic pull bears long periods, and so large steps",
    quantity="E f(x_t) - f*, mean over the last eight records [f]",
    method="EASGD, the centre",
    baseline="Downpour of the same period, each at the best stepsize of four",
    fault="a centre that is not pulled",
    at_most=0.2,
    measure=measure,
    x_label="gradients of each worker",
    y_label="f(x_t) - f* [f]",
    source="Zhang, Choromanska, LeCun 2015, arXiv:1412.6651, Section 5: long periods",
    told=f"n = {_N}, period 8, gamma = 0.4 and 0.01, {_REPLICAS} replicas",
    scales=("linear", "log"),
)
