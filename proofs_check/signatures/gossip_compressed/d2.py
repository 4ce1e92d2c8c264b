"""D-squared: workers that differ leave no floor, where D-PSGD's error stalls."""

from __future__ import annotations

from typing import Any

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_compressed.d2 import D2
from algorithms.problems.quadratic_data import unequal
from algorithms.topologies.lazy import Lazy
from algorithms.topologies.ring import Ring
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, at_end
from proofs_check.mutants.gossip_compressed import UncorrectedD2
from theory.stepsizes import ConstantStep

_N, _STEPS, _STEP = 16, 1500, ConstantStep(0.1)
_RING = Lazy(Ring(_N))


def measure(side: Arm) -> Measurement:
    """The mean model's error on workers with Hessians and minimisers of their own."""
    problem = unequal(_N, sigma2=0.0)
    method: Method[Any]
    match side:
        case Arm.METHOD:
            method = row("d2").tune(problem, _STEPS, _STEP).method
        case Arm.BASELINE:
            method = DPSGD(_STEP, _RING)
        case Arm.FAULT:
            method = UncorrectedD2(D2(_STEP, _RING))
    return at_end(run(method, problem, steps=_STEPS))


SIGNATURE = EffectCheck(
    row="d2",
    problem="quadratic-unequal, no noise",
    effect="workers that differ leave no error floor",
    quantity=f"f(x_T) - f* of the mean model after {_STEPS} steps [f]",
    method="D-squared",
    baseline="D-PSGD at the same stepsize",
    fault="D-squared without the correction by the last step",
    at_most=1e-6,
    measure=measure,
    x_label="steps",
    y_label="f(x_t) - f* of the mean model [f]",
    source="Tang, Lian, Yan, Zhang, Liu 2018, arXiv:1803.07068, Theorem 2: no zeta in the rate",
    told=f"n = {_N}, lazy ring, gamma = 0.1, no noise: nothing is drawn",
)
