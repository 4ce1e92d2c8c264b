"""``rateproof figure lag``: uploads of the lazily aggregated gradient and its neighbours."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table

from algorithms.problems.least_squares_data import dealt, packaged, read, rising
from experiments.commands.console import console, dump, files_written
from experiments.figures.lag import Bars, LagCurves, Line, lag_figure
from experiments.figures.style import save, styled
from proofs_check.figure_runs.uploads import ACCURACY, Uploads, contenders, race

_SPLITS = (1, 2, 3)
_PUBLISHED = {"GD": 5283, "LAG-PS": 1756, "LAG-WK": 412, "Cyc-IAG": 5271}
"""Uploads with nine workers on the three UCI sets (Chen et al. 2018, arXiv:1805.09965, Table 5)."""


class Lag(NamedTuple):
    """All races: ``by_split`` for 3, 6 and 9 workers, and ``made`` on rising curvatures."""

    source: str
    published: bool
    by_split: tuple[tuple[Uploads, ...], ...]
    smoothness: tuple[float, ...]
    made: tuple[Uploads, ...]


def lag(data: Path | None, out: Path, as_json: bool) -> int:
    """Uploads of the lazily aggregated gradient and its neighbours."""
    measured = measure_lag(data)
    with styled():
        files = save(lag_figure(_drawn(measured)), out, "lag")
    if as_json:
        dump(_data(measured, files))
    else:
        _show(measured, files)
    return 0


def measure_lag(folder: Path | None) -> Lag:
    """The races on the data of ``folder``, or on scikit-learn's.

    Raises:
        ValueError: the folder's files are missing or no tables.
    """
    source = "housing, body fat, abalone" if folder else "diabetes, wine, breast cancer"
    tables = read(folder) if folder else packaged()
    problems = [dealt(tables, split, source) for split in _SPLITS]
    by_split = tuple(tuple(race(c, p) for c in contenders(p)) for p in problems)
    made = rising()
    races = tuple(race(c, made) for c in contenders(made))
    return Lag(source, folder is not None, by_split, made.smoothness, races)


def _workers(lag: Lag) -> tuple[int, ...]:
    return tuple(len(races[0].by_worker) for races in lag.by_split)


def _drawn(lag: Lag) -> LagCurves:
    names = [race.name for race in lag.by_split[0]]
    bars = []
    for k, name in enumerate(names):
        totals = [races[k].total if races[k].reached else np.nan for races in lag.by_split]
        stated = _PUBLISHED.get(name) if lag.published else None
        bars.append(Bars(name, np.array(totals, dtype=np.float64), stated))
    lazy = [r for r in lag.made if r.name in ("LAG-PS", "LAG-WK", "LAQ", "GD")]
    return LagCurves(
        f"least squares on {lag.source}: uploads until $n\\,(f - f^*) < 10^{{-8}}$",
        _workers(lag),
        tuple(bars),
        tuple(Line(r.name, r.uploads, r.error) for r in lag.by_split[-1]),
        np.array(lag.smoothness),
        tuple((r.name, r.by_worker.astype(np.float64)) for r in lazy),
    )


def _data(lag: Lag, files: tuple[Path, ...]) -> dict[str, Any]:
    def told(r: Uploads) -> dict[str, Any]:
        return {
            "method": r.name, "reached": r.reached, "steps": r.steps, "uploads": r.total,
            "sent_bits": r.bits, "uploads_by_worker": r.by_worker.tolist(),
        }  # fmt: skip

    return {
        "figure": "lag",
        "data": lag.source,
        "packaged_data": not lag.published,
        "accuracy": ACCURACY,
        "races": [
            {"workers": n, "methods": [told(r) for r in races]}
            for n, races in zip(_workers(lag), lag.by_split, strict=True)
        ],
        "published": {"workers": 9, "uploads": _PUBLISHED} if lag.published else None,
        "rising_curvature": {
            "smoothness": list(lag.smoothness), "methods": [told(r) for r in lag.made],
        },
        "files": [str(path) for path in files],
    }  # fmt: skip


def _show(lag: Lag, files: tuple[Path, ...]) -> None:
    out, workers = console(False), _workers(lag)
    table = Table(title=f"uploads until n (f - f*) < {ACCURACY:g}: {lag.source}")
    table.add_column("method")
    for n in workers:
        table.add_column(f"n = {n}", justify="right")
    if lag.published:
        table.add_column("published, n = 9", justify="right")
    table.add_column(f"Mbit sent, n = {workers[-1]}", justify="right")
    for races in zip(*lag.by_split, strict=True):
        last = races[-1]
        cells = [str(r.total) if r.reached else "not reached" for r in races]
        cells += [str(_PUBLISHED.get(last.name, "-"))] if lag.published else []
        table.add_row(last.name, *cells, f"{last.bits / 1e6:.3g}")
    out.print(table)
    if not lag.published:
        out.print(
            "these are data sets that scikit-learn brings, not the published ones; --data FOLDER "
            "with data28_data.txt, data28_y.txt, ... runs on those",
            highlight=False, soft_wrap=True,
        )  # fmt: skip
    out.print(_made(lag))
    files_written(out, files)


def _made(lag: Lag) -> Table:
    table = Table(title="uploads by worker, curvatures rising by 1.3 (made problem)")
    table.add_column("L of the worker", justify="right")
    for r in lag.made:
        table.add_column(r.name, justify="right")
    for i, value in enumerate(lag.smoothness):
        table.add_row(f"{value:.1f}", *(str(r.by_worker[i]) for r in lag.made))
    return table
