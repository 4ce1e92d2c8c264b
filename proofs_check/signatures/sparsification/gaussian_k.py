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
from proofs_check.instruments import bit_stage
from proofs_check.instruments.signature import Seen, Side, Signature
from proofs_check.mutants.operator_mutant import Impostor
from theory.stepsizes import Stepsize

_TARGET = 0.5


@final
@dataclass(frozen=True)
class SpreadlessGaussianK(Impostor):
    """The threshold is the row's mean: its deviation is left out, and nothing is looked at."""

    right: GaussianK

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        entries = entries_of(x.abs() > x.mean(-1, keepdim=True).abs())
        return entries.count, entries.positions, entries.pick(x)


def _made(side: Side, step: Stepsize) -> BSP:
    own = bit_stage.by_row("gaussian-k", step)
    assert isinstance(own, BSP)
    match side:
        case Side.METHOD:
            return own
        case Side.BASELINE:
            return BSP(step)
        case Side.FAULT:
            return replace(own, compressor=SpreadlessGaussianK(GaussianK(0.1)))


def measure(side: Side) -> Seen:
    """Bits of a worker until f - f* is at most the target, each side at its best stepsize."""
    return bit_stage.bits_at_best(
        partial(_made, side), _TARGET, bit_stage.problem(), replicas=1, grid=bit_stage.COARSE
    )


SIGNATURE = Signature(
    row="gaussian-k",
    problem=bit_stage.ABOUT,
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
    told=f"{bit_stage.TOLD_TUNED}; nothing is drawn",
)
