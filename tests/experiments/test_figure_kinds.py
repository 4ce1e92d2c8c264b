"""Every kind of figure, drawn from small made data: labels, lines and scales of its axes."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from algorithms.schedules.bulk import BULK
from algorithms.schedules.carrier import all_reduce
from algorithms.schedules.step import SentTensor, TrainingStep
from experiments.figures.forest import ForestLine, ForestPlot, forest_figure
from experiments.figures.heatmap import HeatMaps, HeatPanel, heatmap_figure
from experiments.figures.indices import as_mathtext
from experiments.figures.lines import DrawnLine, LineCurves
from experiments.figures.lines_figure import lines_figure
from experiments.figures.panels import RunCurves, three_panels
from experiments.figures.rate import RateCurves, order_of, rate_figure
from experiments.figures.regions import RegionMap, regions_figure
from experiments.figures.replicas import ReplicaErrors, replicas_figure
from experiments.figures.reproduced import (
    CurvePanel,
    DotPanel,
    FigureDrawing,
    PublishedDot,
)
from experiments.figures.reproduced_figure import reproduced_figure
from experiments.figures.slack import SlackLine, SlackPlot, slack_figure
from experiments.figures.spread import RunErrors, SpreadCurves, spread_figure
from experiments.figures.style import png, styled, svg
from experiments.figures.timeline import timeline_figure
from experiments.figures.tradeoff import Point, TradeoffCurves, frontier, tradeoff_figure
from experiments.figures.workers import WorkerCurves, WorkersLine, workers_figure
from experiments.reporting.readme import ReplicaCurves, picture
from proofs_check.curves import BAND, LanePanel
from proofs_check.gantt import lane_panel
from theory.arrays import Floats
from theory.members import modules
from theory.seconds.costs import AlphaBeta

STEPS = np.array([0.0, 1.0, 2.0, 4.0])
ERROR = np.array([8.0, 4.0, 2.0, 1.0])


def run_curves(**changes: object) -> RunCurves:
    """A run of four records, with a bound that says nothing of the first."""
    given: dict[str, object] = {
        "title": "a run", "label": "error", "steps": STEPS, "mean": ERROR, "low": 0.9 * ERROR,
        "high": 1.1 * ERROR, "bits": 1e6 * STEPS**2, "seconds": 0.5 * STEPS**3,
        "bound": np.array([np.nan, 40.0, 20.0, 10.0]), "bound_label": "its theorem",
        "bound_order": "O(1)",
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


def drawing(names: int = 2) -> FigureDrawing:
    """Two panels of lines with theory and published points, and a table as dots."""
    lines = tuple(DrawnLine(f"line {k}", STEPS, (k + 1) * ERROR) for k in range(names))
    order = DrawnLine("$1/t$", STEPS[1:], 4 / STEPS[1:])
    said = DrawnLine("line 0", STEPS[2:3], ERROR[2:3])
    dots = (
        PublishedDot("exact", 5283.0, 5283.0), PublishedDot("bounded", 3.0, 4.0, 2.5, 3.5, "<= "),
        PublishedDot("ours alone", 7.0),
    )  # fmt: skip
    return FigureDrawing(
        "all kinds",
        (
            CurvePanel("left", "steps", "error", lines, (order,), (said,), ("linear", "log")),
            CurvePanel("right", "bits", "error", lines[:1], limits=(1e-1, 1e2)),
            DotPanel("table", "uploads", dots),
        ),
        2,
    )


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


def step_lanes() -> LanePanel:
    """A step of a model of two layers on four workers, sent after all is computed."""
    step = TrainingStep(
        ("first", "last"),
        (1.0, 1.0),
        (2.0, 2.0),
        (SentTensor("a", 0, 8.0), SentTensor("b", 1, 8.0)),
    )  # fmt: skip
    return lane_panel(BULK.timeline(step, all_reduce(AlphaBeta(0.1, 0.1), 4)))


KINDS: dict[str, Callable[[], Figure]] = {
    "forest": lambda: forest_figure(forest_plot()),
    "heatmap": lambda: heatmap_figure(heat_maps()),
    "lines_figure": lambda: lines_figure(line_curves(("log", "log"))),
    "panels": lambda: three_panels(run_curves()),
    "rate": lambda: rate_figure(rate_curves()),
    "regions": lambda: regions_figure(region_map()),
    "replicas": lambda: replicas_figure(replica_errors()),
    "reproduced_figure": lambda: reproduced_figure(drawing()),
    "slack": lambda: slack_figure(slack_plot()),
    "spread": lambda: spread_figure(spread_curves()),
    "timeline": lambda: timeline_figure(step_lanes()),
    "tradeoff": lambda: tradeoff_figure(tradeoff_curves()),
    "workers": lambda: workers_figure(worker_curves()),
}


def region_map(lead: float = 1.5) -> RegionMap:
    best = (("a row", "a row"), ("another", "a row"))
    leads = np.array([[lead, 1.2], [3.0, np.inf]])
    return RegionMap("title", "bandwidth", "start-ups", ("1", "2"), ("1", "2"), best, leads)


def slack_plot() -> SlackPlot:
    lines = (SlackLine("tight", 1.0, False), SlackLine("loose", 1e-3, True))
    return SlackPlot("title", "found over bound", lines, 1)


def replica_errors() -> ReplicaErrors:
    errors = {"a": np.array([1e-3, 2e-3, 4e-3]), "b": np.array([2e-2, 4e-2, 8e-2])}
    return ReplicaErrors("title", "error", errors, {("a", "b"): True, ("b", "a"): True})


def forest_plot() -> ForestPlot:
    lines = (
        ForestLine("a row, T", -1.02, -1.1, -0.94, -1.0, group="time"),
        ForestLine("a row, n", -0.4, -0.5, -0.3, -1.0, held=False, group="workers"),
        ForestLine("another row, n", 0.2, 0.1, 0.3, -1.0, refuted=True, group="workers"),
        ForestLine("another row, H", 2.0, math.nan, math.nan, group="period"),
    )
    return ForestPlot("exponents", "exponent", "95% interval", lines)


@pytest.mark.parametrize(("low", "high"), [(-np.inf, np.inf), (-1.1, np.inf), (np.nan, np.nan)])
def test_a_forest_without_an_interval_is_drawn_and_says_so(low: float, high: float) -> None:
    lines = (ForestLine("median", -1.0, low, high), ForestLine("mean", -0.5, -0.6, -0.4))
    figure = forest_figure(ForestPlot("exponents", "exponent", "95% interval", lines))
    figure.draw_without_rendering()
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert names == ["median (no interval)", "mean"]


def heat_maps() -> HeatMaps:
    panel = HeatPanel("a setting", np.array([[1.0, 10.0], [np.nan, np.inf]]))
    return HeatMaps("a study", "error", "n", "gamma", ("2", "4"), ("0.1", "1"), (panel,))


def spread_curves() -> SpreadCurves:
    return SpreadCurves("a run", "error", "mean", (RunErrors("own", ERROR, 3.75, 1.0, 6.0),))


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
        bar = ax.get_label() == "<colorbar>"
        assert ax.get_ylabel() if bar else ax.get_xlabel()
        assert len(ax.lines) + len(ax.patches) + len(ax.collections) > 0


def test_a_rate_is_drawn_as_it_is_given_with_its_interval_as_a_band() -> None:
    """Whatever the order of x, and where an end has no place on the axis."""
    x = np.array([100.0, 1.0, 10.0])
    low, high = np.array([0.2, 0.5, -0.1]) / x, np.array([2.0, 4.0, 1.5]) / x
    with styled():
        ax = rate_figure(rate_curves(x=x, mean=1 / x, low=low, high=high, fit=None)).axes[0]
    (line,) = (one for one in ax.lines if one.get_label() == "measured mean")
    np.testing.assert_array_equal(line.get_xdata(), [1.0, 10.0, 100.0])
    np.testing.assert_allclose(line.get_ydata(), [1.0, 0.1, 0.01], rtol=1e-12)
    (band,) = (one for one in ax.collections if one.get_label() == BAND)
    corners = band.get_paths()[0].vertices
    for at, below, above in ((1.0, 0.5, 4.0), (10.0, 0.1 * 0.001, 0.15), (100.0, 0.002, 0.02)):
        ends = corners[corners[:, 0] == at, 1]
        assert (ends.min(), ends.max()) == pytest.approx((below, above), rel=1e-9)


def test_values_below_zero_are_drawn_on_a_straight_axis():
    x = np.array([0.1, 0.5, 1.0])
    curves = rate_curves(x=x, mean=-x, low=-x - 0.01, high=-x + 0.01, fit=None, reference=-x)
    (ax,) = rate_figure(curves).axes
    assert ax.get_yscale() == "linear"
    assert all(np.isfinite(line.get_ydata()).all() for line in ax.lines if len(line.get_ydata()))


def test_a_rate_without_an_interval_has_no_band() -> None:
    none = np.full(3, np.nan)
    with styled():
        figure = rate_figure(rate_curves(low=none, high=none))
    assert BAND not in legend(figure)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_legend_of_a_rate_stays_inside_the_figure(count: int) -> None:
    x = np.array([1.0, 10.0, 100.0])
    groups = tuple((f"ring of {k} workers", x, k / x) for k in range(4, 4 + count))
    with styled():
        figure = rate_figure(rate_curves(groups=groups))
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        box = figure.legends[0].get_window_extent(canvas.get_renderer())
    assert box.x0 >= 0 and box.x1 <= figure.bbox.x1


def test_a_run_is_drawn_against_steps_bits_and_seconds() -> None:
    figure = drawn("panels")
    labels = [ax.get_xlabel() for ax in figure.axes]
    assert labels == ["steps $t$", "sent and received per worker [Mbit]", "time [s]"]
    assert figure.axes[0].get_ylabel() == "error"
    for ax, across in zip(figure.axes, (STEPS, STEPS**2, 0.5 * STEPS**3), strict=True):
        assert scales(ax) == ("log", "log") and len(ax.lines) == 2 and len(ax.collections) == 1
        assert y_of(ax, "measured mean").tolist() == ERROR.tolist()
        x = np.asarray(ax.lines[0].get_xdata(), dtype=np.float64)
        assert np.isnan(x[0]) and x[1:].tolist() == across[1:].tolist()
    assert legend(figure) == {"measured mean", "its theorem", "95% interval of the mean"}


def test_a_run_without_bound_clock_or_messages_has_neither_line_nor_panel() -> None:
    with styled():
        figure = three_panels(run_curves(bound=None, seconds=None, bits=0 * STEPS))
    (ax,) = figure.axes
    assert ax.get_xlabel() == "steps $t$" and [x.get_label() for x in ax.lines] == ["measured mean"]


def test_a_run_that_is_exact_after_one_step_is_drawn_on_linear_axes() -> None:
    exact = np.where(STEPS == 0, 1.0, 0.0)
    with styled():
        figure = three_panels(run_curves(mean=exact, low=exact, high=exact, bound=None))
        assert png(figure)
    for ax in figure.axes:
        assert scales(ax) == ("linear", "linear")
        assert y_of(ax, "measured mean").tolist() == exact.tolist()


def test_a_rate_is_drawn_with_fit_theory_and_groups() -> None:
    (ax,) = drawn("rate").axes
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("steps T", "error", "a rate")
    assert scales(ax) == ("log", "log")
    for name, factor in (
        ("another", 5.0),
        (as_mathtext("fitted power law, T^-1.00"), 1.1),
        ("theory", 3.0),
    ):
        assert y_of(ax, name) == pytest.approx(factor / np.array([1.0, 10.0, 100.0]), rel=1e-15)
    ends = np.concatenate([path.vertices[:, 1] for c in ax.collections for path in c.get_paths()])
    assert ends.min() == pytest.approx(0.005) and ends.max() == pytest.approx(2.0)


def test_few_whole_numbers_are_the_ticks_of_a_rate() -> None:
    def of(x: Floats) -> RateCurves:
        each = {"mean": 1 / x, "low": 1 / x, "high": 1 / x, "fit": 1 / x, "reference": 1 / x}
        return rate_curves(x=x, groups=(), **each)

    for x, ticks in (
        ([1.0, 3.0, 9.0], ["1", "3", "9"]),
        ([10.0, 1e4], ["10¹", "10²", "10³", "10⁴"]),
    ):
        with styled():
            (ax,) = rate_figure(of(np.array(x))).axes
            ax.figure.draw_without_rendering()
        low, high = ax.get_xlim()
        seen = zip(ax.get_xticks(), ax.get_xticklabels(), strict=True)
        assert [told.get_text() for at, told in seen if low <= at <= high] == ticks


X = np.array([1.0, 10.0, 100.0])


@pytest.mark.parametrize(
    ("line", "label", "order"),
    [
        (3 / X, "steps T", "∝ T⁻¹"),
        (X**-0.5, "horizon T [steps]", "∝ T^-1/2"),
        (2 * X**1.5, "workers n (T = 48)", "∝ n^3/2"),
        (X, "1 / γ [steps]", "∝ (1 / γ)"),
        (1 / X, "T + a", "∝ (T + a)⁻¹"),
        (X**2, "1 / spectral gap", "∝ x²"),
        (X**2, "local steps beyond one, H - 1", "∝ (H - 1)²"),
        (X, "spectral gap 1 - λ", "∝ (1 - λ)"),
        (X, "batch", "∝ batch"),
        (X**0.37, "T", "∝ T^0.37"),
        (0 * X + 2, "steps T", "constant"),
        (np.array([np.nan, 10.0, 100.0]), "workers n", "∝ n"),
        (1 / X + 1, "steps T", ""),
        (np.array([np.nan, np.nan, 1.0]), "steps T", ""),
        (0 * X, "steps T", ""),
        (None, "steps T", ""),
    ],
)
def test_the_order_of_theory_is_written_on_its_line(
    line: Floats | None, label: str, order: str
) -> None:
    """Where it is a power of x; a line that is none has no order."""
    curves = rate_curves(x=X, x_label=label, reference=line)
    assert order_of(curves) == order
    written = [text.get_text() for text in rate_figure(curves).axes[0].texts]
    assert written == ([as_mathtext(order)] if order else [])


def test_a_rate_over_zero_is_linear_in_x_and_draws_no_theory_that_says_nothing() -> None:
    with styled():
        figure = rate_figure(rate_curves(x=np.arange(3.0), fit=None, reference=np.full(3, np.nan)))
    (ax,) = figure.axes
    assert scales(ax) == ("linear", "log")
    assert legend(figure) == {"measured mean", BAND, "another"}


@pytest.mark.parametrize("wanted", [("log", "log"), ("linear", "log"), ("linear", "linear")])
def test_lines_lose_what_a_logarithmic_axis_cannot_show(wanted: tuple[str, str]) -> None:
    with styled():
        figure = lines_figure(line_curves(wanted))
    (ax,) = figure.axes
    assert scales(ax) == wanted and len(ax.lines) == 2 and len(ax.collections) == 1
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("time [s]", "error")
    lost = np.isnan(y_of(ax, "two")).tolist()
    assert lost == ([False, False, True, True] if wanted[1] == "log" else [False] * 4)
    assert texts(ax) == {"one", "two"} and not figure.legends


def texts(ax: Axes) -> set[str]:
    """What is written beside the axes."""
    return {text.get_text() for text in ax.texts}


def test_a_figure_made_again_writes_names_on_few_lines_and_the_order_on_theory() -> None:
    figure = drawn("reproduced_figure")
    left, right, table, spare = figure.axes
    assert texts(left) == {"line 0", "line 1", "$1/t$"} and texts(right) == {"line 0"}
    assert legend(figure) == {"published", "ours"} and not spare.get_visible()
    solid, *_, dashed, said = left.lines
    assert (solid.get_linestyle(), dashed.get_linestyle()) == ("-", "--")
    assert said.get_ydata().tolist() == [2.0] and said.get_marker() == "D"
    assert [scales(ax) for ax in (left, right)] == [("linear", "log"), ("log", "log")]
    assert right.get_ylim() == (1e-1, 1e2) and solid.get_color() == right.lines[0].get_color()
    assert scales(table) == ("log", "linear")
    assert texts(table) == {"5283  (5283)", "3  (≤ 4)", "7"}
    assert [text.get_text() for text in table.get_yticklabels()] == [
        "exact",
        "bounded",
        "ours alone",
    ]


def test_many_lines_have_a_legend_and_theory_its_order_on_it() -> None:
    with styled():
        figure = reproduced_figure(drawing(7))
    assert texts(figure.axes[0]) == {"$1/t$"}
    assert legend(figure) == {f"line {k}" for k in range(7)} | {"published", "ours"}


def test_every_point_that_is_drawn_is_in_the_table() -> None:
    points = list(drawing().points())
    kinds = {kind: sum(point["kind"] == kind for point in points) for kind in ("ours", "theory")}
    assert kinds == {"ours": 3 * STEPS.size + 3, "theory": 3}
    said = [(point["name"], point["y"]) for point in points if point["kind"] == "published"]
    assert said == [("line 0", 2.0), ("exact", 5283.0), ("bounded", 4.0)]
    (bounded,) = (p for p in points if p["name"] == "bounded" and p["kind"] == "ours")
    assert (bounded["low"], bounded["high"]) == (2.5, 3.5)


def test_operators_stand_at_bits_and_error_under_their_claim() -> None:
    figure = drawn("tradeoff")
    (ax,) = figure.axes
    assert scales(ax) == ("log", "log") and ax.get_xlabel().startswith("bits a coordinate")
    assert y_of(ax, "claiming").tolist() == [0.1]
    assert y_of(ax, "claimed for every x").tolist() == [0.5]
    assert y_of(ax, "all other operators").tolist() == [0.2]
    assert "exact: no error, 32 bits" in legend(figure)


def test_others_that_need_fewest_bits_are_named_where_no_point_lies() -> None:
    """The frontier by its definition, over all pairs; names under two points that reach deep."""
    rng = np.random.default_rng(7)
    others = tuple(
        Point(f"operator {k} of a long name that takes two lines", *pair, math.nan)
        for k, pair in enumerate(10 ** rng.uniform(-2, 1, (60, 2)))
    )
    beaten = {
        p for p in others for q in others
        if q.bits <= p.bits and q.error <= p.error and (q.bits, q.error) != (p.bits, p.error)
    }  # fmt: skip
    best = sorted(set(others) - beaten, key=lambda p: p.bits)
    assert [p.name for p in frontier((*others, others[0]))] == [p.name for p in best]
    with styled():
        (ax,) = tradeoff_figure(TradeoffCurves("a row", (), others)).axes
        ax.figure.draw_without_rendering()
    names = max(ax.texts, key=lambda text: len(text.get_text()))
    told = " ".join(names.get_text().split())
    assert all(f"{k} {p.name}" in told for k, p in enumerate(best, start=1))
    box = names.get_window_extent()
    places = ax.transData.transform([(p.bits, p.error) for p in others])
    assert not any(box.contains(*place) for place in places)
    assert ax.get_window_extent().contains(box.x0, box.y0)


def test_workers_are_drawn_beside_a_line_that_falls_as_one_over_n() -> None:
    (ax,) = drawn("workers").axes
    assert scales(ax) == ("log", "log")
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("workers $n$", "error", "both")
    (ideal,) = (line for line in ax.lines if line.get_linestyle() == "--")
    assert [text.get_text() for text in ax.texts] == ["∝ n⁻¹"]
    assert list(ideal.get_ydata()) == y_of(ax, "b").tolist() == [2.0, 0.5, 0.125]


def test_the_readme_shows_each_row_solid_and_its_bound_dashed() -> None:
    with styled():
        one = ReplicaCurves(run_curves(), 0.8 * ERROR, 1.2 * ERROR)
        figure = picture({"bsp-sgd": one, "qsgd": one})
    assert [len(ax.collections) for ax in figure.axes] == [2, 2, 2]
    bounds = {"bound of bsp-sgd: O(1)", "bound of qsgd: O(1)"}
    assert texts(figure.axes[-1]) == {"bsp-sgd", "qsgd"} | bounds
    solid, dashed = figure.axes[0].lines[:2]
    assert solid.get_linestyle() == "-" and dashed.get_linestyle() == "--"
    assert solid.get_color() == dashed.get_color() != figure.axes[0].lines[2].get_color()


def test_lines_made_again_stay_apart() -> None:
    """Dashes are theory's; the seventh name has a mark; what another covers is wide and pale."""
    x = np.array([1.0, 2.0, 4.0, 8.0])
    over, far = DrawnLine("over", x, 3 / x), DrawnLine("far", x, 1e-9 / x)
    many = tuple(DrawnLine(f"line {k}", x, (3.0 + k) / x) for k in range(7))
    band = replace_band(many[1])
    panels = (
        CurvePanel("", "workers", "error", (many[0], over, far), limits=(1e-1, 1e1)),
        CurvePanel("", "steps", "error", (many[0],), published=(DrawnLine("He", x[:1], x[:1]),)),
    )
    with styled():
        left, right = reproduced_figure(FigureDrawing("few", panels)).axes
        crowd = reproduced_figure(
            FigureDrawing("many", (CurvePanel("", "t", "error", (many[0], band, *many[2:])),))
        )
    wide = {line.get_label(): line.get_linewidth() for line in left.lines}
    assert wide["line 0"] > 2 * wide["over"] and texts(left) == {"line 0", "over", "far ↓"}
    assert [tick.get_text() for tick in left.get_xticklabels()] == ["1", "2", "4", "8"]
    assert texts(right) == {"line 0", "He"}, "a published point without a line has its name"
    lines = {line.get_label(): line for line in crowd.axes[0].lines}
    assert {line.get_linestyle() for line in lines.values()} == {"-"}
    first, seventh = lines["line 0"], lines["line 6"]
    assert first.get_color() == seventh.get_color()
    assert first.get_marker() != seventh.get_marker()
    assert "band: interval of the mean, missed once in 10⁹" in legend(crowd)


