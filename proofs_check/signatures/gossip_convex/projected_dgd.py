"""Projected DGD: goes to the optimum over a set, which projecting in the end does not find."""

from __future__ import annotations

import numpy as np

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.gossip_convex.projected_dgd import projected_dgd
from algorithms.problems.quadratic_data import BOUND, on_ball
from algorithms.sets.ball import Ball
from algorithms.sets.base import Unconstrained
from algorithms.topologies.ring import Ring
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, at_end
from proofs_check.instruments.paths import models
from theory.stepsizes import InverseRootStep

_N, _STEPS, _STEP = 8, 800, InverseRootStep(0.5)


def measure(side: Arm) -> Measurement:
    """||x_t - x*||^2 of the mean model; x* lies on the sphere."""
    problem = on_ball(_N, sigma2=0.0)
    match side:
        case Arm.METHOD:
            method = row("projected-dgd").tune(problem, _STEPS, _STEP).method
        case Arm.FAULT:
            method = projected_dgd(_STEP, Ring(_N), Ball(100.0))
        case Arm.BASELINE:
            free = projected_dgd(_STEP, Ring(_N), Unconstrained())
            ends = Ball(BOUND[1]).project(models(free, problem, _STEPS))[:, 0]
            away = (ends - problem.x_star).square().sum(-1).numpy()[None]
            return Measurement(away[:, -1], np.arange(_STEPS + 1.0), away)
    return at_end(run(method, problem, steps=_STEPS), "squared_distance")


SIGNATURE = EffectCheck(
    row="projected-dgd",
    problem="quadratic-ball, no noise",
    effect="projecting at every step finds the optimum over a set that binds",
    quantity=f"||x_T - x*||^2 of the mean model after {_STEPS} steps [x^2]",
    method="projected DGD",
    baseline="DGD without a set, its mean model projected in the end",
    fault="a ball of radius 100, which never binds",
    at_most=0.01,
    measure=measure,
    x_label="steps",
    y_label="||x_t - x*||^2 of the mean model [x^2]",
    source="Ram, Nedic, Veeravalli 2010, arXiv:0811.2595, Theorem 2: convergence to the optimum "
    "over the set",
    told=f"n = {_N}, ring, gamma_t = 0.5/sqrt(t + 1), radius {BOUND[1]:g}; nothing is drawn",
)
