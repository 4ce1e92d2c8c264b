"""A study's errors over two axes of its grid, a panel for each setting of the others."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd

from algorithms.core.names import look_up
from experiments.figures.heatmap import HeatMaps, HeatPanel
from experiments.sweeps.run_point import DIVERGED
from theory.arrays import Floats

_MOST = 12  # panels of a figure
_AXES = {"row": "row", "problem": "problem", "n": "n", "steps": "T", "tuning": "tuning",
         "gamma": "gamma"}  # fmt: skip
"""Names of axes in a study, with those of its data."""

_QUANTITIES = {
    "suboptimality": "f(x_T) - f*",
    "squared_gradient": "||grad f(x_T)||^2",
    "squared_distance": "||x_T - x*||^2",
    "consensus": "(1/n) sum ||x_i - xbar||^2",
}
"""What a cell may show, by its column."""


def heat_maps(
    last: pd.DataFrame, x: str, y: str, quantity: str = "suboptimality", title: str = ""
) -> HeatMaps:
    """The median of ``quantity`` over replicas and seeds at each pair of values of two axes of a
    study, of its last records; infinite where a run diverged.

    Runs that have no value of an axis (a parameter that their row has not) are left out.

    Raises:
        ValueError: an axis that the study has not, the same twice, or one without a value; an
            unknown quantity; or more settings of the other axes than panels go into a figure.
    """
    axes = _AXES | {name.removeprefix("set."): name for name in last if name.startswith("set.")}
    across, up = (look_up("axis of the study", name, axes) for name in (x, y))
    look_up("quantity", quantity, _QUANTITIES)
    if across == up:
        raise ValueError(f"a heat map has two axes, got {x} twice")
    mine = last.dropna(subset=[across, up])
    if mine.empty:
        raise ValueError(f"no run of the study has values of both {x} and {y}")
    others = [name for name in axes.values() if name not in (across, up) and _varies(mine[name])]
    panels = list(mine.groupby(others, dropna=False, sort=False)) if others else [((), mine)]
    if len(panels) > _MOST:
        raise ValueError(
            f"a figure has {_MOST} panels at most, got {len(panels)} settings of "
            f"{', '.join(others)}; a study with fewer would do"
        )
    xs, ys = _in_order(mine[across]), _in_order(mine[up])
    return HeatMaps(
        title, f"{_QUANTITIES[quantity]}, median over replicas and seeds",
        across.removeprefix("set."), up.removeprefix("set."), tuple(map(_called, xs)),
        tuple(map(_called, ys)),
        tuple(
            HeatPanel(_setting(others, key), _values(group, (across, xs), (up, ys), quantity))
            for key, group in panels
        ),
    )  # fmt: skip


def _varies(column: pd.Series[object]) -> bool:
    return bool(column.nunique(dropna=False) > 1)


def _values(
    runs: pd.DataFrame, x: tuple[str, list[object]], y: tuple[str, list[object]], quantity: str
) -> Floats:
    found = np.full((len(y[1]), len(x[1])), np.nan)
    for (i, up), (j, across) in product(enumerate(y[1]), enumerate(x[1])):
        mine = runs[(runs[x[0]] == across) & (runs[y[0]] == up)]
        if len(mine):
            lost = (mine["outcome"] == DIVERGED).any()
            found[i, j] = np.inf if lost else np.median(mine[quantity])
    return found


def _in_order(column: pd.Series[object]) -> list[object]:
    """Values of an axis: numbers by size, also where they are written as words; else as they
    come."""
    values = list(column.unique())
    numbers = pd.to_numeric(pd.Series(values), errors="coerce")
    return values if numbers.isna().any() else [values[k] for k in np.argsort(numbers)]


def _called(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _setting(names: list[str], values: tuple[object, ...]) -> str:
    """``qsgd, n = 4``: rows and problems by their names."""
    known = [(name.removeprefix("set."), _called(value))
             for name, value in zip(names, values, strict=True) if not pd.isna(value)]  # fmt: skip
    return ", ".join(
        value if name in ("row", "problem") else f"{name} = {value}" for name, value in known
    )
