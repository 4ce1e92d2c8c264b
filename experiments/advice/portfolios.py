"""Portfolios: a row, an architecture and a schedule, timed on a cluster, and what they hang on.

Seconds to the target are those of computing, of sums or exchanges, and of coding, for as many steps
as the row needs. What a real model needs cannot be simulated here: steps are those of a stated
small problem, at the best of a grid of stepsizes, times ``scale``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, final

from algorithms.catalogue import row
from algorithms.clusters.cluster import Cluster
from algorithms.clusters.steps import ModelOnCluster
from algorithms.problems.base import Problem
from experiments.advice.iterations import RowSteps
from experiments.compare.clustered import OnCluster, round_trip
from theory.seconds.protocols import Point, affine

SCHEDULED = ("bsp", "wfbp", "mg-wfbp", "bytescheduler")
SUMMED = ("ring", "two-level", "servers")
FACTORS = (1.1, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0)
"""By how much an assumption is changed, up and down, until the advice changes."""


@final
@dataclass(frozen=True)
class Portfolio:
    """One way to train.

    Attributes:
        way: steps and messages of its row.
        rounds: what these take.
        scale: real steps for each simulated one.
    """

    way: RowSteps
    rounds: ModelOnCluster
    scale: float = 1.0

    @property
    def architecture(self) -> str:
        """Route of its messages to the others."""
        if self.way.trips:
            return "servers"
        if self.way.degree:
            return f"gossip with {self.way.degree} neighbours"
        return self.rounds.architecture if self.rounds.summed_up else self.rounds.carrier.whole.name

    @property
    def schedule(self) -> str:
        """Schedule of its messages."""
        return "as they come" if self.way.trips else self.rounds.schedule

    @property
    def name(self) -> str:
        """All of it in one line."""
        return f"{self.way.key}, {self.architecture}, {self.schedule}"

    @cached_property
    def seconds(self) -> float:
        """Seconds until the target is reached."""
        way = self.way
        if not math.isfinite(way.steps):
            return math.inf
        if way.trips:
            return self.scale * way.trips * round_trip(self.rounds)
        return self.scale * (way.gradients * self.rounds.compute + way.rounds * self._round)

    @property
    def bytes(self) -> float:
        """Length of all messages of a worker, before a collective divides or repeats them."""
        number = self.way.gradients if self.way.trips else self.way.rounds * max(1, self.way.degree)
        times = 1.0 if self.way.trips else self.rounds.times_of(self.way.bits)
        return self.scale * number * times * self.rounds.model_bits / 8

    @property
    def _round(self) -> float:
        if self.way.degree:
            return self.rounds.exchange_seconds(self.way.bits, self.way.degree)
        return self.rounds.round_seconds(self.way.bits)

    def on(self, cluster: Cluster) -> Portfolio:
        """The same on another cluster."""
        return replace(self, rounds=replace(self.rounds, cluster=cluster))

    def limits(self) -> tuple[str, float]:
        """Part that would spare most if it took no time, and its share of the seconds."""
        known = {
            name: 1 - self.on(change(self.rounds.cluster, 1e-6)).seconds / self.seconds
            for name, change in ASSUMPTIONS.items()
        }
        worst = max(known, key=lambda name: known[name])
        return worst, known[worst]


def portfolios(
    ways: Sequence[RowSteps], cluster: Cluster, model: str, n: int, on: Problem, scale: float
) -> tuple[Portfolio, ...]:
    """All portfolios that reach the target, the quickest first.

    Raises:
        ValueError: the cluster does not know the model, or n workers do not fill its machines.
    """
    found: dict[str, Portfolio] = {}
    for way in ways:
        if not math.isfinite(way.steps):
            continue
        for schedule in SCHEDULED:
            for architecture in SUMMED:
                place = OnCluster("", model, schedule, architecture)
                one = Portfolio(way, place.rounds_on(cluster, row(way.key), on, n), scale)
                found.setdefault(one.name, one)
    return tuple(sorted(found.values(), key=lambda one: one.seconds))


def _moved(points: tuple[Point, ...], start: float, rest: float) -> tuple[Point, ...]:
    """Messages whose start-up and whose time beyond it are so many times as long.

    The start-up is what all sizes have, the least of the regimes'.
    """
    alpha = min(affine(one, other).alpha for one, other in pairwise(points))
    return tuple((size, start * alpha + rest * (time - alpha)) for size, time in points)


def _bandwidth(cluster: Cluster, factor: float) -> Cluster:
    return replace(
        cluster, network=_moved(cluster.network, 1.0, factor),
        inside=_moved(cluster.inside, 1.0, factor),
    )  # fmt: skip


def _start_ups(cluster: Cluster, factor: float) -> Cluster:
    return replace(
        cluster, network=_moved(cluster.network, factor, 1.0),
        inside=_moved(cluster.inside, factor, 1.0),
    )  # fmt: skip


def _computing(cluster: Cluster, factor: float) -> Cluster:
    models = tuple((k, m._replace(seconds=m.seconds * factor)) for k, m in cluster.models)
    return replace(cluster, models=models)


def _coding(cluster: Cluster, factor: float) -> Cluster:
    return replace(cluster, operators=tuple(
        (k, o._replace(encode=o.encode * factor, decode=o.decode * factor))
        for k, o in cluster.operators
    ))  # fmt: skip


ASSUMPTIONS: dict[str, Callable[[Cluster, float], Cluster]] = {
    "seconds a bit on links": _bandwidth,
    "start-ups of messages": _start_ups,
    "seconds of computing": _computing,
    "seconds of coding": _coding,
}
"""What a cluster's file says, each made so many times as long."""


class AdviceChange(NamedTuple):
    """A change of one assumption that changes the advice.

    Attributes:
        assumption: what is changed.
        factor: times what was assumed: the least of those tried.
        instead: the portfolio that is then the quickest.
    """

    assumption: str
    factor: float
    instead: str


def flips(found: Sequence[Portfolio]) -> tuple[AdviceChange, ...]:
    """For each assumption and direction, the least factor at which another row is the quickest."""
    best = found[0]
    rivals = [best, *(one for one in found[1:] if one.way.key != best.way.key)][:40]
    told = []
    for name, change in ASSUMPTIONS.items():
        for direction in (1, -1):
            for factor in FACTORS:
                cluster = change(best.rounds.cluster, factor**direction)
                moved = min((one.on(cluster) for one in rivals), key=lambda one: one.seconds)
                if moved.way.key != best.way.key:
                    told.append(AdviceChange(name, factor**direction, moved.name))
                    break
    return tuple(told)


def iteration_margins(found: Sequence[Portfolio]) -> tuple[AdviceChange, ...]:
    """Factor by which the best row's steps may grow, for each other row, before that one
    is as quick."""
    best, seen, told = found[0], {found[0].way.key}, []
    for one in found:
        if one.way.key not in seen:
            seen.add(one.way.key)
            factor = one.seconds / best.seconds
            told.append(
                AdviceChange(
                    f"steps of {best.way.key} over those of {one.way.key}", factor, one.name
                )
            )
    return tuple(told)
