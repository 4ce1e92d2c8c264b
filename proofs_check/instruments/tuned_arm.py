"""One side of an effect at its best stepsize of a grid, chosen on runs that are not measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

from algorithms.engine.run import Diverged
from proofs_check.instruments.effect_check import Measurement

CHOSEN_ON, MEASURED_ON = 1, 2
"""Seeds: of the runs that decide a stepsize, and of those that an effect rests on. Stages and
claims were set while looking at seed 0, so that no effect rests on it."""

_FEW = 2  # replicas that decide


class Play(Protocol):
    """One side of an effect, run at a stepsize."""

    def __call__(self, gamma: float, *, seed: int, replicas: int) -> Measurement: ...


def at_best(
    play: Play, grid: Sequence[float], replicas: int = 1,
    seeds: tuple[int, int] = (CHOSEN_ON, MEASURED_ON),
) -> Measurement:  # fmt: skip
    """What ``play`` sees on the second seed at the stepsize of ``grid`` that is best on the first.

    So no side is tuned on the run that is measured, and all sides have one grid. A run that
    diverges is never the best.
    """

    def score(gamma: float) -> float:
        try:
            return float(play(gamma, seed=seeds[0], replicas=min(_FEW, replicas)).values.mean())
        except Diverged:
            return math.inf

    return play(min(grid, key=score), seed=seeds[1], replicas=replicas)
