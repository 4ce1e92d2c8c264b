"""``rateproof figure lag``: uploads of the lazily aggregated gradient and its neighbours."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from algorithms.problems.least_squares_data import dealt, packaged, read, rising
from experiments.figures.lag import Bars, LagCurves, UploadsLine, lag_figure
from experiments.published.figure import PublishedFigure
from proofs_check.figure_runs.uploads import ACCURACY, Uploads, contenders, race

_SETS = 3  # each is cut into as many parts, a worker each
_PUBLISHED: dict[int, dict[str, int]] = {
    9: {"GD": 5283, "LAG-PS": 1756, "LAG-WK": 412, "Cyc-IAG": 5271},
    18: {"GD": 10548, "LAG-PS": 3610, "LAG-WK": 657, "Cyc-IAG": 10522},
    27: {"GD": 15822, "LAG-PS": 5944, "LAG-WK": 1058, "Cyc-IAG": 15773},
}
"""Uploads by workers on the three UCI sets (Chen et al. 2018, arXiv:1805.09965, Table 5)."""


class Lag(NamedTuple):
    """All races: ``by_split`` for each number of workers, and ``made`` on rising curvatures.

    Attributes:
        source: where the data come from.
        published: whether these are the published data, so that totals can be compared.
        smoothness: smoothness of each worker's function on the made data [f / x^2].
    """

    source: str
    published: bool
    by_split: tuple[tuple[Uploads, ...], ...]
    smoothness: tuple[float, ...]
    made: tuple[Uploads, ...]


def measure_lag(folder: Path | None, workers: tuple[int, ...] = ()) -> Lag:
    """The races on the data of ``folder``, or on scikit-learn's, for each number of workers.

    Raises:
        ValueError: the folder's files are missing or no tables; a number of workers that is not a
            multiple of 3, or more parts than the smallest set has samples.
    """
    workers = tuple(dict.fromkeys(workers)) or (tuple(_PUBLISHED) if folder else (3, 6, 9))
    for n in workers:
        if n < 1 or n % _SETS:
            raise ValueError(
                f"workers must be a multiple of {_SETS}, as many for each data set, got workers={n}"
            )
    source = "housing, body fat, abalone" if folder else "diabetes, wine, breast cancer"
    tables = read(folder) if folder else packaged()
    problems = [dealt(tables, n // _SETS, source) for n in workers]
    by_split = tuple(tuple(race(c, p) for c in contenders(p)) for p in problems)
    made = rising()
    races = tuple(race(c, made) for c in contenders(made))
    return Lag(source, folder is not None, by_split, made.smoothness, races)


def _workers(lag: Lag) -> tuple[int, ...]:
    return tuple(len(races[0].by_worker) for races in lag.by_split)


def _published(lag: Lag, n: int) -> dict[str, int]:
    """Published uploads with n workers by method, where the data are those."""
    return _PUBLISHED.get(n, {}) if lag.published else {}


def _drawn(lag: Lag) -> LagCurves:
    names = [race.name for race in lag.by_split[0]]
    bars = []
    for k, name in enumerate(names):
        totals = [races[k].total if races[k].reached else np.nan for races in lag.by_split]
        stated = [_published(lag, n).get(name, np.nan) for n in _workers(lag)]
        bars.append(Bars(name, np.array(totals, dtype=np.float64), np.array(stated, np.float64)))
    lazy = [r for r in lag.made if r.name in ("LAG-PS", "LAG-WK", "LAQ", "GD")]
    return LagCurves(
        f"least squares on {lag.source}: uploads until $n\\,(f - f^*) < 10^{{-8}}$",
        _workers(lag),
        tuple(bars),
        tuple(UploadsLine(r.name, r.uploads, r.error) for r in lag.by_split[-1]),
        np.array(lag.smoothness),
        tuple((r.name, r.by_worker.astype(np.float64)) for r in lazy),
    )


def _data(lag: Lag) -> dict[str, Any]:
    def told(r: Uploads) -> dict[str, Any]:
        return {
            "method": r.name, "reached": r.reached, "steps": r.steps, "uploads": r.total,
            "sent_bits": r.bits, "uploads_by_worker": r.by_worker.tolist(),
        }  # fmt: skip

    return {
        "data": lag.source,
        "packaged_data": not lag.published,
        "accuracy": ACCURACY,
        "races": [
            {
                "workers": n, "methods": [told(r) for r in races],
                "published": _published(lag, n) or None,
            }
            for n, races in zip(_workers(lag), lag.by_split, strict=True)
        ],
        "rising_curvature": {
            "smoothness": list(lag.smoothness), "methods": [told(r) for r in lag.made],
        },
    }  # fmt: skip


def _show(lag: Lag, out: Console) -> None:
    workers = _workers(lag)
    table = Table(title=f"uploads until n (f - f*) < {ACCURACY:g}: {lag.source}")
    table.add_column("method")
    for n in workers:
        table.add_column(f"n = {n}", justify="right")
        if _published(lag, n):
            table.add_column("published", justify="right")
    table.add_column(f"Mbit sent, n = {workers[-1]}", justify="right")
    for races in zip(*lag.by_split, strict=True):
        last = races[-1]
        cells = []
        for n, r in zip(workers, races, strict=True):
            cells.append(str(r.total) if r.reached else "not reached")
            if published := _published(lag, n):
                cells.append(str(published.get(r.name, "-")))
        table.add_row(last.name, *cells, f"{last.bits / 1e6:.3g}")
    out.print(table)
    if not lag.published:
        out.print(
            "these are data sets that scikit-learn brings, not the published ones; --data FOLDER "
            "with data28_data.txt, data28_y.txt, ... runs on those",
            highlight=False, soft_wrap=True,
        )  # fmt: skip
    out.print(_made(lag))


def _made(lag: Lag) -> Table:
    table = Table(title="uploads by worker, curvatures rising by 1.3 (made problem)")
    table.add_column("L of the worker", justify="right")
    for r in lag.made:
        table.add_column(r.name, justify="right")
    for i, value in enumerate(lag.smoothness):
        table.add_row(f"{value:.1f}", *(str(r.by_worker[i]) for r in lag.made))
    return table


LAG = PublishedFigure(
    "lag",
    "Uploads that the lazily aggregated gradient, its quantised kin and gradient descent need for "
    "least squares on three data sets (Chen et al. 2018, arXiv:1805.09965, Table 5). --data: the "
    "folder of the published ones, without it scikit-learn's; --workers: multiples of 3, by "
    "default 9, 18 and 27 on the published data, else 3, 6 and 9.",
    lambda request: measure_lag(request.data, request.workers),
    lambda measured: lag_figure(_drawn(measured)),
    _data,
    _show,
    frozenset({"data", "workers"}),
)
