"""Random ADMM: one edge at a time reaches the very minimiser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import torch

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.admm.admm_random import RandomADMM, RandomState
from algorithms.methods.base import Method, RunContext
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.problems.quadratic_data import unequal
from algorithms.topologies.lazy import Lazy
from algorithms.topologies.ring import Ring
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, at_budget
from proofs_check.methods.faulty.faulty_method import FaultyMethod
from theory.stepsizes import ConstantStep

_N, _STEPS, _REPLICAS = 8, 500, 16
_BITS = 1.5e5  # per worker, in the mean


@final
@dataclass(frozen=True)
class WokenWithoutDuals(FaultyMethod):
    """Every step starts without the duals: the penalty alone."""

    right: RandomADMM

    def step(self, state: RandomState, t: int, context: RunContext) -> Any:
        return self.right.step(state._replace(dual=torch.zeros_like(state.dual)), t, context)


def measure(side: Arm) -> Measurement:
    """The mean model's error at equal bits, in the mean over workers."""
    problem = unequal(_N, sigma2=0.0)
    if side is Arm.BASELINE:
        plain = (DPSGD(ConstantStep(gamma), Lazy(Ring(_N))) for gamma in (0.5, 0.1, 0.02))
        runs = [at_budget(run(one, problem, steps=70), _BITS, "sent_bits") for one in plain]
        return min(runs, key=lambda seen: float(seen.values[0]))
    right = row("random-admm").tune(problem, _STEPS, ConstantStep(4.0)).method
    assert isinstance(right, RandomADMM)
    method: Method[Any] = WokenWithoutDuals(right) if side is Arm.FAULT else right
    trace = run(method, problem, steps=_STEPS, replicas=_REPLICAS)
    return at_budget(trace, _BITS, "sent_bits")


SIGNATURE = EffectCheck(
    row="random-admm",
    problem="quadratic-unequal, no noise",
    effect="one edge at a time reaches the very minimiser, with no clock",
    quantity=f"E f - f* of the mean model at {_BITS:g} bits a worker [f]",
    method="random ADMM",
    baseline="decentralised gradient descent, its stepsize the best of three",
    fault="duals forgotten at every step",
    at_most=1e-3,
    measure=measure,
    x_label="bits sent per worker",
    y_label="f(x_t) - f* [f]",
    source="Iutzeler, Bianchi, Ciblat, Hachem 2013, CDC: almost sure convergence to the minimiser",
    told=f"n = {_N}, ring, rho = 1/4, {_REPLICAS} replicas; descent at 0.5, 0.1, 0.02",
    scales=("linear", "log"),
)
