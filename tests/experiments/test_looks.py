"""What a reader of figures rests on: no two looks alike, and ticks where something was measured."""

from __future__ import annotations

import itertools
import re
from importlib.resources import files
from io import BytesIO

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from PIL import Image

from experiments.figures.indices import as_mathtext
from experiments.figures.lines import DrawnLine, LineCurves
from experiments.figures.lines_figure import lines_figure
from experiments.figures.signs import pretty
from experiments.figures.style import SERIES, styled, webp
from experiments.figures.tradeoff import Point, TradeoffCurves, tradeoff_figure
from experiments.figures.workers import WorkerCurves, WorkersLine, workers_figure
from proofs_check.instruments.study import Study
from proofs_check.registry import STUDIES
from theory.arrays import Floats

SEEN: dict[str, Floats] = {
    "all": np.eye(3),
    "no red": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                        [-0.003882, -0.048116, 1.051998]]),
    "no green": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                          [-0.011820, 0.042940, 0.968881]]),
    "no blue": np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                         [0.004733, 0.691367, 0.303900]]),
}  # fmt: skip
"""Linear RGB as eyes see it that lack a kind of cones: Machado, Oliveira, Fernandes 2009, Table 1,
severity 1."""


def cielab(linear: Floats) -> Floats:
    """L*, a*, b* under D65 of linear RGB (CIE 15; IEC 61966-2-1)."""
    xyz = (
        np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
        @ np.clip(linear, 0.0, 1.0)
        / np.array([0.9505, 1.0, 1.089])
    )
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def linear_rgb(colour: str) -> Floats:
    """Without sRGB's gamma."""
    c = np.array(to_rgb(colour))
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def test_colours_of_lines_are_told_apart_by_colour_blind_eyes_and_on_their_paper() -> None:
    script = (files("experiments") / "templates" / "report.js").read_text(encoding="utf-8")
    light, dark = (
        tuple(re.findall(r"#\w{6}", re.search(rf"{name}: (\[.*\])", script)[1]))  # type: ignore[index]
        for name in ("light", "dark")
    )
    assert light == SERIES
    for colours, paper in ((light, "#ffffff"), (dark, "#1c2025")):
        for name, seen in SEEN.items():
            for one, other in itertools.combinations(colours, 2):
                apart = cielab(seen @ linear_rgb(one)) - cielab(seen @ linear_rgb(other))
                assert np.linalg.norm(apart) > 15, (name, one, other)
        for colour in colours:
            bright = sorted(
                0.05 + linear_rgb(c) @ [0.2126, 0.7152, 0.0722] for c in (colour, paper)
            )
            assert bright[1] / bright[0] >= 3, (colour, paper)  # WCAG 2.1, 1.4.11


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


def test_methods_that_are_nearly_exact_leave_the_axis_of_many_panels() -> None:
    x = np.array([1.0, 4.0, 16.0])
    usual = tuple(WorkersLine(f"m{k}", x, k / x, 0.9 * k / x, 1.1 * k / x) for k in range(1, 12))
    exact = WorkersLine("exact", x, *[np.full(3, 1e-15)] * 3)
    panels = (("a", (*usual[:6], exact)), ("b", usual[6:]))
    with styled():
        figure = workers_figure(WorkerCurves("n", "error", panels, (*usual, exact)))
    assert all(1e-4 < ax.get_ylim()[0] < 1 / 16 for ax in figure.axes)
    names = figure.axes[0].get_legend_handles_labels()[1]
    assert "exact ↓" in names and "m1" in names


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


def test_a_line_that_another_hides_is_wide_and_one_off_the_axes_is_told() -> None:
    """Dashed is theory alone, with its name at its end."""
    x = np.array([1.0, 2.0, 4.0, 8.0])
    own, other = DrawnLine("own", x, 1 / x), DrawnLine("other", x, 1 / x**2)
    same = DrawnLine("same", 2 * x[:3], 0.5 / x[:3])  # other points of the line of ``own``
    never = DrawnLine("never speaks", 0 * x, 1 / x)
    away = DrawnLine("runs away", x, 10.0 ** (5 * np.arange(4)))
    with styled():
        lines = (own, other, same, never, away)
        stated = DrawnLine("$1/x$", x, 3 / x)
        curves = LineCurves("hidden", "bits", "error", lines, theory=(stated,))
        figure = lines_figure(curves)
    ax = figure.axes[0]
    drawn = {line.get_label(): line for line in ax.get_lines() if line.get_linewidth() > 0}
    assert [name for name, line in drawn.items() if line.get_linestyle() != "-"] == ["_child6"]
    widths = {name: line.get_linewidth() for name, line in drawn.items()}
    assert widths["own"] > widths["same"] == widths["other"] == widths["runs away"]
    told = {text.get_text() for legend in figure.legends for text in legend.get_texts()}
    assert "never speaks (not drawn: at 0 on this axis)" in told
    low, high = ax.get_ylim()
    assert low < 1 / 64 and 1 < high < 1e4


def test_small_pictures_keep_what_is_pale() -> None:
    """A band, a grid and lines of six colours, each where the full picture has it."""
    x = np.array([1.0, 2.0, 4.0])
    names = [DrawnLine(f"line {k}", x, 2.0**k / x, 1.6**k / x, 2.4**k / x) for k in range(6)]
    with styled():
        figure = lines_figure(LineCurves("pale", "bits", "error", tuple(names)))
        small = Image.open(BytesIO(webp(figure, 100))).convert("RGB")
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
    full = np.asarray(canvas.buffer_rgba())[..., :3].astype(np.float64)
    off = np.abs(np.asarray(small).astype(np.float64) - full).max(-1)
    assert np.quantile(off, 0.99) < 48
    pale = (full.min(-1) < 250) & (full.min(-1) > 150)
    assert pale.mean() > 0.05, "bands and grid"
    assert (np.asarray(small)[pale].min(-1) < 255).mean() > 0.95


@pytest.mark.parametrize(
    ("plain", "typeset"),
    [
        ("f(x_t) - f*", r"f($\mathregular{x_{t}}$) − f*"),
        ("(1/T) Σ_{t<T} E", r"(1/T) $\mathregular{Σ_{t<T}}$ E"),
        ("O(T^-1/2 n^-1)", r"O($\mathregular{T^{−1/2}}$ $\mathregular{n^{−1}}$)"),
        ("L_max of choco_sgd in top_1%", r"$\mathregular{L_{max}}$ of choco_sgd in top_1%"),
        ("base-3^5, $x_t$", "base-3^5, $x_t$"),
        ("power law, gap^-0.02", r"power law, $\mathregular{gap^{−0.02}}$"),
    ],
)
def test_indices_of_labels_are_typeset_and_names_are_left(plain: str, typeset: str) -> None:
    assert as_mathtext(plain) == typeset
    figure = Figure()
    figure.suptitle(as_mathtext(plain))
    FigureCanvasAgg(figure).draw()
