"""AlexNet on one device: Krizhevsky 2014 (arXiv:1404.5997), without the two groups of 2012."""

from __future__ import annotations

from collections.abc import Iterator

from algorithms.workloads.base import Workload, WorkloadLayer
from algorithms.workloads.layers import convolution, linear
from theory.claims import Source

_CONVOLUTIONS = ((64, 11, 55), (192, 5, 27), (384, 3, 13), (256, 3, 13), (256, 3, 13))


def _layers() -> Iterator[WorkloadLayer]:
    inside = 3
    for i, (width, kernel, side) in enumerate(_CONVOLUTIONS):
        yield convolution(f"conv{i + 1}", (inside, width), kernel, side, bias=True)
        inside = width
    yield linear("fc6", inside * 6 * 6, 4096)
    yield linear("fc7", 4096, 4096)
    yield linear("fc8", 4096, 1000)


ALEXNET = Workload(
    "alexnet",
    "AlexNet",
    "an image of 224 x 224 x 3",
    tuple(_layers()),
    Source("Krizhevsky", 2014, "1404.5997", "Section 4"),
)
