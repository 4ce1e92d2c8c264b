"""TernGrad: ternaries on one scale for all add up, so the way back is short too."""

from __future__ import annotations

from dataclasses import replace

from algorithms.methods.quantisation.terngrad import TernGradSGD
from proofs_check.instruments import bit_stage
from proofs_check.instruments.signature import Seen, Side, Signature

_TARGET = 0.2


def measure(side: Side) -> Seen:
    """Bits of a worker until f - f* is at most the target."""
    own = TernGradSGD(bit_stage.STEP)
    method = {
        Side.METHOD: bit_stage.by_row("terngrad"),
        Side.BASELINE: bit_stage.by_row("qsgd"),
        Side.FAULT: replace(own, share_scale=False, localise=False),
    }[side]
    return bit_stage.both_ways_to(bit_stage.descent(method, bit_stage.REPLICAS), _TARGET)


SIGNATURE = Signature(
    row="terngrad",
    problem=bit_stage.ABOUT,
    effect="three levels on a scale that all workers share are summed and sent back in a few "
    "bits, where other quantisers hear floats",
    quantity=f"bits a worker sends and receives until f - f* <= {_TARGET} [bit]",
    method="TernGrad",
    baseline="QSGD with 4 levels",
    fault="every worker keeps its own scale, so the server sends the model",
    at_most=0.3,
    measure=measure,
    x_label="bits a worker sends and receives",
    y_label="f(x_t) - f* [f]",
    source="Wen, Xu, Yan, Wu, Wang, Chen, Li 2017, arXiv:1705.07878, Section 3.2 (scaler "
    "sharing) and Algorithm 1",
    told=f"{bit_stage.TOLD}, {bit_stage.REPLICAS} replicas of seed 0",
    scales=("log", "log"),
)
