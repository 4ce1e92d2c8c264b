"""Spectral ATOMO: one triplet of a gradient that is nearly of rank one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.codes.base import Symbols
from algorithms.compressors.atomo import Atomo
from algorithms.compressors.spectral_atomo import SpectralAtomo
from algorithms.core.key import Draws
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from proofs_check.instruments.mean_estimation_setting import (
    by_operator,
    by_row,
    estimate,
    normal_rows,
    sweep,
)
from proofs_check.mutants.operator_mutant import FaultyCompressor
from theory.arrays import Floats

_N, _SIDES, _REPLICAS = 64, (4, 8, 16), 128


@final
@dataclass(frozen=True)
class Shuffled(FaultyCompressor):
    """Triplets of the shuffled matrix: its entries are there, its low rank is not."""

    right: SpectralAtomo

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return self.right.encode(x[..., _order(x.shape[-1])], draws)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        return self.right.decode(symbols, d, dtype, draws)[..., _order(d).argsort()]


def _order(d: int) -> Tensor:
    """Places 0 to d - 1 in an order of chance, always the same."""
    return normal_rows(1, d, "shuffled")[0].argsort()


def nearly_rank_one(side: int) -> Tensor:
    """Matrices u v^T of normal u and v, with noise of a hundredth, as rows ``[n, side^2]``."""
    u, v = normal_rows(_N, side, "u"), normal_rows(_N, side, "v")
    exact = (u[:, :, None] * v[:, None, :]).flatten(1)
    return exact + 0.01 * normal_rows(_N, side**2, "noise")


def measure(side: Arm) -> Measurement:
    """Squared error of the mean times bits, over the side of the matrices."""
    return sweep(_SIDES, lambda size: _product(side, size))


def _product(side: Arm, size: int) -> Floats:
    rows = nearly_rank_one(size)
    method = {
        Arm.METHOD: by_row("spectral-atomo", rows),
        Arm.BASELINE: by_operator(Atomo(0.25)),
        Arm.FAULT: by_operator(Shuffled(SpectralAtomo(1))),
    }[side]
    return estimate(method, rows, _REPLICAS).product / float(rows.square().sum(-1).mean()) / size**2


SIGNATURE = EffectCheck(
    row="spectral-atomo",
    problem="mean of 64 matrices of 16 x 16, nearly of rank one",
    effect="singular triplets say a gradient of low rank with a small part of the variance and "
    "bits that its entries take",
    quantity="squared error of the mean times bits an entry at 16 x 16 [mean squared norm]",
    method="spectral ATOMO, one triplet on average",
    baseline="entry-wise ATOMO, a quarter of the entries",
    fault="triplets of the shuffled matrix, whose rank is full",
    at_most=0.25,
    measure=measure,
    x_label="rows and columns of the matrix",
    y_label="squared error times bits an entry / mean squared norm",
    source="Wang, Sievert, Liu, Charles, Papailiopoulos, Wright 2018, arXiv:1806.04090, Section 5",
    told=f"n = {_N}, noise 0.01, {_REPLICAS} replicas of seed 0",
)
