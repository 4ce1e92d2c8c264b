"""PowerSGD: rank one a step, and what it leaves out later."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import torch

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.decomposition.powersgd import PowerSGD
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, at_end
from proofs_check.instruments.mean_estimation_setting import normal_rows
from theory.stepsizes import ConstantStep

_N, _SIDE, _STEPS, _REPLICAS, _STEP = 8, 8, 200, 32, ConstantStep(0.1)


@cache
def matrix() -> Quadratic:
    """Workers want matrices near one of falling singular values; every entry has its curvature."""
    u, v = (normal_rows(1, _SIDE**2, word).reshape(_SIDE, _SIDE) for word in ("u", "v"))
    common = ((u * 0.6 ** torch.arange(_SIDE)) @ v).flatten()
    b = common + 0.3 * normal_rows(_N, _SIDE**2, "own")
    a = 0.2 + 0.8 * normal_rows(1, _SIDE**2, "curvature").sigmoid()
    return Quadratic.from_arrays(a.expand(_N, -1), b, name="matrix of falling singular values")


def measure(side: Arm) -> Measurement:
    """f - f* over the last steps; PowerSGD draws its first Q alone."""
    own = row("powersgd").tune(matrix(), _STEPS, _STEP).method
    assert isinstance(own, PowerSGD)
    method = {
        Arm.METHOD: own,
        Arm.BASELINE: row("spectral-atomo").tune(matrix(), _STEPS, _STEP).method,
        Arm.FAULT: replace(own, feedback=False),
    }[side]
    return at_end(run(method, matrix(), steps=_STEPS, replicas=_REPLICAS), last=10)


SIGNATURE = EffectCheck(
    row="powersgd",
    problem="quadratic of 8 x 8 matrices of full rank, workers with minimisers of their own",
    effect="one power iteration a step with error feedback follows full gradients, where unbiased "
    "singular triplets, as many floats, leave a floor",
    quantity=f"mean f - f* over the last 10 records of {_STEPS} steps [f]",
    method="PowerSGD of rank 1",
    baseline="spectral ATOMO, one triplet on average",
    fault="without error feedback",
    at_most=0.05,
    measure=measure,
    x_label="steps",
    y_label="f(x_t) - f* [f]",
    source="Vogels, Karimireddy, Jaggi 2019, arXiv:1905.13727, Section 4.1 (error feedback) and "
    "Appendix (spectral ATOMO)",
    told=f"n = {_N}, gamma = {_STEP.gamma:g}, {_REPLICAS} replicas of seed 0",
    scales=("linear", "log"),
)
