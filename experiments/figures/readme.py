"""The README's picture: ``python -m experiments.figures.readme`` writes docs/picture.png."""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure

from algorithms.catalogue import problem, row
from experiments.figures.panels import RunCurves
from experiments.figures.style import SERIES, logarithmic, png, positive, styled
from experiments.files import write_atomically
from experiments.single import run_single

ROWS = ("bsp-sgd", "qsgd", "top-k", "d-psgd")
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
    """Each row's metric (solid, with its band) and its theorem's bound (dashed), on three axes."""
    figure = Figure(figsize=(10.4, 3.7), layout="constrained")
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
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(runs))
    figure.suptitle(
        f"Measured (solid) under its theorem's bound (dashed): {PROBLEM}, $n={N}$, "
        f"{REPLICAS} replicas",
        fontsize=11,
    )
    return figure


if __name__ == "__main__":
    with styled():
        write_atomically(TARGET, png(picture(measure())))
    print(f"wrote docs/{TARGET.name}")
