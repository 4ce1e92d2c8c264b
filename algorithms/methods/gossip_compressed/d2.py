"""D-squared: gossip SGD whose fixed point does not depend on how the data are spread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

from torch import Tensor

from algorithms.kernels.scaled_sum import add_scaled
from algorithms.methods.base import Method, RunContext
from algorithms.methods.parts.checks import check_size, check_spectrum, check_symmetric
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.gradients import drawn_gradient
from algorithms.pipeline.links import FixedLists
from algorithms.pipeline.neighbours import NeighbourPlan, neighbour_block
from algorithms.pipeline.row_programs import (
    Program,
    Register,
    add,
    copy,
    gradient,
    mixed,
    plus_scaled,
    subtract,
)
from algorithms.problems.base import Problem
from algorithms.topologies.base import Topology
from theory.constants import Constants
from theory.stepsizes import Stepsize


class D2State(NamedTuple):
    r"""Models x^t, and where the last step came from: x^{t-1} - gamma_{t-1} g^{t-1}.

    Attributes:
        before: x^{t-1} - \gamma_{t-1} g^{t-1} ``[..., m, d]``.
    """

    x: Tensor
    before: Tensor


@final
@dataclass(frozen=True)
class D2(Method[D2State]):
    r"""X^1 = W (X^0 - \gamma_0 G^0), then
    X^{t+1} = W (2 X^t - X^{t-1} - \gamma_t G^t + \gamma_{t-1} G^{t-1}).
    (Tang, Lian, Yan, Zhang, Liu 2018, arXiv:1803.07068, Algorithm 1; there with one \gamma.)

    Each gradient keeps the stepsize it was first used with, so the mean over workers makes exactly
    \bar x^{t+1} = \bar x^t - \gamma_t \bar g^t whatever the rule. W must be symmetric, the same at
    all steps, and have no eigenvalue at -1/3 or below: there z^2 - 2 \lambda z + \lambda, the mode
    of small stepsizes, has a root at or beyond -1. ``allow_unstable`` lets such a W pass, to look
    at the limit itself.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        topology: the graph and its mixing matrix W, symmetric and the same at all steps.

    Raises:
        ValueError: a topology that changes with time, is not symmetric, or has lambda_n <= -1/3.
    """

    step_rule: Stepsize
    topology: Topology
    allow_unstable: bool = False

    def __post_init__(self) -> None:
        if self.allow_unstable:
            check_symmetric(self.topology, "D-squared")
        else:
            check_spectrum(self.topology, "D-squared")

    @property
    def name(self) -> str:
        return f"D-squared, {self.topology.name}"

    def constants(self, problem: Problem) -> Constants:
        return problem.constants().merge(self.topology.constants())

    def init(self, x0: Tensor, context: RunContext) -> D2State:
        check_size(self.topology, context)
        x = context.rows(x0, len(context.network.workers))
        return D2State(x, x)

    def step(self, state: D2State, t: int, context: RunContext) -> D2State:
        descended = add_scaled(state.x, -self.step_rule(t), context.gradient(state.x, t))
        ahead = descended + (state.x - state.before)
        return D2State(context.mixed(ahead, self.topology.neighbours(0), t), descended)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        x, before, g, descended, moved, ahead = (
            Register(),
            Register(),
            Register(),
            Register(),
            Register(),
            Register(),
        )
        step = Program(
            (
                gradient(g, x),
                plus_scaled(descended, x, lambda s: -self.step_rule(s), g),
                subtract(moved, x, before),
                add(ahead, descended, moved),
                copy(before, descended),
                mixed(x, ahead),
            )
        )
        drawn, links = drawn_gradient(context), FixedLists.from_topology(self.topology)
        return neighbour_block(context, t, NeighbourPlan((x, before), (step,), links, drawn))

    def models(self, state: D2State) -> Tensor:
        return state.x
