"""LAG: lazily aggregated gradients (Chen, Giannakis, Sun, Yin 2018, arXiv:1805.09965)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.methods.base import Method, RunContext
from algorithms.methods.lazy.lag_block import LagBlock
from algorithms.methods.parts.gradients import Full, Sampled
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.rounds import rounds_block
from algorithms.problems.base import Problem
from algorithms.synchronisation.lazy import (
    AllSend,
    Opening,
    Trigger,
    View,
    WorkerRule,
    square,
)
from theory.constants import Constants
from theory.stepsizes import Stepsize


class LAGState(NamedTuple):
    """Model ``[..., 1, d]``; each worker's stored gradient ``[..., m, d]``; the server's mean of
    them ``[..., 1, d]``, the models that they received last, and the server's last
    squared moves ``[..., 1, D]``, newest first.

    Attributes:
        x: the model ``[..., 1, d]``.
        incoming: the models that workers received last ``[..., n, d]``.
    """

    x: Tensor
    stored: Tensor
    mean: Tensor
    incoming: Tensor
    moves: Tensor


@final
@dataclass(frozen=True)
class LAG(Method[LAGState]):
    r"""Workers whose gradient changed little leave the server with the old one (Algorithms 1, 2).

    \hat g_{t} = \hat g_{t-1} + \frac1n \sum_{i \in M_t} (\nabla f_i(x_t) - \nabla f_i(\hat x_i)),
    x_{t+1} = x_t - \gamma \hat g_t, and \hat x_i = x_t for i in M_t. The allowance is
    \frac{1}{\gamma^2} \sum_{k=1}^{D} \xi_k \|x_{t+1-k} - x_{t-k}\|^2: Eq. 15's 1/(\alpha n)^2, for
    \gamma = n \alpha steps along the mean, not the sum. ``weights`` are the xi, D of them; zero
    weights are gradient descent. Gradients are full where ``full``, else stochastic; here those of
    workers who stay silent are computed all the same.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        trigger: the rule by which a worker speaks, its own or the server's.
        opening: what the server starts from, and who speaks at first.

    Raises:
        ValueError: no weight, or one that is negative or not finite.
    """

    step_rule: Stepsize
    trigger: Trigger = field(default_factory=WorkerRule)
    weights: tuple[float, ...] = (0.1,) * 10
    opening: Opening = field(default_factory=AllSend)
    full: bool = True

    shared_model: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not self.weights or not all(0 <= w < math.inf for w in self.weights):
            raise ValueError(
                f"weights must be D >= 1 finite numbers >= 0, got weights={self.weights}"
            )

    @property
    def name(self) -> str:
        kind = "" if self.full else ", stochastic gradients"
        return (
            f"LAG({type(self.trigger).__name__}, weights {sum(self.weights):g} over "
            f"{len(self.weights)} moves{kind})"
        )

    def constants(self, problem: Problem) -> Constants:
        stated = problem.constants().state(lazy=sum(self.weights), lazy_window=len(self.weights))
        return stated.state(sigma2=0.0) if self.full else stated

    def init(self, x0: Tensor, context: RunContext) -> LAGState:
        x, n = context.rows(x0, 1), context.network.n
        stored = torch.full_like(context.rows(x0, len(context.network.workers)), self.opening.value)
        moves = x.new_zeros((*x.shape[:-1], len(self.weights)))
        return LAGState(
            x, stored, torch.full_like(x, self.opening.value), context.rows(x0, n), moves
        )

    def step(self, state: LAGState, t: int, context: RunContext) -> LAGState:
        gamma, network = self.step_rule(t), context.network
        allowed, speak = self.allowed(state.moves, gamma), self.opening.forced(t)
        view = View(t, state.x, state.incoming, allowed)
        asked = self.trigger.asks(view) if speak is None else self.trigger.forces(view, speak)
        held = network.workers
        now = context.broadcast(state.x, asked, t)
        read = torch.where(asked[..., held, None], now, state.incoming[..., held, :])
        change = self._gradient(read, t, context) - state.stored
        large = self.trigger.sends(change, allowed) if speak is None else speak
        sends = asked[..., held] & large
        mean, own = network.average(context.pack(Identity(), change, t, sends=sends))
        total = state.mean + mean
        x = state.x - gamma * total
        moves = torch.cat((square(x - state.x)[..., None], state.moves[..., :-1]), -1)
        incoming = torch.where(asked[..., None], state.x, state.incoming)
        return LAGState(x, state.stored + own, total, incoming, moves)

    def allowed(self, moves: Tensor, gamma: float) -> Tensor:
        """The allowance ``[..., 1]`` after ``moves`` ``[..., 1, D]``, newest first."""
        recent = torch.zeros_like(moves[..., 0])
        for k, weight in enumerate(self.weights):
            recent = recent + weight * moves[..., k]
        return recent / gamma**2

    def _gradient(self, x: Tensor, t: int, context: RunContext) -> Tensor:
        if not self.full:
            return context.gradient(x, t)
        return context.checked(context.problem.full_gradient(x, context.network.workers), t)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        source = Full() if self.full else Sampled()
        gradient = source.row_kernel(context)
        return gradient and rounds_block(LagBlock, context, t, self, gradient)

    def models(self, state: LAGState) -> Tensor:
        return state.x
