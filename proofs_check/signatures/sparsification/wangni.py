"""Wangni et al.: chances by size take fewer bits for the same variance of uneven gradients."""

from __future__ import annotations

import numpy as np
import torch

from algorithms.compressors.rand_k import RandK
from algorithms.compressors.random_mask import RandomMask
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from proofs_check.instruments.mean_estimation_setting import (
    by_operator,
    by_row,
    estimate,
    normal_rows,
    sweep,
)
from theory.arrays import Floats

_N, _SIZES, _REPLICAS = 64, (64, 256), 192


def measure(side: Arm) -> Measurement:
    """Error times bits of the mean over the dimension, in squared norms times d 64 bits."""
    return sweep(_SIZES, lambda d: _price(side, d))


def _price(side: Arm, d: int) -> Floats:
    rows = normal_rows(_N, d, "uneven") / (1 + torch.arange(d))
    method = {
        Arm.METHOD: by_row("wangni", rows),
        Arm.BASELINE: by_operator(RandK(0.5, scaled=True)),
        Arm.FAULT: by_operator(RandomMask(0.5, scaled=True, send_indices=True)),
    }[side]
    found = estimate(method, rows, _REPLICAS)
    unit = float(rows.square().sum(-1).mean()) / _N * 64 * d
    return np.asarray(found.product / unit)


SIGNATURE = EffectCheck(
    row="wangni",
    problem=f"mean of {_N} rows whose entries fall as 1/j, d = {_SIZES[-1]}",
    effect="chances that go with the size of an entry send an uneven gradient in a small part of "
    "the bits that equal chances take for the same variance",
    quantity="variance times bits of a message at d = 256 [squared norm times 64 d bits]",
    method="Wangni et al., variance budget 1",
    baseline="random-k with the same variance bound, k = d/2",
    fault="equal chances of 1/2 for all entries",
    at_most=0.2,
    measure=measure,
    x_label="dimension d",
    y_label="variance x bits / (squared norm x 64 d)",
    source="Wangni, Wang, Liu, Zhang 2018, arXiv:1710.09854, Section 3, Algorithm 2 and Lemma 3",
    told=f"n = {_N}, {_REPLICAS} replicas of seed 0",
)
