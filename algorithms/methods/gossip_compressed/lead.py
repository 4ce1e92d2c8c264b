"""LEAD and CEDAS: exact diffusion by one compressed difference a step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.kernels.scaled_sum import add_scaled
from algorithms.methods.base import Method, RunContext
from algorithms.methods.parts.checks import check_size, check_symmetric
from algorithms.methods.parts.constants import operator_constants
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.gradients import drawn_gradient
from algorithms.pipeline.links import FixedLists
from algorithms.pipeline.neighbours import NeighbourPlan, neighbour_block
from algorithms.pipeline.row_programs import (
    Program,
    add,
    gradient,
    mixed,
    plus_scaled,
    registers,
    sent,
    subtract,
)
from algorithms.problems.base import Problem
from algorithms.topologies.base import Topology
from theory.constants import Constants
from theory.stepsizes import Stepsize


class LEADState(NamedTuple):
    """Models, dual variables, and public copies with the sums over neighbours.

    Attributes:
        x: the models ``[..., m, d]``.
        dual: D ``[..., m, d]``, of CEDAS times the stepsizes [x], else [f / x]; its sum over
            workers stays 0.
        public: H ``[..., m, d]``.
        around: W H ``[..., m, d]``.
    """

    x: Tensor
    dual: Tensor
    public: Tensor
    around: Tensor


@final
@dataclass(frozen=True)
class LEAD(Method[LEADState]):
    r"""Y = X - \gamma (G + D), q = Q(Y - H), \hat Y = H + q, D^+ = D + (c / 2 \gamma) (I - W)
    \hat Y, H^+ = H + \alpha q, X^+ = X - \gamma (G + D^+). (Liu, Li, Wang, Tang, Yan 2020,
    arXiv:2007.00232, Algorithm 1.)

    Workers keep W H up to date by what they hear, so W must not change. sum D = 0 always, so the
    mean makes gradient steps whatever Q. With Q the identity and c = \alpha = 1 it is exact
    diffusion. H^0 = X^0, which all know.

    CEDAS keeps \gamma D (``steps_in_dual``): Y = X - \gamma G - D, D^+ = D + (c / 2)(I - W) \hat Y,
    X^+ = X - \gamma G - D^+ (Huang, Pu 2023, arXiv:2301.05872, recalled). At a constant stepsize it
    is LEAD; with Q the identity and c = 1 it is exact diffusion while stepsizes fall too, which
    LEAD is not: its old forces are weighed by the new stepsize.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        topology: the graph and its mixing matrix W, symmetric and the same at all steps.
        compressor: the operator Q, unbiased.
        consensus_step: c, of the order of 1 / (1 + omega).
        copy_rate: \alpha in (0, 1], at most 1 / (1 + omega) in its theory.

    Raises:
        ValueError: a topology that changes with time or is not symmetric, consensus_step or
            copy_rate outside (0, 1].
    """

    step_rule: Stepsize
    topology: Topology
    compressor: Compressor
    consensus_step: float
    copy_rate: float
    steps_in_dual: bool = False

    def __post_init__(self) -> None:
        check_symmetric(self.topology, self.title)
        for name, value in (("consensus_step", self.consensus_step), ("copy_rate", self.copy_rate)):
            if not 0 < value <= 1:
                raise ValueError(f"{name} must lie in (0, 1], got {name}={value}; 0.5 would do")

    @property
    def title(self) -> str:
        """LEAD, or CEDAS where the dual has the stepsizes in it."""
        return "CEDAS" if self.steps_in_dual else "LEAD"

    @property
    def name(self) -> str:
        c = self.consensus_step
        return f"{self.title}, {self.topology.name}, {self.compressor.name}, c={c:.3g}"

    def constants(self, problem: Problem) -> Constants:
        own = operator_constants(self.compressor, problem.d)
        own = own.state(consensus_step=self.consensus_step)
        return problem.constants().merge(self.topology.constants()).merge(own)

    def init(self, x0: Tensor, context: RunContext) -> LEADState:
        check_size(self.topology, context)
        x = context.rows(x0, len(context.network.workers))
        return LEADState(x, torch.zeros_like(x), x, x)

    def step(self, state: LEADState, t: int, context: RunContext) -> LEADState:
        gamma = self.step_rule(t)
        share = 1.0 if self.steps_in_dual else gamma
        descended = add_scaled(state.x, -gamma, context.gradient(state.x, t))
        y = add_scaled(descended, -share, state.dual)
        packet = context.pack(self.compressor.at_step(t), y - state.public, t)
        incoming, own = context.network.mix(packet, self.topology.neighbours(0))
        apart = (state.public + own) - (state.around + incoming)
        dual = add_scaled(state.dual, self.consensus_step / (2 * share), apart)
        public = add_scaled(state.public, self.copy_rate, own)
        around = add_scaled(state.around, self.copy_rate, incoming)
        return LEADState(add_scaled(descended, -share, dual), dual, public, around)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        x, dual, public, around, g, y, said, incoming, apart = registers(9)

        def share(s: int) -> float:
            return 1.0 if self.steps_in_dual else self.step_rule(s)

        step = Program((
            gradient(g, x),
            plus_scaled(x, x, lambda s: -self.step_rule(s), g),
            plus_scaled(y, x, lambda s: -share(s), dual),
            subtract(y, y, public),
            sent(said, y),
            mixed(incoming, said),
            add(apart, public, said),
            add(y, around, incoming),
            subtract(apart, apart, y),
            plus_scaled(dual, dual, lambda s: self.consensus_step / (2 * share(s)), apart),
            plus_scaled(public, public, self.copy_rate, said),
            plus_scaled(around, around, self.copy_rate, incoming),
            plus_scaled(x, x, lambda s: -share(s), dual),
        ))  # fmt: skip
        plan = NeighbourPlan(
            (x, dual, public, around), (step,), FixedLists.from_topology(self.topology),
            drawn_gradient(context), self.compressor,
        )  # fmt: skip
        return neighbour_block(context, t, plan)

    def models(self, state: LEADState) -> Tensor:
        return state.x
