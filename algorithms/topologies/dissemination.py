"""Rotating partners: one partner a step, all workers reached after ceil(log2 n) steps."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from algorithms.topologies.base import Periodic, Topology, checked, need_workers
from algorithms.topologies.weights import Weights
from theory.arrays import Floats
from theory.networks import spectra


@final
@dataclass(frozen=True)
class Dissemination(Periodic, Topology):
    r"""At step t worker i hears from i - a_c 2^{t mod m}, m = \lceil \log_2 n \rceil, c = t div m.

    (Daily, Vishnu, Siegel, Warfel, Amatya 2018, GossipGraD, arXiv:1803.05880, sections 4 and 5.)
    W_t = (I + P)/2 with P the shift to the partner. After each m steps, in which what one worker
    knows reaches all, the partners rotate: ranks are renumbered by i -> a_c i mod n, a_c the next
    of the first ``rotations`` numbers prime to n, so that workers meet who never met before (a mere
    shift of the ranks would change no partner). For n = 2^m each m steps average exactly. PyTorch's
    implementation (torchdistX, gossip_grad) renumbers by n random shuffles instead, one after
    another; the partners of a round are the same.

    Raises:
        ValueError: n < 1 or rotations < 1.
    """

    n: int
    rotations: int = 8

    def __post_init__(self) -> None:
        need_workers(self.n)
        need_workers(self.rotations, "rotations")

    @property
    def name(self) -> str:
        return f"dissemination(n={self.n}, rotations={len(_units(self.n, self.rotations))})"

    @property
    def steps(self) -> int:
        """Steps until what one worker knows has reached all: ceil(log2 n)."""
        return max(1, (self.n - 1).bit_length())

    @property
    def period(self) -> int:
        return self.steps * len(_units(self.n, self.rotations))

    def build_period(self) -> tuple[Floats, ...]:
        eye, units = np.eye(self.n), _units(self.n, self.rotations)
        hops = [a * 2**k for a in units for k in range(self.steps)]
        return checked([(eye + np.roll(eye, hop, axis=0)) / 2.0 for hop in hops])


@final
@dataclass(frozen=True)
class RotatingHypercube(Periodic, Topology):
    r"""At step t worker i exchanges with i XOR 2^{t mod m} in renumbered ranks, m = \log_2 n.

    The other exchange of Daily et al. 2018 (arXiv:1803.05880): partners hear each other. Rotation
    as in :class:`Dissemination`; each m steps average exactly.

    Attributes:
        rotations: number of renumberings of the ranks before the sequence repeats.

    Raises:
        ValueError: n is not a power of two, or rotations < 1.
    """

    n: int
    rotations: int = 8

    def __post_init__(self) -> None:
        spectra.log2_exact(self.n)
        need_workers(self.rotations, "rotations")

    @property
    def name(self) -> str:
        return f"rotating hypercube(n={self.n}, rotations={len(_units(self.n, self.rotations))})"

    @property
    def steps(self) -> int:
        """Steps until what one worker knows has reached all: log2 n."""
        return max(1, spectra.log2_exact(self.n))

    @property
    def period(self) -> int:
        return self.steps * len(_units(self.n, self.rotations))

    def build_period(self) -> tuple[Floats, ...]:
        eye, ranks = np.eye(self.n), np.arange(self.n)
        matrices = []
        for a in _units(self.n, self.rotations):
            place = a * ranks % self.n  # worker that stands at each corner of the cube
            for k in range(self.steps):
                partner = np.empty_like(ranks)
                partner[place] = place[ranks ^ (1 << k) if self.n > 1 else ranks]
                matrices.append((eye + eye[partner]) / 2.0)
        return checked(matrices)


def _units(n: int, most: int) -> tuple[int, ...]:
    """The first ``most`` numbers prime to n below it, 1 first."""
    units = [a for a in range(1, max(2, n)) if math.gcd(a, n) == 1]
    return tuple(units[:most])


def of_workers(n: int, weights: Weights) -> tuple[Topology, ...]:
    """Both exchanges of n workers, for the gallery; the second where n is a power of two."""
    cubes = (RotatingHypercube(n),) if n & (n - 1) == 0 else ()
    return (Dissemination(n), *cubes)
