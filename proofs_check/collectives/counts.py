"""What is counted of a program beside its closed form: numbers, and pictures of them by workers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from algorithms.collectives.base import Collective, counted
from proofs_check.curves import RatePanel, RateSeries


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
