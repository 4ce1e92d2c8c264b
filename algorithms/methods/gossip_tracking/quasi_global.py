"""Quasi-global momentum: each worker's momentum follows how its mixed model moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.kernels.scaled_sum import add_scaled
from algorithms.methods.base import Method, RunContext
from algorithms.methods.parts.checks import check_size
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.gradients import drawn_gradient
from algorithms.pipeline.links import FixedLists
from algorithms.pipeline.neighbours import NeighbourPlan, neighbour_block
from algorithms.pipeline.row_programs import (
    Program,
    blend,
    copy,
    gradient,
    mixed,
    plus_scaled,
    registers,
    scale,
    subtract,
)
from algorithms.problems.base import Problem
from algorithms.topologies.base import Topology
from theory.constants import Constants
from theory.stepsizes import Stepsize


class QuasiGlobalState(NamedTuple):
    """Models and momenta.

    Attributes:
        x: the models ``[..., m, d]``.
        m: the momenta ``[..., m, d]`` [f / x], at the start 0.
    """

    x: Tensor
    m: Tensor


@final
@dataclass(frozen=True)
class QuasiGlobalMomentum(Method[QuasiGlobalState]):
    r"""x^{t+1} = W (x^t - \gamma_t (\beta m^t + g^t)),
    m^{t+1} = \beta m^t + (1 - \beta)(x^t - x^{t+1}) / \gamma_t. (Lin, Karimireddy, Stich, Jaggi
    2021, arXiv:2102.04761, Algorithm 1.)

    One vector a link: momentum is read off the mixed models, so that workers of different data
    have nearly the same one. Not exact: its floor is that of D-PSGD in order, below that of
    momentum kept alone. \beta = 0 is D-PSGD that adapts first.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        topology: the graph and its mixing matrices W, which may change with time.
        momentum: \beta in [0, 1).

    Raises:
        ValueError: momentum outside [0, 1).
    """

    step_rule: Stepsize
    topology: Topology
    momentum: float = 0.9

    def __post_init__(self) -> None:
        if not 0 <= self.momentum < 1:
            raise ValueError(f"momentum must lie in [0, 1), got {self.momentum}; 0.9 would do")

    @property
    def name(self) -> str:
        return f"quasi-global momentum(beta={self.momentum:g}), {self.topology.name}"

    def constants(self, problem: Problem) -> Constants:
        own = Constants().state(momentum=self.momentum)
        return problem.constants().merge(self.topology.each_step()).merge(own)

    def init(self, x0: Tensor, context: RunContext) -> QuasiGlobalState:
        check_size(self.topology, context)
        x = context.rows(x0, len(context.network.workers))
        return QuasiGlobalState(x, torch.zeros_like(x))

    def step(self, state: QuasiGlobalState, t: int, context: RunContext) -> QuasiGlobalState:
        gamma, g = self.step_rule(t), context.gradient(state.x, t)
        half = add_scaled(state.x, -gamma, self.momentum * state.m + g)
        x = context.mixed(half, self.topology.neighbours(t), t)
        moved = (1 - self.momentum) / gamma * (state.x - x)
        return QuasiGlobalState(x, self.momentum * state.m + moved)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        x, m, g, half, old = registers(5)
        step = Program((
            gradient(g, x),
            blend(g, self.momentum, m, 1.0, g),
            plus_scaled(half, x, lambda s: -self.step_rule(s), g),
            copy(old, x),
            mixed(x, half),
            subtract(old, old, x),
            scale(old, lambda s: (1 - self.momentum) / self.step_rule(s), old),
            blend(m, self.momentum, m, 1.0, old),
        ))  # fmt: skip
        links = FixedLists.from_topology(self.topology)
        plan = NeighbourPlan((x, m), (step,), links, drawn_gradient(context))
        return neighbour_block(context, t, plan)

    def models(self, state: QuasiGlobalState) -> Tensor:
        return state.x
