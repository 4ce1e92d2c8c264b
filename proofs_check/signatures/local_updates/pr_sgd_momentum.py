"""PR-SGD with momentum: velocities averaged with the models accelerate across restarts."""

from __future__ import annotations

from dataclasses import replace

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.local_updates.local_sgd import AtMeetings, LocalSGD
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, at_end
from theory.stepsizes import ConstantStep

_N, _D, _STEPS, _GAMMA, _GRID = 8, 10, 160, 0.4, (0.4, 0.8, 1.2, 1.6, 1.9)


def measure(side: Arm) -> Measurement:
    """The error after as many steps and restarts; nothing is drawn."""
    problem = Quadratic.strongly_convex(_N, _D, mu=0.01, sigma2=0.0, zeta2=1.0)
    if side is Arm.BASELINE:
        plain = (row("pr-sgd").tune(problem, _STEPS, ConstantStep(step)).method for step in _GRID)
        seen = [at_end(run(method, problem, steps=_STEPS)) for method in plain]
        return min(seen, key=lambda one: float(one.values[0]))
    method = row("pr-sgd-momentum").tune(problem, _STEPS, ConstantStep(_GAMMA)).method
    assert isinstance(method, LocalSGD)
    if side is Arm.FAULT:
        method = replace(method, velocity=AtMeetings.RESET)
    return at_end(run(method, problem, steps=_STEPS))


SIGNATURE = EffectCheck(
    row="pr-sgd-momentum",
    problem="quadratic-sc with condition number 100, d = 10, no noise",
    effect="velocities averaged with the models accelerate across restarts",
    quantity=f"f(x_T) - f* of the mean model after {_STEPS} steps [f]",
    method="PR-SGD with momentum",
    baseline="PR-SGD without momentum at the best stepsize of five",
    fault="velocities start from nought at every meeting",
    at_most=0.05,
    measure=measure,
    x_label="steps",
    y_label="f(x_t) - f* of the mean model [f]",
    source="Yu, Jin, Yang 2019, arXiv:1905.03817, Algorithm 1",
    told=f"n = {_N}, I = 8, m = 0.9, gamma = {_GAMMA:g}, the baseline's of {_GRID}",
    scales=("linear", "log"),
)
