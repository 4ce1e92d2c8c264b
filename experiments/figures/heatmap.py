"""An error over two variables: a coloured cell for each pair of their values, a panel a setting."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from experiments.figures.style import folded
from theory.arrays import Floats

_COLOURS = "cividis_r"  # even steps of lightness for every kind of vision; pale is small
_ACROSS = 3  # panels beside each other
_DARK = 0.179  # luminance below which white letters have more contrast than black (WCAG 2.1)


class HeatPanel(NamedTuple):
    """One setting of everything else.

    Attributes:
        title: what it is.
        values: ``[Y, X]``, NaN where nothing was run, infinite where runs diverged.
    """

    title: str
    values: Floats


class HeatMaps(NamedTuple):
    """Panels that share axes and colours.

    Attributes:
        title: of the figure.
        quantity: what a cell shows.
        x_label: the variable across.
        y_label: the variable upwards.
        x: its values, as they are called.
        y: likewise.
        panels: in the order in which they are drawn.
    """

    title: str
    quantity: str
    x_label: str
    y_label: str
    x: tuple[str, ...]
    y: tuple[str, ...]
    panels: tuple[HeatPanel, ...]


def heatmap_figure(maps: HeatMaps) -> Figure:
    """Numbers in cells, in colours of one logarithmic scale for all panels; what has no place on it
    is white and says why."""
    across = min(_ACROSS, len(maps.panels))
    down = -(-len(maps.panels) // across)
    width, height = 0.9 + 0.68 * len(maps.x), 0.75 + 0.36 * len(maps.y)
    size = (max(across * width + 1.2, 4.2), down * height + 0.6)
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(down, across, squeeze=False).ravel()
    every = np.concatenate([panel.values.ravel() for panel in maps.panels])
    seen = every[np.isfinite(every) & (every > 0)]
    norm = LogNorm(seen.min(), seen.max()) if seen.size else LogNorm(0.1, 1.0)
    for ax, panel in zip(axes, maps.panels, strict=False):
        _panel(ax, maps, panel, norm)
    for ax in axes[len(maps.panels) :]:
        ax.set_visible(False)
    if seen.size:
        bar = figure.colorbar(axes[0].collections[0], ax=list(axes), pad=0.02, aspect=30)
        bar.set_label(folded(maps.quantity, 30))
        bar.outline.set_visible(False)
    figure.suptitle(maps.title, fontsize=11)
    return figure


def _panel(ax: Axes, maps: HeatMaps, panel: HeatPanel, norm: LogNorm) -> None:
    import seaborn as sns  # a second to load, for these figures alone

    table = pd.DataFrame(panel.values[::-1], index=maps.y[::-1], columns=maps.x)  # larger is higher
    shown = table.where(np.isfinite(table) & (table > 0))
    sns.heatmap(
        shown, ax=ax, cmap=_COLOURS, norm=norm, vmin=norm.vmin, vmax=norm.vmax, cbar=False,
        linewidths=1,
    )  # fmt: skip
    (cells,) = ax.collections
    cells.update_scalarmappable()
    colours = np.asarray(cells.get_facecolor())
    for (row, column), value in np.ndenumerate(table.to_numpy()):
        red, green, blue, seen = colours[row * table.shape[1] + column]
        bright = 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2
        ax.text(
            column + 0.5, row + 0.5, _described(value), ha="center", va="center", fontsize=8,
            color="white" if seen and bright < _DARK else "black",
        )  # fmt: skip
    ax.grid(visible=False)
    ax.set(xlabel=maps.x_label, ylabel=maps.y_label)
    ax.set_title(folded(panel.title, 40), fontsize=9)
    ax.tick_params(axis="y", rotation=0)
    ax.tick_params(length=0)
    longest = max(map(len, maps.x))
    ax.tick_params(axis="x", rotation=40 if longest > 8 else 0)
    for label in ax.get_xticklabels():
        label.set_horizontalalignment("right" if longest > 8 else "center")


def _described(value: float) -> str:
    """Two digits, or why a cell has no colour."""
    if np.isinf(value):
        return "diverged"
    return "-" if np.isnan(value) else f"{float(f'{value:.2g}'):g}"
