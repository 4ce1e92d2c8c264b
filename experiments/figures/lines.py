"""Several measured lines, each with its own points and, where it has one, a band."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np

from experiments.figures.style import positive, shown
from proofs_check.curves import ArmReadings
from theory.arrays import Floats


class DrawnLine(NamedTuple):
    """One line: its name, points ``[K]``, and the band around it or None.

    Attributes:
        x: where the points are.
        y: the values.
        low: lower end of the band.
        high: upper end of the band.
    """

    name: str
    x: Floats
    y: Floats
    low: Floats | None = None
    high: Floats | None = None


def over_runs(name: str, x: Floats, values: Floats) -> DrawnLine:
    """The mean of runs ``[R, K]``, with a band from their 10th to their 90th percentile."""
    low, high = np.quantile(values, (0.1, 0.9), axis=0)
    return DrawnLine(name, x, values.mean(0), low, high)


@final
@dataclass(frozen=True)
class LineCurves:
    """Contents of a figure; ``scales`` of the axes are "log" or "linear".

    Attributes:
        title: the title above the figure.
        x_label: label of the x axis, with unit.
        y_label: label of the y axis, with unit.
        lines: what is drawn, in this order.
        theory: what theory says, dashed.
        readings: distribution over replicas of what an effect reads of each line, or None.
    """

    title: str
    x_label: str
    y_label: str
    lines: tuple[DrawnLine, ...]
    scales: tuple[str, str] = ("log", "log")
    theory: tuple[DrawnLine, ...] = ()
    readings: ArmReadings | None = None


_CLOSE = 0.012  # of the height: lines nearer than this lie on each other


def drawn_points(line: DrawnLine, scales: tuple[str, str]) -> tuple[Floats, Floats]:
    """The points that are drawn, as axes of these scales place them."""
    across, up = (scale == "log" for scale in scales)
    x, y = (positive(line.x) if across else line.x), shown(line.y, up)
    seen = np.isfinite(x) & np.isfinite(y)
    x, y = x[seen], y[seen]
    return (np.log(x) if across else x), (np.log(y) if up else y)


def lies_on(
    line: DrawnLine, other: DrawnLine, lines: tuple[DrawnLine, ...], scales: tuple[str, str]
) -> bool:
    """Whether half of a line's points lie on another line of a panel of ``lines``."""
    (x, y), (x2, y2) = drawn_points(line, scales), drawn_points(other, scales)
    if not (len(x) and len(x2)) or (np.diff(x2) < 0).any():
        return False
    both = np.concatenate([drawn_points(one, scales)[1] for one in lines])
    near = np.abs(np.interp(x, x2, y2, np.nan, np.nan) - y) < _CLOSE * np.ptp(both)
    return bool(2 * near.sum() >= len(x))
