"""Error feedback: what was not sent is added to the next gradient, so a bias leaves no floor."""

from __future__ import annotations

from dataclasses import replace

from algorithms.compressors.rand_k import RandK
from algorithms.memories.base import NoMemory
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.instruments import bits_setting
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, at_end
from theory.stepsizes import ConstantStep

_STEP, _STEPS, _LAST, _REPLICAS = ConstantStep(0.05), 300, 50, 24


def measure(side: Arm) -> Measurement:
    """Mean f - f* over the last steps."""
    own = bits_setting.by_row("error-feedback", _STEP)
    assert isinstance(own, BSP)
    method = {
        Arm.METHOD: own,
        Arm.BASELINE: BSP(_STEP, RandK(0.25)),
        Arm.FAULT: replace(own, memory=NoMemory()),
    }[side]
    return at_end(bits_setting.descent(method, _REPLICAS, _STEPS), last=_LAST)


SIGNATURE = EffectCheck(
    row="error-feedback",
    problem=bits_setting.ABOUT,
    effect="a random quarter of the coordinates with a memory of the others leaves a small part of "
    "the error that the same quarter leaves unbiased and without memory, for the same bits",
    quantity=f"mean f - f* over the last {_LAST} of {_STEPS} steps [f]",
    method="random quarter with error feedback",
    baseline="random quarter, scaled up, without memory",
    fault="what was not sent is forgotten",
    at_most=0.5,
    measure=measure,
    x_label="steps",
    y_label="f(x_t) - f* [f]",
    source="Stich, Cordonnier, Jaggi 2018, arXiv:1809.07599, Theorem 2.4: k-contractions with "
    "memory have SGD's rate",
    told=f"n = {bits_setting.N}, gamma = {_STEP.gamma:g} (of 0.02, 0.05, 0.1 the baseline's best), "
    f"{_REPLICAS} replicas of seed 0",
    scales=("linear", "log"),
)
