"""Stochastic binary: one bit a coordinate whose error the number of workers divides."""

from __future__ import annotations

from algorithms.compressors.k_level import KLevel
from algorithms.compressors.layerwise import Buckets
from algorithms.compressors.one_bit import OneBit
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from proofs_check.instruments.mean_estimation_setting import (
    by_operator,
    by_row,
    estimate,
    normal_rows,
    sweep,
)
from proofs_check.mutants.undithered import Undithered
from theory.arrays import Floats

_D, _BUCKET, _SIZES = 100, 20, (1, 4, 16, 64, 256)


def measure(side: Arm) -> Measurement:
    """Squared error of the mean over the number of workers, in shares of its squared norm."""
    return sweep(_SIZES, lambda n: _error(side, n))


def _error(side: Arm, n: int) -> Floats:
    rows = normal_rows(1, _D, "common") + 0.1 * normal_rows(n, _D, "own")
    method = {
        Arm.METHOD: by_row("stochastic-binary", rows),
        Arm.BASELINE: by_operator(Buckets(OneBit(), _BUCKET)),
        Arm.FAULT: by_operator(Undithered(Buckets(KLevel(2), _BUCKET))),
    }[side]
    return estimate(method, rows, 16).error / float(rows.mean(0).square().sum())


SIGNATURE = EffectCheck(
    row="stochastic-binary",
    problem="mean of 256 similar normal rows, d = 100",
    effect="more workers make one-bit messages exact, where rounding to the mean of each sign is "
    "off by the same for any number of them",
    quantity="squared error of the mean of 256 workers [its squared norm]",
    method="stochastic binary",
    baseline="each entry as the mean of its sign, the same bits",
    fault="each entry goes to the nearer end, not by chance",
    at_most=0.1,
    measure=measure,
    x_label="workers n",
    y_label="squared error of the mean / its squared norm",
    source="Suresh, Yu, Kumar, McMahan 2017, arXiv:1611.00429, Lemmas 1 to 3: an error of 1/n",
    told=f"buckets of {_BUCKET}, rows of one N(0, 1) vector and own N(0, 0.01), 16 replicas of "
    "seed 0",
)
