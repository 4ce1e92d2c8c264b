"""GradiVeQ: a quarter of the numbers, added up as they are, follow full gradients."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from algorithms.catalogue import problem, row
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.decomposition.gradiveq import GradiVeQ
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.base import Problem
from proofs_check.instruments.bits_setting import both_ways_to
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from theory.stepsizes import ConstantStep

_N, _STEPS, _TARGET, _REPLICAS = 8, 850, 0.0015, 32


@cache
def _logistic() -> Problem:
    return problem("logreg-breast-cancer", _N)


def measure(side: Arm) -> Measurement:
    """Bits of a worker, both ways, until f - f* is at most the target; gamma = 1/(8 L)."""
    step = ConstantStep(1 / (8 * _logistic().constants().need("L")))
    own = row("gradiveq").tune(_logistic(), _STEPS, step).method
    assert isinstance(own, GradiVeQ)
    sides: dict[Arm, Method[Any]] = {
        Arm.METHOD: own,
        Arm.BASELINE: BSP(step),
        Arm.FAULT: replace(own, centred=False),
    }
    trace = run(sides[side], _logistic(), steps=_STEPS, replicas=_REPLICAS, points=170)
    return both_ways_to(trace, _TARGET)


SIGNATURE = EffectCheck(
    row="gradiveq",
    problem="logreg-breast-cancer",
    effect="two numbers for a slice of eight, which any all-reduce can add, reach the accuracy of "
    "full gradients in as many steps, because what all steps share is not left to the basis",
    quantity=f"bits a worker sends and receives until f - f* <= {_TARGET:g} [bit]",
    method="GradiVeQ, 2 of 8",
    baseline="BSP with full gradients",
    fault="without the mean of the learnt gradients",
    at_most=0.6,
    measure=measure,
    x_label="bits a worker sends and receives",
    y_label="f(x_t) - f* [f]",
    source="Yu et al. 2018, arXiv:1811.03617, Eq. 3 to 5 and Section 4.1",
    told=f"n = {_N}, gamma = 1/(8 L), 4 of 20 steps uncompressed, {_REPLICAS} replicas of seed 0",
)
