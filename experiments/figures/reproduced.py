"""Contents of a published figure made again: panels of lines, and of published and our numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, final

from experiments.figures.lines import DrawnLine


class CurvePanel(NamedTuple):
    """Measured lines, theory's dashed ones, and published points.

    Attributes:
        title: the title above the panel.
        x_label: label of the x axis, with unit.
        y_label: label of the y axis, with unit.
        lines: measured lines, with bands where they have any.
        theory: dashed lines; the name is the formula or the order, written on the line.
        published: points that are published, drawn as open diamonds.
        scales: of the axes, "log" or "linear".
        limits: of the y axis; None: as the lines ask for.
        band: what the bands around lines are.
    """

    title: str
    x_label: str
    y_label: str
    lines: tuple[DrawnLine, ...]
    theory: tuple[DrawnLine, ...] = ()
    published: tuple[DrawnLine, ...] = ()
    scales: tuple[str, str] = ("log", "log")
    limits: tuple[float, float] | None = None
    band: str = "interval of the mean, missed once in 10⁹"


class PublishedDot(NamedTuple):
    """One line of a dot plot.

    Attributes:
        name: the quantity.
        ours: our number.
        published: the published one; NaN: none.
        low: lower end of our interval; NaN: none.
        high: upper end of our interval.
        sign: "<= " or ">= " before a published bound.
    """

    name: str
    ours: float
    published: float = math.nan
    low: float = math.nan
    high: float = math.nan
    sign: str = ""


class DotPanel(NamedTuple):
    """A table as a dot plot.

    Attributes:
        title: the title above the panel.
        x_label: what the numbers are, with unit.
        dots: the rows, from the top down.
    """

    title: str
    x_label: str
    dots: tuple[PublishedDot, ...]


Panel = CurvePanel | DotPanel


@final
@dataclass(frozen=True)
class FigureDrawing:
    """Contents of a figure, in rows of ``columns`` panels.

    Attributes:
        title: the title above the figure.
        panels: what it consists of.
        named_at_ends: whether few lines are named at their ends, not in a legend.
    """

    title: str
    panels: tuple[Panel, ...]
    columns: int = 3
    named_at_ends: bool = True

    def points(self) -> Iterator[dict[str, Any]]:
        """Every point that is drawn, as a row of a tidy table."""
        for number, panel in enumerate(self.panels):
            place = {"panel": panel.title or str(number + 1)}
            if isinstance(panel, DotPanel):
                for dot in panel.dots:
                    own = {"name": dot.name, "x": "", "low": dot.low, "high": dot.high}
                    yield {**place, "kind": "ours", **own, "y": dot.ours}
                    if math.isfinite(dot.published):
                        yield {**place, "kind": "published", "name": dot.name, "y": dot.published}
                continue
            kinds = ("ours", panel.lines), ("theory", panel.theory), ("published", panel.published)
            for kind, lines in kinds:
                for line in lines:
                    yield from ({**place, "kind": kind, **point} for point in _points(line))


def _points(line: DrawnLine) -> Iterator[dict[str, Any]]:
    for k, (x, y) in enumerate(zip(line.x, line.y, strict=True)):
        point = {"name": line.name, "x": float(x), "y": float(y)}
        if line.low is not None and line.high is not None:
            point |= {"low": float(line.low[k]), "high": float(line.high[k])}
        yield point
