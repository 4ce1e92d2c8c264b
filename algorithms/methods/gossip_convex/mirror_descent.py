"""Decentralised mirror descent: neighbours' average, then a step in the geometry of the set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

from torch import Tensor

from algorithms.kernels.row_parts import published
from algorithms.methods.base import RunContext
from algorithms.methods.parts.bregman_steps import BregmanSteps
from algorithms.methods.parts.checks import check_size
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.links import FixedLists
from algorithms.pipeline.neighbours import NeighbourPlan, neighbour_block
from algorithms.pipeline.row_programs import (
    Program,
    Register,
    changed,
    gradient,
    mixed,
    plus_scaled,
)


class MirrorState(NamedTuple):
    """Each worker's model ``[..., m, d]``.

    Attributes:
        x: the models ``[..., m, d]``.
    """

    x: Tensor


@final
@dataclass(frozen=True)
class MirrorDescent(BregmanSteps[MirrorState]):
    r"""v_i = \sum_j W_{ij} x_j, x_i^+ = \arg\min_{u \in X} \gamma_t \langle g_i(v_i), u \rangle
    + D(u, v_i).

    Rabbat 2015 (IEEE CAMSAP, multi-agent mirror descent). The gradient is taken at the mixed point,
    as in its Euclidean form, the projected method of Ram, Nedic, Veeravalli 2010, see
    :func:`algorithms.methods.gossip_convex.projected_dgd.projected_dgd`. A mixed point lies in X,
    which is convex.
    """

    kind = "mirror descent"

    def init(self, x0: Tensor, context: RunContext) -> MirrorState:
        check_size(self.topology, context)
        return MirrorState(self.geometry.start(context.rows(x0, len(context.network.workers))))

    def step(self, state: MirrorState, t: int, context: RunContext) -> MirrorState:
        mixed = context.mixed(state.x, self.topology.neighbours(t), t)
        g = self.gradients.compute(mixed, t, context)
        return MirrorState(self.geometry.step(mixed, g, self.step_rule(t)))

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        x, middle, g, ahead = Register(), Register(), Register(), Register()
        descent = plus_scaled(ahead, middle, lambda s: -self.step_rule(s), g), changed(ahead)
        change = published(self.geometry, context.problem.d, context.problem.dtype)
        step = (mixed(middle, x), gradient(g, middle), *descent)
        program = Program(step, swaps=((x, ahead),))
        links, drawn = FixedLists.from_topology(self.topology), self.gradients.row_kernel(context)
        plan = NeighbourPlan((x,), (program,), links, drawn, change=change)
        return neighbour_block(context, t, plan)

    def models(self, state: MirrorState) -> Tensor:
        return state.x
