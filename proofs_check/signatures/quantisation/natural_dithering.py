"""Natural dithering: levels that halve, so that few of them reach far below the norm."""

from __future__ import annotations

from algorithms.compressors.natural_dithering import NaturalDithering
from algorithms.compressors.qsgd import QSGD
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

_N, _SIZES = 4, (64, 256, 1024, 4096)


def measure(side: Arm) -> Measurement:
    """Squared error of the mean over the dimension, in shares of the rows' squared norm."""
    return sweep(_SIZES, lambda d: _error(side, d))


def _error(side: Arm, d: int) -> Floats:
    rows = normal_rows(_N, d)
    method = {
        Arm.METHOD: by_row("natural-dithering", rows),
        Arm.BASELINE: by_operator(QSGD(8)),
        Arm.FAULT: by_operator(NaturalDithering(2)),
    }[side]
    return estimate(method, rows).error / float(rows.square().sum(-1).mean())


SIGNATURE = EffectCheck(
    row="natural-dithering",
    problem="mean of 4 normal rows, d = 4096",
    effect="levels that halve leave far less variance than as many levels at equal distances",
    quantity="squared error of the mean at d = 4096 [mean squared norm]",
    method="natural dithering, 8 levels",
    baseline="QSGD with 8 levels, the same bits",
    fault="without the levels below one half",
    at_most=0.1,
    measure=measure,
    x_label="dimension d",
    y_label="squared error of the mean / mean squared norm",
    source="Horvath, Ho, Horvath, Sahu, Canini, Richtarik 2019, arXiv:1905.10988, Theorem 8: "
    "exponentially better than standard dithering",
    told=f"n = {_N}, {REPLICAS} replicas of seed 0",
)
