"""One side of an effect at its best stepsize of a grid, chosen on runs that are not measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol, TypeVar

from algorithms.engine.run import Diverged
from proofs_check.instruments.effect_check import Measurement

CHOSEN_ON, MEASURED_ON = 1, 2
"""Seeds: of the runs that decide a stepsize, and of those that an effect rests on. Stages and
claims were set while looking at seed 0, so that no effect rests on it."""

_FEW = 8  # replicas that decide

One = TypeVar("One", contravariant=True)
Other = TypeVar("Other")


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


class Play(Protocol[One]):
    """One side of an effect, run at a stepsize."""

    def __call__(self, step: One, *, seed: int, replicas: int) -> Measurement: ...


def at_best(
    play: Play[Other], grid: Sequence[Other], replicas: int = 1,
    seeds: tuple[int, int] = (CHOSEN_ON, MEASURED_ON),
) -> Measurement:  # fmt: skip
    """What ``play`` sees on the second seed at the stepsize of ``grid`` that is best on the first.

    So no side is tuned on the run that is measured, and all sides have one grid. A run that
    diverges is never the best.

    Raises:
        ValueError: both seeds are one.
    """
    require_apart(*seeds)

    def score(step: Other) -> float:
        try:
            mean = float(play(step, seed=seeds[0], replicas=min(_FEW, replicas)).values.mean())
        except Diverged:
            return math.inf
        return mean if math.isfinite(mean) else math.inf

    best = min(grid, key=score) if len(grid) > 1 else grid[0]
    return play(best, seed=seeds[1], replicas=replicas)
