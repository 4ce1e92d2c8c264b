"""ECQ-SGD: past quantisation errors are made good, so the error floor sinks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from algorithms.compressors.qsgd import QSGD
from algorithms.engine.trace import Trace
from algorithms.memories.decaying_feedback import DecayingFeedback
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.instruments import bit_stage
from proofs_check.instruments.signature import Seen, Side, Signature, at_end
from theory.stepsizes import Stepsize


def measure(side: Side) -> Seen:
    """f - f* over the last third of the run, each side at its best stepsize."""
    makes: dict[Side, Callable[[Stepsize], Method[Any]]] = {
        Side.METHOD: lambda step: bit_stage.by_row("ecq-sgd", step),
        Side.BASELINE: lambda step: bit_stage.by_row("qsgd", step),
        Side.FAULT: lambda step: BSP(step, QSGD(4), DecayingFeedback(0.5, 0.0)),
    }
    return bit_stage.at_best(makes[side], _floor, bit_stage.problem())


def _floor(trace: Trace) -> Seen:
    return at_end(trace, last=len(trace.steps) // 3)


SIGNATURE = Signature(
    row="ecq-sgd",
    problem=bit_stage.ABOUT,
    effect="feeding back all past errors lowers the floor of quantised gradients at equal bits",
    quantity=f"mean f - f* over the last third of {bit_stage.STEPS} steps [f]",
    method="ECQ-SGD, 4 levels",
    baseline="QSGD, 4 levels",
    fault="only the last error is remembered",
    at_most=0.5,
    measure=measure,
    x_label="steps",
    y_label="f(x_t) - f* [f]",
    source="Wu, Huang, Huang, Zhang 2018, arXiv:1806.08054, Theorem 1",
    told=bit_stage.TUNED,
    scales=("linear", "log"),
)
