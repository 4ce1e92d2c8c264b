"""Linearised ADMM: a gradient a step, no local solve, and no floor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import torch

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.admm.admm_linearised import LinearisedADMM, LinearisedState
from algorithms.methods.base import Method, RunContext
from algorithms.problems.quadratic_data import unequal
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, at_end
from proofs_check.methods.faulty.faulty_method import FaultyMethod
from proofs_check.signatures.admm.decentralised_admm import best_descent
from theory.stepsizes import ConstantStep

_N, _STEPS = 8, 300
_STEP = ConstantStep(1.0)


@final
@dataclass(frozen=True)
class GradientsWithoutDuals(FaultyMethod):
    """Every step starts without the duals: the penalty alone."""

    right: LinearisedADMM

    def step(self, state: LinearisedState, t: int, context: RunContext) -> Any:
        return self.right.step(state._replace(p=torch.zeros_like(state.p)), t, context)


def measure(side: Arm) -> Measurement:
    """The mean model's error after equally many messages of every worker."""
    problem = unequal(_N, sigma2=0.0)
    if side is Arm.BASELINE:
        return best_descent(problem, _STEPS)
    right = row("linearised-admm").tune(problem, _STEPS, _STEP).method
    assert isinstance(right, LinearisedADMM)
    method: Method[Any] = GradientsWithoutDuals(right) if side is Arm.FAULT else right
    return at_end(run(method, problem, steps=_STEPS))


SIGNATURE = EffectCheck(
    row="linearised-admm",
    problem="quadratic-unequal, no noise",
    effect="gradient steps in the place of solves, and still no floor but that of the regulariser",
    quantity=f"f(x_T) - f* of the mean model after {_STEPS} steps [f]",
    method="linearised ADMM, one gradient a step",
    baseline="decentralised gradient descent, its stepsize the best of three",
    fault="duals forgotten at every step",
    at_most=0.01,
    measure=measure,
    x_label="steps, two messages a worker",
    y_label="f(x_t) - f* [f]",
    source="Aybat, Wang, Lin, Ma 2018, arXiv:1512.08122: proximal gradient steps inside ADMM",
    told=f"n = {_N}, ring, gamma = 1/L, descent at 0.5, 0.1, 0.02: nothing drawn",
    scales=("linear", "log"),
)
