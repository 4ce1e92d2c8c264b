"""``rateproof figure tang2020-table3``: costs of all-reduce, from messages that are played."""

from __future__ import annotations

from collections.abc import Callable
from math import log2

import numpy as np

from algorithms.collectives.base import Collective
from algorithms.collectives.binary_tree import BinaryTree
from algorithms.collectives.recursive import HalvingDoubling, RecursiveDoubling
from algorithms.collectives.ring import RingAllReduce
from experiments.figures.lines import DrawnLine
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import PublishedNumber, Reproduction, near
from experiments.published.figure import PublishedFigure, Request
from proofs_check.evidence.synchronous.closed_forms_all_reduce import simulated
from theory.claims import Source
from theory.seconds.collectives import (
    binary_tree_seconds,
    halving_doubling_seconds,
    recursive_doubling_seconds,
    ring_seconds,
)
from theory.seconds.costs import AlphaBeta

_SIZES = (2, 4, 8, 16, 32)
_ALPHA, _BETA, _BITS = 10.0, 0.25, 64.0  # of the link that messages are played over
Make = Callable[[int], Collective]
Seconds = Callable[[AlphaBeta, int, float], float]
Stated = Callable[[int], tuple[float, float]]

_ROWS: dict[str, tuple[Make, Seconds, Stated]] = {
    "ring": (RingAllReduce, ring_seconds, lambda n: (2 * (n - 1), 2 * (n - 1) / n)),
    "recursive doubling": (
        RecursiveDoubling, recursive_doubling_seconds, lambda n: (log2(n), log2(n)),
    ),
    "binary tree": (BinaryTree, binary_tree_seconds, lambda n: (2 * log2(n), 2 * log2(n))),
    "halving, doubling": (
        HalvingDoubling, halving_doubling_seconds, lambda n: (2 * log2(n), 2 * (n - 1) / n),
    ),
}  # fmt: skip
"""The program, its closed form in seconds, and messages and vectors that Table III states."""


def measure(_: Request) -> Reproduction:
    """Seconds of every schedule, played message by message, beside the table's formulas."""
    numbers: list[PublishedNumber] = []
    for name, (make, _seconds, stated) in _ROWS.items():
        for n in _SIZES:
            messages, vectors = stated(n)
            cost = float(messages * _ALPHA + vectors * _BETA * _BITS)
            run = simulated(make(n), 0.0)
            right = bool((run.sums == 2**n - 1).all())
            ours = run.seconds if right else np.nan
            numbers.append(near(f"{name}, n = {n}", cost, ours, absolute=1e-9, unit="s"))
    crossing = _crossing(16)
    fast, slow = recursive_doubling_seconds(_LINK, 16, crossing), ring_seconds(_LINK, 16, crossing)
    numbers.append(near("recursive doubling is as fast as a ring at the stated length, n = 16",
                        slow, fast, relative=1e-9, unit="s at the crossing"))  # fmt: skip
    bits = np.geomspace(1e2, 1e9, 80)
    panel = CurvePanel(
        "by the formulas, $n = 16$, 10 Gbit/s, 20 $\\mu$s", "vector [bit]", "seconds",
        tuple(DrawnLine(name, bits, np.array([seconds(_LINK, 16, m) for m in bits]))
              for name, (_, seconds, _s) in _ROWS.items()),
    )  # fmt: skip
    x = np.array(_SIZES, dtype=np.float64)
    costs = tuple(
        DrawnLine(name, x, np.array([simulated(make(n), 0.0).seconds for n in _SIZES]))
        for name, (make, _, _s) in _ROWS.items()
    )
    formulas = tuple(
        DrawnLine("", x, np.array([k * _ALPHA + v * _BETA * _BITS for k, v in map(law, _SIZES)]))
        for _, _s, law in _ROWS.values()
    )
    note = "every schedule's sums are checked: a wrong one has no time"
    description = "played; dashed: Table III, $\\alpha = 10$ s, $\\beta = 1/4$ s"
    played_panel = CurvePanel(description, "workers $n$", "seconds", costs, formulas)
    return Reproduction(tuple(numbers), (played_panel, panel), (note,), columns=2)


_LINK = AlphaBeta(2e-5, 1e-10)


def _crossing(n: int) -> float:
    """Bits at which ring and recursive doubling take as long: the latencies' by the bits' cost."""
    rounds, share = log2(n), 2 * (n - 1) / n
    return (2 * (n - 1) - rounds) * _LINK.alpha / ((rounds - share) * _LINK.beta)


FIGURE = PublishedFigure(
    "tang2020-table3",
    "All-reduce of one vector: latency and bandwidth of four algorithms",
    Source("Tang, Shi, Wang, Li, Chu", 2020, "2003.06307", "Table III"),
    "schedules played message by message sum rightly in just the seconds of the table's formulas",
    measure,
)
