"""Topology: a (time-varying) mixing matrix W_t over n workers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import lru_cache, reduce
from typing import TYPE_CHECKING, final

import numpy as np
import torch
from torch import Tensor

from theory.arrays import Floats
from theory.constants import Constants, Kind, Statement
from theory.fields import CheckedFields
from theory.networks.mixing import check_push_sequence, check_sequence, spectrum

_CACHED = 64  # topologies (or steps of one) whose matrices are kept


class Pattern(CheckedFields, ABC):
    """Mixing of the rows of ``n`` workers; members are frozen dataclasses."""

    if TYPE_CHECKING:  # read-only; a member may hold it as a field

        @property
        def n(self) -> int: ...

    @property
    @abstractmethod
    def name(self) -> str:
        """Name with its parameters, as it stands in reports: ``"ring(n=8)"``."""


class MixingSequence(Pattern):
    """Matrices W_0, W_1, ... repeating with ``period``; W[i, j] weighs what i hears from j.

    Members hash by their fields, so that matrices are built once. Doubly stochastic ones are a
    :class:`Topology`, those that only keep the sum a :class:`PushTopology`.
    """

    @property
    @abstractmethod
    def period(self) -> int:
        """After how many steps the matrices repeat."""

    @abstractmethod
    def matrix(self, t: int) -> Floats:
        """W_t ``[n, n]``, read-only; checked by :mod:`theory.networks.mixing` when it is built."""

    def neighbours(self, t: int) -> Neighbours:
        """W_t as lists; the same object for every t of the same phase."""
        return _neighbours(self, t % self.period)

    def each_step(self) -> Constants:
        """Constants of every step: n; of a doubly stochastic W that serves them all, its lam."""
        return Constants().state(n=self.n)

    def movement(self) -> float | None:
        r"""\|W - I\|_F^2 where one W serves all steps, else None."""
        if self.period != 1:
            return None
        return float(np.square(self.matrix(0) - np.eye(self.n)).sum())


class Periodic(MixingSequence):
    """The matrices of one period are built together, and kept."""

    @abstractmethod
    def build_period(self) -> tuple[Floats, ...]:
        """W_0, ..., W_{p-1}, built anew by :func:`checked` or :func:`checked_push`."""

    def matrix(self, t: int) -> Floats:
        return _period(self)[t % self.period]


class PushTopology(MixingSequence):
    """Column-stochastic matrices P_t over directed links, for push-sum: what worker j has, it
    shares out, P[i, j] of it to i. Members build them through :func:`checked_push`.
    """


class Topology(MixingSequence):
    """Doubly stochastic matrices W_t: the mean over workers stays, and all come to agree.

    A static topology is a :class:`StaticTopology`.
    """

    @property
    def signed(self) -> bool:
        """Whether negative weights are meant, as optimal averaging may have them; else refused."""
        return False

    def stated_lam(self) -> float | None:
        """lam of one period by a closed form of :mod:`theory.networks.spectra`; None where none is
        known.
        """
        return None

    def constants(self) -> Constants:
        """n, lam, lam_n, beta and symmetry of W; see :class:`theory.networks.mixing.Spectrum`.

        For period p > 1 they are those of the product W_{p-1} ... W_0, so ``lam`` is what p steps
        together contract by (its Statement says so), not what each step does.
        """
        w = product(self)
        s = spectrum(w)
        steps = "every step" if self.period == 1 else f"product of {self.period} steps"
        known = Statement(Kind.EXACT, steps, "singular values and eigenvalues of the weights")
        stated = Constants(n=self.n).state(known, lam=s.lam, lam_n=s.lam_n, beta=s.beta)
        return stated.state(known, symmetric=bool(np.allclose(w, w.T, rtol=0, atol=1e-15)))

    def each_step(self) -> Constants:
        """The network's constants where one W serves all steps; of a varying one only n is stated.

        What a whole period contracts by is not what each step does, which the theorems speak of.
        """
        return self.constants() if self.period == 1 else Constants().state(n=self.n)


class StaticTopology(Periodic, Topology):
    """One mixing matrix for all steps."""

    @property
    def period(self) -> int:
        return 1

    @abstractmethod
    def build(self) -> Floats:
        """W ``[n, n]``, built anew; :meth:`matrix` keeps it."""

    def build_period(self) -> tuple[Floats, ...]:
        return checked((self.build(),), signed=self.signed)


def product(topology: MixingSequence) -> Floats:
    """W_{p-1} ... W_1 W_0 over one period p: what p steps of gossip do to rows ``[n, d]``."""
    matrices = [topology.matrix(t) for t in range(topology.period)]
    return reduce(lambda before, w: w @ before, matrices)


def checked(matrices: Sequence[Floats], *, signed: bool = False) -> tuple[Floats, ...]:
    """Read-only copies of one period's matrices; ``signed`` lets negative weights pass.

    Raises:
        MixingError: see :func:`theory.networks.mixing.check_sequence`.
    """
    check_sequence(matrices, signed=signed)
    return _kept(matrices)


def checked_push(matrices: Sequence[Floats]) -> tuple[Floats, ...]:
    """Read-only copies of one period's column-stochastic matrices.

    Raises:
        MixingError: see :func:`theory.networks.mixing.check_push_sequence`.
    """
    check_push_sequence(matrices)
    return _kept(matrices)


def _kept(matrices: Sequence[Floats]) -> tuple[Floats, ...]:
    copies = tuple(np.array(w, dtype=np.float64) for w in matrices)
    for w in copies:
        w.setflags(write=False)
    return copies


def need_workers(n: int, name: str = "n") -> None:
    """Refuse fewer than one worker.

    Raises:
        ValueError: names the argument and its value.
    """
    if n < 1:
        raise ValueError(f"{name} must be at least 1, got {name}={n}")


@lru_cache(maxsize=_CACHED)
def _period(topology: Periodic) -> tuple[Floats, ...]:
    return topology.build_period()


@lru_cache(maxsize=_CACHED)
def _neighbours(topology: MixingSequence, phase: int) -> Neighbours:
    return Neighbours(topology.matrix(phase))


@final
class Neighbours:
    """A mixing matrix as lists, the form in which it is applied.

    ``index`` and ``weight`` are ``[n, s]``: row i mixes ``sum_k weight[i, k] x[index[i, k]]`` in
    this order, own row included, padded with (i, 0). The order is fixed by worker id, so that the
    sum has the same bits wherever row i lives. ``senders[i]`` are the other workers that i hears,
    ``in_degree`` and ``out_degree`` ``[n]`` count messages in and out per step.
    """

    def __init__(self, w: Floats) -> None:
        n = w.shape[0]
        lists = [np.flatnonzero(w[i]) for i in range(n)]
        slots = max(1, *(len(js) for js in lists))
        index = np.tile(np.arange(n)[:, None], (1, slots))
        weight = np.zeros((n, slots))
        for i, js in enumerate(lists):
            index[i, : len(js)] = js
            weight[i, : len(js)] = w[i, js]
        self.index: Tensor = torch.from_numpy(index)
        self.weight: Tensor = torch.from_numpy(weight)
        off = w.astype(bool) & ~np.eye(n, dtype=bool)
        self.senders: tuple[tuple[int, ...], ...] = tuple(
            tuple(np.flatnonzero(off[i]).tolist()) for i in range(n)
        )
        self.out_degree: Tensor = torch.from_numpy(off.sum(axis=0))
        self.in_degree: Tensor = torch.from_numpy(off.sum(axis=1))
