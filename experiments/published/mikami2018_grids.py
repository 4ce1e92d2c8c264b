"""``rateproof figure mikami2018-grids``: steps of all-reduce on grids and in groups."""

from __future__ import annotations

from typing import Any

from algorithms.collectives.base import Collective, counted
from algorithms.collectives.grids import TorusAllReduce
from algorithms.collectives.hierarchical import Hierarchical
from algorithms.collectives.ring import RingAllReduce
from experiments.figures.reproduction import PublishedNumber, Reproduction, near
from experiments.published.figure import PublishedFigure, Request
from theory.claims import Confidence, Source

_GRIDS = {
    1024: (32, 32), 2048: (32, 64), 2176: (34, 64), 2720: (34, 80), 3264: (48, 68), 3456: (48, 72),
}  # fmt: skip
"""GPUs and the grids that the paper arranges them in."""


def measure(_: Request) -> Reproduction:
    """Rounds of programs that are counted message by message."""
    ring, groups = _steps(RingAllReduce(1024)), _steps(Hierarchical(1024, 16))
    known: dict[str, Any] = {"confidence": Confidence.DERIVED, "unit": "steps"}
    numbers: list[PublishedNumber] = [
        near("ring of 1024: 2(n - 1)", 2046, ring, **known),
        near("groups of 16 of 1024: 4(k - 1) + 2(n/k - 1)", 186, groups,
             source="Jia et al. 2018, arXiv:1807.11205; recomputed", **known),
    ]  # fmt: skip
    numbers += [
        near(f"torus {rows} x {cols}: 2(X - 1) + 2(Y - 1)", 2 * (rows - 1) + 2 * (cols - 1),
             _steps(TorusAllReduce(rows, cols)), source="grids of the paper's table",
             **known)
        for rows, cols in _GRIDS.values()
    ]  # fmt: skip
    numbers += [
        near(f"GPUs of the grid {rows} x {cols}", gpus, TorusAllReduce(rows, cols).n, unit="GPUs",
             confidence=Confidence.MEMORY)
        for gpus, (rows, cols) in _GRIDS.items()
    ]  # fmt: skip
    return Reproduction(tuple(numbers), columns=2)


def _steps(program: Collective) -> int:
    return counted(program.rounds(program.n), program.n).steps


FIGURE = PublishedFigure(
    "mikami2018-grids",
    "All-reduce on thousands of GPUs: steps of ring, groups and 2D torus",
    Source("Mikami et al.", 2018, "1811.05233", "section 3.2 and the table of grids"),
    "programs counted message by message take 2046 steps on a ring of 1024, 186 in groups of 16, "
    "and 2(X - 1) + 2(Y - 1) on a torus",
    measure,
)
