"""ATOMO: coordinates kept by their size, where equal chances leave more variance."""

from __future__ import annotations

import torch

from algorithms.compressors.atomo import Atomo
from algorithms.compressors.rand_k import RandK
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from proofs_check.instruments.mean_estimation_setting import (
    by_operator,
    by_row,
    estimate,
    normal_rows,
    sweep,
)
from proofs_check.mutants.quantisation import UncappedAtomo
from theory.arrays import Floats

_N, _SIZES, _REPLICAS = 64, (32, 64, 128, 256), 192


def measure(side: Arm) -> Measurement:
    """Squared error of the mean over the dimension, in shares of the rows' squared norm."""
    return sweep(_SIZES, lambda d: _error(side, d))


def _error(side: Arm, d: int) -> Floats:
    rows = (normal_rows(1, d, "common") + 0.1 * normal_rows(_N, d, "own")) / (1 + torch.arange(d))
    method = {
        Arm.METHOD: by_row("atomo", rows),
        Arm.BASELINE: by_operator(RandK(0.25, scaled=True)),
        Arm.FAULT: by_operator(UncappedAtomo(Atomo(d // 4))),
    }[side]
    return estimate(method, rows, _REPLICAS).error / float(rows.square().sum(-1).mean())


SIGNATURE = EffectCheck(
    row="atomo",
    problem="mean of 64 rows whose entries fall as 1/j, d = 256",
    effect="the best chances for a given number of entries leave a small part of the variance "
    "that equal chances leave",
    quantity="squared error of the mean at d = 256 [mean squared norm]",
    method="ATOMO, a quarter of the entries on average",
    baseline="a random quarter of the entries, scaled up",
    fault="chances in proportion to the entries, without the cap at 1",
    at_most=0.15,
    measure=measure,
    x_label="dimension d",
    y_label="squared error of the mean / mean squared norm",
    source="Wang, Sievert, Liu, Charles, Papailiopoulos, Wright 2018, arXiv:1806.04090, Theorem 4",
    told=f"n = {_N}, {_REPLICAS} replicas of seed 0",
)
