"""One look for all figures, and how they are written."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from textwrap import fill
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from experiments.figures.indices import as_mathtext
from experiments.storage.files import write_atomically
from theory.arrays import Floats, Ints

INK = "#22262b"
MEASURED = "#1f5a94"
BOUND = "#b4501e"
FAINT = "#9aa0a6"
SERIES = ("#1f5a94", "#b4501e", "#2a9d78", "#c069ab", "#aa9420", "#3d2a52")
"""Told apart by everybody: tests hold them to what colour-blind eyes see."""

MARKERS = "osD^vP"
_READ = 0.004, 1e3  # numbers between these are written without a power of 10
_POINTS = 7  # places on a logarithmic axis that are ticks themselves
_NOTE = "rateproof"
_DESCRIPTION = 0x010E  # the EXIF tag that a WebP holds its note in
_EFFORT = 50  # of 100; 80 takes as long and a hundredth more room, 100 eighty times as long
_PLAIN = Image.Dither.NONE
_PALE = {INK: (0.5,), FAINT: (0.5, 0.18)} | dict.fromkeys(SERIES, (0.5, 0.2))
"""Strengths on white, at which a colour has edges, bands and grids."""

_NEAR = 20  # of 255: a thin line of a colour has a pixel as near to it
_FEW = 16  # colours of a picture: as many as two pixels of a WebP share a byte of
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

_STYLE: Any = {
    "axes.axisbelow": True,
    "lines.solid_capstyle": "round",
    "patch.edgecolor": "white",
    "patch.force_edgecolor": True,
    "font.family": ["STIXGeneral", "DejaVu Serif"],  # the second for signs that the first lacks
    "mathtext.fontset": "stix",
    "font.size": 10.0,
    "axes.titlesize": 10.5,
    "axes.labelsize": 10.0,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e4e6e8",
    "grid.linewidth": 0.6,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "xtick.labelsize": 9.0,
    "ytick.labelsize": 9.0,
    "legend.frameon": False,
    "legend.fontsize": 9.0,
    "figure.facecolor": "white",
    "axes.facecolor": "white",
    "savefig.facecolor": "white",
    "svg.fonttype": "path",
    "svg.hashsalt": "rateproof",
}


@contextmanager
def styled() -> Iterator[None]:
    """Draw and save inside this: the style holds here and nowhere else."""
    with matplotlib.rc_context(_STYLE):
        yield


def png(figure: Figure, dpi: int = 160, note: str = "") -> bytes:
    """The figure as PNG with a palette, a third of the size: 64 colours chosen by an octree.

    The octree takes a seventh of the median cut's time, at the same size. ``note`` is what
    :func:`note_of` reads.
    """
    buffer, words = io.BytesIO(), PngInfo()
    words.add_text(_NOTE, note)
    _reduced(_full(figure, dpi)).save(buffer, format="png", pnginfo=words)
    return buffer.getvalue()


def webp(figure: Figure, dpi: int, note: str = "", *, tinted: bool = True) -> bytes:
    """The figure for a page, as WebP without loss, a fifth smaller than the same as PNG.

    ``tinted``: in tints of the colours that are drawn with, at most 16; an octree of as few
    loses bands and grids, which are pale. Else in 64 colours, for pictures with a scale of colours.
    ``note`` is what :func:`note_of` reads.
    """
    full, words, buffer = _full(figure, dpi), Image.Exif(), io.BytesIO()
    words[_DESCRIPTION] = note
    few = _tinted(full) if tinted else _reduced(full)
    few.convert("RGB").save(
        buffer, format="webp", lossless=True, quality=_EFFORT, method=4, exif=words
    )
    return buffer.getvalue()


def _full(figure: Figure, dpi: int) -> Image.Image:
    """The figure in all its colours."""
    figure.set_dpi(dpi)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()  # type: ignore[no-untyped-call]
    drawn = canvas.buffer_rgba()  # type: ignore[no-untyped-call]
    return Image.fromarray(np.asarray(drawn)[..., :3])


def _reduced(full: Image.Image) -> Image.Image:
    """The picture in 64 colours."""
    return full.quantize(64, method=Image.Quantize.FASTOCTREE, dither=_PLAIN)


def _tinted(full: Image.Image) -> Image.Image:
    """The picture in the 16 tints that it has most of; white and colours at full strength are among
    them, however small what is drawn in them is."""
    drawn = _drawn(full)
    tints = _tints(drawn)
    tinted = full.quantize(palette=_palette(tints), dither=_PLAIN)
    pixels = np.bincount(np.asarray(tinted).ravel(), minlength=256)
    used = np.flatnonzero(pixels)
    pale = used > len(drawn)  # behind white and the full colours
    kept = used[np.lexsort((-pixels[used], pale))[:_FEW]]
    return full.quantize(palette=_palette(tints[np.sort(kept)]), dither=_PLAIN)


def _drawn(full: Image.Image) -> tuple[str, ...]:
    """Colours that the picture has: between another one and white lie pixels that are nearest to a
    colour which is not drawn."""
    seen = np.array([pixel for _, pixel in full.getcolors(full.width * full.height) or ()])
    near = {c: (np.abs(seen - 255 * np.array(to_rgb(c))) <= _NEAR).all(1).any() for c in SERIES}
    return tuple(colour for colour in _PALE if near.get(colour, True))


def _palette(colours: Ints) -> Image.Image:
    """The palette of colours ``[k, 3]``."""
    palette = Image.new("P", (1, 1))
    whole = np.vstack([colours, np.repeat(colours[:1], 256 - len(colours), axis=0)])
    palette.putpalette(whole.astype(np.uint8).tobytes())
    return palette


@cache
def _tints(drawn: tuple[str, ...]) -> Ints:
    """White, the colours at full, and as edges, bands and grids have them on white ``[k, 3]``."""
    full = {colour: np.array(to_rgb(colour)) for colour in drawn}
    pale = [1 - much * (1 - full[one]) for one in drawn for much in _PALE[one]]
    return (255 * np.vstack([np.ones(3), *full.values(), *pale])).round().astype(np.int64)


def svg(figure: Figure) -> bytes:
    """The figure as SVG, the same bytes for the same figure; paths to a hundredth of a point."""
    buffer = io.StringIO()
    canvas = FigureCanvasSVG(figure)
    canvas.print_svg(buffer, metadata={"Date": None})  # type: ignore[no-untyped-call]
    return re.sub(r'(?<= d=")[^"]+', _rounded, buffer.getvalue()).encode()


def note_of(path: Path) -> str:
    """Note within a figure of :func:`png` or :func:`webp`; empty where there is none."""
    try:
        with Image.open(path) as image:
            return str(image.info.get(_NOTE) or image.getexif().get(_DESCRIPTION, ""))
    except (OSError, SyntaxError):
        return ""


def save(figure: Figure, folder: Path, stem: str, note: str = "") -> tuple[Path, Path]:
    """Write ``stem.png`` and ``stem.svg``, laid out once; call it inside :func:`styled`.

    The PNG comes last and holds the ``note``.
    """
    paths = folder / f"{stem}.png", folder / f"{stem}.svg"
    drawn = png(figure, note=note)
    figure.set_layout_engine("none")  # as it is now
    write_atomically(paths[1], svg(figure))
    write_atomically(paths[0], drawn)
    return paths


def folded(label: str, letters: int = 48) -> str:
    """A label in lines of at most ``letters``, so that it stays beside its axis, its indices and
    powers typeset; what is typeset already is left as it is."""
    return label if "$" in label else as_mathtext(fill(label, letters))


def legible(colour: str) -> str:
    """The colour for small letters on white: darker where it is pale."""
    red, green, blue = (float(part) for part in to_rgb(colour))
    pale = 0.299 * red + 0.587 * green + 0.114 * blue > 0.4
    return to_hex((0.72 * red, 0.72 * green, 0.72 * blue)) if pale else colour


def positive(curve: Floats) -> Floats:
    """The curve for a logarithmic axis: NaN where it is not positive and finite."""
    return np.where(np.isfinite(curve) & (curve > 0), curve, np.nan)


def shown(curve: Floats, log: bool) -> Floats:
    """The curve on an axis: NaN where it is not finite, or not positive on a ``log`` one."""
    return positive(curve) if log else np.where(np.isfinite(curve), curve, np.nan)


def logarithmic(ax: Axes, *, x: bool = True, y: bool = True) -> None:
    """Log axes for what has been drawn: decades, at most six an axis; 1, 2, 5 where it is short.

    Two decades are short where their numbers are read as they are.
    """
    scales = ((x, ax.xaxis, ax.set_xscale), (y, ax.yaxis, ax.set_yscale))
    for axis, scale in ((axis, scale) for wanted, axis, scale in scales if wanted):
        scale("log")
        low, high = sorted(axis.get_view_interval())
        decades = np.floor(np.log10(high)) - np.ceil(np.log10(low)) if low > 0 else np.inf
        short = decades < 1 or (decades < 2 and _READ[0] <= low and high <= _READ[1])
        axis.set_major_locator(
            LogLocator(base=10, subs=(1.0, 2.0, 5.0) if short else (1.0,), numticks=6)
        )
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(_plain if short else _decade))


def ticks_at(ax: Axes, points: Iterable[float]) -> None:
    """On a logarithmic x axis: the points themselves where they are few whole numbers below
    1000."""
    places = sorted({float(x) for x in points})
    whole = bool(places) and places[-1] < 1000 and all(x % 1 == 0 for x in places)
    if whole and len(places) <= _POINTS:
        ax.set_xticks(places, [f"{x:g}" for x in places])


def _plain(value: float, _: int | None = None) -> str:
    return f"{value:g}"


def _decade(value: float, _: int | None = None) -> str:
    """10⁻³ in plain letters: as a formula it would be parsed anew in every figure, a third
    of the time of all."""
    return f"10{raised(str(round(np.log10(value))))}" if value > 0 else ""


def raised(exponent: str) -> str:
    """An exponent in raised letters; behind ^ if it is no integer."""
    return exponent.translate(_RAISED) if exponent.lstrip("-").isdigit() else f"^{exponent}"


def _rounded(path: re.Match[str]) -> str:
    return re.sub(r"(\.\d\d)\d+", r"\1", path.group())
