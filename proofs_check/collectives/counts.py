"""Counts of a program beside its closed form: numbers, and pictures of them by workers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from algorithms.collectives.base import Collective, counted
from algorithms.fabrics.base import program_seconds
from algorithms.fabrics.topologies import StarFabric
from proofs_check.curves import RatePanel, RateSeries
from proofs_check.gantt import LanePanel
from theory.seconds.costs import ETHERNET_10G


class StatedCount(NamedTuple):
    """One count of a program beside what its closed form says.

    Attributes:
        what: what is counted.
        counted: in the program, on vectors of as many elements as it has parts.
        stated: by the closed form.
    """

    what: str
    counted: int
    stated: Fraction


def stated_counts(one: Collective) -> tuple[StatedCount, ...]:
    """Through one port a node, then with a port to each neighbour, as far as there are forms."""
    d = one.parts
    seen = counted(one.rounds(d), one.nodes)
    found: list[StatedCount] = []
    if (cost := one.cost()) is not None:
        found.append(StatedCount("steps", seen.steps, Fraction(cost.steps)))
        found.append(StatedCount("elements one after another", seen.path, cost.sent * d))
    if (ports := one.port_cost()) is not None:
        found.append(StatedCount("rounds", seen.rounds, Fraction(ports.steps)))
        found.append(StatedCount("elements on links of their own", seen.longest, ports.sent * d))
    return tuple(found)


def count_panels(collective: Collective, sizes: Sequence[Collective]) -> tuple[RatePanel, ...]:
    """Messages, and vectors, by the number of workers: counted as points, stated as a line.

    Of sizes that send anything; through one port where it has a closed form for that.
    """
    workers: list[int] = []
    messages: list[tuple[float, float]] = []
    elements: list[tuple[float, float]] = []
    for one in sizes:
        found = stated_counts(one)[:2]
        if found and found[0].counted:
            workers.append(one.n)
            messages.append((found[0].counted, float(found[0].stated)))
            elements.append((found[1].counted / one.parts, float(found[1].stated / one.parts)))
    if len(workers) < 2:
        return ()
    name = collective.name.split("(")[0]
    return tuple(
        _panel(f"{name}: {unit} one after another, counted and by the closed form", unit, *columns)
        for unit, columns in (("messages", (workers, messages)), ("vectors", (workers, elements)))
    )


def _panel(
    title: str, unit: str, workers: Sequence[int], pairs: Sequence[tuple[float, float]]
) -> RatePanel:
    seen, stated = np.array(pairs).T
    x = np.array(workers, dtype=np.float64)
    rate = RateSeries(x, seen, seen, seen, None, stated, along=unit)
    return RatePanel(title, "workers", f"{unit} one after another", rate)


# Pictures of programs: who sends in which round, and for how long.


_VECTOR = 8e6  # bits: 1 MB


def message_lanes(one: Collective) -> LanePanel:
    """A lane for each node, a bar for each round in which it sends: vectors of 1 MB, 10 Gbit/s."""
    fabric, now = StarFabric(one.nodes, ETHERNET_10G), 0.0
    bars: list[tuple[float, float, float, float]] = []
    for messages in one.rounds(one.parts):
        took = program_seconds([messages], fabric, _VECTOR / one.parts)
        bars += [(node, not messages.adds, now, now + took) for node in np.unique(messages.source)]
        now += took
    lane, kind, start, stop = np.array(bars, dtype=np.float64).reshape(-1, 4).T
    lanes = (
        *(f"worker {i}" for i in range(one.n)),
        *(f"server {i}" for i in range(one.nodes - one.n)),
    )
    title = f"{one.name}: who sends in which round, 1 MB at 10 Gbit/s"
    return LanePanel(title, lanes, ("added", "copied"), lane, kind, start, stop)
