"""Asynchronous accelerated SGD: momentum pays where the condition is bad."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, final

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.base import Method, RunContext
from algorithms.methods.variance_reduced.asylpg import AsyLPG
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, at_end
from proofs_check.methods.faulty.faulty_method import FaultyMethod
from theory.stepsizes import ConstantStep

_N, _KAPPA, _STEPS, _REPLICAS = 4, 1000, 1600, 8
_STEP, _PLAIN = ConstantStep(1.0), ConstantStep(0.25)  # of a grid of halvings; at double: diverged


@final
@dataclass(frozen=True)
class AnchorWithoutMomentum(FaultyMethod):
    """The iterate z starts again from the model at every anchor, so that no momentum is left."""

    right: AsyLPG

    def step(self, state: Any, t: int, context: RunContext) -> Any:
        if t % self.right.epoch == 0:
            point = self.right.models(state)
            ahead = state.anchor + (point - state.anchor) / self.right.theta
            state = state._replace(z=point, total=self.right.epoch * ahead)
        return self.right.step(state, t, context)


def measure(side: Arm) -> Measurement:
    """The server's model on a quadratic of condition number 1000, blocks by lot, real delays."""
    problem = Quadratic.strongly_convex(_N, 20, mu=1 / _KAPPA, sigma2=1.0, zeta2=1.0)
    accelerated = row("aasgd").tune(problem, _STEPS, _STEP).method
    assert isinstance(accelerated, AsyLPG)
    method: Method[Any] = accelerated
    match side:
        case Arm.BASELINE:
            method = replace(accelerated, theta=1.0, step_rule=_PLAIN)
        case Arm.FAULT:
            method = AnchorWithoutMomentum(accelerated)
    return at_end(run(method, problem, steps=_STEPS, replicas=_REPLICAS, points=60))


SIGNATURE = EffectCheck(
    row="aasgd",
    problem=f"strongly convex quadratic, kappa = {_KAPPA}, sigma2 = zeta2 = 1",
    effect="momentum survives delays, sampling and blocks of coordinates",
    quantity=f"E f(x_T) - f* after {_STEPS} gradients [f]",
    method="asynchronous accelerated SGD",
    baseline="the same without momentum, its stepsize the best of a grid of halvings",
    fault="momentum forgotten at every anchor",
    at_most=0.1,
    measure=measure,
    x_label="gradients of all workers",
    y_label="f(x_t) - f* [f]",
    source="Meng et al. 2016, IJCAI: acceleration complements variance reduction and blocks",
    told=f"n = {_N}, gamma = 1 with momentum, 0.25 without (each the best), {_REPLICAS} replicas",
)
