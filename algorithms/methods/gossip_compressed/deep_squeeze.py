"""DeepSqueeze: gossip of compressed models, the error of a message added to the next one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.kernels.scaled_sum import add_scaled
from algorithms.methods.base import Method, RunContext
from algorithms.methods.parts.checks import check_size
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


class DeepSqueezeState(NamedTuple):
    """Models and the errors of the last messages.

    Attributes:
        x: the models ``[..., m, d]``.
        e: what the last messages left out ``[..., m, d]``.
    """

    x: Tensor
    e: Tensor


@final
@dataclass(frozen=True)
class DeepSqueeze(Method[DeepSqueezeState]):
    r"""v = x - \gamma g + e, q = C(v), e^+ = v - q, x^+ = x - \gamma g + \eta (W - I) q. (Tang,
    Lian, Qiu, Yuan, Zhang, Zhang, Liu 2019, arXiv:1907.07346, Algorithm 1.)

    One compressed message a link and step, of a model and not of a difference; no memory of
    neighbours, so that W may change. The mean makes gradient steps whatever C. With C the identity
    it is D-PSGD on I + \eta (W - I) that adapts before it combines.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        topology: the graph and its mixing matrices W.
        compressor: the operator C, any contraction.
        consensus_step: \eta in (0, 1], small where C leaves out much.

    Raises:
        ValueError: consensus_step outside (0, 1].
    """

    step_rule: Stepsize
    topology: Topology
    compressor: Compressor
    consensus_step: float

    def __post_init__(self) -> None:
        if not 0 < self.consensus_step <= 1:
            raise ValueError(
                f"consensus_step must lie in (0, 1], got consensus_step={self.consensus_step}; "
                "0.1 would do"
            )

    @property
    def name(self) -> str:
        eta = self.consensus_step
        return f"DeepSqueeze, {self.topology.name}, {self.compressor.name}, eta={eta:g}"

    def constants(self, problem: Problem) -> Constants:
        own = operator_constants(self.compressor, problem.d)
        own = own.state(consensus_step=self.consensus_step)
        return problem.constants().merge(self.topology.each_step()).merge(own)

    def init(self, x0: Tensor, context: RunContext) -> DeepSqueezeState:
        check_size(self.topology, context)
        x = context.rows(x0, len(context.network.workers))
        return DeepSqueezeState(x, torch.zeros_like(x))

    def step(self, state: DeepSqueezeState, t: int, context: RunContext) -> DeepSqueezeState:
        descended = add_scaled(state.x, -self.step_rule(t), context.gradient(state.x, t))
        v = descended + state.e
        packet = context.pack(self.compressor.at_step(t), v, t)
        incoming, own = context.network.mix(packet, self.topology.neighbours(t))
        x = add_scaled(descended, self.consensus_step, incoming - own)
        return DeepSqueezeState(x, v - own)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        x, e, g, v, said, incoming = registers(6)
        step = Program((
            gradient(g, x),
            plus_scaled(x, x, lambda s: -self.step_rule(s), g),
            add(v, x, e),
            sent(said, v),
            subtract(e, v, said),
            mixed(incoming, said),
            subtract(incoming, incoming, said),
            plus_scaled(x, x, self.consensus_step, incoming),
        ))  # fmt: skip
        plan = NeighbourPlan(
            (x, e), (step,), FixedLists.from_topology(self.topology), drawn_gradient(context),
            self.compressor,
        )  # fmt: skip
        return neighbour_block(context, t, plan)

    def models(self, state: DeepSqueezeState) -> Tensor:
        return state.x
