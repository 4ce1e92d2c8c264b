"""FedNova (Wang, Liu, Liang, Joshi, Poor 2020, arXiv:2007.07481)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.core.decays import require_decay
from algorithms.kernels.devices import put
from algorithms.methods.base import Method, RunContext
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.gradients import drawn_gradient
from algorithms.pipeline.masks import known
from algorithms.pipeline.neighbours import NeighbourPlan, neighbour_block
from algorithms.pipeline.row_programs import (
    Program,
    blend,
    choose,
    copy,
    gathered,
    gradient,
    plus_scaled,
    registers,
    subtract,
    told,
    weighed,
    zero,
)
from algorithms.problems.base import Problem, require_int
from theory.constants import Constants
from theory.stepsizes import Stepsize


def accumulated_weight(steps: int, momentum: float) -> float:
    r"""\|a_i\|_1, the sum of the weights that the gradients of \tau = ``steps`` local steps have in
    the local change: \tau without momentum; with local momentum m, which is reset in every
    communication round, (\tau - m (1 - m^\tau)/(1 - m))/(1 - m)."""
    if momentum == 0:
        return float(steps)
    m = momentum
    return (steps - m * (1 - m**steps) / (1 - m)) / (1 - m)


class FedNovaState(NamedTuple):
    """Local models and velocities ``[..., m, d]``; the server's model ``[..., 1, d]``.

    Attributes:
        x: the local models ``[..., m, d]``.
        velocity: u_i of this round ``[..., m, d]``.
        anchor: x, that all began the round from ``[..., 1, d]``.
    """

    x: Tensor
    velocity: Tensor
    anchor: Tensor


@final
@dataclass(frozen=True)
class FedNova(Method[FedNovaState]):
    r"""Worker i takes \tau_i steps u_i = m u_i + g_i, y_i -= \eta u_i from x, then
    x -= \tau_{eff} \frac1n \sum_i (x - y_i)/\|a_i\|_1 with \tau_{eff} = \frac1n \sum_i \|a_i\|_1.

    \|a_i\|_1 sums the weights of worker i's gradients (:func:`accumulated_weight`; Section 4). The
    method leaves \tau_{eff} free: it scales the server's step. The mean of the \|a_i\|_1 is taken,
    not \sum_i p_i \tau_i, so that with equal \tau_i it is local SGD with momentum too; without
    momentum the two are one. A round has as many steps as the busiest worker takes; the others
    wait, and their gradients are not used. Equal \tau_i, or ``normalised`` = False: FedAvg with
    steps of every worker's own. As \eta falls the limit is the minimiser, where FedAvg's is that of
    f weighted by the \tau_i.

    Attributes:
        step_rule: the local stepsizes \eta_t [x^2 / f] by step t.
        local_steps: \tau_i, steps of each worker in a round ``[n]``.
        momentum: m of the local steps.

    Raises:
        ValueError: no workers, one with less than one step, or momentum outside [0, 1).
    """

    step_rule: Stepsize
    local_steps: tuple[int, ...]
    momentum: float = 0.0
    normalised: bool = True

    def __post_init__(self) -> None:
        if not self.local_steps:
            raise ValueError("local_steps must hold one number for every worker, got none")
        for i, steps in enumerate(self.local_steps):
            require_int(f"local_steps[{i}]", steps, 1)
        require_decay("momentum", self.momentum)

    @property
    def period(self) -> int:
        """Steps of a round: the most that a worker takes."""
        return max(self.local_steps)

    @property
    def name(self) -> str:
        kind = "FedNova" if self.normalised else "FedAvg"
        few, most = min(self.local_steps), self.period
        steps = f"{most} local steps" if few == most else f"{few} to {most} local steps"
        return f"{kind}, {steps}" + (f", m={self.momentum:g}" if self.momentum else "")

    def constants(self, problem: Problem) -> Constants:
        return problem.constants()  # without H: theorems on local SGD are about equal steps

    def init(self, x0: Tensor, context: RunContext) -> FedNovaState:
        if len(self.local_steps) != context.network.n:
            raise ValueError(
                f"local_steps must hold n={context.network.n} numbers, got "
                f"{len(self.local_steps)}: local_steps={self.local_steps}"
            )
        x = context.rows(x0, len(context.network.workers))
        return FedNovaState(x, torch.zeros_like(x), context.rows(x0, 1))

    def step(self, state: FedNovaState, t: int, context: RunContext) -> FedNovaState:
        state = self.alone(state, t, context)
        return state if (t + 1) % self.period else self.meet(state, t, context)

    def alone(self, state: FedNovaState, t: int, context: RunContext) -> FedNovaState:
        """The state after the local step t, before any meeting."""
        g = context.gradient(state.x, t)
        velocity = self.momentum * state.velocity + g if self.momentum else g
        steps = self._of_workers(self.local_steps, context, torch.int64)
        going = t % self.period < steps
        x = torch.where(going, state.x - self.step_rule(t) * velocity, state.x)
        return state._replace(x=x, velocity=velocity)

    def weights(self) -> tuple[float, ...]:
        r"""Factors ``[n]`` that the workers' changes enter the mean with: \tau_{eff}/\|a_i\|_1."""
        if not self.normalised:
            return (1.0,) * len(self.local_steps)
        own = [accumulated_weight(steps, self.momentum) for steps in self.local_steps]
        effective = sum(own) / len(own)
        return tuple(effective / one for one in own)

    def meet(self, state: FedNovaState, t: int, context: RunContext) -> FedNovaState:
        """The state after the meeting that follows step t."""
        weights = self._of_workers(self.weights(), context, state.x.dtype)
        moved = weights * (state.anchor - state.x)
        mean, _ = context.network.average(context.pack(Identity(), moved, t))
        anchor = context.published(state.anchor - mean, t)
        x = anchor.expand_as(state.x).contiguous()
        return FedNovaState(x, torch.zeros_like(state.velocity), anchor)

    @staticmethod
    def _of_workers(values: tuple[float, ...], context: RunContext, dtype: torch.dtype) -> Tensor:
        """The values of the workers held here ``[m, 1]``."""
        held = context.network.held
        return put(torch.tensor(values[held], dtype=dtype), context.network.workers.device)[:, None]

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        x, velocity, g, new, moved = registers(5)
        anchor, mean = registers(2, lone=True)
        steps, weights = np.array(self.local_steps), np.array(self.weights())
        alone = (
            gradient(g, x),
            blend(velocity, self.momentum, velocity, 1.0, g)
            if self.momentum
            else copy(velocity, g),
            plus_scaled(new, x, lambda s: -self.step_rule(s), velocity),
            choose(x, 0, new, x),
        )
        meeting = (
            subtract(moved, anchor, x),
            weighed(moved, moved),
            gathered(mean, moved),
            subtract(anchor, anchor, mean),
            told(),
            copy(x, anchor),
            zero(velocity),
        )
        plan = NeighbourPlan(
            (x, velocity, anchor), (Program(alone), Program((*alone, *meeting))), None,
            drawn_gradient(context), program=lambda s: int((s + 1) % self.period == 0),
            own=lambda _: weights, masks=(known(lambda s: s % self.period < steps),),
        )  # fmt: skip
        return neighbour_block(context, t, plan)

    def models(self, state: FedNovaState) -> Tensor:
        return state.x
