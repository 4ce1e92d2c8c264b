"""DIANA (Mishchenko, Gorbunov, Takac, Richtarik 2019, arXiv:1901.09269)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.core.decays import require_decay
from algorithms.methods.base import Method, RunContext
from algorithms.methods.parts.constants import operator_constants
from algorithms.methods.variance_reduced.diana_block import DianaBlock
from algorithms.optimizers.proximal import NoProximal, Proximal
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.rounds import rounds_block
from algorithms.problems.base import Problem
from theory.constants import Constants, Kind, Statement
from theory.stepsizes import Stepsize


class DianaState(NamedTuple):
    """The server's model, shift and velocity ``[..., 1, d]``; workers' shifts ``[..., m, d]``.

    Attributes:
        x: the server's model ``[..., 1, d]``.
    """

    x: Tensor
    shifts: Tensor
    shift: Tensor
    velocity: Tensor


@final
@dataclass(frozen=True)
class Diana(Method[DianaState]):
    r"""Workers send compressed differences to shifts that learn the gradients at the optimum.

    \Delta_i = Q(g_i - h_i), h_i += \alpha \Delta_i; \hat g = h + mean \Delta_i, h += \alpha mean
    \Delta_i; v = \beta v + \hat g; x = prox_{\gamma R}(x - \gamma v) (Algorithm 1; beta = 0 without
    momentum). All shifts start at 0. ``alpha`` defaults to 1/(1 + omega). With alpha = 0 it is
    compressed SGD, which stalls where the workers' gradients do not vanish together.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        compressor: Q, unbiased.
        proximal: the regulariser R of the objective, known by its proximal map.

    Raises:
        ValueError: alpha or beta outside [0, 1], or beta = 1; an operator that claims no omega.
    """

    step_rule: Stepsize
    compressor: Compressor
    alpha: float | None = None
    beta: float = 0.0
    proximal: Proximal = field(default_factory=NoProximal)

    shared_model: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.alpha is not None and not 0 <= self.alpha <= 1:
            raise ValueError(f"alpha must lie in [0, 1], got alpha={self.alpha}")
        require_decay("beta", self.beta)

    @property
    def name(self) -> str:
        notes = [self.compressor.name]
        notes += [] if self.alpha is None else [f"alpha={self.alpha:g}"]
        notes += [f"momentum {self.beta:g}"] if self.beta else []
        notes += [] if isinstance(self.proximal, NoProximal) else [self.proximal.name]
        return f"DIANA({', '.join(notes)})"

    def shift_step(self, d: int) -> float:
        """alpha, or 1/(1 + omega) in R^d.

        Raises:
            ValueError: the operator claims no omega.
        """
        if self.alpha is not None:
            return self.alpha
        known: dict[int, float | None] = self.__dict__.setdefault("_omegas", {})
        if d not in known:
            known[d] = operator_constants(self.compressor, d).omega
        omega = known[d]
        if omega is None:
            raise ValueError(
                f"{self.compressor.name} claims no omega, so alpha has no default; an unbiased "
                "operator or a stated alpha would do"
            )
        return 1 / (1 + omega)

    def constants(self, problem: Problem) -> Constants:
        known = Statement(Kind.EXACT, "every step", "set by construction")
        own = operator_constants(self.compressor, problem.d)
        stated = problem.constants().merge(own)
        if self.beta or not isinstance(self.proximal, NoProximal):
            return stated  # without alpha: the theorems are about neither form
        return stated.state(known, alpha=self.shift_step(problem.d))

    def init(self, x0: Tensor, context: RunContext) -> DianaState:
        x, rows = context.rows(x0, 1), context.rows(x0, len(context.network.workers))
        return DianaState(x, torch.zeros_like(rows), torch.zeros_like(x), torch.zeros_like(x))

    def step(self, state: DianaState, t: int, context: RunContext) -> DianaState:
        gamma, alpha = self.step_rule(t), self.shift_step(state.x.shape[-1])
        g = context.gradient(state.x, t)
        packet = context.pack(self.compressor.at_step(t), g - state.shifts, t)
        mean, sent = context.network.average(packet)
        velocity = self.beta * state.velocity + (state.shift + mean)
        x = self.proximal.apply(state.x - gamma * velocity, gamma, t)
        return DianaState(
            context.published(x, t),
            state.shifts + alpha * sent,
            state.shift + alpha * mean,
            velocity,
        )

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        return rounds_block(DianaBlock, context, t, self)

    def models(self, state: DianaState) -> Tensor:
        return state.x
