"""ResNet-50: He, Zhang, Ren, Sun 2016 (arXiv:1512.03385), Table 1, the 50-layer column.

Bottleneck blocks 1x1, 3x3, 1x1 with the stride in the 3x3 convolution (the variant that most
measurements run, often called 1.5), batch normalisation behind every convolution.
"""

from __future__ import annotations

from collections.abc import Iterator

from algorithms.workloads.base import Workload, WorkloadLayer
from algorithms.workloads.layers import convolution, linear, norm
from theory.claims import Source

_BLOCKS = (3, 4, 6, 3)
_EXPANSION = 4


def _convolved(
    name: str, channels: tuple[int, int], kernel: int, side: int
) -> Iterator[WorkloadLayer]:
    yield convolution(f"{name}.conv", channels, kernel, side)
    yield norm(f"{name}.norm", channels[1])


def bottleneck_layers(blocks_by_stage: tuple[int, ...]) -> Iterator[WorkloadLayer]:
    """Layers from the input on, with so many bottleneck blocks a stage: (3, 4, 6, 3) is ResNet-50,
    (3, 4, 23, 3) ResNet-101."""
    yield from _convolved("stem", (3, 64), 7, 112)
    inside = 64
    for stage, blocks in enumerate(blocks_by_stage):
        width, side = 64 << stage, 56 >> stage
        for block in range(blocks):
            name = f"stage{stage + 1}.{block}"
            before = side * 2 if stage and block == 0 else side
            yield from _convolved(f"{name}.reduce", (inside, width), 1, before)
            yield from _convolved(f"{name}.spatial", (width, width), 3, side)
            yield from _convolved(f"{name}.expand", (width, _EXPANSION * width), 1, side)
            if block == 0:
                yield from _convolved(f"{name}.shortcut", (inside, _EXPANSION * width), 1, side)
            inside = _EXPANSION * width
    yield linear("classifier", inside, 1000)


RESNET_50 = Workload(
    "resnet-50",
    "ResNet-50",
    "an image of 224 x 224 x 3",
    tuple(bottleneck_layers(_BLOCKS)),
    Source("He, Zhang, Ren, Sun", 2016, "1512.03385", "Table 1"),
)
