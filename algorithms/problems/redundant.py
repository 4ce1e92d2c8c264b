"""Redundant: every worker also holds some of the other workers' shards."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
import torch
from torch import Tensor

from algorithms.core.key import Draws
from algorithms.kernels.row_parts import RowPart, full_published, published, ready
from algorithms.kernels.shard_rows import mean_of_shards
from algorithms.problems.base import Problem, require_int, upper
from algorithms.problems.entry import ProblemEntry
from algorithms.problems.quadratic import Quadratic
from theory.constants import Constants


@final
@dataclass(frozen=True)
class BorrowedRows(Draws):
    """The numbers of ``source``'s rows, for the shards of ``workers`` ``[..., k]``."""

    source: Draws
    workers: Tensor

    def fold(self, *words: int | str) -> Draws:
        return BorrowedRows(self.source.fold(*words), self.workers)

    def uniform(self, count: int, dtype: torch.dtype) -> Tensor:
        return self.source.uniform(count, dtype)

    def normal(self, count: int, dtype: torch.dtype) -> Tensor:
        return self.source.normal(count, dtype)

    def integers(self, high: int, count: int) -> Tensor:
        return self.source.integers(high, count)


def shrinkage(n: int, shards: int) -> float:
    r"""Largest factor by which q of n shards leave zeta2: \max_{0<k<n} |D_k|^2.

    D_k = \sin(\pi kq/n) / (q \sin(\pi k/n)) are the eigenvalues of the circulant mean over q
    neighbours; k = 1 is the largest.
    """
    if shards == 1 or n == 1:
        return 1.0
    if shards == n:
        return 0.0
    return (math.sin(math.pi * shards / n) / (shards * math.sin(math.pi / n))) ** 2


@final
@dataclass(frozen=True, eq=False)
class Redundant(Problem):
    r"""\tilde f_i = \frac1q \sum_{s<q} f_{i+s \bmod n}: worker i holds q = ``shards`` of n shards.

    A stochastic gradient averages one of each shard held, drawn independently of what other workers
    draw from the same shard. The mean over workers is f exactly, sigma2 falls by 1/q and zeta2 by
    at least :func:`shrinkage`. (RI-SGD: Haddadpour, Kamani, Mahdavi, Cadambe 2019, ICML, where a
    worker holds a fraction mu of the others' shards, q = 1 + mu (n - 1); the circulant choice of
    shards is ours.)

    Attributes:
        base: the problem whose shards f_0, ..., f_{n-1} are shared out.

    Raises:
        ValueError: shards outside [1, n].
    """

    base: Problem
    shards: int

    def __post_init__(self) -> None:
        require_int("shards", self.shards, 1, self.base.n)

    @property
    def name(self) -> str:
        return f"{self.base.name}, {self.shards} shards a worker"

    @property
    def n(self) -> int:
        return self.base.n

    @property
    def d(self) -> int:
        return self.base.d

    @property
    def dtype(self) -> torch.dtype:
        return self.base.dtype

    @property
    def device(self) -> torch.device:
        return self.base.device

    @property
    def x_star(self) -> Tensor | None:
        return self.base.x_star

    @property
    def f_star(self) -> float | None:
        return self.base.f_star

    @property
    def rowwise(self) -> bool:
        return self.base.rowwise

    @property
    def G2_radius(self) -> float:
        return self.base.G2_radius

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        return self.base.shapes

    def start(self) -> Tensor:
        return self.base.start()

    def gradient(self, x: Tensor, draws: Draws) -> Tensor:
        total = self.base.gradient(x, draws)
        for s in range(1, self.shards):
            lent = BorrowedRows(draws.fold("shard", s), (draws.workers + s) % self.n)
            total = total + self.base.gradient(x, lent)
        return total / self.shards

    def full_gradient(self, x: Tensor, workers: Tensor) -> Tensor:
        total = self.base.full_gradient(x, workers)
        for s in range(1, self.shards):
            total = total + self.base.full_gradient(x, (workers + s) % self.n)
        return total / self.shards

    def row_kernel(self) -> RowPart | None:
        return self._row_kernel

    def full_row_kernel(self) -> RowPart | None:
        return self._full_row_kernel

    @cached_property
    def _row_kernel(self) -> RowPart | None:
        return self._kernel_of(published)  # which copies the data once for each shard

    @cached_property
    def _full_row_kernel(self) -> RowPart | None:
        return self._kernel_of(full_published)

    def _kernel_of(self, asked: Callable[[Problem], RowPart | None]) -> RowPart | None:
        """The part that averages those of all shards, each of the base with its workers rolled."""
        bases = (self.base, *(self.base.rolled(s) for s in range(1, self.shards)))
        parts = (None if one is None else asked(one) for one in bases)
        found = [part for part in parts if part is not None]
        if len(found) < self.shards:
            return None
        first = found[0]
        base = ready(first.function, "gradient", self.dtype)
        one, two, three, ints, reals = (
            np.concatenate([part.numbers[k] for part in found]) for k in range(5)
        )
        whole = np.concatenate((ints, np.array((base.entry, self.shards), np.int64)))
        packed = one, two, three, whole, reals
        return RowPart(mean_of_shards, packed, first.draws, self.shards * first.work)

    def value(self, x: Tensor) -> Tensor:
        return self.base.value(x)

    def mean_gradient(self, x: Tensor) -> Tensor:
        return self.base.mean_gradient(x)

    def noise(self, x: Tensor) -> Tensor:
        own = self.base.noise(x)
        total = own
        for s in range(1, self.shards):
            total = total + own.roll(-s, -1)
        return total / self.shards**2

    def lipschitz(self, radius: float = math.inf) -> float:
        return self.base.lipschitz(radius)

    def constants(self) -> Constants:
        return self._constants

    @cached_property
    def _constants(self) -> Constants:
        c = self.base.constants().without("sigma_one", "symmetric_noise")
        if c.sigma2 is not None:
            c = c.state(c.statements["sigma2"], sigma2=c.sigma2 / self.shards)
        if c.zeta2 is not None:
            why = upper("eigenvalues of the circulant mean over shards")
            c = c.state(why, zeta2=c.zeta2 * shrinkage(self.n, self.shards))
        if c.zeta2_star is not None:
            why = upper("eigenvalues of the circulant mean over shards", "x*")
            c = c.state(why, zeta2_star=c.zeta2_star * shrinkage(self.n, self.shards))
        return c

    def data(self) -> Any:
        return {"problem": "redundant", "shards": self.shards, "base": self.base.data()}

    def resampled(self, factor: int) -> Redundant:
        return Redundant(self.base.enlarged(factor), self.shards)

    def to(self, device: torch.device | str) -> Redundant:
        base = self.base.to(device)
        return self if base is self.base else Redundant(base, self.shards)

    def double(self) -> Redundant:
        return Redundant(self.base.double(), self.shards)


ENTRIES = (
    ProblemEntry(
        "quadratic-sc, 2 shards a worker",
        "the strongly convex quadratic, every worker holding two shards of it",
        lambda n: Redundant(Quadratic.strongly_convex(n, 20, zeta2=1.0), 2),
        general=False,
        least_workers=2,
    ),
)
