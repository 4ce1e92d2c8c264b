"""Map of regions: which choice is best for each pair of two variables, and by how much."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.colors import ListedColormap, to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from experiments.figures.style import FAINT, INK, SERIES, folded
from theory.arrays import Floats

_STRENGTH = 0.45  # of a colour on white: black letters are read on all
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class RegionMap(NamedTuple):
    """Best choices over two variables.

    Attributes:
        title: of the figure.
        x_label: the variable across.
        y_label: the variable upwards.
        x: its values, as they are called.
        y: likewise, the least first.
        best: the best choice ``[Y][X]``.
        lead: cost of the next choice over that of the best ``[Y, X]``; infinite: there is none.
    """

    title: str
    x_label: str
    y_label: str
    x: tuple[str, ...]
    y: tuple[str, ...]
    best: tuple[tuple[str, ...], ...]
    lead: Floats

    @property
    def choices(self) -> list[str]:
        """Names of all that are the best somewhere, the commonest first."""
        return [name for name, _ in Counter(one for row in self.best for one in row).most_common()]


def regions_figure(found: RegionMap) -> Figure:
    """A cell for each pair: the colour and the letter say which choice is the best, the number how
    many times as much the next one costs. Colours beyond those that all eyes tell apart are grey:
    the letter says which."""
    import seaborn as sns  # a second to load, for these figures alone

    names = found.choices
    number = {name: k for k, name in enumerate(names)}
    classes = np.array([[number[one] for one in row] for row in found.best])
    full = [to_rgb(SERIES[k] if k < len(SERIES) else FAINT) for k in range(len(names))]
    pale = [to_hex((_pale(red), _pale(green), _pale(blue))) for red, green, blue in full]
    size = (1.6 + 0.66 * len(found.x), 1.5 + 0.46 * len(found.y) + 0.2 * len(names))
    figure = Figure(figsize=(max(size[0], 4.6), size[1]), layout="constrained")
    ax = figure.subplots()
    table = pd.DataFrame(classes[::-1], index=found.y[::-1], columns=found.x)  # larger is higher
    lead = found.lead[::-1]
    letters = [
        [f"{_letter(k)} {_times(by)}".rstrip() for k, by in zip(*pair, strict=True)]
        for pair in zip(table.to_numpy(), lead, strict=True)
    ]
    sns.heatmap(
        table, ax=ax, cmap=ListedColormap(pale), vmin=-0.5, vmax=len(names) - 0.5, cbar=False,
        annot=letters, fmt="", annot_kws={"fontsize": 8.5, "color": INK}, linewidths=1,
    )  # fmt: skip
    ax.grid(visible=False)
    ax.set(xlabel=found.x_label, ylabel=found.y_label)
    ax.tick_params(axis="both", rotation=0, length=0)
    handles = [Patch(color=colour, label=f"{_letter(k)}  {name}")
               for k, (name, colour) in enumerate(zip(names, pale, strict=True))]  # fmt: skip
    figure.legend(handles=handles, loc="outside lower center", ncols=2 if len(names) > 1 else 1)
    ax.set_title("letter: the quickest; number: the next method's seconds over its", fontsize=9)
    figure.suptitle(folded(found.title, 56), fontsize=11, color=INK)
    return figure


def _pale(part: float) -> float:
    return 1 - _STRENGTH * (1 - part)


def _letter(k: int) -> str:
    return _LETTERS[k % len(_LETTERS)]


def _times(lead: float) -> str:
    return f"{lead:.2g}" if np.isfinite(lead) else ""
