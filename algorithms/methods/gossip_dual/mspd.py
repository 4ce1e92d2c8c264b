"""MSPD: multi-step primal-dual, for convex functions that need not be smooth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.methods.base import RunContext
from algorithms.methods.parts.checks import check_size
from algorithms.methods.parts.over_laplacian import (
    PeriodicOverLaplacian,
    gossip_on_rows,
    multiplier,
)
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.gradients import drawn_gradient
from algorithms.pipeline.links import FixedLists
from algorithms.pipeline.neighbours import NeighbourPlan, neighbour_block
from algorithms.pipeline.row_programs import (
    Operation,
    Program,
    Register,
    blend,
    copy,
    divide,
    gradient,
    plus_scaled,
    subtract,
)
from algorithms.topologies.base import StaticTopology
from algorithms.topologies.laplacian import accelerated_gossip, shrinkage
from theory.stepsizes import Stepsize


class MSPDState(NamedTuple):
    r"""Local iterate, x_k, x_{k-1}, duals y, mean of x_1 .. x_k: ``[..., m, d]``.

    Attributes:
        inner: \tilde x^m, the local iterate ``[..., m, d]``.
        x: x_k ``[..., m, d]``.
        before: x_{k-1} ``[..., m, d]``.
        average: the mean of x_1, ..., x_k ``[..., m, d]``.
    """

    inner: Tensor
    x: Tensor
    before: Tensor
    y: Tensor
    average: Tensor


@final
@dataclass(frozen=True)
class MSPD(PeriodicOverLaplacian[MSPDState]):
    r"""Every M steps y_i \mathrel{-}= \frac{1}{s \lambda_1(P)} [P_K(W)(2 x_k - x_{k-1})]_i; between
    them x_{k+1} = \tilde x^M from \tilde x^0 = x_k,
    \tilde x^{m+1} = \frac{m}{m+2} \tilde x^m + \frac{2}{m+2} (x_k + s y - s g_i(\tilde x^m)).

    s = \rho (1 - c_1^K)/(1 + c_1^K), \lambda_1(P) = (1 + c_1^K)^2/(1 + c_1^{2K}), and \rho =
    \gamma_t, the ratio R/L_l of radius and local Lipschitz constant in the paper (Scaman, Bach,
    Bubeck, Lee, Massoulie 2018, arXiv:1806.00291, the multi-step primal-dual algorithm; its eta is
    n s and its y is y/n here). Chambolle and Pock's step in the outer loop, M subgradient steps of
    its strongly convex subproblem within. A step is one subgradient; K rounds of messages every M
    steps. The models are the means of x_1, ..., x_k.

    Attributes:
        step_rule: \rho = \gamma_t [x^2 / f].
        topology: the graph whose Laplacian W is.
        period: M, subgradients between two exchanges.

    Raises:
        ValueError: period < 1.
    """

    step_rule: Stepsize
    topology: StaticTopology
    period: int

    @property
    def name(self) -> str:
        return f"MSPD, {self.topology.name}, M={self.period}"

    def init(self, x0: Tensor, context: RunContext) -> MSPDState:
        check_size(self.topology, context)
        x = context.rows(x0, len(context.network.workers))
        return MSPDState(x, x, x, torch.zeros_like(x), x)

    def step(self, state: MSPDState, t: int, context: RunContext) -> MSPDState:
        k, m = divmod(t, self.period)
        s = self.primal_step(t - m)
        if m == 0:
            state = state._replace(y=self._dual(state, s, t, context), inner=state.x)
        g = context.gradient(state.inner, t)
        pulled = state.x + s * (state.y - g)
        inner = m / (m + 2) * state.inner + 2 / (m + 2) * pulled
        if m < self.period - 1:
            return state._replace(inner=inner)
        average = state.average + (inner - state.average) / (k + 1)
        return state._replace(inner=inner, x=inner, before=state.x, average=average)

    def primal_step(self, t: int) -> float:
        """s of the outer step that begins at step t [x^2 / f]."""
        c = shrinkage(self.laplacian.gamma, self.laplacian.degree)
        return self.step_rule(t) * (1 - c) / (1 + c)

    def _dual(self, state: MSPDState, s: float, t: int, context: RunContext) -> Tensor:
        """Duals after an exchange of 2 x_k - x_{k-1}."""
        w = self.laplacian
        c = shrinkage(w.gamma, w.degree)
        ahead = 2 * state.x - state.before
        incoming = accelerated_gossip(ahead, multiplier(w, t, context), w.gamma, w.degree)
        return state.y - (1 + c**2) / (1 + c) ** 2 / s * incoming

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        rows = inner, x, before, y, _ = tuple(Register() for _ in range(5))
        new = Register()
        first, rest = self._exchange_on_rows(inner, x, before, y), self._descent_on_rows(new, rows)
        last, swaps = self._end_on_rows(new, rows), ((inner, new),)
        programs = tuple(
            Program((*(first if begins else ()), *rest, *(last if ends else ())), swaps)
            for begins in (False, True) for ends in (False, True)
        )  # fmt: skip
        h = self.period
        plan = NeighbourPlan(
            rows, programs, FixedLists((self.laplacian.neighbours,), lambda _: 0),
            drawn_gradient(context),
            program=lambda s: 2 * int(s % h == 0) + int(s % h == h - 1),
        )  # fmt: skip
        return neighbour_block(context, t, plan)

    def _exchange_on_rows(
        self, inner: Register, x: Register, before: Register, y: Register
    ) -> tuple[Operation, ...]:
        w, ahead, incoming = self.laplacian, Register(), Register()
        c = shrinkage(w.gamma, w.degree)
        return (
            blend(ahead, 2.0, x, -1.0, before),
            *gossip_on_rows(incoming, ahead, w.gamma, w.degree),
            plus_scaled(
                y, y, lambda s: -((1 + c**2) / (1 + c) ** 2 / self.primal_step(s)), incoming
            ),
            copy(inner, x),
        )

    def _descent_on_rows(self, new: Register, rows: tuple[Register, ...]) -> tuple[Operation, ...]:
        inner, x, _, y, _ = rows
        g, apart, pulled, h = Register(), Register(), Register(), self.period
        return (
            gradient(g, inner),
            subtract(apart, y, g),
            plus_scaled(pulled, x, lambda s: self.primal_step(s - s % h), apart),
            blend(new, lambda s: s % h / (s % h + 2), inner, lambda s: 2 / (s % h + 2), pulled),
        )

    def _end_on_rows(self, new: Register, rows: tuple[Register, ...]) -> tuple[Operation, ...]:
        _, x, before, _, average = rows
        apart, share, h = Register(), Register(), self.period
        return (
            subtract(apart, new, average),
            divide(share, apart, lambda s: s // h + 1),
            plus_scaled(average, average, 1.0, share),
            copy(before, x),
            copy(x, new),
        )

    def models(self, state: MSPDState) -> Tensor:
        return state.average
