"""Randomised mean: what the rows' entries share goes once, as their centre."""

from __future__ import annotations

from algorithms.compressors.centred import Centred
from algorithms.compressors.rand_k import RandK
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

_N, _D, _OFFSETS = 8, 64, (0, 1, 2, 4, 8)


def measure(side: Arm) -> Measurement:
    """Squared error of the mean times bits a coordinate, over the offset of the rows."""
    return sweep(_OFFSETS, lambda offset: _product(side, offset))


def _product(side: Arm, offset: int) -> Floats:
    rows = offset + normal_rows(_N, _D)
    method = {
        Arm.METHOD: by_row("randomised-mean", rows),
        Arm.BASELINE: by_operator(RandK(0.25, scaled=True)),
        Arm.FAULT: by_operator(Centred(0.25, mean=False)),
    }[side]
    return estimate(method, rows).product / _D**2


SIGNATURE = EffectCheck(
    row="randomised-mean",
    problem="mean of 8 rows of N(8, 1), d = 64",
    effect="a centre that is sent once takes the variance of what all entries share away",
    quantity="squared error of the mean times bits, both a coordinate, at an offset of 8 "
    "[squared entry]",
    method="randomised mean about the rows' mean",
    baseline="a random quarter of the entries, scaled up",
    fault="the best chances about zero instead of the centre",
    at_most=0.05,
    measure=measure,
    x_label="offset of the rows [standard deviations of an entry]",
    y_label="squared error times bits, both a coordinate",
    source="Konecny, Richtarik 2016, arXiv:1611.07555, Lemma 3 and Section 5 (optimal centres and "
    "probabilities)",
    told=f"n = {_N}, a quarter of the entries on average, {REPLICAS} replicas of seed 0",
    scales=("linear", "log"),
)
