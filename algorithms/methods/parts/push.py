"""Basis of push-sum methods: a sum and a weight sent together, and their ratio."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor

from algorithms.methods.base import Method, RunContext, State
from algorithms.methods.exchanges.exchange import Exchange
from algorithms.methods.parts.checks import check_size
from algorithms.problems.base import Problem
from theory.constants import Constants
from theory.stepsizes import Stepsize


class PushState(NamedTuple):
    """Sums s ``[..., m, d]`` (biased parameters) and push-sum weights w ``[..., m, 1]``."""

    s: Tensor
    w: Tensor


def push(s: Tensor, w: Tensor, exchange: Exchange, t: int, context: RunContext) -> PushState:
    """(P s, P w) for s ``[..., m, d]``, w ``[..., m, 1]``: one message of d + 1 numbers a link."""
    mixed = exchange.mixed(torch.cat((s, w), dim=-1), t, context)
    return PushState(mixed[..., :-1].contiguous(), mixed[..., -1:].contiguous())


def ratio(state: PushState) -> Tensor:
    """z = s / w ``[..., m, d]``: what a worker takes the mean to be."""
    return state.s / state.w


def unit_weights(rows: Tensor) -> Tensor:
    """w = 1 for rows ``[..., m, d]``: ``[..., m, 1]``."""
    return torch.ones_like(rows[..., :1])


def start(x0: Tensor, exchange: Exchange, context: RunContext) -> PushState:
    """Every worker at x_0 ``[d]`` with weight 1.

    Raises:
        ValueError: the exchange is over another number of workers.
    """
    check_size(exchange, context, "exchange")
    x = context.rows(x0, len(context.network.workers))
    return PushState(x, unit_weights(x))


@dataclass(frozen=True)
class GradientPush(Method[State]):
    r"""Gradient steps between pushes of one exchange.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        exchange: how values cross; its matrices P_t have columns that sum to 1.
    """

    step_rule: Stepsize
    exchange: Exchange

    kind: ClassVar[str]
    """What reports call the method, without its exchange."""

    @property
    def name(self) -> str:
        return f"{self.kind}, {self.exchange.name}"

    def constants(self, problem: Problem) -> Constants:
        return problem.constants().state(n=self.exchange.n)
