"""DGD: talking to neighbours leads to the optimum of the sum, which averaging in the end misses."""

from __future__ import annotations

from typing import Any

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.problems.quadratic_data import unequal
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, at_end
from proofs_check.mutants.gossip_convex import Speechless
from theory.stepsizes import ConstantStep

_N, _STEPS, _STEP = 8, 1200, ConstantStep(0.02)


def measure(side: Arm) -> Measurement:
    """The mean model's error, workers with Hessians and minimisers of their own."""
    problem = unequal(_N, sigma2=0.0)
    right = row("dgd").tune(problem, _STEPS, _STEP).method
    assert isinstance(right, DPSGD)
    method: Method[Any] = right
    if side is Arm.BASELINE:
        method = row("one-shot-averaging").tune(problem, _STEPS, ConstantStep(1.0)).method
    elif side is Arm.FAULT:
        method = Speechless(right)
    return at_end(run(method, problem, steps=_STEPS))


SIGNATURE = EffectCheck(
    row="dgd",
    problem="quadratic-unequal, no noise",
    effect="neighbours' averages at every step lead to the optimum of the sum",
    quantity=f"f(x_T) - f* of the mean model after {_STEPS} steps [f]",
    method="DGD",
    baseline="each to its own minimum, averaged once",
    fault="nothing is exchanged",
    at_most=0.02,
    measure=measure,
    x_label="steps",
    y_label="f(x_t) - f* of the mean model [f]",
    source="Nedic, Ozdaglar 2009, IEEE TAC 54(1), Proposition 3: a neighbourhood of the optimum of "
    "the size of the stepsize",
    told=f"n = {_N}, ring, gamma = 0.02, alone 1/L; nothing is drawn",
)
