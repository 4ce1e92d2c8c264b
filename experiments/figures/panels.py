"""Three panels: one measured quantity against steps, bits and seconds, its bound beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.figures.style import BOUND, FAINT, INK, MEASURED, logarithmic, positive
from theory.arrays import Floats


@final
@dataclass(frozen=True)
class RunCurves:
    """What is drawn; all arrays ``[K]``.

    mean, low, high   measured mean over replicas and its interval, of the quantity ``label``
    band              what the interval is
    bound             the theorem's bound on it, NaN where it says nothing; None without a theorem
    bits              sent and received per worker [bits]
    seconds           time [s] of the cost model, None without one; ``clock`` says which

    Attributes:
        title: the title above the figure.
        steps: steps done at each record.
        bound_label: what the bound is called in the legend.
    """

    title: str
    label: str
    steps: Floats
    mean: Floats
    low: Floats
    high: Floats
    bits: Floats
    band: str = "95% interval of the mean"
    seconds: Floats | None = None
    clock: str = "time"
    bound: Floats | None = None
    bound_label: str = "bound"


def three_panels(run: RunCurves) -> Figure:
    """Log-log panels with shared y axis; the start (zero steps) has no place on a log axis."""
    axes_data = [
        ("steps $t$", run.steps),
        ("sent and received per worker [Mbit]", run.bits / 1e6),
        (f"{run.clock} [s]", run.seconds),
    ]
    shown = [(label, x) for label, x in axes_data if x is not None and np.nanmax(x) > 0]
    figure = Figure(figsize=(3.3 * len(shown) + 0.4, 2.9), layout="constrained")
    panels = figure.subplots(1, len(shown), sharey=True, squeeze=False)[0]
    for ax, (label, x) in zip(panels, shown, strict=True):
        _panel(ax, run, positive(np.asarray(x, dtype=np.float64)))
        ax.set_xlabel(label)
    panels[0].set_ylabel(run.label)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    figure.suptitle(run.title, fontsize=11, color=INK)
    return figure


def _panel(ax: Axes, run: RunCurves, x: Floats) -> None:
    if np.isfinite(run.low).any():
        ax.fill_between(
            x,
            positive(run.low),
            positive(run.high),
            color=MEASURED,
            alpha=0.2,
            linewidth=0,
            label=run.band,
        )
    ax.plot(x, positive(run.mean), color=MEASURED, linewidth=1.5, label="measured mean")
    if run.bound is not None and np.isfinite(run.bound).any():
        ax.plot(x, positive(run.bound), color=BOUND, linewidth=1.3, linestyle=(0, (5, 2)),
                label=run.bound_label)  # fmt: skip
    logarithmic(ax)
    ax.grid(True, color=FAINT, alpha=0.3)
