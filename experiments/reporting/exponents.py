"""The report's forest plot: every exponent that is held to a stated one, with its interval."""

from __future__ import annotations

import math
from pathlib import Path

import pandas as pd

from experiments.figures.forest import ForestLine, ForestPlot, forest_figure
from experiments.figures.style import styled, webp
from experiments.storage.files import write_atomically
from proofs_check.verdict import CheckKind, Outcome

NAME = "exponents.webp"
"""The picture's file, in the report's folder of figures."""

_HELD = (Outcome.SUPPORTED.value, Outcome.REFUTED.value)
_DPI = 100


def exponents(table: pd.DataFrame) -> ForestPlot | None:
    """Distances of measured exponents from the stated ones that they are held to, by variable, the
    farthest below first; None where there is none."""
    held = table[
        (table["check_kind"] == CheckKind.RATE) & table["verdict"].isin(_HELD)
        & table["statistic"].notna() & table["bound"].notna()
    ]  # fmt: skip
    if held.empty:
        return None
    held = held.assign(
        variable=held["check"].str.extract(r"rate in (.+)$")[0],
        apart=held["statistic"] - held["bound"],
    ).sort_values(["variable", "apart"])
    lines = tuple(
        ForestLine(
            f"{one.subject}, {one.problem} ({one.bound:.3g})", one.apart,
            one.apart - _half(one.uncertainty), one.apart + _half(one.uncertainty), 0.0,
            refuted=one.verdict == Outcome.REFUTED.value, group=f"in {one.variable}",
        )
        for one in held.itertuples()
    )  # fmt: skip
    return ForestPlot(
        f"{len(lines)} exponents that runs are held to", "measured minus stated",
        "interval that decides", lines,
    )  # fmt: skip


def _half(value: float) -> float:
    return 0.0 if math.isnan(value) else value


def written(table: pd.DataFrame, folder: Path) -> int:
    """Draw the plot into a folder; how many exponents it has."""
    plot = exponents(table)
    if plot is None:
        return 0
    with styled():
        write_atomically(folder / NAME, webp(forest_figure(plot), _DPI))
    return len(plot.lines)
