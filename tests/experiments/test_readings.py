"""Distribution of an effect's readings below its curves: arms, claim, what was never reached."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

from experiments.figures.lines import DrawnLine, LineCurves
from experiments.figures.lines_figure import lines_figure
from experiments.figures.style import styled
from experiments.reporting.charts import chart
from proofs_check.curves import ArmReadings
from theory.arrays import Floats

X = np.array([1.0, 2.0, 4.0])
SPREAD = np.linspace(0.9, 1.1, 40)


def drawn(*shares: Floats, claimed: float = 0.25) -> tuple[Figure, LineCurves]:
    """The picture of three arms with these readings."""
    lines = tuple(DrawnLine(name, X, (k + 1) / X) for k, name in enumerate(("ours", "BSP", "off")))
    data = LineCurves("bits to a target [bit]", "steps", "error [f]", lines,
                      readings=ArmReadings(claimed, shares))  # fmt: skip
    with styled():
        figure = lines_figure(data)
        FigureCanvasAgg(figure).draw()  # type: ignore[no-untyped-call]
    return figure, data


def strip(figure: Figure) -> Axes:
    """The axes below the curves."""
    return figure.axes[1]


def test_each_arm_has_a_violin_of_its_colour_and_the_claim_a_dashed_line() -> None:
    figure, _ = drawn(0.2 * SPREAD, SPREAD, 0.9 * SPREAD)
    ax = strip(figure)
    violins = [one for one in ax.collections if isinstance(one, PolyCollection)]
    colours = [tuple(one.get_facecolor()[0][:3]) for one in violins]
    assert len(violins) == len(set(colours)) == 3
    ends = [one.get_paths()[0].vertices[:, 0] for one in violins]
    assert [one.min() for one in ends] == pytest.approx([0.18, 0.9, 0.81]), "cut at the data"
    assert [one.max() for one in ends] == pytest.approx([0.22, 1.1, 0.99])
    (claim,) = [line for line in ax.lines if line.get_linestyle() == "--"]
    assert set(np.ravel(claim.get_xdata())) == {0.25}
    assert [tick.get_text() for tick in ax.get_yticklabels()] == [
        "method", "baseline", "cause removed",
    ]  # fmt: skip
    means = [float(line.get_xdata()[0]) for line in ax.lines if line.get_marker() == "o"]
    assert means == pytest.approx([0.2, 1.0, 0.9])


def test_few_replicas_are_strokes() -> None:
    ax = strip(drawn(np.array([0.1, 0.3]), np.ones(1), np.ones(1))[0])
    assert not ax.collections
    strokes = [line.get_xdata() for line in ax.lines if line.get_marker() == "|"]
    assert [list(one) for one in strokes] == [[0.1, 0.3], [1.0], [1.0]]


def test_what_was_never_reached_is_told() -> None:
    some = np.where(np.arange(40) < 7, np.inf, SPREAD)
    ax = strip(drawn(0.2 * SPREAD, some, np.full(40, np.inf))[0])
    assert [one.get_text() for one in ax.texts] == ["▸ 7 of 40 not reached", "▸ all not reached"]
    assert sum(line.get_marker() == "o" for line in ax.lines) == 1, "no mean of what is cut off"


def test_readings_of_rounding_stand_at_the_floor() -> None:
    ax = strip(drawn(np.array([-1e-17, 1e-16, 0.0]), np.ones(1), 200 * SPREAD)[0])
    assert ax.get_xscale() == "log"
    (stroke,) = [line for line in ax.lines if line.get_marker() == "|" and line.get_ydata()[0] == 0]
    assert set(stroke.get_xdata()) == {1e-6}


def test_no_label_leaves_the_picture() -> None:
    figure, _ = drawn(0.2 * SPREAD, SPREAD, np.full(40, np.inf))
    width, height = figure.bbox.width, figure.bbox.height
    texts = [figure._suptitle, *strip(figure).texts, strip(figure).xaxis.label]  # type: ignore[attr-defined]
    for one in texts:
        box = one.get_window_extent()
        assert box.x0 >= 0 and box.x1 <= width and box.y0 >= 0 and box.y1 <= height, one


def test_the_chart_holds_quantiles_of_the_readings() -> None:
    many = np.linspace(2.0, 0.0, 401)
    _, data = drawn(many, np.array([1.0, np.inf]), np.ones(1), claimed=1 / 3)
    held = chart(data)["readings"]
    assert held["claimed"] == 0.3333
    first, second, third = held["shares"]
    assert len(first) == 32 and first[0] == 0 and first[-1] == 2
    assert np.diff(first) == pytest.approx(2 / 31, abs=0.005)
    assert (second, third) == ([1, None], [1])
