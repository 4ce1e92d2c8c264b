"""CHOCO-SGD beside exact, DCD- and ECD-PSGD, in steps and in bits (section 5.3 of its paper)."""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.figure import Figure

from experiments.figures.lines import DrawnLine
from experiments.figures.several import Panel, SeveralCurves, several_figure
from proofs_check.figure_runs.trace import ErrorTrace

Runs = Mapping[str, Mapping[str, ErrorTrace]]


def choco_sgd_figure(runs: Runs) -> Figure:
    """``runs`` by place and method: suboptimality against steps above, against bits below."""
    above = [Panel(place, "steps", _lines(found, False)) for place, found in runs.items()]
    below = [Panel("", "sent per worker [Mbit]", _lines(found, True)) for found in runs.values()]
    panels = (*(panel._replace(scales=("linear", "log")) for panel in above), *below)
    first = max(line.error[0] for found in runs.values() for line in found.values())
    least = min(line.error.min() for found in runs.values() for line in found.values())
    limits = (float(least) / 1.5, float(first) * 10)
    title = "logistic regression on a ring of nine workers, one sample a step"
    data = SeveralCurves(title, "$f(\\bar{x}_t) - f^*$", panels, limits, len(runs))
    return several_figure(data)


def _lines(found: Mapping[str, ErrorTrace], bits: bool) -> tuple[DrawnLine, ...]:
    return tuple(
        DrawnLine(line.name, line.bits / 1e6 if bits else line.steps, line.error)
        for line in found.values()
    )
