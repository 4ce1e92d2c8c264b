"""Top-k with memory: the largest coordinates take fewer bits than as many random ones."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from algorithms.compressors.rand_k import RandK
from algorithms.compressors.top_k import TopK
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.instruments import bits_setting
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from proofs_check.mutants.sparsification import SignedTopK
from theory.stepsizes import Stepsize

_TARGET, _REPLICAS, _GRID = 0.3, 32, (0.1, 0.2, 0.5, 1.0)


def _made(side: Arm, step: Stepsize) -> BSP:
    own = bits_setting.by_row("top-k", step)
    assert isinstance(own, BSP)
    match side:
        case Arm.METHOD:
            return own
        case Arm.BASELINE:
            return BSP(step, RandK(0.1, scaled=False), ErrorFeedback())
        case Arm.FAULT:
            return replace(own, compressor=SignedTopK(TopK(0.1)))


def measure(side: Arm) -> Measurement:
    """Bits of a worker until f - f* is at most the target, each side at its best stepsize."""
    replicas = _REPLICAS if side is Arm.BASELINE else 1
    return bits_setting.bits_at_best(
        partial(_made, side), _TARGET, bits_setting.problem(), replicas=replicas, grid=_GRID
    )


SIGNATURE = EffectCheck(
    row="top-k",
    problem=bits_setting.ABOUT,
    effect="the largest coordinates, with a memory of the others, take less than half of the bits "
    "that as many random ones take, although their places have to be sent",
    quantity=f"bits a worker sends until f - f* <= {_TARGET} [bit]",
    method="top-k with memory, k = d/10",
    baseline="random-k with memory, k = d/10, places known",
    fault="the largest signed values: negative ones wait",
    at_most=0.5,
    measure=measure,
    x_label="bits a worker sends",
    y_label="f(x_t) - f* [f]",
    source="Stich, Cordonnier, Jaggi 2018, arXiv:1809.07599, Section 4.2 and Figure 2: top-k with "
    "memory converges faster than rand-k",
    told=f"n = {bits_setting.N}, for each side the best gamma of {_GRID} on seed 1, {_REPLICAS} "
    "replicas of seed 2 for random-k",
)
