"""Gradient dropping: one threshold, found in a sample, and what lies below it waits."""

from __future__ import annotations

from dataclasses import replace

from algorithms.memories.base import NoMemory
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.instruments import bits_setting
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from theory.stepsizes import ConstantStep, Stepsize

_TARGET, _REPLICAS, _TUNED = 0.3, 32, 0.2


def _made(side: Arm, step: Stepsize) -> BSP:
    own = bits_setting.by_row("aji-heafield", step)
    assert isinstance(own, BSP)
    match side:
        case Arm.METHOD:
            return own
        case Arm.BASELINE:
            return BSP(step)
        case Arm.FAULT:
            return replace(own, memory=NoMemory())


def measure(side: Arm) -> Measurement:
    """Bits of a worker until f - f* is at most the target; full gradients at 1/L, their best."""
    step = ConstantStep(_TUNED) if side is not Arm.BASELINE else ConstantStep(1.0)
    method = _made(side, step)
    replicas = 1 if side is Arm.BASELINE else _REPLICAS
    return bits_setting.bits_to(bits_setting.descent(method, replicas, 200), _TARGET)


SIGNATURE = EffectCheck(
    row="aji-heafield",
    problem=bits_setting.ABOUT,
    effect="nine tenths of every gradient can wait behind one threshold, found in a sample, at "
    "less than three quarters of the bits of full gradients at their best stepsize",
    quantity=f"bits a worker sends until f - f* <= {_TARGET} (from 2.2) [bit]",
    method="one threshold from a sample, a tenth is sent",
    baseline="BSP with full gradients",
    fault="what lies below the threshold is dropped for good",
    at_most=0.75,
    measure=measure,
    x_label="bits a worker sends",
    y_label="f(x_t) - f* [f]",
    source="Aji, Heafield 2017, arXiv:1704.05021, Algorithm 1 and Section 4",
    told=f"n = {bits_setting.N}, gamma = {_TUNED:g} and 1/L = 1 for full gradients, {_REPLICAS} "
    "replicas of seed 0",
)
