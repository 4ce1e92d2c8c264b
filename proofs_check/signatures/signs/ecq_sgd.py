"""ECQ-SGD: past quantisation errors are made good, so the error floor sinks."""

from __future__ import annotations

from algorithms.compressors.qsgd import QSGD
from algorithms.memories.decaying_feedback import DecayingFeedback
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.instruments import bit_stage
from proofs_check.instruments.signature import Seen, Side, Signature, at_end


def measure(side: Side) -> Seen:
    """f - f* over the last third of the run."""
    method = {
        Side.METHOD: bit_stage.by_row("ecq-sgd"),
        Side.BASELINE: bit_stage.by_row("qsgd"),
        Side.FAULT: BSP(bit_stage.STEP, QSGD(4), DecayingFeedback(0.0, 0.9)),
    }[side]
    return at_end(bit_stage.descent(method, bit_stage.REPLICAS), last=100)


SIGNATURE = Signature(
    row="ecq-sgd",
    problem=bit_stage.ABOUT,
    effect="feeding back all past errors lowers the floor of quantised gradients at equal bits",
    quantity="mean f - f* over the last 100 of 300 steps [f]",
    method="ECQ-SGD, 4 levels",
    baseline="QSGD, 4 levels",
    fault="errors are remembered but not fed back",
    at_most=0.5,
    measure=measure,
    x_label="steps",
    y_label="f(x_t) - f* [f]",
    source="Wu, Huang, Huang, Zhang 2018, arXiv:1806.08054, Theorem 1",
    told=f"{bit_stage.TOLD}, {bit_stage.REPLICAS} replicas of seed 0",
    scales=("linear", "log"),
)
