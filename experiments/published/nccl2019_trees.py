"""``rateproof figure nccl2019-trees``: latency of rings and trees by NCCL's own constants."""

from __future__ import annotations

import math

import numpy as np

from experiments.figures.lines import DrawnLine
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import Reproduction, near
from experiments.published.figure import PublishedFigure, Request
from theory.claims import Confidence, Source
from theory.seconds.collectives import binary_tree_seconds, ring_seconds
from theory.seconds.costs import AlphaBeta

_INTRA = AlphaBeta(0.6e-6, 0.0)  # NVLink, low-latency protocol, ring and tree
_RING, _TREE = AlphaBeta(2.7e-6, 0.0), AlphaBeta(5.0e-6, 0.0)  # between nodes
_BASE_RING, _BASE_TREE = 6.6e-6, 6.8e-6
_GPUS = 6  # a node


def measure(_: Request) -> Reproduction:
    """Latencies of an empty all-reduce on up to 4096 nodes of six GPUs."""
    nodes = 2.0 ** np.arange(1, 13)
    ring = np.array([_ring(int(n)) for n in nodes])
    tree = np.array([_tree(int(n)) for n in nodes])
    numbers = (
        near("ring, 4096 nodes", 46_696, ring[-1] * 1e6, absolute=0.5, unit="us",
             confidence=Confidence.DERIVED, source="recomputed from the constants"),
        near("tree, 4096 nodes", 133, tree[-1] * 1e6, absolute=0.5, unit="us",
             confidence=Confidence.DERIVED, source="recomputed from the constants"),
        near("ring by tree, 4096 nodes", 350, ring[-1] / tree[-1], relative=0.01, unit="ratio",
             confidence=Confidence.DERIVED, source="recomputed from the constants"),
        near("ring by tree, measured on Summit", 180, ring[-1] / tree[-1], relative=0.5,
             unit="ratio", confidence=Confidence.MEMORY, source="NVIDIA's blog, up to 180 times"),
        near("ring grows as nodes to the", 1.0, math.log2(ring[-1] / ring[-2]), absolute=0.01,
             unit="exponent"),
        near("tree grows a doubling of the nodes by", 10.0, (tree[-1] - tree[-2]) * 1e6,
             absolute=1e-6, unit="us"),
    )  # fmt: skip
    x = np.asarray(nodes * _GPUS, dtype=np.float64)
    lines = DrawnLine("ring", x, ring * 1e6), DrawnLine("tree", x, tree * 1e6)
    theory = (
        DrawnLine("$n$", x, x * ring[-1] * 1e6 / x[-1] * 0.6),
        DrawnLine("$\\log n$", x, np.log2(x) * tree[-1] * 1e6 / np.log2(x[-1]) * 0.7),
    )
    panel = CurvePanel("low-latency protocol, 6 GPUs a node", "GPUs $n$", "latency [$\\mu$s]",
                       lines, theory)  # fmt: skip
    return Reproduction(numbers, (panel,))


def _ring(nodes: int) -> float:
    """2(n - 1) hops, of which 2(nodes - 1) between nodes [s]."""
    n = nodes * _GPUS
    inside = ring_seconds(_INTRA, n, 0.0) - ring_seconds(_INTRA, nodes, 0.0)
    return _BASE_RING + inside + ring_seconds(_RING, nodes, 0.0)


def _tree(nodes: int) -> float:
    """Along each node's chain and up and down a tree of the nodes [s]."""
    return _BASE_TREE + 2 * _INTRA.seconds(0.0, _GPUS - 1) + binary_tree_seconds(_TREE, nodes, 0.0)


FIGURE = PublishedFigure(
    "nccl2019-trees",
    "All-reduce latency of rings and trees on thousands of GPUs",
    Source("NVIDIA", 2019, "", "NCCL, src/graph/tuning.cc, and its blog on double binary trees"),
    "rings grow linearly and trees logarithmically, to the latencies that the constants give at "
    "4096 nodes",
    measure,
)
