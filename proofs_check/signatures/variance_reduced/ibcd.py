"""IBCD: workers that update a few blocks each, of their own, lose nothing of the rate."""

from __future__ import annotations

from algorithms.catalogue import row
from algorithms.compressors.blocks import BlockInTurn
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.instruments import bits_setting
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from theory.stepsizes import ConstantStep

_TARGET, _FULL, _REPLICAS, _STEPS = 1e-4, ConstantStep(1.0), 48, 200


def measure(side: Arm) -> Measurement:
    """Bits of a worker until f - f* is at most the target, at stepsize 1/L."""
    stage = bits_setting.alike()
    method: Method[object] = {
        Arm.METHOD: row("ibcd").tune(stage, _STEPS, _FULL).method,
        Arm.BASELINE: BSP(_FULL),
        Arm.FAULT: BSP(_FULL, BlockInTurn(4, lot=0)),
    }[side]
    replicas = _REPLICAS if side is Arm.METHOD else 1
    return bits_setting.bits_to(bits_setting.descent(method, replicas, _STEPS, stage), _TARGET)


SIGNATURE = EffectCheck(
    row="ibcd",
    problem=bits_setting.ABOUT_ALIKE,
    effect="three quarters of what workers send is waste: one block of four each, drawn by every "
    "worker for itself, keeps the rate of full gradients",
    quantity=f"bits a worker sends until f - f* <= {_TARGET:g} [bit]",
    method="one of 4 blocks, each worker its own",
    baseline="BSP with full gradients",
    fault="the same block for all workers",
    at_most=0.4,
    measure=measure,
    x_label="bits a worker sends",
    y_label="f(x_t) - f* [f]",
    source="Mishchenko, Hanzely, Richtarik 2019, arXiv:1901.09437, Theorem 1 (IBCD): the rate of "
    "gradient descent with a share 1/n of the blocks",
    told=f"n = {bits_setting.N}, gamma = 1/L = 1, {_REPLICAS} replicas of seed 0",
)
