"""Low-precision SGD: sixteen bits are enough if they are rounded by chance."""

from __future__ import annotations

from algorithms.compressors.fixed_point import FixedPoint
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.instruments import bits_setting
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement
from proofs_check.mutants.undithered import Undithered
from theory.stepsizes import ConstantStep

_TARGET, _STEP = 2e-8, ConstantStep(0.2)


def measure(side: Arm) -> Measurement:
    """Bits of a worker until f - f* is at most the target."""
    method = {
        Arm.METHOD: bits_setting.by_row("low-precision-sgd", _STEP),
        Arm.BASELINE: bits_setting.uncompressed(_STEP),
        Arm.FAULT: BSP(_STEP, Undithered(FixedPoint(12, 16))),
    }[side]
    return bits_setting.bits_to(bits_setting.descent(method, bits_setting.REPLICAS), _TARGET)


SIGNATURE = EffectCheck(
    row="low-precision-sgd",
    problem=bits_setting.ABOUT,
    effect="numbers of 16 bits reach an accuracy far below their grid, if they are rounded by "
    "chance",
    quantity=f"bits a worker sends until f - f* <= {_TARGET} [bit]",
    method="fixed point of 16 bits, stochastic",
    baseline="BSP with full gradients",
    fault="rounded to the nearest",
    at_most=0.3,
    measure=measure,
    x_label="bits a worker sends",
    y_label="f(x_t) - f* [f]",
    source="Gupta, Agrawal, Gopalakrishnan, Narayanan 2015, arXiv:1502.02551, Sections 3 and 4",
    told=f"n = {bits_setting.N}, gamma = {_STEP.gamma:g}, {bits_setting.REPLICAS} replicas of "
    "seed 0",
    scales=("log", "log"),
)
