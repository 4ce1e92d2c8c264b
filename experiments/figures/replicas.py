"""Comparison of rows over replicas: distributions of their errors, and which row beats which."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from experiments.figures.style import FAINT, MEASURED
from theory.arrays import Floats


class ReplicaErrors(NamedTuple):
    """Errors of rows at one budget.

    Attributes:
        title: of the figure.
        quantity: what an error is.
        errors: of each row by its key ``[R]``, the best first.
        apart: by pairs of keys, whether a test tells the two apart.
    """

    title: str
    quantity: str
    errors: dict[str, Floats]
    apart: dict[tuple[str, str], bool]


def replicas_figure(found: ReplicaErrors) -> Figure:
    """Violins of log errors, a point a replica; and ratios of typical errors, a row to a column,
    with a dot where chance explains the ratio."""
    import seaborn as sns  # a second to load, for these figures alone

    keys = list(found.errors)
    figure = Figure(figsize=(5.0 + 1.1 * len(keys), 1.6 + 0.55 * len(keys)), layout="constrained")
    left, right = figure.subplots(1, 2)
    frame = pd.DataFrame(
        [(key, np.log10(value)) for key in keys for value in found.errors[key] if value > 0],
        columns=["row", "error"],
    )
    sns.violinplot(
        frame, x="error", y="row", order=keys, ax=left, color=MEASURED, alpha=0.35, cut=0,
        inner=None, density_norm="width", linewidth=0,
    )  # fmt: skip
    sns.swarmplot(
        frame, x="error", y="row", order=keys, ax=left, color=MEASURED, size=3, warn_thresh=1.0
    )  # drawn alike twice, where a jitter is not
    left.set(xlabel=f"$\\log_{{10}}$ of {found.quantity}", ylabel="")
    ratios = _ratios(found)
    sns.heatmap(
        np.log10(ratios), ax=right, cmap="vlag", center=0.0, cbar=False, square=True, linewidths=1,
        annot=_marked(found, ratios), fmt="", xticklabels=keys, yticklabels=keys,
    )  # fmt: skip
    right.set_title("error of row over error of column; dot: not told apart", fontsize=9)
    right.grid(visible=False)
    right.set(xlabel="column", ylabel="row")
    right.tick_params(axis="y", rotation=0)
    right.tick_params(axis="x", rotation=40)
    for label in right.get_xticklabels():
        label.set_ha("right")
    left.grid(axis="x", color=FAINT, alpha=0.3)
    figure.suptitle(found.title, fontsize=11)
    return figure


def _ratios(found: ReplicaErrors) -> pd.DataFrame:
    """Of geometric means ``[rows, rows]``; NaN on the diagonal and where an error is not
    positive."""
    with np.errstate(divide="ignore", invalid="ignore"):
        level = np.array([np.exp(np.log(errors).mean()) for errors in found.errors.values()])
        table = level[:, None] / level[None, :]
    np.fill_diagonal(table, np.nan)
    table[~(np.isfinite(table) & (table > 0))] = np.nan
    keys = list(found.errors)
    return pd.DataFrame(table, index=keys, columns=keys)


def _marked(found: ReplicaErrors, ratios: pd.DataFrame) -> list[list[str]]:
    def told(row: str, column: str) -> str:
        ratio = ratios.loc[row, column]
        if row == column or not np.isfinite(ratio):
            return ""
        return f"{ratio:.2g}" + ("" if found.apart[row, column] else " ·")

    return [[told(row, column) for column in ratios.columns] for row in ratios.index]
