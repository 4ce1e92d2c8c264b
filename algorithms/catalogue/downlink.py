"""Downlink of a catalogue row in closed form: messages and bits received, all workers together.

By default every message to the server is answered by one message of the operator that the method's
server sends with, and what goes from worker to worker is heard as it was sent. A row that differs
states a :data:`Downlink`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import torch

from algorithms.compressors.base import code_of
from algorithms.methods.base import Method
from algorithms.methods.parts.scheduled import Scheduled
from algorithms.network.ledger import Account
from algorithms.problems.base import Problem


class Received(NamedTuple):
    """``messages`` and ``bits`` of all workers and replicas; unless ``exact``, bits are a bound."""

    messages: int
    bits: float
    exact: bool = True


@final
@dataclass(frozen=True)
class RunRecord:
    """The run in question: ``steps`` steps of ``replicas`` replicas of ``method`` on ``problem``,
    floats of ``float_bits``."""

    method: Method[Any]
    problem: Problem
    float_bits: int
    steps: int
    replicas: int

    def arrivals(self) -> torch.Tensor:
        """Gradients of each worker ``[R, n]`` that arrived by its schedule."""
        return _counts(self._schedule().arrivals, self.problem.n)

    def fetches(self) -> torch.Tensor:
        """Models that each worker ``[R, n]`` was to fetch by its schedule."""
        return _counts(self._schedule().fetches, self.problem.n)

    def _schedule(self) -> Any:
        assert isinstance(self.method, Scheduled)
        return self.method.schedule(self.problem.n).for_replicas(torch.arange(self.replicas))


Downlink = Callable[[RunRecord], Received]
Length = Callable[[Problem, int], float]


def _counts(ids: torch.Tensor, n: int) -> torch.Tensor:
    """Counts of each of n workers among ``ids`` ``[T, R, k]``: ``[R, n]``."""
    return (ids[..., None] == torch.arange(n)).sum((0, -2))


def dense(problem: Problem, float_bits: int) -> float:
    """Length [bits] of an uncompressed model."""
    return float(problem.d * float_bits)


def each_round(period: int = 1, length: Length = dense, *, exact: bool = True) -> Downlink:
    """One message to every worker whenever ``period`` | t+1, whoever has sent."""

    def received(run: RunRecord) -> Received:
        messages = run.replicas * run.problem.n * (run.steps // period)
        return Received(messages, messages * length(run.problem, run.float_bits), exact)

    return received


def first_round(run: RunRecord) -> Received:
    """One uncompressed model to every worker after the first step, and nothing more."""
    messages = run.replicas * run.problem.n * min(run.steps, 1)
    return Received(messages, messages * dense(run.problem, run.float_bits))


def as_fetched(run: RunRecord) -> Received:
    """One uncompressed model for every fetch of the schedule."""
    messages = int(run.fetches().sum())
    return Received(messages, messages * dense(run.problem, run.float_bits))


def answered(run: RunRecord, sent: Account) -> Received:
    """The default: one message of the server's operator for each that it was sent.

    Between workers everything is heard as it was sent; then the bits are those that were sent, and
    a bound where there is a server too.
    """
    problem, messages = run.problem, int(sent.sent_messages.sum())
    up = int(sent.uploaded_messages.sum())
    if not up:
        return Received(messages, float(sent.sent_bits.sum()))
    operator = run.method.server_operator.for_shapes(problem.shapes)
    fixed = code_of(operator, problem.d, problem.dtype).fixed_bits is not None
    bits = up * operator.stated_bits(problem.d, run.float_bits)
    if up < messages:
        return Received(messages, bits + float(sent.sent_bits.sum()), False)
    return Received(messages, bits, fixed)
