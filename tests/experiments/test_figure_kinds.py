"""Every kind of figure, drawn from small made data: labels, lines and scales of its axes."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.figures.choco_gossip import choco_gossip_figure
from experiments.figures.choco_sgd import choco_sgd_figure
from experiments.figures.lag import Bars, LagCurves, UploadsLine, lag_figure
from experiments.figures.lines import DrawnLine, LineCurves, lines_figure
from experiments.figures.panels import RunCurves, three_panels
from experiments.figures.rate import RateCurves, rate_figure
from experiments.figures.readme import picture
from experiments.figures.several import Panel, SeveralCurves, several_figure
from experiments.figures.style import styled, svg
from experiments.figures.tradeoff import Point, TradeoffCurves, tradeoff_figure
from experiments.figures.workers import WorkerCurves, WorkersLine, workers_figure
from proofs_check.figure_runs.averaging import AveragingSetting, Lines
from proofs_check.figure_runs.trace import ErrorTrace
from theory.arrays import Floats
from theory.members import modules

STEPS = np.array([0.0, 1.0, 2.0, 4.0])
ERROR = np.array([8.0, 4.0, 2.0, 1.0])


def run_curves(**changes: object) -> RunCurves:
    """A run of four records, with a bound that says nothing of the first."""
    given: dict[str, object] = {
        "title": "a run", "label": "error", "steps": STEPS, "mean": ERROR, "low": 0.9 * ERROR,
        "high": 1.1 * ERROR, "bits": 1e6 * STEPS, "seconds": 0.5 * STEPS,
        "bound": np.array([np.nan, 40.0, 20.0, 10.0]), "bound_label": "its theorem",
    }  # fmt: skip
    return RunCurves(**(given | changes))  # type: ignore[arg-type]


def rate_curves(**changes: object) -> RateCurves:
    """A measured rate with its fit, its theory and one group beside it."""
    x = np.array([1.0, 10.0, 100.0])
    given: dict[str, object] = {
        "title": "a rate", "x_label": "steps T", "y_label": "error", "x": x, "mean": 1 / x,
        "low": 0.5 / x, "high": 2 / x, "fit": 1.1 / x, "reference": 3 / x,
        "groups": (("another", x, 5 / x),),
    }  # fmt: skip
    return RateCurves(**(given | changes))  # type: ignore[arg-type]


def line_curves(scales: tuple[str, str]) -> LineCurves:
    """Two lines, one with a band; the second leaves a logarithmic axis."""
    one = DrawnLine("one", STEPS + 1, ERROR, 0.9 * ERROR, 1.1 * ERROR)
    two = DrawnLine("two", STEPS + 1, ERROR - 2)
    return LineCurves("some lines", "time [s]", "error", (one, two), scales)


def several_curves() -> SeveralCurves:
    """Three panels in two rows that share their names; a level in the last."""
    one, two = DrawnLine("one", STEPS, ERROR), DrawnLine("two", STEPS, 2 * ERROR)
    panels = (
        Panel("left", "steps", (one, two), ("linear", "log")), Panel("right", "bits", (two,)),
        Panel("below", "bits", (one,), ("linear", "log"), ("a floor", 0.5)),
    )  # fmt: skip
    return SeveralCurves("several", "error", panels, (1e-1, 1e2), 2)


def tradeoff_curves() -> TradeoffCurves:
    """An operator that claims a constant, one without error, and two of other rows."""
    mine = (Point("claiming", 4.0, 0.1, 0.5), Point("exact", 32.0, 0.0, math.nan))
    others = (Point("other", 8.0, 0.2, 0.4), Point("lossless", 32.0, 0.0, math.nan))
    return TradeoffCurves("a row", mine, others)


def worker_curves() -> WorkerCurves:
    """Two methods at 1, 4 and 16 workers, in one panel."""
    x = np.array([1.0, 4.0, 16.0])
    lines = tuple(WorkersLine(name, x, c / x, 0.9 / x, 1.1 / x) for name, c in (("a", 1), ("b", 2)))
    return WorkerCurves("speed-up", "error", (("both", lines),), lines)


def lag_curves() -> LagCurves:
    """Two methods with 3 and 6 workers; one number is published."""
    x = np.array([0.0, 3.0, 30.0])
    return LagCurves(
        "uploads", (3, 6),
        (
            Bars("GD", np.array([30.0, 60.0]), np.array([np.nan, 66.0])),
            Bars("LAG", np.array([10.0, 20.0]), np.full(2, np.nan)),
        ),
        (UploadsLine("GD", x, 1 / (1 + x)), UploadsLine("LAG", x / 3, 1 / (1 + x))),
        np.array([1.0, 2.0, 4.0]),
        (("GD", np.array([9.0, 9.0, 9.0])), ("LAG", np.array([1.0, 3.0, 9.0]))),
    )  # fmt: skip


def traces(*names: str) -> dict[str, ErrorTrace]:
    """One falling line of four records by name; a step sends two million bits."""
    return {name: ErrorTrace(name, STEPS, ERROR, 2e6 * STEPS) for name in names}


def gossip_lines() -> Lines:
    """Averaging by all eight methods of the figure."""
    names = ("exact", "CHOCO QSGD", "Q1 QSGD", "Q2 QSGD", "CHOCO top", "CHOCO rand", "Q1 rand",
             "Q2 rand")  # fmt: skip
    return Lines(AveragingSetting(9, 20, 0.1, 16, 4, 4, 0.1, 0.1), 1.0, traces(*names))


KINDS: dict[str, Callable[[], Figure]] = {
    "choco_gossip": lambda: choco_gossip_figure(gossip_lines()),
    "choco_sgd": lambda: choco_sgd_figure({"digits": traces("exact", "DCD rand")}),
    "lag": lambda: lag_figure(lag_curves()),
    "lines": lambda: lines_figure(line_curves(("log", "log"))),
    "panels": lambda: three_panels(run_curves()),
    "rate": lambda: rate_figure(rate_curves()),
    "readme": lambda: picture({"bsp-sgd": run_curves(), "qsgd": run_curves()}),
    "several": lambda: several_figure(several_curves()),
    "tradeoff": lambda: tradeoff_figure(tradeoff_curves()),
    "workers": lambda: workers_figure(worker_curves()),
}


def drawn(kind: str) -> Figure:
    with styled():
        return KINDS[kind]()


def scales(ax: Axes) -> tuple[str, str]:
    return ax.get_xscale(), ax.get_yscale()


def y_of(ax: Axes, label: str) -> Floats:
    """Values of the line of that name."""
    (line,) = (line for line in ax.lines if line.get_label() == label)
    return np.asarray(line.get_ydata(), dtype=np.float64)


def legend(figure: Figure) -> set[str]:
    return {text.get_text() for text in figure.legends[0].get_texts()}


def test_every_kind_of_figure_is_drawn_here() -> None:
    """A module of experiments.figures that gives a Figure is a kind."""
    kinds = {
        module.__name__.rpartition(".")[2]
        for module in modules("experiments.figures")
        for name, value in vars(module).items()
        if inspect.isfunction(value) and value.__module__ == module.__name__
        if not name.startswith("_") and value.__annotations__.get("return") == "Figure"
    }
    assert set(KINDS) == kinds


@pytest.mark.parametrize("kind", KINDS)
def test_a_figure_can_be_written_and_every_panel_says_what_it_shows(kind: str) -> None:
    figure = drawn(kind)
    assert b"<svg" in svg(figure)
    for ax in filter(Axes.get_visible, figure.axes):
        assert ax.get_xlabel() and len(ax.lines) + len(ax.patches) > 0


def test_a_run_is_drawn_against_steps_bits_and_seconds() -> None:
    figure = drawn("panels")
    labels = [ax.get_xlabel() for ax in figure.axes]
    assert labels == ["steps $t$", "sent and received per worker [Mbit]", "time [s]"]
    assert figure.axes[0].get_ylabel() == "error"
    for ax, factor in zip(figure.axes, (1.0, 1.0, 0.5), strict=True):
        assert scales(ax) == ("log", "log") and len(ax.lines) == 2 and len(ax.collections) == 1
        assert y_of(ax, "measured mean").tolist() == ERROR.tolist()
        x = np.asarray(ax.lines[0].get_xdata(), dtype=np.float64)
        assert np.isnan(x[0]) and x[1:].tolist() == (factor * STEPS[1:]).tolist()
    assert legend(figure) == {"measured mean", "its theorem", "95% interval of the mean"}


def test_a_run_without_bound_clock_or_messages_has_neither_line_nor_panel() -> None:
    with styled():
        figure = three_panels(run_curves(bound=None, seconds=None, bits=0 * STEPS))
    (ax,) = figure.axes
    assert ax.get_xlabel() == "steps $t$" and [x.get_label() for x in ax.lines] == ["measured mean"]


def test_a_rate_is_drawn_with_fit_theory_and_groups() -> None:
    (ax,) = drawn("rate").axes
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("steps T", "error", "a rate")
    assert scales(ax) == ("log", "log")
    for name, factor in (("another", 5.0), ("fitted power law", 1.1), ("theory", 3.0)):
        assert y_of(ax, name) == pytest.approx(factor / np.array([1.0, 10.0, 100.0]), rel=1e-15)
    ends = np.concatenate([path.vertices[:, 1] for c in ax.collections for path in c.get_paths()])
    assert ends.min() == pytest.approx(0.005) and ends.max() == pytest.approx(2.0)


def test_a_rate_over_zero_is_linear_in_x_and_draws_no_theory_that_says_nothing() -> None:
    with styled():
        figure = rate_figure(rate_curves(x=np.arange(3.0), fit=None, reference=np.full(3, np.nan)))
    (ax,) = figure.axes
    assert scales(ax) == ("linear", "log")
    assert legend(figure) == {"measured mean, interval", "another"}


@pytest.mark.parametrize("wanted", [("log", "log"), ("linear", "log"), ("linear", "linear")])
def test_lines_lose_what_a_logarithmic_axis_cannot_show(wanted: tuple[str, str]) -> None:
    with styled():
        figure = lines_figure(line_curves(wanted))
    (ax,) = figure.axes
    assert scales(ax) == wanted and len(ax.lines) == 2 and len(ax.collections) == 1
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("time [s]", "error")
    lost = np.isnan(y_of(ax, "two")).tolist()
    assert lost == ([False, False, True, True] if wanted[1] == "log" else [False] * 4)
    assert legend(figure) == {"one", "two"}


def test_panels_share_looks_limits_and_one_legend() -> None:
    figure = drawn("several")
    left, right, below, spare = figure.axes
    assert [ax.get_xlabel() for ax in (left, right, below)] == ["steps", "bits", "bits"]
    assert left.get_ylabel() == below.get_ylabel() == "error" and not right.get_ylabel()
    assert [scales(ax) for ax in (left, right)] == [("linear", "log"), ("log", "log")]
    assert [len(ax.lines) for ax in (left, right, below, spare)] == [2, 1, 2, 0]
    assert not spare.get_visible()
    assert left.lines[1].get_color() == right.lines[0].get_color() != left.lines[0].get_color()
    assert y_of(below, "a floor").tolist() == [0.5, 0.5] and left.get_ylim() == (1e-1, 1e2)
    assert legend(figure) == {"one", "two", "a floor"}


def test_operators_stand_at_bits_and_error_under_their_claim() -> None:
    figure = drawn("tradeoff")
    (ax,) = figure.axes
    assert scales(ax) == ("log", "log") and ax.get_xlabel().startswith("bits a coordinate")
    assert y_of(ax, "claiming").tolist() == [0.1]
    assert y_of(ax, "claimed for every x").tolist() == [0.5]
    assert y_of(ax, "all other operators").tolist() == [0.2]
    assert "exact: no error, 32 bits" in legend(figure)


def test_workers_are_drawn_beside_a_line_that_falls_as_one_over_n() -> None:
    (ax,) = drawn("workers").axes
    assert scales(ax) == ("log", "log")
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("workers $n$", "error", "both")
    assert y_of(ax, "1/n").tolist() == y_of(ax, "b").tolist() == [2.0, 0.5, 0.125]


def test_uploads_are_drawn_as_bars_lines_and_by_worker() -> None:
    figure = drawn("lag")
    bars, lines, workers = figure.axes
    assert [patch.get_height() for patch in bars.patches] == [30.0, 60.0, 10.0, 20.0]
    assert [text.get_text() for text in bars.get_xticklabels()] == ["3", "6"]
    assert y_of(bars, "published")[1] == 66.0 and scales(bars) == ("linear", "log")
    assert scales(lines) == scales(workers) == ("log", "log")
    assert [len(lines.lines), len(workers.lines)] == [2, 2]
    assert workers.lines[1].get_ydata().tolist() == [1.0, 3.0, 9.0]
    assert legend(figure) == {"GD", "LAG", "published"}


def test_averaging_is_drawn_by_steps_for_each_kind_of_operator_and_by_bits_for_all() -> None:
    figure = drawn("choco_gossip")
    assert [ax.get_xlabel() for ax in figure.axes] == ["steps", "steps", "sent per worker [Mbit]"]
    assert [len(ax.lines) for ax in figure.axes] == [5, 5, 8]
    assert "floor of Q2, closed form" in legend(figure)
    x = np.asarray(figure.axes[2].lines[0].get_xdata(), dtype=np.float64)
    assert x[1:].tolist() == [2.0, 4.0, 8.0]


def test_training_is_drawn_by_steps_above_and_by_bits_below() -> None:
    above, below = drawn("choco_sgd").axes
    assert (above.get_title(), above.get_xlabel()) == ("digits", "steps")
    assert below.get_xlabel() == "sent per worker [Mbit]"
    assert scales(above) == ("linear", "log") and scales(below) == ("log", "log")
    assert len(above.lines) == len(below.lines) == 2


def test_the_readme_shows_each_row_solid_and_its_bound_dashed() -> None:
    figure = drawn("readme")
    assert [len(ax.lines) for ax in figure.axes] == [4, 4, 4]
    assert legend(figure) == {"bsp-sgd", "qsgd"}
    solid, dashed = figure.axes[0].lines[:2]
    assert solid.get_linestyle() == "-" and dashed.get_linestyle() == "--"
    assert solid.get_color() == dashed.get_color() != figure.axes[0].lines[2].get_color()
