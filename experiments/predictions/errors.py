"""Errors of predictions on throughputs that nothing was fitted to.

Each method, network, size and model of the points that are calibrated on is left out in turn, the
rest calibrated on, and what was left out predicted; and whatever else a folder holds stands beside
its prediction. Errors are those of throughputs, predicted over measured less 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from experiments.predictions.cluster import MODELS, NETWORKS, SIZES, calibrated, fit_set
from experiments.predictions.fig4 import METHODS, Prediction, throughput
from experiments.predictions.throughputs import Throughput


class ErrorSummary(NamedTuple):
    """Errors of one group of points.

    Attributes:
        group: what the points have in common.
        points: how many there are.
        mean: of the errors' sizes, relative.
        bias: of the errors, relative; positive: predicted too fast.
        worst: the largest error, with its sign.
        where: the point of the worst error.
    """

    group: str
    points: int
    mean: float
    bias: float
    worst: float
    where: str


Compared = tuple[Throughput, float]
"""A measured point, and the predicted samples per second."""


def summary(group: str, compared: Iterable[Compared]) -> ErrorSummary:
    """The errors of some points in numbers.

    Raises:
        ValueError: no point.
    """
    pairs = tuple(compared)
    if not pairs:
        raise ValueError(f"compared must not be empty, group {group!r} has no point")
    off = np.array([predicted / point.mean - 1 for point, predicted in pairs])
    at = int(np.abs(off).argmax())
    p = pairs[at][0]
    where = f"{p.method}, {p.model}, {p.network}, {p.gpus} GPUs"
    return ErrorSummary(
        group, len(pairs), float(np.abs(off).mean()), float(off.mean()), float(off[at]), where
    )


def left_out(points: tuple[Throughput, ...]) -> tuple[ErrorSummary, ...]:
    """Errors of points of the fit set that were left out of the fit, by what was left out.

    Without a method or a network all its points are gone; without a size or a model those of
    WFBP-A2A, since the bandwidth of each size and model is read off BSP-A2A.
    """
    known = fit_set(points)
    overlapped = [p for p in known if p.method == "WFBP-A2A"]
    groups = {f"method {name}": [p for p in known if p.method == name]
              for name in ("BSP-A2A", "WFBP-A2A")}  # fmt: skip
    groups |= {f"network {name}": [p for p in known if p.network == name] for name in NETWORKS}
    groups |= {f"WFBP-A2A, {n} GPUs": [p for p in overlapped if p.gpus == n] for n in SIZES}
    groups |= {f"WFBP-A2A, {name}": [p for p in overlapped if p.model == name] for name in MODELS}
    return tuple(
        summary(name, _predicted_without(known, gone)) for name, gone in groups.items() if gone
    )


def _predicted_without(known: tuple[Throughput, ...], gone: list[Throughput]) -> list[Compared]:
    model = calibrated(tuple(p for p in known if p not in gone))
    return [(p, throughput(model, p.model, p.network, p.method, p.gpus)) for p in gone]


def beyond(
    points: tuple[Throughput, ...], made: tuple[Prediction, ...]
) -> tuple[ErrorSummary, ...]:
    """Errors of points that a folder holds beyond the fit set: of each method and network, then of
    all; none where it holds no more."""
    rates = {(p.model, p.network, p.method, p.gpus): p.samples_per_second for p in made}
    known = set(fit_set(points))
    more = [
        (p, rates[p.model, p.network, p.method, p.gpus])
        for p in points
        if p not in known and (p.model, p.network, p.method, p.gpus) in rates
    ]
    told = [
        summary(f"{method}, {network}", some)
        for method in METHODS
        for network in NETWORKS
        if (some := [(p, rate) for p, rate in more if (p.method, p.network) == (method, network)])
    ]
    return (*told, summary("all", more)) if more else ()
