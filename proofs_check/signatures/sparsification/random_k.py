"""Random-k: what single workers leave out, others send, so a quarter of the bits does."""

from __future__ import annotations

from algorithms.catalogue import row
from algorithms.compressors.rand_k import RandK
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.instruments import bits_setting
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from proofs_check.mutants.sparsification import BiasedRandK
from theory.stepsizes import ConstantStep

_TARGET, _FULL, _REPLICAS = 1e-4, ConstantStep(1.0), 16
_STEPS = 200


def measure(side: Arm) -> Measurement:
    """Bits of a worker until f - f* is at most the target, at stepsize 1/L."""
    stage = bits_setting.alike()
    method: Method[object] = {
        Arm.METHOD: row("random-k").tune(stage, _STEPS, _FULL).method,
        Arm.BASELINE: BSP(_FULL),
        Arm.FAULT: BSP(_FULL, BiasedRandK(RandK(0.25))),
    }[side]
    replicas = 1 if side is Arm.BASELINE else _REPLICAS
    return bits_setting.bits_to(bits_setting.descent(method, replicas, _STEPS, stage), _TARGET)


SIGNATURE = EffectCheck(
    row="random-k",
    problem=bits_setting.ABOUT_ALIKE,
    effect="workers that each send a random quarter of the coordinates, scaled up, need about the "
    "steps of full gradients",
    quantity=f"bits a worker sends until f - f* <= {_TARGET:g} [bit]",
    method="random-k, k = d/4",
    baseline="BSP with full gradients",
    fault="what is sent is not scaled by d/k",
    at_most=0.4,
    measure=measure,
    x_label="bits a worker sends",
    y_label="f(x_t) - f* [f]",
    source="Stich, Cordonnier, Jaggi 2018, arXiv:1809.07599, Section 1: unbiased rand-k; "
    "omega/n in the rate of n workers",
    told=f"n = {bits_setting.N}, gamma = 1/L = 1, also the cheapest for full gradients, "
    f"{_REPLICAS} replicas of seed 0",
    scales=("log", "log"),
)
