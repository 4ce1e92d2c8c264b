"""Moniqua: gossip of models rounded on a circle, read by how near neighbours are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from torch import Tensor

from algorithms.compressors.circle_grid import CircleGrid
from algorithms.kernels.devices import put
from algorithms.kernels.scaled_sum import add_scaled
from algorithms.methods.base import Method, RunContext
from algorithms.methods.gossip.d_psgd import DPSGDState
from algorithms.methods.parts.checks import check_size
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.gradients import drawn_gradient
from algorithms.pipeline.links import FixedLists
from algorithms.pipeline.neighbours import NeighbourPlan, neighbour_block
from algorithms.pipeline.row_programs import (
    Program,
    gradient,
    mixed_nearest,
    plus_scaled,
    registers,
    sent,
)
from algorithms.problems.base import Problem
from algorithms.topologies.base import Topology
from theory.constants import Constants
from theory.stepsizes import Stepsize


@final
@dataclass(frozen=True)
class Moniqua(Method[DPSGDState]):
    r"""q_j = Q(x_j / B mod 1); i reads \hat x_j, the number nearest to x_i that B q_j stands for,
    and its own \hat x_i in the same way; x_i^+ = x_i + \sum_j W_{ij} (\hat x_j - \hat x_i)
    - \gamma g_i. (Lu, De Sa 2020, arXiv:2002.11787, Algorithm 1.)

    While neighbours are nearer than \theta = B (1/2 - \delta), \delta = 2^{-b-1}, an error is at
    most \delta B whatever the size of the models; beyond, numbers are taken for others without a
    word. No memory beside the model. Sender and reader make the same error of x_i, so that the mean
    makes gradient steps where none is mistaken.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        topology: the graph and its mixing matrices W.
        circle: the operator Q and the length B.

    Raises:
        ValueError: another operator, which cannot be read by how near one is.
    """

    step_rule: Stepsize
    topology: Topology
    circle: CircleGrid

    def __post_init__(self) -> None:
        if not isinstance(self.circle, CircleGrid):
            raise ValueError(
                f"circle must be a CircleGrid, got circle={self.circle}; CircleGrid(4.0) would do"
            )

    @property
    def name(self) -> str:
        return f"Moniqua, {self.topology.name}, {self.circle.name}"

    def constants(self, problem: Problem) -> Constants:
        return problem.constants().merge(self.topology.each_step())

    def init(self, x0: Tensor, context: RunContext) -> DPSGDState:
        check_size(self.topology, context)
        return DPSGDState(context.rows(x0, len(context.network.workers)))

    def step(self, state: DPSGDState, t: int, context: RunContext) -> DPSGDState:
        x, network = state.x, context.network
        g = context.gradient(x, t)
        packet = context.pack(self.circle, x, t)
        lists = self.topology.neighbours(t)
        index, weight = put(lists.index, x.device), put(lists.weight.to(x.dtype), x.device)
        incoming = network.receive(packet, index.expand(*x.shape[:-2], *index.shape))
        own = self.circle.read_by(packet.own(network.workers), x)
        read = self.circle.read_by(incoming, x[..., None, :])
        pulls = weight[network.workers][..., None] * (read - own[..., None, :])
        moved = x
        for slot in range(pulls.shape[-2]):
            moved = moved + pulls[..., slot, :]
        return DPSGDState(add_scaled(moved, -self.step_rule(t), g))

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        x, g, said, moved = registers(4)
        step = Program((
            gradient(g, x),
            sent(said, x),
            mixed_nearest(moved, said, x, self.circle.length),
            plus_scaled(x, moved, lambda s: -self.step_rule(s), g),
        ))  # fmt: skip
        links, drawn = FixedLists.from_topology(self.topology), drawn_gradient(context)
        plan = NeighbourPlan((x,), (step,), links, drawn, self.circle)
        return neighbour_block(context, t, plan)

    def models(self, state: DPSGDState) -> Tensor:
        return state.x
