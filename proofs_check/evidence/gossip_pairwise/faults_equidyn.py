"""EquiTopo graphs with a fault each, and who sees it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np
import torch
from torch import Tensor

from algorithms.core.key import Key
from algorithms.topologies.base import StaticTopology
from algorithms.topologies.equitopo import EquiStatic, OnePeerEquiDyn
from algorithms.topologies.random_mixing import MixingDraw, RandomMixing
from algorithms.topologies.ring import Ring
from proofs_check.evidence.gossip_pairwise.closed_forms_equidyn import (
    contraction,
    drawn_shifts,
    static_contraction,
    static_gap,
)
from proofs_check.mutants.method_mutant import MethodMutant, fault
from theory.arrays import Floats


@final
@dataclass(frozen=True)
class IdleShifts(RandomMixing):
    """Shifts from 0 to n - 2: now and then nobody hears anybody.

    Attributes:
        n: number of workers.
        h: weight of what a worker hears.
    """

    n: int
    h: float

    @property
    def right(self) -> OnePeerEquiDyn:
        """The law whose shifts are one longer."""
        return OnePeerEquiDyn(self.n, self.h)

    @property
    def name(self) -> str:
        return f"idle at times, posing as {self.right.name}"

    def draw(self, t: int, key: Key, replicas: Tensor) -> MixingDraw:
        drawn = self.right.draw(t, key, replicas)
        nearer = torch.stack((drawn.sources[..., 0], (drawn.sources[..., 1] - 1) % self.n), -1)
        return drawn._replace(sources=nearer)

    def expected(self) -> Floats:
        return self.right.expected()

    def expected_square(self) -> Floats:
        eye, h = np.eye(self.n), self.h
        return self.right.expected_square() + 2 * h * (1 - h) * (eye - 1 / self.n) / self.n


@final
@dataclass(frozen=True)
class WrongStatic(StaticTopology):
    """EquiStatic with a matrix that is made otherwise.

    Attributes:
        right: the graph that it poses as.
        words: what it is.
        made: its matrix.
    """

    right: EquiStatic
    words: str
    made: Callable[[EquiStatic], Floats]

    @property
    def n(self) -> int:
        """Number of workers, that of ``right``."""
        return self.right.n

    @property
    def name(self) -> str:
        return f"{self.words}, posing as {self.right.name}"

    def build(self) -> Floats:
        return self.made(self.right)


def of_halves(n: int, shifts: int, seed: int) -> WrongStatic:
    """Half of the own row and half of those that are heard, whatever n."""

    def made(right: EquiStatic) -> Floats:
        eye = np.eye(n)
        return eye / 2 + (right.matrix(0) - eye / n) / (2 - 2 / n)

    return WrongStatic(EquiStatic(n, shifts, seed), "of halves", made)


def of_first_shift(n: int, shifts: int, seed: int) -> WrongStatic:
    """The first distance alone, of however many are drawn."""

    def made(right: EquiStatic) -> Floats:
        eye = np.eye(n)
        return eye / n + (1 - 1 / n) * np.roll(eye, right.distances()[0], axis=1)

    return WrongStatic(EquiStatic(n, shifts, seed), "of the first distance", made)


def of_near_ones(n: int, _shifts: int, _seed: int) -> Ring:
    """Neighbours at distance 1 in the place of random ones."""
    return Ring(n)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "EquiDyn that shifts by 0 at times", "u from 0, ..., n - 2", drawn_shifts, IdleShifts,
    ),
    fault(
        "EquiDyn that counts on idle shifts", "E W^T W as if u were 0 once in n times",
        contraction, IdleShifts,
    ),
    fault("EquiStatic of halves", "own weight 1/2 in the place of 1/n", static_contraction,
          of_halves),
    fault("EquiStatic of one distance", "the first distance in the place of all of them",
          static_contraction, of_first_shift),
    fault("EquiStatic of near neighbours", "distance 1 for all: a ring", static_gap, of_near_ones),
)  # fmt: skip
