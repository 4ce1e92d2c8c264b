"""Parts of a run's figure: what a step costs where all cost the same, and replicas at the end."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from experiments.figures.style import BOUND, FAINT, INK, MEASURED, raised
from theory.arrays import Floats

_HAIR = 0.05  # of a logarithmic axis: curves that lie so near each other are the same
_ALOFT = 100.0  # times all that is measured: a bound that is farther has no place beside it
_FEWEST = 4  # replicas of a distribution
_GOLDEN = 0.6180339887  # steps of places across: no two points near each other lie in a column


def cost_of_a_step(steps: Sequence[Floats], spent: Sequence[Floats]) -> float | None:
    """Cost of a step where all records of all runs agree on it, so that curves against steps and
    against what is spent are the same to the eye; None where they do not.

    ``steps`` and ``spent`` ``[K]`` of each run.
    """
    each = [cost[at > 0] / at[at > 0] for at, cost in zip(steps, spent, strict=True)]
    rates = np.concatenate(each)
    if not rates.size or not np.isfinite(rates).all() or rates.min() <= 0:
        return None
    last = float(each[0][-1])
    decades = np.log10(max(float(at.max()) for at in steps))
    off = np.abs(np.log10(rates / last)).max()
    return last if off <= max(_HAIR * decades, 1e-3) else None


def bound_above(bound: Floats | None, shown: Sequence[Floats]) -> str:
    """Words in place of a bound that lies so far above everything ``shown`` that beside it nothing
    else would be seen; empty where it has a place."""
    if bound is None or not np.isfinite(bound[-1]):
        return ""
    seen = np.concatenate(shown)
    seen = seen[np.isfinite(seen) & (seen > 0)]
    least = bound[np.isfinite(bound)].min()
    if not seen.size or least <= _ALOFT * seen.max():
        return ""
    times = f"10{raised(str(round(np.log10(bound[-1] / seen.max()))))}"
    return f"bound at the end: {bound[-1]:.3g}, some {times} times what is measured"


def at_least_a_decade(ax: Axes) -> None:
    """Widen a logarithmic y axis around its middle until it has two ticks."""
    low, high = ax.get_ylim()
    if 0 < low < high < 10 * low:
        middle = (low * high) ** 0.5
        ax.set_ylim(middle / 10**0.5, middle * 10**0.5)


def distributed(ends: Floats | None, log: bool) -> Floats:
    """Replicas that a distribution can be drawn of: those with a place on the axis, where they are
    enough and not all alike; else none."""
    if ends is None:
        return np.empty(0)
    there = ends[np.isfinite(ends) & ((ends > 0) | (not log))]
    apart = len(there) >= _FEWEST and np.ptp(there) > 1e-9 * np.abs(there).max()
    return there if apart else np.empty(0)


def draw_replicas(ax: Axes, ends: Floats, bound: float | None) -> None:
    """A violin of the replicas with a point for each, their median as a bar, and the bound, beside
    the panels of the curves and on their axis."""
    import seaborn as sns  # a second to load, for these figures alone

    sns.violinplot(
        y=ends, ax=ax, color=MEASURED, alpha=0.3, cut=0, inner=None, linewidth=0,
        saturation=1.0, width=0.9,
    )  # fmt: skip
    ranks = np.argsort(np.argsort(ends))
    across = 0.5 * ((ranks * _GOLDEN) % 1 - 0.5)
    ax.plot(across, ends, "o", color=MEASURED, markersize=2.4, markeredgewidth=0)
    middle = float(np.median(ends))
    ax.plot((-0.42, 0.42), (middle, middle), color=INK, linewidth=1.2)
    if bound is not None and np.isfinite(bound) and bound > 0:
        ax.axhline(bound, color=BOUND, linewidth=1.3, linestyle=(0, (5, 2)))
    ax.set(xlabel=f"{len(ends)} replicas\nat the end", ylabel="", xticks=[], xlim=(-0.5, 0.5))
    ax.grid(True, axis="y", color=FAINT, alpha=0.3)
