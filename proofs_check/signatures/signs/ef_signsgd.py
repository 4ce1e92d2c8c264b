"""EF-signSGD: error feedback leaves the line that signs never leave."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.memories.base import NoMemory
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.absolute import Absolute
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from theory.stepsizes import ConstantStep

_EPS, _STEPS, _STEP = 0.5, 300, ConstantStep(0.01)
_GRID = (0.003, 0.01, 0.03)
_START = torch.tensor([1.0, 1.001], dtype=torch.float64)  # off the kink, where signs are free


def counterexample() -> Absolute:
    """f = eps |x_0 + x_1| + |x_0 - x_1|, as the mean of two absolute errors of one worker."""
    features = torch.tensor([[[2 * _EPS, 2 * _EPS], [2.0, -2.0]]], dtype=torch.float64)
    return Absolute("second counterexample", features, torch.zeros(1, 2, dtype=torch.float64))


def measure(side: Arm) -> Measurement:
    """Mean of f over the last 100 steps from (1, 1.001); signSGD at the best stepsize of a grid."""
    if side is Arm.BASELINE:
        return min((_run("signsgd", ConstantStep(g)) for g in _GRID), key=lambda s: s.values.mean())
    return _run("ef-signsgd", _STEP, feedback=side is Arm.METHOD)


def _run(key: str, step: ConstantStep, feedback: bool = True) -> Measurement:
    problem = counterexample()
    method = row(key).tune(problem, _STEPS, step).method
    assert isinstance(method, BSP)
    if not feedback:
        method = replace(method, memory=NoMemory())
    trace = run(method, problem, steps=_STEPS, x0=_START, points=_STEPS + 1)
    last = trace.suboptimality[:, -100:].mean(axis=1)
    return Measurement(last, np.asarray(trace.steps, dtype=np.float64), trace.suboptimality)


SIGNATURE = EffectCheck(
    row="ef-signsgd",
    problem="eps |x_0 + x_1| + |x_0 - x_1| from (1, 1.001), eps = 1/2",
    effect="error feedback reaches the minimum of a convex function that signs alone never come "
    "nearer to",
    quantity="mean f - f* over the last 100 of 300 steps [f]",
    method="EF-signSGD",
    baseline="signSGD at the best of 3 stepsizes",
    fault="scaled signs without error feedback",
    at_most=0.1,
    measure=measure,
    x_label="steps",
    y_label="f(x_t) - f* [f]",
    source="Karimireddy, Rebjock, Stich, Jaggi 2019, arXiv:1901.09847, Counterexample 2",
    told=f"gamma = {_STEP.gamma:g}, signSGD's of {_GRID}; nothing is drawn",
    scales=("linear", "log"),
)
