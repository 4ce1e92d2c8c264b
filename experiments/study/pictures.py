"""Pictures of a study, of the data that its steps left."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from matplotlib.figure import Figure

from experiments.compare.ranking import CHANCE, paired
from experiments.compare.single import run_curves
from experiments.figures.forest import ForestLine, ForestPlot, forest_figure
from experiments.figures.lines_figure import lines_figure
from experiments.figures.panels import three_panels
from experiments.figures.rate import rate_figure
from experiments.figures.replicas import ReplicaErrors, replicas_figure
from experiments.figures.reproduced import CurvePanel, FigureDrawing
from experiments.figures.reproduced_figure import reproduced_figure
from experiments.figures.signs import pretty
from experiments.reporting.drawings import line_curves, rate_curves
from experiments.study.contest import REPLICAS
from experiments.study.steps import StudyStep
from proofs_check.cell import CellResult
from proofs_check.curves import BAND, LinePanel, RatePanel, RunSeries
from proofs_check.facts import ContestFacts
from proofs_check.verdict import CheckKind, Outcome, Verdict

_NOTHING = 1e-9  # of an exponent

EXPONENTS = "exponents"
"""Name of the picture of all exponents."""


class StudyPicture(NamedTuple):
    """One picture.

    Attributes:
        stem: its name in files.
        caption: what it shows, in sentences.
        draw: makes it.
        wide: whether it has the width of the page.
    """

    stem: str
    caption: str
    draw: Callable[[], Figure]
    wide: bool = False


def pictures_of(step: StudyStep, result: CellResult, problem: str) -> Iterator[StudyPicture]:
    """Pictures of what one step left."""
    panels = [one for one in result.curves if isinstance(one, LinePanel)]
    if step.key == "comparison":
        told = [one for one in result.facts if isinstance(one, ContestFacts)]
        if panels and told:  # else it failed
            yield from _contest(panels, told[0].heavy)
        return
    for one in result.curves:
        match one:
            case RunSeries():
                name = f"{step.subject.row.key} on {problem}"
                yield StudyPicture(
                    step.key, _under(one, name), partial(_run, one, name), wide=True,
                )  # fmt: skip
            case RatePanel():
                words = "; ".join(map(_exponent, result.verdicts))
                yield StudyPicture(
                    step.key, pretty(f"{step.title}, on {problem}: {words}."),
                    partial(_rate, one),
                )  # fmt: skip
            case LinePanel():
                yield StudyPicture(step.key, _effect(step, result), partial(_lines, one))


def _run(series: RunSeries, name: str) -> Figure:
    return three_panels(run_curves(series, name))


def _rate(panel: RatePanel) -> Figure:
    return rate_figure(rate_curves(panel))


def _lines(panel: LinePanel) -> Figure:
    return lines_figure(line_curves(panel))


def _contest(panels: Sequence[LinePanel], heavy: bool) -> Iterator[StudyPicture]:
    curves = [panel for panel in panels if panel.x_label != REPLICAS]
    (ends,) = (panel for panel in panels if panel.x_label == REPLICAS)
    bands = "95% intervals of the median" if heavy else f"{BAND} of the mean"
    drawing = FigureDrawing(curves[0].title, tuple(map(_panel, curves)), named_at_ends=False)
    yield StudyPicture(
        "comparison", f"{curves[0].title}: {pretty(ends.y_label)}, every row at its best stepsize; "
        f"bands are {bands}.", lambda: reproduced_figure(drawing), wide=True,
    )  # fmt: skip
    errors = {line.name: line.y for line in ends.lines}
    pairs = math.comb(len(errors), 2)
    apart = {
        (a, b): paired(errors[a], errors[b], pairs, heavy) <= CHANCE
        for a in errors
        for b in errors
        if a != b
    }
    told = ReplicaErrors(ends.title, pretty(ends.y_label), errors, apart)
    yield StudyPicture(
        "comparison-replicas", "Errors of all replicas at the budget, and ratios of their "
        "geometric means: a dot marks pairs that a paired test does not tell apart.",
        lambda: replicas_figure(told), wide=True,
    )  # fmt: skip


def _panel(panel: LinePanel) -> CurvePanel:
    lines = line_curves(panel)
    return CurvePanel("", lines.x_label, lines.y_label, lines.lines, scales=lines.scales, band=BAND)


def _under(series: RunSeries, name: str) -> str:
    told = "no theorem bounds it"
    if series.theorem is not None:
        told = f"under the bound of {series.theorem.title} ({series.theorem.source})"
    return pretty(f"{name}: {series.quantity}, {told}; stepsize: {series.tuning}.")


def _exponent(one: Verdict) -> str:
    if one.statistic is None:
        return one.evidence
    stated = "none is stated" if one.bound is None else f"{one.theorem} has {one.bound:.3g}"
    return f"exponent {rounded(one.statistic)} +- {one.uncertainty or 0:.2g}, {stated}"


def _effect(step: StudyStep, result: CellResult) -> str:
    effect = step.subject.effect
    assert effect is not None
    words = "; ".join(f"{one.claim}: {one.outcome.value}" for one in result.verdicts)
    return pretty(f"On {effect.problem}. {words}. {effect.description}.")


def exponents(results: Mapping[str, CellResult]) -> tuple[Verdict, ...]:
    """Verdicts on exponents, in the order of the steps."""
    found = (verdict for result in results.values() for verdict in result.verdicts)
    return tuple(v for v in found if v.kind is CheckKind.RATE and v.statistic is not None)


def rounded(number: float) -> str:
    """An exponent to three digits, 0 where it is a matter of rounding."""
    return "0" if abs(number) < _NOTHING else f"{number:.3g}"


def forest_line(one: Verdict, group: str = "") -> ForestLine:
    """A verdict on an exponent as a line of a forest plot."""
    assert one.statistic is not None
    half = one.uncertainty or math.nan
    return ForestLine(
        f"{one.subject}, {one.check.removeprefix('rate in ')}", one.statistic,
        one.statistic - half, one.statistic + half, math.nan if one.bound is None else one.bound,
        one.outcome in (Outcome.SUPPORTED, Outcome.REFUTED), one.outcome is Outcome.REFUTED, group,
    )  # fmt: skip


def forest(verdicts: Sequence[Verdict]) -> StudyPicture:
    """All measured exponents with their intervals beside the stated ones."""
    plot = ForestPlot("Exponents", "exponent", "95% interval", tuple(map(forest_line, verdicts)))
    return StudyPicture(
        EXPONENTS, "Measured exponents with their 95% intervals; diamonds are the stated orders, "
        "or the exponents of the bounds over the same points.", lambda: forest_figure(plot),
    )  # fmt: skip
