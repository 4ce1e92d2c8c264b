"""EquiTopo: what a step keeps, drawn anew or once, whatever n; faults, and who sees them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from math import ceil, log
from typing import final

import numpy as np
import torch
from torch import Tensor

from algorithms.core.key import Key
from algorithms.topologies.base import StaticTopology
from algorithms.topologies.equitopo import EquiStatic, OnePeerEquiDyn
from algorithms.topologies.random_mixing import MixingDraw, RandomMixing
from algorithms.topologies.ring import Ring
from proofs_check.evidence.gossip.closed_forms import consensus_problem
from proofs_check.instruments.closed_forms import ClosedForms, at_most, none_wrong, same
from proofs_check.instruments.paths import world_of
from proofs_check.mutants.method_mutant import MethodMutant, fault
from proofs_check.verdict import Verdict
from theory.arrays import Floats

_SEED = 62

equidyn_forms = ClosedForms("randomised-gossip", "consensus", name="equidyn_forms")
"""Closed forms of one-peer EquiDyn."""


@equidyn_forms.case("all shifts enumerated", f"n = 2, 3, 5, 8, 17, h = 1/2 and 0.3, seed {_SEED}")
def contraction(made: Callable[[int, float], RandomMixing] = OnePeerEquiDyn) -> Iterator[Verdict]:
    """E||W x - xbar||^2 over every shift, beside its closed form and the code's E W^T W."""
    for n in (2, 3, 5, 8, 17):
        for h in (0.5, 0.3):
            x = np.random.default_rng(_SEED).normal(size=(n, 4))
            centred = x - x.mean(0)
            after = [
                np.square((1 - h) * centred + h * np.roll(centred, u, 0)).sum() for u in range(1, n)
            ]
            factor = float(np.mean(after) / np.square(centred).sum())
            formula = (1 - h) ** 2 + h * h - 2 * h * (1 - h) / (n - 1)
            yield same(
                f"one step keeps (1-h)^2 + h^2 - 2h(1-h)/(n-1) = {formula:.6f}, n={n}, h={h:g}",
                [factor, made(n, h).contraction()], formula, tolerance=1e-12,
            )  # fmt: skip
        half = made(n, 0.5).contraction()
        yield none_wrong(
            f"h = 1/2 keeps less than one half, n={n}", int(half >= 0.5), f"kept {half:.6f}"
        )


@equidyn_forms.case("drawn shifts", f"4000 replicas, n = 5, seed {_SEED}")
def drawn_shifts(made: Callable[[int, float], RandomMixing] = OnePeerEquiDyn) -> Verdict:
    """All workers hear from the same distance, every one from 1 to n - 1 and never 0."""
    world = world_of(consensus_problem(5, 1, _SEED), _SEED, 4000)
    draw = made(5, 0.5).draw(0, world.key, world.replicas)
    hops = (draw.sources[..., 1] - torch.arange(5)) % 5
    seen = sorted(set(hops.flatten().tolist()))
    one = bool((hops == hops[:, :1]).all())
    return none_wrong(
        "the shift is one for all workers, from 1 to n - 1", int(seen != [1, 2, 3, 4] or not one),
        f"shifts seen: {seen}; one for all workers: {one}",
    )  # fmt: skip


Static = Callable[[int, int, int], StaticTopology]
"""EquiStatic of n workers, M distances and a seed."""


def _by_distance(made: Static, n: int) -> dict[int, Floats]:
    """Deviations W - J of the graphs of one distance, 1, ..., n - 1, for a prime n."""
    found: dict[int, Floats] = {}
    for seed in range(200):
        drawn = EquiStatic(n, 1, seed).distances()[0]
        found.setdefault(drawn, made(n, 1, seed).matrix(0) - 1 / n)
    return {u: found[u] for u in range(1, n)}


def _of_mean(made: Static, single: dict[int, Floats], n: int, m: int) -> Verdict:
    """W of M drawn distances is the mean of those of one distance each, over twenty draws."""
    built = [made(n, m, seed).matrix(0) - 1 / n for seed in range(20)]
    due = [
        np.mean([single[u] for u in EquiStatic(n, m, seed).distances()], 0) for seed in range(20)
    ]
    return same(
        f"W of M distances is the mean of W of each, n={n}, M={m}", np.stack(built), np.stack(due),
        tolerance=1e-12,
    )  # fmt: skip


@equidyn_forms.case("all draws enumerated", f"n = 3, 5, 7, M = 1, 2, 3, seed {_SEED}")
def static_contraction(made: Static = EquiStatic) -> Iterator[Verdict]:
    """E||W x - xbar||^2 is (n - 2)/(n M) where M distances are drawn once: all of them, as means of
    the code's matrices of one distance each."""
    for n in (3, 5, 7):
        x = np.random.default_rng(_SEED).normal(size=(n, 4))
        single, size = _by_distance(made, n), np.square(x - x.mean(0)).sum()
        for m in (1, 2, 3):
            yield _of_mean(made, single, n, m)
            draws = product(single.values(), repeat=m)
            kept = [np.square(np.mean(ws, 0) @ x).sum() for ws in draws]
            yield same(
                f"W keeps (n - 2)/(n M) = {(n - 2) / (n * m):.6f}, n={n}, M={m}",
                float(np.mean(kept) / size), (n - 2) / (n * m), tolerance=1e-12,
            )  # fmt: skip


@equidyn_forms.case("gap by n", "M = 8 ln n, n = 8, 16, ..., 512, seed 0")
def static_gap(made: Static = EquiStatic) -> Verdict:
    """With M of the order of log n the gap does not shrink with n, where a ring's falls as n^-2."""
    lams: list[float | None] = [
        made(n, ceil(8 * log(n)), 0).stated_lam() for n in (8, 16, 32, 64, 128, 256, 512)
    ]
    said = ", ".join(f"{lam:.3f}" for lam in lams if lam is not None)
    worst = max(1.0 if lam is None else lam for lam in lams)
    return at_most("lam is at most 1/2 for every n", worst, 0.5, f"lam = {said}")


# EquiTopo graphs with a fault each, and who sees it.


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
