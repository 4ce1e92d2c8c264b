"""Gaussian-k: a threshold from mean and deviation does what a selection would."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import final

from torch import Tensor

from algorithms.codes.base import Symbols
from algorithms.compressors.entries import entries_of
from algorithms.compressors.gaussian_k import GaussianK
from algorithms.core.key import Draws
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.instruments import bits_setting
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from proofs_check.mutants.operator_mutant import FaultyCompressor
from theory.stepsizes import Stepsize

_TARGET = 0.5


@final
@dataclass(frozen=True)
class SpreadlessGaussianK(FaultyCompressor):
    """The threshold is the row's mean: its deviation is left out, and nothing is looked at."""

    right: GaussianK

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        entries = entries_of(x.abs() > x.mean(-1, keepdim=True).abs())
        return entries.count, entries.positions, entries.pick(x)


def _made(side: Arm, step: Stepsize) -> BSP:
    own = bits_setting.by_row("gaussian-k", step)
    assert isinstance(own, BSP)
    match side:
        case Arm.METHOD:
            return own
        case Arm.BASELINE:
            return BSP(step)
        case Arm.FAULT:
            return replace(own, compressor=SpreadlessGaussianK(GaussianK(0.1)))


def measure(side: Arm) -> Measurement:
    """Bits of a worker until f - f* is at most the target, each side at its best stepsize."""
    return bits_setting.bits_at_best(
        partial(_made, side), _TARGET, bits_setting.problem(), replicas=1, grid=bits_setting.COARSE
    )


SIGNATURE = EffectCheck(
    row="gaussian-k",
    problem=bits_setting.ABOUT,
    effect="a threshold from mean and deviation, found without a selection, picks the few large "
    "coordinates: less than half of the bits of full gradients at their best stepsize",
    quantity=f"bits a worker sends until f - f* <= {_TARGET} (from 2.2) [bit]",
    method="Gaussian-k with memory, k = d/10",
    baseline="BSP with full gradients",
    fault="the threshold is the mean, without the deviation",
    at_most=0.5,
    measure=measure,
    x_label="bits a worker sends",
    y_label="f(x_t) - f* [f]",
    source="Shi, Chu, Cheung, See 2019, arXiv:1911.08772, Algorithm 1 and Section 4",
    told=f"{bits_setting.TOLD_TUNED}; nothing is drawn",
)
