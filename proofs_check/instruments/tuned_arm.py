"""One side of an effect at its best stepsize of a grid, chosen on runs that are not measured."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

from algorithms.engine.run import Diverged
from proofs_check.instruments.measurement import Measurement, StepsizeFound

CHOSEN_ON, MEASURED_ON = 1, 2
"""Seeds: of the runs that decide a stepsize, and of those that an effect rests on. Stages and
claims were set while looking at seed 0, so that no effect rests on it."""

MEASURED_ANEW = 3
"""Seed of effects whose replicas or grids were set while looking at :data:`MEASURED_ON`."""

_FEW = 8  # replicas that decide

FURTHER = 8
"""How many doublings, or halvings, a search goes beyond an end of its grid at most."""

_BEYOND = 2.0

FINE = 1.5
"""Factor within which the neighbours of the best stepsize are tried."""


def require_apart(chosen_on: int, measured_on: int) -> None:
    """Figures are not chosen on the runs that they are measured on.

    Raises:
        ValueError: both seeds are one, or the measured one is seed 0.
    """
    if measured_on in (0, chosen_on):
        raise ValueError(
            f"runs must be measured on a seed other than {chosen_on}, which chooses stepsizes, and "
            f"0, on which stages were set, got {measured_on}"
        )


class ArmRun(Protocol):
    """One side of an effect, run at a stepsize or a multiple of a rule's."""

    def __call__(self, size: float, *, seed: int, replicas: int) -> Measurement: ...


class Score(NamedTuple):
    """Score of a stepsize; less is better.

    Attributes:
        value: what is measured, in the mean; infinite where it diverged or never got there.
        left: the error at the end of the run, which tells apart those that never got there, and
            those of one value.
    """

    value: float
    left: float


_NOT_RUN = Score(math.inf, math.inf)


def at_best(
    play: ArmRun, grid: Sequence[float], replicas: int = 1,
    seeds: tuple[int, int] = (CHOSEN_ON, MEASURED_ON), scored: ArmRun | None = None,
    start: float | None = None,
) -> Measurement:  # fmt: skip
    """What ``play`` sees on the second seed at the stepsize that is best on the first, by the
    values of ``scored`` where that finds the same with less.

    The search begins with ``grid``, or with ``start`` and its neighbours, where equals go to
    ``start``. Where an end of what was tried is the best it goes on beyond, by doubling or halving,
    until that is no better (:data:`FURTHER` times at most), and then between the best and its
    neighbours, so that no side is held back by where a grid stops or by how coarse it is. No side
    is tuned on the run that is measured. A run that diverges is never the best.

    Raises:
        ValueError: both seeds are one, or the measured one is seed 0.
    """
    require_apart(*seeds)
    if len(grid) == 1:
        return play(grid[0], seed=seeds[1], replicas=replicas)
    tried = scored or play

    def score(size: float) -> Score:
        try:
            found = tried(size, seed=seeds[0], replicas=min(_FEW, replicas))
        except Diverged:
            return _NOT_RUN
        value, left = float(found.values.mean()), float(found.y[:, -1].mean())
        return Score(*(one if math.isfinite(one) else math.inf for one in (value, left)))

    scores = searched(score, grid if start is None else (start, start / FINE, start * FINE))
    best = best_of(scores)
    found = play(best, seed=seeds[1], replicas=replicas)
    return found._replace(choice=StepsizeFound(best, tuple(sorted(scores)), _left_of_start(found)))


def _left_of_start(found: Measurement) -> float:
    """Share of the error at the start that is left at the end; 0 where there was none."""
    first, last = float(found.y[:, 0].mean()), float(found.y[:, -1].mean())
    return last / first if first > 0 else 0.0


def searched(score: Callable[[float], Score], grid: Sequence[float]) -> dict[float, Score]:
    """Scores of the sizes of ``grid``, of those beyond an end that is the best, and of those
    between the best and its neighbours, until these lie within :data:`FINE`. Of equals the one
    that ``grid`` names first is the best."""
    scores = {size: score(size) for size in grid}
    for factor, end in ((_BEYOND, max(grid)), (1 / _BEYOND, min(grid))):
        for _ in range(FURTHER):
            lost = scores[end] == _NOT_RUN
            if scores[end] > min(scores.values()) or (lost and factor > 1):
                break
            beyond = end * factor
            scores[beyond] = score(beyond)
            if scores[beyond] >= scores[end] and not lost:
                break
            end = beyond
    while between := _between(scores):
        scores[between] = score(between)
    return scores


def best_of(scores: Mapping[float, Score]) -> float:
    """The size of the best score; of equals the one that was tried first."""
    return min(scores, key=scores.__getitem__)


def _between(scores: Mapping[float, Score]) -> float | None:
    """The middle of the best size and a neighbour that is further off than :data:`FINE`."""
    best = best_of(scores)
    if scores[best] == _NOT_RUN:
        return None
    above = min((size for size in scores if size > best), default=best)
    below = max((size for size in scores if size < best), default=best)
    middles = ((best * other) ** 0.5 for other in (above, below)
               if max(best, other) > FINE * min(best, other))  # fmt: skip
    return next(middles, None)
