"""Decentralised communication sliding: gradient steps between two rounds of messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.methods.base import RunContext
from algorithms.methods.parts.checks import check_size
from algorithms.methods.parts.over_laplacian import PeriodicOverLaplacian, multiplier
from algorithms.methods.parts.sliding_rules import SlidingRule
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.gradients import drawn_gradient
from algorithms.pipeline.links import FixedLists
from algorithms.pipeline.neighbours import NeighbourPlan, neighbour_block
from algorithms.pipeline.row_programs import (
    Operation,
    Program,
    Register,
    add,
    copy,
    divide,
    gradient,
    mixed,
    plus_scaled,
    subtract,
)
from algorithms.topologies.base import StaticTopology


class SlidingState(NamedTuple):
    r"""Inner iterate u, weighted mean of inner iterates, x^{k-1}, x^{k-2}, duals y, their exchange
    W y, and the output so far: ``[..., m, d]``.

    Attributes:
        before: x^{k-2} ``[..., m, d]``.
        pull: the exchanged duals w = W y ``[..., m, d]``.
        average: the output so far, the weighted mean of the \hat x^k ``[..., m, d]``.
    """

    u: Tensor
    mean: Tensor
    x: Tensor
    before: Tensor
    y: Tensor
    pull: Tensor
    average: Tensor


@final
@dataclass(frozen=True)
class CommunicationSliding(PeriodicOverLaplacian[SlidingState]):
    r"""Every T steps two rounds of messages: y_i \mathrel{+}= \frac{1}{\tau_k} \sum_j W_{ij}
    [\alpha_k (\hat x_j^{k-1} - x_j^{k-2}) + x_j^{k-1}], w_i = \sum_j W_{ij} y_j; then T steps
    u_i = \arg\min_u <w_i + g_i(u_{i-1}), u> + \frac{\eta_k}{2}\|u - x^{k-1}\|^2 +
    \frac{\eta_k \beta_i}{2}\|u - u_{i-1}\|^2.

    x^k is the last u, \hat x^k the weighted mean of all; the models are the weighted mean of the
    \hat x^k. (Lan, Lee, Zhou 2017, arXiv:1701.03961: DCS where gradients are exact, SDCS where they
    are stochastic; W is their Laplacian divided by its norm.) A step is one gradient.

    Attributes:
        rule: the parameters \alpha_k, \beta_i, \eta_k and \tau_k.
        topology: the graph whose Laplacian W is.
        period: T, gradients between two rounds of messages.

    Raises:
        ValueError: period < 1.
    """

    rule: SlidingRule
    topology: StaticTopology
    period: int

    @property
    def name(self) -> str:
        return f"communication sliding, {self.topology.name}, T={self.period}"

    def init(self, x0: Tensor, context: RunContext) -> SlidingState:
        check_size(self.topology, context)
        x = context.rows(x0, len(context.network.workers))
        zero = torch.zeros_like(x)
        return SlidingState(x, x, x, x, zero, zero, x)

    def step(self, state: SlidingState, t: int, context: RunContext) -> SlidingState:
        k, i = t // self.period + 1, t % self.period + 1
        if i == 1:
            state = self._exchanged(state, k, t, context)
        g = context.gradient(state.u, t)
        eta, beta = self.rule.eta(k), self.rule.beta(k, i)
        u = (state.x + beta * state.u - (state.pull + g) / eta) / (1 + beta)
        mean = state.mean + self.rule.inner_share(i) * (u - state.mean)
        state = state._replace(u=u, mean=mean)
        if i < self.period:
            return state
        average = state.average + self.rule.outer_share(k) * (mean - state.average)
        return state._replace(before=state.x, x=u, average=average)

    def _exchanged(self, state: SlidingState, k: int, t: int, context: RunContext) -> SlidingState:
        """Duals and their pull after the two rounds of outer step k."""
        ahead = state.x + self.rule.alpha(k) * (state.mean - state.before)
        multiply = multiplier(self.laplacian, t, context)
        y = state.y + multiply(ahead, 0) / self.rule.tau(k)
        return state._replace(u=state.x, y=y, pull=multiply(y, 1))

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        rows = u, *_ = tuple(Register() for _ in range(7))
        new = Register()
        first, rest = self._exchange_on_rows(rows), self._descent_on_rows(new, rows)
        last, swaps = self._end_on_rows(new, rows), ((u, new),)
        programs = tuple(
            Program((*(first if begins else ()), *rest, *(last if ends else ())), swaps)
            for begins in (False, True) for ends in (False, True)
        )  # fmt: skip
        plan = NeighbourPlan(
            rows, programs, FixedLists((self.laplacian.neighbours,), lambda _: 0),
            drawn_gradient(context),
            program=lambda s: 2 * int(self._i(s) == 1) + int(self._i(s) == self.period),
        )  # fmt: skip
        return neighbour_block(context, t, plan)

    def _k(self, t: int) -> int:
        return t // self.period + 1

    def _i(self, t: int) -> int:
        return t % self.period + 1

    def _exchange_on_rows(self, rows: tuple[Register, ...]) -> tuple[Operation, ...]:
        u, mean, x, before, y, pull, _ = rows
        apart, ahead, incoming, share = Register(), Register(), Register(), Register()
        return (
            subtract(apart, mean, before),
            plus_scaled(ahead, x, lambda t: self.rule.alpha(self._k(t)), apart),
            mixed(incoming, ahead),
            divide(share, incoming, lambda t: self.rule.tau(self._k(t))),
            plus_scaled(y, y, 1.0, share),
            mixed(pull, y),
            copy(u, x),
        )

    def _descent_on_rows(self, new: Register, rows: tuple[Register, ...]) -> tuple[Operation, ...]:
        u, mean, x, _, _, pull, _ = rows
        g, near, force, less, ahead, apart = (Register() for _ in range(6))

        def beta(t: int) -> float:
            return self.rule.beta(self._k(t), self._i(t))

        return (
            gradient(g, u),
            plus_scaled(near, x, beta, u),
            add(force, pull, g),
            divide(less, force, lambda t: self.rule.eta(self._k(t))),
            subtract(ahead, near, less),
            divide(new, ahead, lambda t: 1 + beta(t)),
            subtract(apart, new, mean),
            plus_scaled(mean, mean, lambda t: self.rule.inner_share(self._i(t)), apart),
        )

    def _end_on_rows(self, new: Register, rows: tuple[Register, ...]) -> tuple[Operation, ...]:
        _, mean, x, before, _, _, average = rows
        apart = Register()
        return (
            subtract(apart, mean, average),
            plus_scaled(average, average, lambda t: self.rule.outer_share(self._k(t)), apart),
            copy(before, x),
            copy(x, new),
        )

    def models(self, state: SlidingState) -> Tensor:
        return state.average
