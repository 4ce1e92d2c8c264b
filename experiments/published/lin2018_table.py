"""``rateproof figure lin2018-table``: what deep gradient compression sends of ResNet-50."""

from __future__ import annotations

from typing import Any

import numpy as np

from algorithms.compressors.base import Compressor
from algorithms.compressors.top_k import TopK
from algorithms.compressors.warm_up import sparsity_warm_up
from experiments.figures.lines import DrawnLine
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import Reproduction, at_least, near
from experiments.published.figure import PublishedFigure, Request
from theory.claims import Confidence, Source

_PARAMETERS = 25_557_032
_MIB, _MB = 2**20, 1e6
_SPARSITY = (75.0, 93.75, 98.4375, 99.6, 99.9)


def measure(_: Request) -> Reproduction:
    """Bytes of one gradient, dense and of its largest 0.1 %, and the warm-up's sparsities."""
    stages = sparsity_warm_up(1).stages
    kept = [_share(stage) for stage in stages]
    message = stages[-1].stated_bits(_PARAMETERS, 32) / 8
    dense = _PARAMETERS * 4
    known: dict[str, Any] = {
        "confidence": Confidence.DERIVED,
        "source": "recomputed from the paper's table",
    }
    numbers = (
        near("gradient of ResNet-50, dense", 97.0, dense / _MIB, absolute=0.6, unit="MiB"),
        near("ratio of the stated sizes, 97 MB by 0.35 MB", 277.0, 97 / 0.35, absolute=0.5,
             unit="ratio", **known),
        at_least("ratio of dense to this project's top 0.1 %", 277.0, dense / message,
                 unit="ratio"),
        near("message of 0.1 %, as stated", 0.35, message / _MB, relative=0.5, unit="MB",
             confidence=Confidence.ORDER,
             source="the paper's run-length code and tensors sent whole are not known"),
        *(near(f"warm-up, epoch {k + 1}: sparsity", stated, 100 * (1 - share), absolute=1e-9,
               unit="%") for k, (stated, share) in enumerate(zip(_SPARSITY, kept, strict=True))),
    )  # fmt: skip
    epoch = np.arange(1.0, len(kept) + 1)
    size = np.array([stage.stated_bits(_PARAMETERS, 32) / 8 / _MB for stage in stages])
    line = DrawnLine("message", epoch, size)
    whole = DrawnLine("dense", epoch, 0 * epoch + dense / _MB)
    panel = CurvePanel("warm-up on ResNet-50", "epoch", "message [MB]", (line,), (whole,),
                       scales=("linear", "log"))  # fmt: skip
    return Reproduction(numbers, (panel,))


def _share(stage: Compressor) -> float:
    assert isinstance(stage, TopK)
    return float(stage.k)


FIGURE = PublishedFigure(
    "lin2018-table",
    "Deep gradient compression: bytes of a gradient of ResNet-50",
    Source("Lin, Han, Mao, Wang, Dally", 2018, "1712.01887", "Table 2, section 3.3"),
    "a dense gradient has 97 MiB, the largest 0.1 percent take at most 1/277 of it, and the "
    "warm-up's sparsities are the published ones",
    measure,
)
