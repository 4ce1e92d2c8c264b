"""Variable-length coding: sqrt(d) levels at the price of a few."""

from __future__ import annotations

import math

from algorithms.compressors.k_level import KLevel, Span
from algorithms.compressors.variable_length import VariableLength
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from proofs_check.instruments.mean_estimation_setting import (
    by_operator,
    by_row,
    estimate,
    normal_rows,
    sweep,
)
from theory.arrays import Floats

_N, _SIZES = 4, (64, 256, 1024)


def measure(side: Arm) -> Measurement:
    """Squared error of the mean times bits a coordinate, over the dimension."""
    return sweep(_SIZES, lambda d: _product(side, d))


def _product(side: Arm, d: int) -> Floats:
    rows = normal_rows(_N, d)
    method = {
        Arm.METHOD: by_row("variable-length-coding", rows),
        Arm.BASELINE: by_operator(KLevel(math.isqrt(d) + 1, Span.NORM)),
        Arm.FAULT: by_operator(VariableLength(2)),
    }[side]
    return estimate(method, rows, 16).product / d / float(rows.square().sum(-1).mean())


SIGNATURE = EffectCheck(
    row="variable-length-coding",
    problem="mean of 4 normal rows, d = 1024",
    effect="sqrt(d) levels cost little more than two bits a coordinate, at their own small error",
    quantity="squared error of the mean times bits a coordinate at d = 1024 [mean squared norm]",
    method="sqrt(d) + 1 levels in an arithmetic code",
    baseline="the same levels at fixed length",
    fault="two levels in that code",
    at_most=0.5,
    measure=measure,
    x_label="dimension d",
    y_label="squared error times bits a coordinate / mean squared norm",
    source="Suresh, Yu, Kumar, McMahan 2017, arXiv:1611.00429, Theorem 4",
    told=f"n = {_N}, 16 replicas of seed 0",
)
