"""The README's picture: ``python -m experiments.reporting.readme`` writes docs/picture.png."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from algorithms.catalogue import problem, row
from experiments.compare.single import run_single
from experiments.figures.indices import as_mathtext
from experiments.figures.panels import RunCurves
from experiments.figures.style import SERIES, legible, logarithmic, png, positive, styled
from experiments.storage.files import write_atomically
from proofs_check.methods.run_series import shown
from theory.arrays import Floats

ROWS = ("bsp-sgd", "qsgd", "top-k", "d-psgd")
_APART = 0.058  # of the axes' height between two names
PROBLEM, N, STEPS, REPLICAS, SEED = "nonconvex-breast-cancer", 16, 2000, 32, 0
TARGET = Path(__file__).resolve().parents[2] / "docs" / "picture.png"


@final
class ReplicaCurves(NamedTuple):
    """A row's run with what lies between its replicas.

    Attributes:
        curves: its mean, its bound and its axes.
        low: the 5% quantile over replicas, by record.
        high: the 95% quantile.
    """

    curves: RunCurves
    low: Floats
    high: Floats


def measure() -> dict[str, ReplicaCurves]:
    """The curves of each row on one problem."""
    objective = problem(PROBLEM, N)
    found = {}
    for key in ROWS:
        single = run_single(row(key), objective, steps=STEPS, replicas=REPLICAS, seed=SEED)
        low, high = np.quantile(shown(single.result).samples, (0.05, 0.95), axis=0)
        found[key] = ReplicaCurves(single.curves(), low, high)
    return found


def picture(runs: dict[str, ReplicaCurves]) -> Figure:
    """Each row's metric (solid, with the band of its replicas) and its theorem's bound (dashed), on
    three axes, with slopes to read off; runs and bounds are named where they end."""
    figure = Figure(figsize=(11.2, 4.0), layout="constrained")
    panels = figure.subplots(1, 3, sharey=True)
    for number, run in enumerate(runs.values()):
        colour, curves = SERIES[number], run.curves
        for ax, x in zip(panels, (curves.steps, curves.bits / 1e6, curves.seconds), strict=True):
            if x is None:
                continue
            x = positive(x)
            ax.fill_between(x, positive(run.low), positive(run.high), color=colour, alpha=0.3, lw=0)
            ax.plot(x, positive(curves.mean), color=colour, lw=1.5)
            if curves.bound is not None:
                ax.plot(x, positive(curves.bound), color=colour, lw=1.1, linestyle=(0, (5, 2)))
    first = next(iter(runs.values())).curves
    labels = ("steps $t$", "sent and received per worker [Mbit]", f"{first.clock} [s]")
    for ax, label in zip(panels, labels, strict=True):
        logarithmic(ax)
        ax.set_xlabel(label)
    panels[0].set_ylabel(first.label)
    _slopes(panels[0], first)
    _name(panels[-1], {key: run.curves for key, run in runs.items()})
    figure.suptitle(
        f"Measured (solid; bands: 5% to 95% of {REPLICAS} replicas) under the theorem's bound "
        f"(dashed): {PROBLEM}, $n={N}$",
        fontsize=11,
    )
    return figure


def _slopes(ax: Axes, run: RunCurves) -> None:
    """Reference lines of slopes -1/2 and -1 from one point left of the run's end, below the run."""
    x = np.array([run.steps[-1] / 60, run.steps[-1] / 2], dtype=float)
    start = float(run.mean[-1]) * 2
    for power, name in ((-0.5, "$t^{-1/2}$"), (-1.0, "$t^{-1}$")):
        y = start * (x / x[0]) ** power
        ax.plot(x, y, color="0.35", lw=0.9)
        ax.annotate(name, (x[-1], y[-1]), xytext=(3, 0), textcoords="offset points", color="0.25",
                    va="center", fontsize=9)  # fmt: skip


def _name(ax: Axes, runs: dict[str, RunCurves]) -> None:
    """Rows and their bounds at the ends of their lines, moved apart."""
    to_axes = ax.transData + ax.transAxes.inverted()
    ends = []
    for number, (key, run) in enumerate(runs.items()):
        order = as_mathtext(run.bound_order) if run.bound_order else ""
        bound = None if run.bound is None else (run.bound, f"bound of {key}: {order}")
        for values, text in filter(None, ((run.mean, key), bound)):
            height = float(to_axes.transform((ax.get_xlim()[1], values[-1]))[1])
            ends.append((height, text, legible(SERIES[number])))
    last = -1.0
    for height, text, colour in sorted(ends):
        last = max(height, last + _APART)
        ax.annotate(text, (1.02, last), xycoords="axes fraction", color=colour, va="center",
                    fontsize=9, annotation_clip=False)  # fmt: skip


if __name__ == "__main__":
    with styled():
        write_atomically(TARGET, png(picture(measure())))
    print(f"wrote docs/{TARGET.name}")
