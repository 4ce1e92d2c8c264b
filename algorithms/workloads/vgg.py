"""VGG-16: Simonyan, Zisserman 2015 (arXiv:1409.1556), Table 1, configuration D."""

from __future__ import annotations

from collections.abc import Iterator

from algorithms.workloads.base import Workload, WorkloadLayer
from algorithms.workloads.layers import convolution, linear
from theory.claims import Source

_STAGES = ((2, 64), (2, 128), (3, 256), (3, 512), (3, 512))


def _layers() -> Iterator[WorkloadLayer]:
    inside = 3
    for stage, (count, width) in enumerate(_STAGES):
        for i in range(count):
            yield convolution(f"conv{stage + 1}.{i}", (inside, width), 3, 224 >> stage, bias=True)
            inside = width
    yield linear("fc6", inside * 7 * 7, 4096)
    yield linear("fc7", 4096, 4096)
    yield linear("fc8", 4096, 1000)


VGG_16 = Workload(
    "vgg-16",
    "VGG-16",
    "an image of 224 x 224 x 3",
    tuple(_layers()),
    Source("Simonyan, Zisserman", 2015, "1409.1556", "Table 1, configuration D"),
)
