"""HTML for notebooks: self-contained, with every text escaped.

A block is one ``<div>``: a heading, sentences, a table, a picture in the page itself. Colours are
those of the page it lands in, so that it is read on a dark one too.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from experiments.figures.style import png, styled

if TYPE_CHECKING:
    import pandas as pd

_MOST = 12
_CELL = "text-align:left;vertical-align:top;padding:0.15em 0.8em 0.15em 0"


def block(title: str, *parts: str) -> str:
    """A heading over ``parts``, which are HTML already."""
    return f'<div class="rateproof"><h4>{escape(title)}</h4>{"".join(parts)}</div>'


def sentence(text: str) -> str:
    """A paragraph of plain text."""
    return f"<p>{escape(text)}</p>"


def frame_html(frame: pd.DataFrame, most: int = _MOST) -> str:
    """The first ``most`` lines of a table, and how many there are where that is not all."""
    heads = "".join(f'<th scope="col" style="{_CELL}">{escape(str(c))}</th>' for c in frame)
    lines = "".join(
        "<tr>" + "".join(f'<td style="{_CELL}">{escape(_described(cell))}</td>' for cell in line)
        + "</tr>"
        for line in frame.head(most).itertuples(index=False, name=None)
    )  # fmt: skip
    more = "" if len(frame) <= most else sentence(f"{most} of {len(frame)} lines; .frame has all")
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>{more}"


def _described(cell: object) -> str:
    if isinstance(cell, float):
        return "" if cell != cell else f"{cell:.6g}"
    return "" if cell is None else str(cell)


def picture(draw: Callable[[], Figure], what: str) -> str:
    """A figure as an image within the page; ``what`` is said where it cannot be seen."""
    with styled():
        data = base64.b64encode(png(draw(), dpi=110)).decode("ascii")
    return f'<img style="max-width:100%" alt="{escape(what)}" src="data:image/png;base64,{data}">'
