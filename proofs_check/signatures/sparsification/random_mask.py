"""Subsampling: masks of the workers' own, scaled up, let the missing entries average out."""

from __future__ import annotations

from algorithms.compressors.random_mask import RandomMask
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from proofs_check.instruments.mean_estimation_setting import (
    REPLICAS,
    by_operator,
    by_row,
    estimate,
    normal_rows,
    sweep,
)
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

_D, _SIZES, _Q = 256, (4, 8, 16, 32, 64), 0.25


def measure(side: Arm) -> Measurement:
    """Squared error of the mean over the number of workers, in shares of a row's squared norm."""
    return sweep(_SIZES, lambda n: _error(side, n))


def _error(side: Arm, n: int) -> Floats:
    common = normal_rows(1, _D, "one update").expand(n, _D)
    method = {
        Arm.METHOD: by_row("random-mask", common),
        Arm.BASELINE: by_operator(RandomMask(_Q)),
        Arm.FAULT: BSP(ConstantStep(1.0), downlink=RandomMask(_Q, scaled=True)),
    }[side]
    return estimate(method, common, REPLICAS).error / float(common[0].square().sum())


SIGNATURE = EffectCheck(
    row="random-mask",
    problem=f"mean of n workers' updates that are alike, d = {_D}",
    effect="a quarter of each update is enough for an estimate whose error falls with the number "
    "of workers",
    quantity=f"squared error of the mean at n = {_SIZES[-1]} [squared norm of an update]",
    method="masks of the workers' own, scaled by 1/q",
    baseline="random masks that are not scaled",
    fault="one mask for all workers",
    at_most=0.15,
    measure=measure,
    x_label="workers n",
    y_label="squared error of the mean / squared norm",
    source="Konecny, McMahan, Yu, Richtarik, Suresh, Bacon 2016, arXiv:1610.05492, Section 3: "
    "subsampling is unbiased",
    told=f"q = {_Q:g}, {REPLICAS} replicas of seed 0",
)
