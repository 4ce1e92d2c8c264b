"""The layout of figures at the widths of a paper: every kind, and words that are long."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from experiments.figures.columns import pdf, pgf
from experiments.figures.layout import fitted, laid_out
from experiments.figures.rate import rate_figure
from experiments.figures.style import styled
from experiments.figures.tex import as_tex, name_as_tex, plain_as_tex
from tests.experiments.test_figure_kinds import KINDS, drawn, rate_curves

COLUMNS = (3.25, 3.5, 7.0)
"""Widths of columns [inch]: of two-column journals, and of a page."""

WIDE = ("panels", "replicas", "reproduced_figure")
"""Kinds with panels beside each other: they take the width of a page."""

LONG = "E f of the weighted mean of all models after the last step, over that of the best [f]"


def ink(figure: Figure) -> np.ndarray:
    """Where a figure has any colour but white, ``[height, width]``."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return (np.asarray(canvas.buffer_rgba())[..., :3] < 250).any(axis=-1)


def words(figure: Figure) -> list[Text]:
    """All texts that are seen."""
    return [t for t in figure.findobj(Text) if t.get_visible() and t.get_text().strip()]  # type: ignore[attr-defined]


def check(figure: Figure) -> None:
    """Nothing touches an edge, and no legend lies on a panel."""
    seen = ink(figure)
    edges = np.concatenate([seen[0], seen[-1], seen[:, 0], seen[:, -1]])
    assert not edges.any()
    for legend in figure.legends:
        box = legend.get_window_extent()
        for ax in figure.axes:
            panel = ax.get_tightbbox()
            assert panel is None or box.y1 <= panel.y0 + 0.5


@pytest.mark.parametrize(
    ("kind", "width"),
    [(kind, width) for kind in KINDS for width in COLUMNS if width > 5 or kind not in WIDE],
)
def test_no_kind_of_figure_is_cut_at_the_width_of_a_column(kind: str, width: float) -> None:
    with styled():
        figure = drawn(kind)
        fitted(figure, width)
        check(figure)
    assert figure.get_size_inches()[0] == width


@pytest.mark.parametrize("kind", KINDS)
def test_no_kind_of_figure_is_cut_at_its_own_width(kind: str) -> None:
    with styled():
        figure = drawn(kind)
        laid_out(figure)
        check(figure)


def test_labels_that_are_longer_than_their_axes_are_folded() -> None:
    with styled():
        figure = rate_figure(rate_curves(title=LONG, x_label=LONG, y_label=LONG))
        fitted(figure, 3.4, titled=False)
        check(figure)
    (ax,) = figure.axes
    box = ax.get_window_extent()
    for text, room in ((ax.xaxis.label, box.width), (ax.yaxis.label, box.height)):
        extent = text.get_window_extent()
        assert max(extent.width, extent.height) <= 1.02 * room
        assert " ".join(text.get_text().split()) == LONG


def test_without_title_the_caption_has_it() -> None:
    with styled():
        figure = rate_figure(rate_curves(title="a title of its own"))
        fitted(figure, 3.4, titled=False)
    assert all("title of its own" not in text.get_text() for text in words(figure))


@pytest.mark.parametrize("kind", KINDS)
def test_a_figure_for_a_paper_is_the_same_twice_and_what_tex_reads(kind: str) -> None:
    with styled():
        made = []
        for _ in range(2):
            figure = drawn(kind)
            fitted(figure, 7.0 if kind in WIDE else 3.4)
            made.append((pdf(figure), pgf(figure)))
    assert made[0] == made[1]
    text = made[0][1]
    assert text.isascii()
    assert text.count(r"\begin{pgfscope}") == text.count(r"\end{pgfscope}") > 0


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("50% of a_b & c#1", r"50\% of a\_b \& c\#1"),
        ("10⁻³", r"10\ensuremath{^{-3}}"),
        ("∝ T", r"\ensuremath{\propto} T"),
        ("x̄", r"\ensuremath{\bar{x}}"),
        (r"$\mathregular{x_{t}}$ [f]", r"$\mathrm{x_{t}}$ [f]"),
        ("−1.5 ± 2", r"\ensuremath{-}1.5 \ensuremath{\pm} 2"),
    ],
)
def test_signs_are_commands_of_tex(given: str, wanted: str) -> None:
    assert as_tex(given) == wanted


def test_plain_formulas_are_typeset() -> None:
    found = plain_as_tex("E||C(x)-x||^2 <= omega ||x||^2")
    assert r"\ensuremath{\le}" in found and r"\ensuremath{\omega}" in found
    assert found.isascii()


def test_names_stay_as_they_are_whatever_signs_they_have() -> None:
    """LaTeX's own meaning of each sign is taken away; x_1 is no formula in a name."""
    assert name_as_tex("a_1 50% $b$ c&d e^2 #1") == (
        r"a\_1 50\% \$b\$ c\&d e\textasciicircum{}2 \#1"
    )


def test_a_dollar_in_words_is_a_dollar() -> None:
    assert plain_as_tex("it costs $5, or $6, for x_t") == (
        r"it costs \$5, or \$6, for $\mathrm{x_{t}}$"
    )
    assert as_tex("one $ alone") == r"one \$ alone"
