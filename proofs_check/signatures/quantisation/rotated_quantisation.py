"""Rotated quantisation: a spike no longer sets the grid of all other coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.codes.base import Symbols
from algorithms.compressors.k_level import KLevel
from algorithms.compressors.rotated import Rotated
from algorithms.core.key import Draws
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from proofs_check.instruments.mean_estimation_setting import (
    REPLICAS,
    by_operator,
    by_row,
    estimate,
    normal_rows,
    sweep,
)
from proofs_check.mutants.operator_mutant import FaultyCompressor
from theory.arrays import Floats

_N, _SIZES = 10, (16, 32, 64, 128, 256)


@final
@dataclass(frozen=True)
class SignsAlone(FaultyCompressor):
    """Random signs without the Hadamard matrix: no coordinate is mixed with another."""

    right: Rotated

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return self.right.inner.encode(x * self._signs(x, draws), draws.fold("levels"))

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        levels = self.right.inner.decode(symbols, d, dtype, draws.fold("levels"))
        return levels * self._signs(levels, draws)

    def _signs(self, x: Tensor, draws: Draws) -> Tensor:
        return (1 - 2 * draws.fold("rotation").integers(2, x.shape[-1])).to(x.dtype)


def spiky(d: int) -> Tensor:
    """Rows of N(0, 0.01^2) but for one coordinate, which is 10."""
    rows = 0.01 * normal_rows(_N, d, "spiky")
    rows[:, -1] = 10
    return rows


def measure(side: Arm) -> Measurement:
    """Squared error of the mean over the dimension, in shares of the rows' squared norm."""
    return sweep(_SIZES, lambda d: _error(side, d))


def _error(side: Arm, d: int) -> Floats:
    rows = spiky(d)
    method = {
        Arm.METHOD: by_row("rotated-quantisation", rows),
        Arm.BASELINE: by_operator(KLevel(16)),
        Arm.FAULT: by_operator(SignsAlone(Rotated(KLevel(16)))),
    }[side]
    return estimate(method, rows).error / float(rows.square().sum(-1).mean())


SIGNATURE = EffectCheck(
    row="rotated-quantisation",
    problem="mean of 10 rows, 255 coordinates of N(0, 0.01^2) and one of 10",
    effect="a spike costs the logarithm of the dimension, not the dimension",
    quantity="squared error of the mean at d = 256 [mean squared norm]",
    method="16 levels after a random rotation",
    baseline="16 levels without rotation, the same bits",
    fault="random signs without the Hadamard matrix",
    at_most=0.15,
    measure=measure,
    x_label="dimension d",
    y_label="squared error of the mean / mean squared norm",
    source="Suresh, Yu, Kumar, McMahan 2017, arXiv:1611.00429, Theorems 2 and 3, Figure 1 "
    "(unbalanced data)",
    told=f"n = {_N}, 16 levels, {REPLICAS} replicas of seed 0",
)
