"""Figures that set all rows beside each other: error against bits, error against workers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from algorithms.catalogue import ROWS
from experiments.figures.tradeoff import Point, TradeoffCurves
from experiments.figures.workers import WorkerCurves, WorkersLine
from experiments.reporting.pictures import Drawing
from experiments.survey import Survey
from proofs_check.curves import TradeoffPoint, WorkerSeries
from proofs_check.methods.equal_bits import DENSE_MESSAGES, PROBLEM

COMPARISON = "comparison"
"""The ``row`` of pictures that belong to no row."""

_PANEL = 9  # lines a panel can hold
_LABEL = r"$E f(x) - f^*$"


def comparisons(survey: Survey) -> tuple[Drawing, ...]:
    """One pair of figures for each row, and one over all rows."""
    points = _points(survey)
    lines = _lines(survey)
    return (*_tradeoffs(points), *_worker_drawings(lines))


def _points(survey: Survey) -> dict[str, list[Point]]:
    """Operators by row, each at the first vector it was tried at."""
    found: dict[str, dict[str, Point]] = {}
    for cell, stored in survey.finished:
        for one in stored.result.curves:
            if isinstance(one, TradeoffPoint) and cell.row:
                point = Point(one.operator, one.bits, one.error, one.constant)
                found.setdefault(cell.row, {}).setdefault(one.operator, point)
    return {row: list(points.values()) for row, points in found.items()}


def _lines(survey: Survey) -> dict[str, WorkersLine]:
    """Error against workers by row."""
    return {
        cell.row: WorkersLine(cell.row, one.workers, one.mean, one.low, one.high)
        for cell, stored in survey.finished
        for one in stored.result.curves
        if isinstance(one, WorkerSeries)
    }


def _tradeoffs(points: dict[str, list[Point]]) -> Iterator[Drawing]:
    for key, mine in points.items():
        others = tuple(p for other, ps in points.items() if other != key for p in ps)
        if not any(p.error > 0 for p in (*mine, *others)):
            continue  # no operator in sight loses anything
        curves = TradeoffCurves(f"{key}: error against bits", tuple(mine), others)
        caption = (
            "Relative error of one message against its length; the bar reaches up to the constant "
            "that is claimed for every x. An unbiased operator may exceed 1: averages need that."
        )
        yield Drawing(key, f"{key}-tradeoff", caption, curves)


def _worker_drawings(lines: dict[str, WorkersLine]) -> Iterator[Drawing]:
    everything = tuple(lines.values())
    description = (
        f"{PROBLEM}: error when each worker has sent {DENSE_MESSAGES} uncompressed gradients' "
        "worth of bits, every row at its best of one grid of stepsizes, found with 16 workers. "
        "Slopes say what more workers bring. Grey: where the middle of all methods lies."
    )
    for key, line in lines.items():
        panel = ((f"{key}: error at equal bits", (line,)),)
        curves = WorkerCurves(f"{key}: error at equal bits", _LABEL, panel, everything)
        yield Drawing(key, f"{key}-workers", description, curves)
    if lines:
        curves = WorkerCurves("Error at equal bits", _LABEL, tuple(_panels(lines)), everything)
        yield Drawing(COMPARISON, "all-workers", description, curves)


def _panels(lines: dict[str, WorkersLine]) -> Iterator[tuple[str, tuple[WorkersLine, ...]]]:
    """By family, large families in several panels."""
    rows = [row for row in ROWS if row.key in lines]
    for family, members in groupby(rows, key=lambda row: row.family):
        mine = [lines[row.key] for row in members]
        parts = -(-len(mine) // _PANEL)
        size = -(-len(mine) // parts)
        for part in range(parts):
            number = f" ({part + 1} of {parts})" if parts > 1 else ""
            yield f"{family}{number}", tuple(mine[part * size : (part + 1) * size])
