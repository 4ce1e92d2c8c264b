"""Rounds of gossip: how models are averaged with those of neighbours."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar, final

from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.methods.base import RunContext
from algorithms.pipeline.row_programs import Operation, Register, mixed
from algorithms.problems.base import Problem
from algorithms.topologies.base import Topology
from theory.constants import Constants

Memo = TypeVar("Memo")


@final
@dataclass(frozen=True)
class RoundOnRows(Generic[Memo]):
    """A round as operations on rows, for blocks of steps.

    Attributes:
        rows: registers of the memo's tensors.
        operations: the round, which leaves the models where they were, or in what trades places
            with them.
        compressor: what messages are made with.
        opened: the memo's tensors; ``closed``: the memo that such tensors make.
        swaps: registers that trade places at its end.
    """

    rows: tuple[Register, ...]
    operations: tuple[Operation, ...]
    compressor: Compressor
    opened: Callable[[Memo], tuple[Tensor, ...]]
    closed: Callable[[tuple[Tensor, ...]], Memo]
    swaps: tuple[tuple[Register, Register], ...] = ()


class GossipRound(ABC, Generic[Memo]):
    """Averaging of models with neighbours; members are frozen dataclasses with ``topology``.

    ``Memo`` is what a worker keeps from round to round.
    """

    topology: Topology

    @property
    @abstractmethod
    def name(self) -> str:
        """Name in reports, with its parameters."""

    @abstractmethod
    def constants(self, problem: Problem, period: int) -> Constants:
        """The problem's constants, and those of network, operator and H that theorems speak of."""

    @abstractmethod
    def init(self, x: Tensor) -> Memo:
        """Memo beside models x ``[..., m, d]``."""

    @abstractmethod
    def average(
        self, x: Tensor, memo: Memo, meeting: int, t: int, context: RunContext
    ) -> tuple[Tensor, Memo]:
        """Models after the ``meeting``-th round (0, 1, ...), held after step t."""

    def on_rows(self, x: Register) -> RoundOnRows[Memo] | None:
        """:meth:`average` as operations on rows; None: there are none."""
        return None


@final
@dataclass(frozen=True)
class PlainRound(GossipRound[None]):
    r"""x_i <- \sum_j W_{ij} x_j, W of the ``meeting``-th round: a varying W changes by rounds.

    Attributes:
        topology: who hears whom, and the mixing matrices W.
    """

    topology: Topology

    @property
    def name(self) -> str:
        return self.topology.name

    def constants(self, problem: Problem, period: int) -> Constants:
        return problem.constants().merge(self.topology.each_step()).state(H=period)

    def init(self, x: Tensor) -> None:
        return None

    def average(
        self, x: Tensor, memo: None, meeting: int, t: int, context: RunContext
    ) -> tuple[Tensor, None]:
        return context.mixed(x, self.topology.neighbours(meeting), t), None

    def on_rows(self, x: Register) -> RoundOnRows[None] | None:
        ahead = Register()
        step = mixed(ahead, x)
        return RoundOnRows((), (step,), Identity(), lambda _: (), lambda _: None, ((x, ahead),))
