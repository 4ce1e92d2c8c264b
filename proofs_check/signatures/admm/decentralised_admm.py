"""Decentralised ADMM: duals on the edges make the limit exact."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import torch

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.admm.admm_graph import GraphADMM, GraphState
from algorithms.methods.base import Method, RunContext
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.quadratic_data import unequal
from algorithms.topologies.lazy import Lazy
from algorithms.topologies.ring import Ring
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, at_end
from proofs_check.methods.faulty.faulty_method import FaultyMethod
from theory.stepsizes import ConstantStep

_N, _STEPS = 8, 60
_STEP = ConstantStep(4.0)


@final
@dataclass(frozen=True)
class EdgesWithoutDuals(FaultyMethod):
    """Every step starts without the duals: the penalty alone."""

    right: GraphADMM

    def step(self, state: GraphState, t: int, context: RunContext) -> Any:
        return self.right.step(state._replace(p=torch.zeros_like(state.p)), t, context)


def best_descent(problem: Quadratic, steps: int) -> Measurement:
    """Decentralised gradient descent at the best of three stepsizes."""
    runs = [
        at_end(run(DPSGD(ConstantStep(gamma), Lazy(Ring(_N))), problem, steps=steps))
        for gamma in (0.5, 0.1, 0.02)
    ]
    return min(runs, key=lambda seen: float(seen.values[0]))


def measure(side: Arm) -> Measurement:
    """The mean model's error after equally many messages of every worker."""
    problem = unequal(_N, sigma2=0.0)
    if side is Arm.BASELINE:
        return best_descent(problem, _STEPS)
    right = row("decentralised-admm").tune(problem, _STEPS, _STEP).method
    assert isinstance(right, GraphADMM)
    method: Method[Any] = EdgesWithoutDuals(right) if side is Arm.FAULT else right
    return at_end(run(method, problem, steps=_STEPS))


SIGNATURE = EffectCheck(
    row="decentralised-admm",
    problem="quadratic-unequal, no noise",
    effect="duals on the edges leave no floor where workers differ",
    quantity=f"f(x_T) - f* of the mean model after {_STEPS} steps [f]",
    method="decentralised ADMM",
    baseline="decentralised gradient descent, its stepsize the best of three",
    fault="duals forgotten at every step",
    at_most=1e-6,
    measure=measure,
    x_label="steps, two messages a worker",
    y_label="f(x_t) - f* [f]",
    source="Wei, Ozdaglar 2012, CDC: exact, where subgradient methods take O(1/sqrt k)",
    told=f"n = {_N}, ring, rho = 1/4; descent at 0.5, 0.1, 0.02: nothing is drawn",
    scales=("linear", "log"),
)
