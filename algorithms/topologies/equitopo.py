"""EquiTopo: neighbours at random distances that are the same for all workers."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, gcd, log
from typing import final

import numpy as np
import torch
from torch import Tensor

from algorithms.core.key import Key
from algorithms.core.require import require_int
from algorithms.topologies.base import StaticTopology
from algorithms.topologies.graphs import drawn
from algorithms.topologies.random_mixing import MixingDraw, RandomMixing
from algorithms.topologies.weights import Weights
from theory.arrays import Floats
from theory.networks.mixing import MixingError


@final
@dataclass(frozen=True)
class EquiStatic(StaticTopology):
    r"""W = (1/M) \sum_m A_m, A = I/n + (1 - 1/n) P^u, u uniform in 1, ..., n - 1, drawn once.

    (Song, Li, Jin, Shi, Yan, Yin, Yuan 2022, arXiv:2210.07881: D-EquiStatic, and with ``two_way``
    U-EquiStatic, (A + A^T)/2 in the place of A.) E A = J, so that a draw keeps (n - 2)/(n M) of
    ||x - \bar x||^2 in expectation where links go one way (derived), and with M of the order of
    log n the gap does not shrink with n. W is a circulant: lam = max_{k >= 1} |1/n + (1 - 1/n)(1/M)
    \sum_m e^{2 \pi i k u_m / n}|.

    Attributes:
        n: number of workers.
        shifts: M, how many distances are drawn; equal ones add up.
        seed: of the draw.
        two_way: whether who is heard hears too: a symmetric W.

    Raises:
        ValueError: n < 2 or shifts < 1.
        MixingError: the draw is not connected.
    """

    n: int
    shifts: int
    seed: int = 0
    two_way: bool = False

    def __post_init__(self) -> None:
        require_int("n", self.n, 2)
        require_int("shifts", self.shifts, 1)
        common = gcd(self.n, *self.distances())
        if common > 1:
            raise MixingError(
                f"{self.name} is not connected: all distances are multiples of {common}, as n is; "
                "more shifts or another seed would do"
            )

    @property
    def name(self) -> str:
        ways = "U" if self.two_way else "D"
        return f"{ways}-EquiStatic(n={self.n}, M={self.shifts}, seed={self.seed})"

    def distances(self) -> tuple[int, ...]:
        """Distances u_1, ..., u_M, as they were drawn."""
        nobody = torch.zeros(1, dtype=torch.int64)
        draws = Key.seed(self.seed).fold("shifts").draws(nobody[0], nobody)
        return tuple((1 + draws.integers(self.n - 1, self.shifts)[0]).tolist())

    def build(self) -> Floats:
        eye = np.eye(self.n)
        moved = np.mean([np.roll(eye, u, axis=1) for u in self.distances()], axis=0)
        if self.two_way:
            moved = (moved + moved.T) / 2
        w: Floats = eye / self.n + (1 - 1 / self.n) * moved
        return w

    def stated_lam(self) -> float:
        k = np.arange(1, self.n)[:, None]
        turns = np.exp(2j * np.pi * k * np.array(self.distances()) / self.n).mean(1)
        values = 1 / self.n + (1 - 1 / self.n) * (turns.real if self.two_way else turns)
        return float(np.abs(values).max())


def of_workers(n: int, weights: Weights) -> tuple[EquiStatic, ...]:
    """The one of 2 ln n distances of n workers, for the gallery; its weights are its own."""
    return drawn(lambda seed: EquiStatic(n, ceil(2 * log(n)), seed)) if n >= 3 else ()


EXAMPLES = (EquiStatic(12, 4, two_way=True), EquiStatic(17, 3, 1))


@final
@dataclass(frozen=True)
class OnePeerEquiDyn(RandomMixing):
    r"""W = (1 - h) I + h P^u, u uniform in 1, ..., n - 1, P^u the shift by u workers.

    (Song, Li, Jin, Shi, Yan, Yin, Yuan 2022, arXiv:2210.07881, OD-EquiDyn.) E||W x - \bar x||^2 is
    (1 - h)^2 + h^2 - 2 h (1 - h)/(n - 1) times ||x - \bar x||^2 exactly (derived); at h = 1/2 that
    is (n - 2)/(2 (n - 1)), below 1/2 for every n. P^u is the plain shift; with a share s of I in
    it, as a basis matrix may have, h is (1 - s) of what is said there.

    Attributes:
        n: number of workers.
        h: weight of what a worker hears.

    Raises:
        ValueError: n < 2, or h outside (0, 1).
    """

    n: int
    h: float = 0.5

    def __post_init__(self) -> None:
        if self.n < 2:
            raise ValueError(f"n must be at least 2 for a worker to have a neighbour, got {self.n}")
        if not 0 < self.h < 1:
            raise ValueError(f"h must lie in (0, 1), got h={self.h}; 0.5 would do")

    @property
    def name(self) -> str:
        return f"one-peer EquiDyn(n={self.n}, h={self.h:g})"

    def draw(self, t: int, key: Key, replicas: Tensor) -> MixingDraw:
        everyone = torch.arange(self.n, device=replicas.device)
        first = torch.zeros((*replicas.shape, 1), dtype=torch.int64, device=replicas.device)
        hop = 1 + key.fold("meeting", t).draws(replicas, first).integers(self.n - 1, 1)[..., 0]
        incoming = (everyone + hop) % self.n
        sources = torch.stack((everyone.expand_as(incoming), incoming), dim=-1)
        shares = torch.tensor((1 - self.h, self.h), dtype=torch.float64, device=replicas.device)
        return MixingDraw(sources, shares.expand(sources.shape))

    def expected(self) -> Floats:
        eye = np.eye(self.n)
        return (1 - self.h) * eye + self.h * (1 - eye) / (self.n - 1)

    def expected_square(self) -> Floats:
        h, eye = self.h, np.eye(self.n)
        return (h * h + (1 - h) ** 2) * eye + 2 * h * (1 - h) * (1 - eye) / (self.n - 1)
