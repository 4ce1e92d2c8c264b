"""``rateproof figure lag``: uploads of the lazily aggregated gradient and its neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from math import nan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy

from algorithms.problems.least_squares_data import dealt, packaged, read, rising
from experiments.figures.lines import DrawnLine
from experiments.figures.reproduced import CurvePanel, DotPanel, Panel, PublishedDot
from experiments.figures.reproduction import PublishedNumber, Reproduction, at_least, at_most, near
from experiments.published.figure import CostClass, PublishedFigure, Request
from proofs_check.figure_runs.uploads import ACCURACY, Uploads, contenders, race
from theory.claims import Confidence, Source

_SEEDS_WORKERS = 9
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


def measure(request: Request) -> Reproduction:
    """The table, the race with the most workers, and who uploads."""
    lag = measure_lag(request.data, request.workers)
    notes = () if lag.published else (
        "these are data sets that scikit-learn brings, not the published ones; --data FOLDER with "
        "data28_data.txt, data28_y.txt, ... runs on those, with 9, 18 and 27 workers or --workers",
    )  # fmt: skip
    numbers = (*_uploads(lag), *_made(lag))
    return Reproduction(numbers, _panels(lag, numbers), notes, _details(lag))


def _workers(lag: Lag) -> tuple[int, ...]:
    return tuple(len(races[0].by_worker) for races in lag.by_split)


def _published(lag: Lag, n: int) -> dict[str, int]:
    """Published uploads with n workers by method, where the data are those."""
    return _PUBLISHED.get(n, {}) if lag.published else {}


def _uploads(lag: Lag) -> Iterator[PublishedNumber]:
    """Gradient descent and the server's rule to the last digit, LAG-WK to five percent."""
    for n, races in zip(_workers(lag), lag.by_split, strict=True):
        totals = {r.name: r.total if r.reached else nan for r in races}
        for name, stated in _published(lag, n).items():
            seeds = n == _SEEDS_WORKERS and name in ("GD", "LAG-PS")
            yield near(
                f"{name}, n = {n}", stated, totals[name], unit="uploads",
                relative=0.0 if name in ("GD", "LAG-PS") else 0.05,
                confidence=Confidence.READ if seeds else Confidence.DERIVED,
                source="Ouyang et al. 2020, arXiv:2003.03009, section 3.1.2" if seeds else "",
            )  # fmt: skip
        ratio = totals["LAG-WK"] / totals["GD"]
        yield at_most(f"LAG-WK of GD, n = {n}", 0.25, ratio, unit="ratio of uploads")


def _made(lag: Lag) -> Iterator[PublishedNumber]:
    """Workers with small curvature upload rarely."""
    for made in lag.made:
        if made.name in ("LAG-WK", "LAG-PS"):
            rank = float(scipy.stats.spearmanr(lag.smoothness, made.by_worker).statistic)
            yield at_least(f"{made.name}: rank correlation of uploads with L_i", 0.9, rank,
                           unit="made problem")  # fmt: skip


def _panels(lag: Lag, numbers: tuple[PublishedNumber, ...]) -> tuple[Panel, ...]:
    n = _workers(lag)[-1]
    dots = tuple(
        PublishedDot(f"{r.name}, n = {k}", r.total if r.reached else nan,
                     _published(lag, k).get(r.name, nan))
        for k, races in zip(_workers(lag), lag.by_split, strict=True) for r in races
    )  # fmt: skip
    lines = tuple(DrawnLine(r.name, r.uploads, r.error) for r in lag.by_split[-1])
    curvature = np.array(lag.smoothness)
    by_worker = tuple(
        DrawnLine(r.name, curvature, r.by_worker.astype(np.float64))
        for r in lag.made if r.name in ("LAG-PS", "LAG-WK", "LAQ", "GD")
    )  # fmt: skip
    return (
        DotPanel(lag.source, "uploads until $n\\,(f - f^*) < 10^{-8}$", dots),
        CurvePanel(f"$n = {n}$", "uploads", "$n\\,(f(x_t) - f^*)$", lines),
        CurvePanel(
            "made problem, $n = 9$", "the worker's $L_i$", "uploads of the worker", by_worker
        ),
    )


def _details(lag: Lag) -> dict[str, Any]:
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


FIGURE = PublishedFigure(
    "chen2018-table5",
    "Uploads that the lazily aggregated gradient, its quantised kin and gradient descent need for "
    "least squares on three data sets",
    Source("Chen, Giannakis, Sun, Yin", 2018, "1805.09965", "Table 5"),
    "gradient descent and LAG-PS upload as often as published, LAG-WK and Cyc-IAG to 5 percent, "
    "LAG-WK at most a quarter of gradient descent's, and workers the rarer the flatter they are",
    measure,
    CostClass.NORMAL,
    "lag",
    frozenset({"data", "workers"}),
)
