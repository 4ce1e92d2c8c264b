"""Layout that fits any figure to a width: no letter is cut, no legend lies over data.

Letters get one size; labels are folded to the length of their axes and legends to as few columns as
the width takes, below the panels, where nothing is drawn. Panels stay beside each other: two and
more of them take the width of a page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.legend import Legend
from matplotlib.text import Text

_PAD = 0.04  # inches around every panel
_UNIT = re.compile(r"(?:\$[^$]*\$|[^\s$])+")  # what is never broken: a formula, a word
_USUAL = 10.0  # points: letters of a figure before it is fitted
_TALLER = 1.12  # of the proportions: words take more room in a smaller figure
_SHARE = 0.8  # of an axis as it is before words have moved it
_NEARLY = 0.94  # of an axis: folding a label once more shortens others
_ROUNDS = 4  # of folding, each of which moves the axes a little


def fitted(figure: Figure, width: float, letters: float = 8.0, *, titled: bool = True) -> None:
    """Put a figure to a width [inch], its letters to about that many points, and lay it out.

    Without ``titled`` its title is left to a caption. Call it inside
    :func:`~experiments.figures.style.styled`."""
    before = figure.get_size_inches()
    narrower = width < before[0]
    height = before[1] * width / before[0] * (_TALLER if narrower else 1.0)
    figure.set_size_inches(width, round(height, 2))
    if not titled:
        _untitled(figure)
    _lettered(figure, letters / _USUAL)
    laid_out(figure)


def laid_out(figure: Figure) -> None:
    """Fold a figure's labels, and put its legends below all panels, in columns that fit."""
    FigureCanvasAgg(figure)
    for legend in tuple(figure.legends):
        _below(figure, legend)
    figure.set_layout_engine(ConstrainedLayoutEngine(w_pad=_PAD, h_pad=_PAD))
    for label, room in _labels(figure):  # where the axes are now; then where words let them be
        _folded(label, _SHARE * room)
    for _ in range(_ROUNDS):
        figure.draw_without_rendering()
        if not any([_folded(label, _NEARLY * room) for label, room in _labels(figure)]):
            break
    figure.draw_without_rendering()
    figure.set_layout_engine("none")


def _untitled(figure: Figure) -> None:
    title = figure._suptitle  # type: ignore[attr-defined]
    if title is not None:
        title.remove()
        figure._suptitle = None  # type: ignore[attr-defined]
    if len(figure.axes) == 1:
        figure.axes[0].set_title("")


def _lettered(figure: Figure, scale: float) -> None:
    for text in figure.findobj(Text):
        text.set_fontsize(_points(text) * scale)
    for ax in figure.axes:
        for axis in (ax.xaxis, ax.yaxis):
            ticks = axis.get_major_ticks()
            if ticks:
                axis.set_tick_params(labelsize=_points(ticks[0].label1))


def _points(text: Any) -> float:
    return float(text.get_fontsize())


def _below(figure: Figure, legend: Legend) -> None:
    """The same legend outside the panels, in as many columns as the figure is wide."""
    handles = [one for one in legend.legend_handles if one is not None]
    words = [text.get_text() for text in legend.get_texts()]
    size = _points(legend.get_texts()[0]) if words else _USUAL
    legend.remove()
    room = float(figure.get_size_inches()[0]) * figure.dpi
    for columns in range(min(len(words), 5), 0, -1):
        made = figure.legend(
            handles, words, loc="outside lower center", ncols=columns, fontsize=size
        )
        if made.get_window_extent().width <= room or columns == 1:
            return
        made.remove()


def _labels(figure: Figure) -> Iterator[tuple[Text, float]]:
    """Labels and titles of panels, with the length that each has [pixels]."""
    for ax in _drawn(figure):
        box = ax.get_window_extent()
        yield ax.xaxis.label, box.width
        yield ax.yaxis.label, box.height
        yield ax.title, box.width
    title = figure._suptitle  # type: ignore[attr-defined]
    if title is not None:
        yield title, float(figure.get_size_inches()[0]) * figure.dpi * 0.98


def _drawn(figure: Figure) -> list[Axes]:
    return [ax for ax in figure.axes if ax.get_visible()]


def _folded(label: Text, room: float) -> bool:
    """Break a label that is longer than its room between words, into as few lines as that takes;
    whether that changed it."""
    before, text = label.get_text(), " ".join(label.get_text().split())
    label.set_wrap(False)
    for lines in range(1, len(_UNIT.findall(text)) + 1):
        label.set_text(_broken(text, len(text) / lines) if lines > 1 else text)
        box = label.get_window_extent()
        if max(box.width, box.height) <= room:
            break
    return label.get_text() != before


def _broken(text: str, most: float) -> str:
    lines: list[str] = [""]
    for word in _UNIT.findall(text):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > most * 1.15:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return "\n".join(lines)
