"""``rateproof figure nccltests2018-bandwidth``: what of a vector crosses the busiest port."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from algorithms.collectives.base import MessageRound, counted
from algorithms.collectives.double_tree import DoubleTree
from algorithms.collectives.phases import Rings, directly
from algorithms.collectives.ring import RingAllReduce
from experiments.figures.lines import DrawnLine
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import PublishedNumber, Reproduction, near
from experiments.published.figure import PublishedFigure, Request
from theory.claims import Confidence, Source

_RANKS = (4, 8, 16, 32, 64)
_BLOCK = 8  # elements of a rank's part of the vector


def _ring(n: int, adds: bool | None) -> Iterable[MessageRound]:
    """The ring's rounds, or one of its two halves."""
    return (r for r in RingAllReduce(n).rounds(n * _BLOCK) if adds in (None, r.adds))


def _trees(n: int, adds: bool) -> Iterable[MessageRound]:
    """Up both trees, or down."""
    return (r for r in DoubleTree(n).rounds(n * _BLOCK) if r.adds is adds)


def _exchange(n: int) -> Iterable[MessageRound]:
    """Its part of each rank's vector straight to every other rank."""
    return directly(Rings.from_nodes(np.arange(n)[None], 0, n * _BLOCK), True)


PROGRAMS: dict[str, tuple[Callable[[int], Iterable[MessageRound]], Callable[[int], float]]] = {
    "all-reduce, ring": (lambda n: _ring(n, None), lambda n: 2 * (n - 1) / n),
    "reduce-scatter, ring": (lambda n: _ring(n, True), lambda n: (n - 1) / n),
    "all-gather, ring": (lambda n: _ring(n, False), lambda n: (n - 1) / n),
    "all-to-all": (_exchange, lambda n: (n - 1) / n),
    "broadcast, double tree": (lambda n: _trees(n, False), lambda n: 1.0),
    "reduce, double tree": (lambda n: _trees(n, True), lambda n: 1.0),
}
"""Programs with the factor of nccl-tests, by which bandwidth of the algorithm is multiplied."""


def measure(_: Request) -> Reproduction:
    """Elements through the busiest port, one way, by those of the vector."""
    exact: dict[str, Any] = {"absolute": 1e-12, "confidence": Confidence.CERTAIN}
    numbers: list[PublishedNumber] = []
    lines: list[DrawnLine] = []
    ranks = np.array(_RANKS, dtype=np.float64)
    for name, (program, factor) in PROGRAMS.items():
        ours = np.array([_busiest(program(n), n) for n in _RANKS])
        numbers += [
            near(f"{name}, {n} ranks", factor(n), float(one), unit="of the vector", **exact)
            for n, one in zip(_RANKS, ours, strict=True)
        ]
        lines.append(DrawnLine(name, ranks, ours))
    fine = np.arange(4.0, _RANKS[-1] + 1)
    theory = tuple(
        DrawnLine(name, fine, values)
        for name, values in (
            ("$2(n-1)/n$", 2 * (fine - 1) / fine),
            ("$(n-1)/n$", (fine - 1) / fine),
            ("$1$", np.ones_like(fine)),
        )
    )
    panel = CurvePanel(
        "programs counted message by message", "ranks $n$", "busiest port by vector", tuple(lines),
        theory, scales=("log", "linear"),
    )  # fmt: skip
    return Reproduction(tuple(numbers), (panel,))


def _busiest(program: Iterable[MessageRound], n: int) -> float:
    found = counted(program, n)
    return max(int(found.sent.max()), int(found.received.max())) / (n * _BLOCK)


FIGURE = PublishedFigure(
    "nccltests2018-bandwidth",
    "What of a vector the busiest port carries, collective by collective",
    Source("NVIDIA", 2018, "", "nccl-tests, doc/PERFORMANCE.md, summary of factors"),
    "programs counted message by message send through their busiest port the factors of all six "
    "collectives, exactly",
    measure,
)
