"""What a reader of figures rests on: no two looks alike, and ticks where something was measured."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from experiments.figures.lines import DrawnLine, LineCurves, lines_figure
from experiments.figures.style import styled
from experiments.figures.tradeoff import Point, TradeoffCurves, tradeoff_figure
from experiments.figures.workers import WorkerCurves, WorkersLine, workers_figure
from experiments.reporting.signs import pretty
from proofs_check.instruments.study import Study
from proofs_check.studies import STUDIES


def test_operators_of_a_row_look_different() -> None:
    mine = tuple(Point(f"operator {k}", 1.0 + k, 0.5, 0.9) for k in range(9))
    with styled():
        ax = tradeoff_figure(TradeoffCurves("nine", mine, ())).axes[0]
    own = {line.get_label(): line for line in ax.lines}
    looks = {(own[p.name].get_color(), own[p.name].get_marker()) for p in mine}
    assert len(looks) == len(mine)


def test_workers_are_counted_at_the_ticks() -> None:
    def line(name: str, least: float) -> WorkersLine:
        x = np.array([n for n in (1.0, 2.0, 4.0, 8.0, 16.0, 32.0) if n >= least])
        return WorkersLine(name, x, 1 / x, 0.9 / x, 1.1 / x)

    lines = (line("alone", 1), line("in pairs", 2))
    with styled():
        figure = workers_figure(WorkerCurves("n", "error", (("both", lines),), lines))
        figure.canvas.draw()
        shown = [text.get_text() for text in figure.axes[0].get_xticklabels() if text.get_text()]
    assert shown == ["1", "2", "4", "8", "16", "32"]


def test_what_is_solved_to_rounding_is_named_and_does_not_press_others_flat() -> None:
    x = np.array([1.0, 4.0, 16.0])
    own, exact = (
        WorkersLine("own", x, 1 / x, 0.9 / x, 1.1 / x),
        WorkersLine("exact", x, *[np.full(3, 1e-31)] * 3),
    )
    far = WorkersLine("far", x, *[np.full(3, 1e-12)] * 3)
    curves = WorkerCurves("own", "error", (("own", (own,)),), (own, exact, far))
    both = WorkerCurves("two", "error", (("two", (own, exact)),), (own, exact))
    with styled():
        low, high = workers_figure(curves).axes[0].get_ylim()
        assert 1e-5 < low < 1 / 16 and 1 < high < 1e4
        ax = workers_figure(both).axes[0]
    assert 1e-3 < ax.get_ylim()[0] < 1 / 16
    assert "exact: solved, below 1e-20" in ax.get_legend_handles_labels()[1]
    with styled():
        alone = workers_figure(WorkerCurves("e", "error", (("e", (exact,)),), (own, exact)))
    assert "exact: solved, below 1e-20" in alone.axes[0].get_legend_handles_labels()[1]


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_labels_of_studies_stay_inside_the_figure(study: Study) -> None:
    line = DrawnLine("measured", np.array([1.0, 2.0, 4.0]), np.array([1.0, 0.5, 0.2]))
    curves = LineCurves(study.claim, pretty(study.x_label), pretty(study.y_label), (line,))
    with styled():
        figure = lines_figure(curves)
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        ax = figure.axes[0]
        for label in (ax.xaxis.label, ax.yaxis.label):
            box = label.get_window_extent(canvas.get_renderer())
            assert figure.bbox.contains(box.x0, box.y0), label.get_text()
            assert figure.bbox.contains(box.x1, box.y1), label.get_text()


def test_a_line_that_another_hides_is_dashed_and_one_off_the_axes_is_told() -> None:
    x = np.array([1.0, 2.0, 4.0, 8.0])
    own, other = DrawnLine("own", x, 1 / x), DrawnLine("other", x, 1 / x**2)
    same = DrawnLine("same", 2 * x[:3], 0.5 / x[:3])  # other points of the line of ``own``
    never = DrawnLine("never speaks", 0 * x, 1 / x)
    away = DrawnLine("runs away", x, 10.0 ** (5 * np.arange(4)))
    with styled():
        lines = (own, other, same, never, away)
        ax = lines_figure(LineCurves("hidden", "bits", "error", lines)).axes[0]
    styles = {line.get_label(): line.get_linestyle() for line in ax.get_lines()}
    assert styles["own"] == styles["other"] == styles["runs away"] == "-"
    assert styles["same"] == "--"
    assert "never speaks (not drawn: at 0 on this axis)" in styles
    low, high = ax.get_ylim()
    assert low < 1 / 64 and 1 < high < 1e4
