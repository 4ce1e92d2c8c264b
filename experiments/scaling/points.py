"""Points of a scaling curve: steps, seconds of a step, and seconds to the target.

Weak scaling: every worker has the batch of the cluster's file, so that a step sees n times as many
samples. Strong scaling: one batch is divided among all workers. Who has more samples than the
file's computes them in several passes of that size and sends once, after the last; who has fewer
takes a share of the time, which is an assumption: small batches use a device less well.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple, final

from algorithms.catalogue import Row, problem
from algorithms.clusters.cluster import Cluster
from algorithms.clusters.steps import ModelOnCluster
from algorithms.problems.base import Problem
from experiments.advice.iterations import RowSteps, steps_to_target
from experiments.advice.portfolios import Portfolio
from experiments.compare.clustered import OnCluster
from experiments.scaling.guarantees import guarantee


@final
class ScalingPoint(NamedTuple):
    """One number of workers.

    Attributes:
        kind: weak or strong.
        n: workers.
        samples: of a worker's step.
        step_seconds: of a step of the schedule, communication and coding included.
        computing: share of them in which a worker computes.
        efficiency: samples a second of a worker, beside those of the fewest workers.
        simulated: steps to the target that were simulated; NaN where none were.
        seconds: that these take; infinite where the target was not reached.
        promised: steps by a theorem's bound; NaN where none speaks.
        promised_seconds: that these take.
        model_seconds: processor seconds that all of this costs here, simulation left out.
    """

    kind: str
    n: int
    samples: float
    step_seconds: float
    computing: float
    efficiency: float
    simulated: float
    seconds: float
    promised: float
    promised_seconds: float
    model_seconds: float


@final
class Scaling(NamedTuple):
    """Curves of a row and a model on a cluster.

    Attributes:
        points: weak ones first, by number of workers.
        description: where steps come from, a sentence each.
    """

    points: tuple[ScalingPoint, ...]
    description: tuple[str, ...]


def sizes_of(cluster: Cluster, most: int) -> tuple[int, ...]:
    """Whole machines, twice as many each time, up to ``most`` workers.

    Raises:
        ValueError: not two workers fit.
    """
    least = max(cluster.workers, 2)
    if most < least:
        raise ValueError(f"most must be at least {least} workers, got most={most}")
    return tuple(least << k for k in range((most // least).bit_length()))


def scaling(
    row: Row, place: OnCluster, cluster: Cluster, name: str, target: float,
    sizes: tuple[int, ...], *, simulated: int, steps: int, batch: int,
    announce: Callable[[ScalingPoint], object] = str,
) -> Scaling:  # fmt: skip
    """Weak and strong scaling of a row, simulated on ``name`` up to so many workers.

    ``batch`` is that of strong scaling, in samples. ``announce`` hears of each point of weak
    scaling that was simulated, as soon as it is there and before any bound is asked.

    Raises:
        ValueError: the row does not run on the problem, the cluster does not know the model, a
            batch smaller than the fewest workers, or workers that do not fill machines.
    """
    each = cluster.step_times(place.model).samples
    if batch < sizes[0]:
        raise ValueError(f"batch must be at least {sizes[0]} samples, got batch={batch}")
    on = problem(name, sizes[0])
    ways: dict[int, RowSteps] = {}
    for n in (n for n in sizes if n <= max(simulated, sizes[0])):
        way = ways[n] = steps_to_target(row.key, problem(name, n), target, steps)
        both: tuple[RowSteps | None, RowSteps] = way, _so_many(way, math.nan)
        announce(_point("weak", n, float(each), cluster, place, row, on, both, []))
    first = ways[sizes[0]]
    description = [
        f"simulated steps are those to {target:g} of the start's error on {name}, at the best of a "
        f"grid of stepsizes, in at most {steps} steps ({first.description}); no model of that "
        f"size is "
        "trained here"
    ]
    points: list[ScalingPoint] = []
    for kind, known in (("weak", ways), ("strong", _at_one_batch(row, ways, sizes, batch / each))):
        share = {n: float(each) if kind == "weak" else batch / n for n in sizes}
        here = tuple(n for n in sizes if share[n] >= 1)
        if here != sizes:
            description.append(
                f"{kind}: from {sizes[len(here)]} workers on less than one sample each"
            )
        promise = guarantee(row, on, {n: each / share[n] for n in here}, target)
        if promise.description not in description:
            description.append(promise.description)
        mine: list[ScalingPoint] = []
        for n in here:
            both = known.get(n), _so_many(first, promise.steps.get(n, math.nan))
            mine.append(_point(kind, n, share[n], cluster, place, row, on, both, mine[:1]))
        points += mine
    return Scaling(tuple(points), tuple(description))


def _at_one_batch(
    row: Row, ways: Mapping[int, RowSteps], sizes: tuple[int, ...], batches: float
) -> dict[int, RowSteps]:
    """A mean over parts of a batch is that batch's gradient, so who sums gradients as they are at
    every step takes the steps of as many workers as the batch has batches of the file's, however
    many divide it; of others nothing is known."""
    way = next((way for n, way in ways.items() if n == batches), None)
    if way is None or row.operators or way.degree or way.trips or way.rounds != way.steps:
        return {}
    return dict.fromkeys(sizes, way)


def _point(
    kind: str, n: int, samples: float, cluster: Cluster, place: OnCluster, row: Row, on: Problem,
    ways: tuple[RowSteps | None, RowSteps], first: list[ScalingPoint],
) -> ScalingPoint:  # fmt: skip
    """One of a curve that begins with ``first``, by the way that was simulated and the promised."""
    begin = time.process_time()
    times = cluster.step_times(place.model)
    passes = samples / times.samples
    last = times._replace(seconds=times.seconds * min(1.0, passes))
    before = times.seconds * max(0.0, passes - 1)
    rounds = place.rounds_on(replace(cluster, models=((place.model, last),)), row, on, n)
    step = before + rounds.step_seconds
    way, promised = ways
    rate = samples / step
    return ScalingPoint(
        kind, n, samples, step, (before + last.seconds) / step,
        rate * first[0].step_seconds / first[0].samples if first else 1.0,
        math.nan if way is None else way.steps, _seconds(way, rounds, before), promised.steps,
        _seconds(promised, rounds, before), time.process_time() - begin,
    )  # fmt: skip


def _seconds(way: RowSteps | None, rounds: ModelOnCluster, before: float) -> float:
    """Time a row's way takes if every gradient has ``before`` seconds of passes of its own."""
    if way is None or math.isnan(way.steps):
        return math.nan
    return Portfolio(way, rounds).seconds + (way.gradients or way.trips) * before


def _so_many(way: RowSteps, steps: float) -> RowSteps:
    """A row's way of so many steps, with as many gradients and rounds a step as in the run."""
    if not (math.isfinite(steps) and math.isfinite(way.steps)):
        return way._replace(steps=steps)
    more = steps / way.steps
    return way._replace(
        steps=steps, gradients=way.gradients * more, rounds=way.rounds * more,
        trips=way.trips * more,
    )  # fmt: skip
