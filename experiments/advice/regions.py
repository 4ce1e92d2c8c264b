"""Regions of advice: the quickest row where links are faster or slower than a cluster's file says.

Bandwidth and start-ups of messages are both multiplied by powers of 2; every portfolio is timed
anew, and of each pair of factors the quickest row is kept, with its lead over the next one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from experiments.advice.portfolios import ASSUMPTIONS, Portfolio
from experiments.figures.regions import RegionMap

FACTORS_OF_LINKS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
"""By how much bandwidth and start-ups are multiplied."""

_RIVALS = 3  # portfolios of a row that are timed elsewhere: its quickest on the cluster itself


def advice_regions(found: Sequence[Portfolio]) -> RegionMap:
    """Quickest row at each bandwidth (across) and length of start-ups (upwards)."""
    tried: Counter[str] = Counter()
    rivals: list[Portfolio] = []
    for one in found:
        tried[one.way.key] += 1
        if tried[one.way.key] <= _RIVALS:
            rivals.append(one)
    place = rivals[0].rounds
    best: list[tuple[str, ...]] = []
    lead = np.full((len(FACTORS_OF_LINKS),) * 2, np.inf)
    for row, start in enumerate(FACTORS_OF_LINKS):
        names = []
        for column, bandwidth in enumerate(FACTORS_OF_LINKS):
            cluster = ASSUMPTIONS["start-ups of messages"](place.cluster, start)
            cluster = ASSUMPTIONS["seconds a bit on links"](cluster, 1 / bandwidth)
            seconds: dict[str, float] = {}
            for one in rivals:
                spent = one.on(cluster).seconds
                seconds[one.way.key] = min(spent, seconds.get(one.way.key, spent))
            first, *others = sorted(seconds, key=lambda key: seconds[key])
            names.append(first)
            if others:
                lead[row, column] = seconds[others[0]] / seconds[first]
        best.append(tuple(names))
    times = tuple(f"{factor:g}" for factor in FACTORS_OF_LINKS)
    return RegionMap(
        f"Quickest method for {place.model} on {place.n} workers of {place.cluster.name}",
        "bandwidth of links, times as stated", "start-ups of messages, times as stated",
        times, times, tuple(best), lead,
    )  # fmt: skip
