"""ECQ-SGD: past quantisation errors are made good, so the error floor sinks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from algorithms.compressors.qsgd import QSGD
from algorithms.engine.trace import Trace
from algorithms.memories.decaying_feedback import DecayingFeedback
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.instruments import bits_setting
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, at_end
from theory.stepsizes import Stepsize


def measure(side: Arm) -> Measurement:
    """f - f* over the last third of the run, each side at its best stepsize."""
    makes: dict[Arm, Callable[[Stepsize], Method[Any]]] = {
        Arm.METHOD: lambda step: bits_setting.by_row("ecq-sgd", step),
        Arm.BASELINE: lambda step: bits_setting.by_row("qsgd", step),
        Arm.FAULT: lambda step: BSP(step, QSGD(4), DecayingFeedback(0.5, 0.0)),
    }
    return bits_setting.at_best(makes[side], _floor, bits_setting.problem())


def _floor(trace: Trace) -> Measurement:
    return at_end(trace, last=len(trace.steps) // 3)


SIGNATURE = EffectCheck(
    row="ecq-sgd",
    problem=bits_setting.ABOUT,
    effect="feeding back all past errors lowers the floor of quantised gradients at equal bits",
    quantity=f"mean f - f* over the last third of {bits_setting.STEPS} steps [f]",
    method="ECQ-SGD, 4 levels",
    baseline="QSGD, 4 levels",
    fault="only the last error is remembered",
    at_most=0.5,
    measure=measure,
    x_label="steps",
    y_label="f(x_t) - f* [f]",
    source="Wu, Huang, Huang, Zhang 2018, arXiv:1806.08054, Theorem 1",
    told=bits_setting.TUNED,
    scales=("linear", "log"),
)
