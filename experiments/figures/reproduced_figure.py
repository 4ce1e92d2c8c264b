"""A published figure made again, as a figure: its panels in rows, one look for each name."""

from __future__ import annotations

from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from experiments.figures.curve_panel import DIRECT, LineLook, draw_curves, labelled, looks
from experiments.figures.dot_panel import draw_dots, signs
from experiments.figures.reproduced import CurvePanel, DotPanel, FigureDrawing, Panel
from experiments.figures.style import BOUND, FAINT, INK, MEASURED


def reproduced_figure(data: FigureDrawing) -> Figure:
    """A name has one colour and marker everywhere; labels at the lines where these are few."""
    columns = min(data.columns, len(data.panels))
    rows = -(-len(data.panels) // columns)
    curves = tuple(panel for panel in data.panels if isinstance(panel, CurvePanel))
    direct = data.named_at_ends and all(labelled(panel) <= DIRECT for panel in curves)
    width = max(_width(panel, direct) for panel in data.panels)
    height = max(_height(panel) for panel in data.panels)
    layout = ConstrainedLayoutEngine(w_pad=0.12)
    figure = Figure(figsize=(width * columns + 0.3, height * rows + 0.6), layout=layout)
    grid = figure.subplots(rows, columns, squeeze=False)
    for ax in grid.flat[len(data.panels) :]:
        ax.set_visible(False)
    names = looks(curves)
    for ax, panel in zip(grid.flat, data.panels, strict=False):
        if isinstance(panel, DotPanel):
            draw_dots(ax, panel)
        else:
            draw_curves(ax, panel, names, direct)
    _legend(figure, data, names, direct)
    figure.suptitle(signs(data.title), fontsize=11, color=INK, wrap=True)
    return figure


def _width(panel: Panel, direct: bool) -> float:
    if isinstance(panel, DotPanel):
        return 4.2 + 0.055 * max(len(dot.name) for dot in panel.dots)
    return 4.3 if direct else 3.5


def _height(panel: Panel) -> float:
    return 0.9 + 0.26 * len(panel.dots) if isinstance(panel, DotPanel) else 2.9


def _legend(figure: Figure, data: FigureDrawing, names: dict[str, LineLook], direct: bool) -> None:
    """Of what is not written on the lines, and of the signs that are there."""
    known: dict[str, Artist] = {}
    for panel in data.panels if not direct else ():
        for line in panel.lines if isinstance(panel, CurvePanel) else ():
            colour, marker = names[line.name].colour, names[line.name].mark(line.x.size)
            known.setdefault(line.name, Line2D([], [], color=colour, marker=marker, markersize=3.5,
                                               linewidth=1.5))  # fmt: skip
    tables = [panel for panel in data.panels if isinstance(panel, DotPanel)]
    kinds = {point["kind"] for point in data.points()}
    if "published" in kinds:
        colour = BOUND if len(tables) == len(data.panels) else INK
        known["published"] = Line2D([], [], color=colour, marker="D", markerfacecolor="white",
                                    markersize=5.5, markeredgewidth=1.2, linewidth=0)  # fmt: skip
    if tables and "ours" in kinds:
        known["ours"] = Line2D([], [], color=MEASURED, marker="o", markersize=4.5, linewidth=0)
    for panel in data.panels:
        if isinstance(panel, CurvePanel) and any(line.low is not None for line in panel.lines):
            known[f"band: {panel.band}"] = Patch(facecolor=FAINT, alpha=0.35, linewidth=0)
    if known:
        columns = min(5, max(2, int(figure.get_size_inches()[0] / 2)))
        figure.legend(list(known.values()), list(known), loc="outside lower center", ncols=columns)