def replace_band(line: DrawnLine) -> DrawnLine:
    """The line with a band around it."""
    return line._replace(low=0.9 * line.y, high=1.1 * line.y)


def test_names_stand_at_the_ends_of_lines_on_linear_axes() -> None:
    x = np.arange(5.0)
    panel = CurvePanel("", "t", "x", (DrawnLine("up", x, x), DrawnLine("down", x, -x)),
                       scales=("linear", "linear"))  # fmt: skip
    with styled():
        (ax,) = reproduced_figure(FigureDrawing("two", (panel,))).axes
    heights = {text.get_text(): text.xy[1] for text in ax.texts}
    low, high = ax.get_ylim()
    assert heights["up"] == pytest.approx((4 - low) / (high - low), abs=0.01)
    assert heights["down"] == pytest.approx((-4 - low) / (high - low), abs=0.01)


@pytest.mark.parametrize("flat", [True, False])
def test_the_order_of_a_bound_stays_within_the_axes(flat: bool) -> None:
    """Also where the bound is flat at the top until half of the run."""
    steps = np.arange(201.0)
    bound = np.maximum(10.0, 100 * np.exp(-steps / (400 if flat else 20)))
    run = run_curves(
        steps=steps, mean=bound / 10 * np.exp(-steps / 50), low=bound / 20, high=bound / 10,
        bits=steps, seconds=steps, bound=bound, bound_order="O(T^-1 n^-1 omega)",
    )  # fmt: skip
    with styled():
        figure = three_panels(run)
        FigureCanvasAgg(figure).draw()  # type: ignore[no-untyped-call]
    ax = figure.axes[0]
    (order,) = ax.texts
    assert order.get_window_extent().y1 <= ax.get_window_extent().y1


def test_a_sweep_keeps_all_its_points_and_a_run_that_runs_away_leaves() -> None:
    for points, power, leaves in ((5, 2, False), (50, 2, True), (5, 4, True)):
        x = np.logspace(-2, 2, points)
        line = DrawnLine("bias", x, x**power)
        with styled():
            (ax,) = lines_figure(LineCurves("", "zeta", "error", (line,))).axes
        assert bool(ax.get_ylim()[1] < line.y.max()) is leaves
