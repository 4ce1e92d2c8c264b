"""A method whose models, hours and gradients are plain functions of the step, for records."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.methods.base import Method, RunContext
from algorithms.problems.base import Problem
from theory.constants import Constants


class RunCutOff(RuntimeError):
    """A run was to stop before its end, so that another goes on from its checkpoint."""


class RecordState(NamedTuple):
    """State of the probe.

    Attributes:
        x: models ``[R, n, d]``, after t steps t times the moves of :func:`moves`.
        replicas: ids of the replicas ``[R]``.
    """

    x: Tensor
    replicas: Tensor


@final
@dataclass(frozen=True)
class RecordProbe(Method[RecordState]):
    """Worker w of replica r moves by :func:`moves` in every step; all numbers are dyadic.

    Attributes:
        timed: whether it has hours and counts of gradients of its own.
        stops: the step at which it stops its run; below 0: none.
    """

    timed: bool = False
    stops: int = field(default=-1, repr=False, compare=False)

    @property
    def name(self) -> str:
        return "moves by the step"

    def constants(self, problem: Problem) -> Constants:
        return problem.constants()

    def init(self, x0: Tensor, context: RunContext) -> RecordState:
        rows = context.rows(torch.zeros_like(x0), len(context.network.workers))
        return RecordState(rows, context.replicas.clone())

    def step(self, state: RecordState, t: int, context: RunContext) -> RecordState:
        """One move of every worker.

        Raises:
            RunCutOff: this is the step at which it stops.
        """
        if t == self.stops:
            raise RunCutOff
        own = moves(state.replicas, context.network.workers, state.x.shape[-1])
        return state._replace(x=state.x + own)

    def models(self, state: RecordState) -> Tensor:
        return state.x

    def seconds(self, state: RecordState, t: int) -> Tensor | None:
        return hours(state.replicas, t) if self.timed else None

    def computed(self, state: RecordState, t: int) -> Tensor | None:
        return counts(state.replicas, t) if self.timed else None


def moves(replicas: Tensor, workers: Tensor, d: int) -> Tensor:
    """How far workers move in a step ``[R, m, d]``."""
    apart = (workers + 1)[:, None] * (torch.arange(d) - 1)
    return (apart + replicas[:, None, None]).double() / 64


def hours(replicas: Tensor, t: int) -> Tensor:
    """Modelled seconds after t steps ``[R]``."""
    return t + replicas.double() / 8


def counts(replicas: Tensor, t: int) -> Tensor:
    """Gradients of a worker after t steps ``[R]``."""
    return 3.0 * t + replicas.double()
