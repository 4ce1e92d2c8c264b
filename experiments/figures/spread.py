"""Distribution of a run's errors over its replicas: the share of replicas below each error."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure

from experiments.figures.indices import as_mathtext
from experiments.figures.style import FAINT, SERIES, folded, logarithmic
from theory.arrays import Floats

LEVEL = 0.95
"""Level of the band around the shares."""


class RunErrors(NamedTuple):
    """One run.

    Attributes:
        name: what it is called in the legend.
        errors: one a replica ``[R]``.
        centre: what is typical of them.
        low: lower end of its interval; NaN or minus infinity where replicas are too few for one.
        high: upper end; NaN or infinity there.
    """

    name: str
    errors: Floats
    centre: float
    low: float
    high: float


class SpreadCurves(NamedTuple):
    """Runs beside each other.

    Attributes:
        title: of the figure.
        quantity: what an error is.
        centre: what the typical error is called.
        runs: at least one, of two replicas and more.
    """

    title: str
    quantity: str
    centre: str
    runs: tuple[RunErrors, ...]


def band_width(replicas: int) -> float:
    """Largest distance of shares of so many replicas from the true ones, everywhere at once, with
    probability :data:`LEVEL` (Massart 1990, the constant of Dvoretzky, Kiefer and Wolfowitz)."""
    return math.sqrt(math.log(2 / (1 - LEVEL)) / (2 * replicas))


def spread_figure(found: SpreadCurves) -> Figure:
    """Steps with their band; below them each replica as a stroke, and the typical error with its
    interval.

    Raises:
        ValueError: a run has one replica.
    """
    import seaborn as sns  # a second to load, for these figures alone

    if min(len(run.errors) for run in found.runs) < 2:
        raise ValueError("a distribution over replicas needs at least 2, got replicas=1")
    figure = Figure(figsize=(5.2, 3.7), layout="constrained")
    ax = figure.subplots()
    for number, run in enumerate(found.runs):
        colour, below = SERIES[number], -0.08 * (number + 1)
        sns.ecdfplot(x=run.errors, ax=ax, color=colour, linewidth=1.6, label=run.name)
        at = np.sort(run.errors)
        share, half = np.arange(1, len(at) + 1) / len(at), band_width(len(at))
        ax.fill_between(
            at, np.clip(share - half, 0, 1), np.clip(share + half, 0, 1), step="post",
            color=colour, alpha=0.18, linewidth=0, label=f"{LEVEL:.0%} band",
        )  # fmt: skip
        ax.plot(at, np.full(len(at), below), "|", color=colour, markersize=9, alpha=0.6)
        ends = np.array([[run.centre - run.low], [run.high - run.centre]])
        ax.errorbar(
            [run.centre], [below], xerr=np.where(np.isfinite(ends), ends, 0.0), fmt="o",
            color=colour, markersize=5, elinewidth=2.2, capsize=3,
            label=f"{found.centre}, {LEVEL:.0%} interval",
        )  # fmt: skip
    if all((run.errors > 0).all() for run in found.runs):
        logarithmic(ax, y=False)
    ax.set_ylim(-0.08 * (len(found.runs) + 1), 1.03)
    ax.set_yticks([0.0, 0.25, 0.5, 0.75, 1.0])
    ax.set_xlabel(folded(found.quantity))
    ax.set_ylabel("share of replicas with at most that")
    ax.set_title(as_mathtext(found.title), wrap=True)
    ax.grid(True, color=FAINT, alpha=0.3)
    handles, labels = ax.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure
