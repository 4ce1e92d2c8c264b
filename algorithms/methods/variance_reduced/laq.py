"""LAQ: lazily aggregated quantised gradients (Sun, Chen, Giannakis, Yang 2019, 1909.07588)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar, NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.compressors.nearest_grid import NearestGrid
from algorithms.core.decays import require_decay
from algorithms.methods.base import Method, RunContext
from algorithms.methods.variance_reduced.laq_block import LaqBlock
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.rounds import rounds_block
from algorithms.problems.base import Problem
from algorithms.synchronisation.lazy import above, square
from theory.constants import Constants
from theory.stepsizes import Stepsize


class LAQState(NamedTuple):
    """Model ``[..., 1, d]``; each worker's last sent gradient ``[..., m, d]``, its squared
    quantisation error and its silence in steps ``[..., m]``; the server's mean of the last sent
    gradients ``[..., 1, d]`` and the last squared moves ``[..., 1, memory]``.

    Attributes:
        x: the model ``[..., 1, d]``.
        silent: steps since each worker's last message ``[..., m]``.
    """

    x: Tensor
    sent: Tensor
    error: Tensor
    silent: Tensor
    mean: Tensor
    moves: Tensor


@final
@dataclass(frozen=True)
class LAQ(Method[LAQState]):
    r"""A worker sends its quantised innovation only where that is large enough (Algorithm 2).

    \delta_i = Q(g_i - q_i), q_i the gradient it sent last. It stays silent while \|\delta_i\|^2 <=
    \frac{1}{\gamma^2} \sum_{k<D} \xi \|x_{t-k} - x_{t-k-1}\|^2 + 3(\|\epsilon_i\|^2 +
    \|\hat\epsilon_i\|^2) (Eq. 7a, in the convention of means), \epsilon the quantisation errors of
    now and of its last message, and fewer than ``patience`` steps have passed (Eq. 7b). The server
    steps with the mean of the last sent gradients.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        compressor: Q, of the innovations.
        memory: what a sender remembers of what it did not send.
        weight: the sum of the D weights \xi, in [0, 1).

    Raises:
        ValueError: memory or patience below 1, or weight outside [0, 1).
    """

    step_rule: Stepsize
    compressor: Compressor = field(default_factory=NearestGrid)
    memory: int = 10
    weight: float = 0.8
    patience: int = 100

    shared_model: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name in ("memory", "patience"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {name}={getattr(self, name)}")
        require_decay("weight", self.weight)

    @property
    def name(self) -> str:
        return f"LAQ({self.compressor.name}, weight {self.weight:g} over {self.memory} moves)"

    def constants(self, problem: Problem) -> Constants:
        return problem.constants()

    def init(self, x0: Tensor, context: RunContext) -> LAQState:
        x, mine = context.rows(x0, 1), context.rows(x0, len(context.network.workers))
        silent = torch.full(mine.shape[:-1], self.patience, device=x0.device)  # all send at first
        moves = x.new_zeros((*x.shape[:-1], self.memory))
        return LAQState(
            x, torch.zeros_like(mine), mine.new_zeros(mine.shape[:-1]), silent,
            torch.zeros_like(x), moves,
        )  # fmt: skip

    def step(self, state: LAQState, t: int, context: RunContext) -> LAQState:
        gamma = self.step_rule(t)
        innovation = context.gradient(state.x, t) - state.sent
        packet = context.pack(self.compressor.at_step(t), innovation, t)
        quantised = packet.own(context.network.workers)
        error = square(quantised - innovation)
        past = state.moves
        sends = self._sends(square(quantised), error, state, gamma)
        mean, own = context.network.average(replace(packet, sends=sends))
        mean = state.mean + mean
        x = context.published(state.x - gamma * mean, t)
        moves = torch.cat((past[..., 1:], square(x - state.x)[..., None]), -1)
        return LAQState(
            x,
            state.sent + own,
            torch.where(sends, error, state.error),
            torch.where(sends, 0, state.silent + 1),
            mean,
            moves,
        )

    def _sends(self, change: Tensor, error: Tensor, state: LAQState, gamma: float) -> Tensor:
        """Mask of the senders, ``[..., m]``."""
        recent = torch.zeros_like(state.moves[..., 0])
        for k in range(self.memory):
            recent = recent + state.moves[..., k]
        allowed = self.weight / self.memory * recent / gamma**2 + 3 * (error + state.error)
        return above(change, allowed) | (state.silent >= self.patience)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        return rounds_block(LaqBlock, context, t, self)

    def models(self, state: LAQState) -> Tensor:
        return state.x
