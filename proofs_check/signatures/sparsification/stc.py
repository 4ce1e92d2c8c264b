"""Sparse ternary compression: what the server sends is compressed too."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from algorithms.compressors.identity import Identity
from algorithms.memories.base import NoMemory
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.instruments import bits_setting
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from theory.stepsizes import Stepsize

_TARGET = 0.05


def _made(side: Arm, step: Stepsize) -> BSP:
    own = bits_setting.by_row("stc", step)
    assert isinstance(own, BSP)
    match side:
        case Arm.METHOD:
            return own
        case Arm.BASELINE:
            return BSP(step)
        case Arm.FAULT:
            return replace(own, downlink=Identity(), server_memory=NoMemory())


def measure(side: Arm) -> Measurement:
    """Bits of a worker both ways until f - f* is at most the target, at its best stepsize."""
    return bits_setting.bits_at_best(
        partial(_made, side), _TARGET, bits_setting.problem(), both=True, replicas=1,
        grid=bits_setting.COARSE,
    )  # fmt: skip


SIGNATURE = EffectCheck(
    row="stc",
    problem=bits_setting.ABOUT,
    effect="ternary entries in both directions take less than a fifth of the bits, where "
    "compressing only what workers send cannot even halve them",
    quantity=f"bits a worker sends and receives until f - f* <= {_TARGET} [bit]",
    method="sparse ternary compression both ways, k = d/4",
    baseline="BSP with full gradients",
    fault="the server's answer is not compressed",
    at_most=0.2,
    measure=measure,
    x_label="bits a worker sends and receives",
    y_label="f(x_t) - f* [f]",
    source="Sattler, Wiedemann, Mueller, Samek 2019, arXiv:1903.02891, Section V: extended to "
    "downstream compression",
    told=f"{bits_setting.TOLD_TUNED}; nothing is drawn",
)
