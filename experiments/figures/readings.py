"""Distribution over replicas of what an effect reads of each arm, beside the share claimed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from experiments.figures.style import FAINT, INK, legible, logarithmic
from proofs_check.curves import ArmReadings
from theory.arrays import Floats

STRIP = 1.15
"""Height of the strip below an effect's curves [inches]."""

ARMS = "method", "baseline", "cause removed"
"""Names of the arms, in the order of their readings."""

_FEW = 8  # replicas that are strokes, as a density of so few says less
_FLOOR = 1e-6  # what is less, of rounding below 0 too, is drawn here
_WIDE = 5.0  # largest over smallest reading from which on the axis is logarithmic


def draw_readings(ax: Axes, found: ArmReadings, colours: Sequence[str]) -> None:
    """A violin an arm, or a stroke a replica where they are few, with a dot at the mean; the
    claimed share is dashed, and what was never reached is told at the right."""
    import seaborn as sns  # a second to load, for these figures alone

    finite = [np.maximum(one[np.isfinite(one)], _FLOOR) for one in found.shares]
    seen = np.concatenate([*finite, [found.claimed, 1.0]])
    log = bool(seen.max() > _WIDE * seen.min())
    many = {str(k): one for k, one in enumerate(finite) if len(one) > _FEW and np.ptp(one) > 0}
    frame = pd.DataFrame(
        [(name, value) for name, one in many.items() for value in one], columns=["arm", "share"]
    )
    order = [str(k) for k in range(len(finite))]
    if log:
        ax.set_xscale("log")
    if many:
        sns.violinplot(
            frame, x="share", y="arm", order=order, hue="arm", hue_order=order,
            palette=list(colours), ax=ax, cut=0, inner=None, density_norm="width", linewidth=0,
            width=0.8, alpha=0.5, legend=False, log_scale=(log, False),
        )  # fmt: skip
    for k, (one, colour) in enumerate(zip(finite, colours, strict=True)):
        if str(k) not in many:
            ax.plot(one, np.full(len(one), float(k)), "|", color=colour, markersize=11)
        if len(one) == len(found.shares[k]):
            ax.plot([one.mean()], [k], "o", color=colour, markersize=4.5)
        _never(ax, k, found.shares[k], colour)
    ax.axvline(found.claimed, color=INK, linestyle=(0, (4, 2.5)), linewidth=1.1)
    if log:
        logarithmic(ax, y=False)
    ax.set_yticks(range(len(finite)), ARMS[: len(finite)])
    ax.set_ylim(len(finite) - 0.45, -0.55)
    ax.tick_params(axis="y", length=0)
    ax.set_ylabel("")
    ax.set_xlabel(
        f"reading of each replica / the baseline's mean; at most {found.claimed:.3g} claimed"
    )
    ax.grid(True, axis="x", color=FAINT, alpha=0.3)
    ax.grid(False, axis="y")


def _never(ax: Axes, k: int, shares: Floats, colour: str) -> None:
    """How many replicas of an arm have no finite reading, right of its line."""
    lost = int((~np.isfinite(shares)).sum())
    if lost:
        words = "all" if lost == len(shares) else f"{lost} of {len(shares)}"
        ax.annotate(
            f"▸ {words} not reached", (1.02, k), xycoords=("axes fraction", "data"),
            color=legible(colour), fontsize=8, va="center", annotation_clip=False,
        )  # fmt: skip
