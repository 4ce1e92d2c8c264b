"""The README's picture: ``python -m experiments.reporting.readme`` writes docs/picture.png."""

from __future__ import annotations

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from algorithms.catalogue import problem, row
from experiments.compare.single import run_single
from experiments.figures.indices import as_mathtext
from experiments.figures.panels import RunCurves
from experiments.figures.style import SERIES, legible, logarithmic, png, positive, styled
from experiments.storage.files import write_atomically

ROWS = ("bsp-sgd", "qsgd", "top-k", "d-psgd")
_APART = 0.058  # of the axes' height between two names
PROBLEM, N, STEPS, REPLICAS, SEED = "nonconvex-breast-cancer", 16, 2000, 32, 0
TARGET = Path(__file__).resolve().parents[2] / "docs" / "picture.png"


def measure() -> dict[str, RunCurves]:
    """The curves of each row on one problem."""
    objective = problem(PROBLEM, N)
    return {
        key: run_single(row(key), objective, steps=STEPS, replicas=REPLICAS, seed=SEED).curves()
        for key in ROWS
    }


def picture(runs: dict[str, RunCurves]) -> Figure:
    """Each row's metric (solid, with its band) and its theorem's bound (dashed), on three axes,
    named at the ends of the last panel's lines."""
    figure = Figure(figsize=(11.2, 3.5), layout="constrained")
    panels = figure.subplots(1, 3, sharey=True)
    for number, (key, run) in enumerate(runs.items()):
        colour = SERIES[number]
        for ax, x in zip(panels, (run.steps, run.bits / 1e6, run.seconds), strict=True):
            if x is None:
                continue
            x = positive(x)
            ax.fill_between(x, positive(run.low), positive(run.high), color=colour, alpha=0.2, lw=0)
            ax.plot(x, positive(run.mean), color=colour, lw=1.5, label=key)
            if run.bound is not None:
                ax.plot(x, positive(run.bound), color=colour, lw=1.1, linestyle=(0, (5, 2)))
    for ax, label in zip(
        panels,
        ("steps $t$", "sent and received per worker [Mbit]", f"{runs[ROWS[0]].clock} [s]"),
        strict=True,
    ):
        logarithmic(ax)
        ax.set_xlabel(label)
    panels[0].set_ylabel(runs[ROWS[0]].label)
    _name(panels[-1], runs)
    figure.suptitle(
        f"Measured (solid) under its theorem's bound (dashed): {PROBLEM}, $n={N}$, "
        f"{REPLICAS} replicas",
        fontsize=11,
    )
    return figure


def _name(ax: Axes, runs: dict[str, RunCurves]) -> None:
    """Rows and the orders of their bounds at the ends of their lines, moved apart."""
    to_axes = ax.transData + ax.transAxes.inverted()
    ends = []
    for number, (key, run) in enumerate(runs.items()):
        bound = None if run.bound is None or not run.bound_order else (run.bound, run.bound_order)
        for values, text in filter(None, ((run.mean, key), bound)):
            height = float(to_axes.transform((ax.get_xlim()[1], values[-1]))[1])
            ends.append((height, as_mathtext(text), legible(SERIES[number])))
    last = -1.0
    for height, text, colour in sorted(ends):
        last = max(height, last + _APART)
        ax.annotate(text, (1.02, last), xycoords="axes fraction", color=colour, va="center",
                    fontsize=9, annotation_clip=False)  # fmt: skip


if __name__ == "__main__":
    with styled():
        write_atomically(TARGET, png(picture(measure())))
    print(f"wrote docs/{TARGET.name}")
