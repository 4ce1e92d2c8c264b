"""GoogLeNet: Szegedy et al. 2015 (arXiv:1409.4842), Table 1, without the auxiliary classifiers."""

from __future__ import annotations

from collections.abc import Iterator

from algorithms.workloads.base import Workload, WorkloadLayer
from algorithms.workloads.layers import convolution, linear
from theory.claims import Source

_INCEPTIONS = (
    ("3a", 28, 64, 96, 128, 16, 32, 32),
    ("3b", 28, 128, 128, 192, 32, 96, 64),
    ("4a", 14, 192, 96, 208, 16, 48, 64),
    ("4b", 14, 160, 112, 224, 24, 64, 64),
    ("4c", 14, 128, 128, 256, 24, 64, 64),
    ("4d", 14, 112, 144, 288, 32, 64, 64),
    ("4e", 14, 256, 160, 320, 32, 128, 128),
    ("5a", 7, 256, 160, 320, 32, 128, 128),
    ("5b", 7, 384, 192, 384, 48, 128, 128),
)
"""Name, side of the output, then the columns of Table 1 from #1x1 to "pool proj"."""


def _layers() -> Iterator[WorkloadLayer]:
    yield convolution("conv1", (3, 64), 7, 112, bias=True)
    yield convolution("conv2.reduce", (64, 64), 1, 56, bias=True)
    yield convolution("conv2", (64, 192), 3, 56, bias=True)
    inside = 192
    for name, side, one, reduce3, three, reduce5, five, pool in _INCEPTIONS:
        branches = (
            ("1x1", (inside, one), 1), ("3x3.reduce", (inside, reduce3), 1),
            ("3x3", (reduce3, three), 3), ("5x5.reduce", (inside, reduce5), 1),
            ("5x5", (reduce5, five), 5), ("pool", (inside, pool), 1),
        )  # fmt: skip
        for branch, channels, kernel in branches:
            yield convolution(f"{name}.{branch}", channels, kernel, side, bias=True)
        inside = one + three + five + pool
    yield linear("classifier", inside, 1000)


GOOGLENET = Workload(
    "googlenet",
    "GoogLeNet",
    "an image of 224 x 224 x 3",
    tuple(_layers()),
    Source("Szegedy et al.", 2015, "1409.4842", "Table 1"),
)
