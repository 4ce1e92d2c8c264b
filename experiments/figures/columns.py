"""Figures for a paper: PDF and PGF at the width of a column."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.backend_bases import RendererBase
from matplotlib.backends.backend_mixed import MixedModeRenderer
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.backends.backend_pgf import RendererPgf
from matplotlib.figure import Figure

from experiments.figures.tex import as_tex
from experiments.storage.files import write_atomically

_HEAD = r"""%% \input this file; the preamble needs \usepackage{{pgf}}; its letters are used.
\begingroup
\makeatletter
\begin{{pgfpicture}}
\pgfpathrectangle{{\pgfpointorigin}}{{\pgfqpoint{{{width:f}in}}{{{height:f}in}}}}
\pgfusepath{{use as bounding box, clip}}
"""
_END = r"""\end{pgfpicture}
\makeatother
\endgroup
"""
_CATCODES = r"\catcode`\^=\active\def^{\ifmmode\sp\else\^{}\fi}" r"\catcode`\%=\active\def%{\%}"
"""Meanings that matplotlib gives to letters in every text; here they are escaped instead."""


class _Renderer(RendererPgf):
    """Matplotlib's, which asks a TeX how long words are; here they are as long as on the screen, so
    that no TeX is needed to write the file."""

    get_text_width_height_descent = RendererBase.get_text_width_height_descent

    def draw_text(
        self, gc: Any, x: float, y: float, s: str, prop: Any, angle: float, ismath: Any = False,
        mtext: Any = None,
    ) -> None:  # fmt: skip
        super().draw_text(gc, x, y, as_tex(s), prop, angle, ismath, mtext)  # type: ignore[no-untyped-call]


def pgf(figure: Figure) -> str:
    """A figure that is laid out, as macros of PGF: words are set by the document that inputs it."""
    for artist in figure.findobj(lambda one: bool(one.get_rasterized())):
        artist.set_rasterized(False)
    out = io.StringIO()
    width, height = (float(size) for size in figure.get_size_inches())
    out.write(_HEAD.format(width=width, height=height))
    with matplotlib.rc_context({"pgf.rcfonts": False}):
        own = _Renderer(figure, out)  # type: ignore[no-untyped-call]
        mixed: Any = MixedModeRenderer(figure, width, height, figure.dpi, own)  # type: ignore[no-untyped-call]
        figure.draw(mixed)
    out.write(_END)
    return out.getvalue().replace(_CATCODES, " ")


def pdf(figure: Figure) -> bytes:
    """A figure that is laid out, as PDF: the same bytes for the same figure, letters as text."""
    buffer = io.BytesIO()
    with matplotlib.rc_context({"pdf.fonttype": 42}):
        canvas = FigureCanvasPdf(figure)
        canvas.print_pdf(buffer, metadata={"CreationDate": None})  # type: ignore[no-untyped-call]
    return buffer.getvalue()


def save_for_paper(figure: Figure, folder: Path, stem: str) -> tuple[Path, Path]:
    """Write ``stem.pdf`` and ``stem.pgf`` of a figure that is laid out."""
    paths = folder / f"{stem}.pdf", folder / f"{stem}.pgf"
    write_atomically(paths[1], pgf(figure).encode())
    write_atomically(paths[0], pdf(figure))
    return paths
