"""AsyLPG: what is quantised shrinks with the distance to the anchor, so its variance vanishes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from algorithms.catalogue import row
from algorithms.compressors.max_levels import MaxLevels
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.methods.variance_reduced.asylpg import AsyLPG
from algorithms.problems.quadratic_data import unequal
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, at_end
from theory.stepsizes import ConstantStep

_N, _D, _TICKS, _REPLICAS, _STEP = 4, 20, 600, 32, ConstantStep(0.1)


def measure(side: Arm) -> Measurement:
    """Mean f - f* over the last 30 records."""
    problem = unequal(_N, _D, sigma2=0.0, ratio=10.0)
    own = row("asylpg").tune(problem, _TICKS, _STEP).method
    plain = row("asp").tune(problem, _TICKS, _STEP).method
    assert isinstance(own, AsyLPG)
    assert isinstance(plain, ParameterServer)
    sides: dict[Arm, Method[Any]] = {
        Arm.METHOD: own,
        Arm.BASELINE: replace(plain, compressor=MaxLevels(7)),
        Arm.FAULT: replace(own, epoch=_TICKS),
    }
    return at_end(run(sides[side], problem, steps=_TICKS, replicas=_REPLICAS), last=30)


SIGNATURE = EffectCheck(
    row="asylpg",
    problem="quadratic-unequal with d = 20 and condition number 10 at most, no noise",
    effect="low precision both ways leaves no floor, as only differences to an anchor that moves "
    "along are quantised",
    quantity=f"mean f - f* up to {_TICKS} gradients, over the last 30 of 200 records [f]",
    method="AsyLPG, 7 levels up and 127 down",
    baseline="asynchronous SGD on gradients of 7 levels",
    fault="the first anchor is kept to the end",
    at_most=0.01,
    measure=measure,
    x_label="gradients that arrived",
    y_label="f(x_t) - f* [f]",
    source="Yu, Wu, Huang 2019, arXiv:1805.10111, Theorem 1",
    told=f"n = {_N}, gamma = {_STEP.gamma:g}, anchor every 100, {_REPLICAS} replicas of seed 0",
    scales=("linear", "log"),
)
