"""BEER and MoTEF: gradient tracking whose models and trackers travel as compressed differences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.kernels.scaled_sum import add_scaled
from algorithms.methods.base import Method, RunContext
from algorithms.methods.parts.checks import check_size, check_static
from algorithms.methods.parts.constants import operator_constants
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.gradients import drawn_gradient
from algorithms.pipeline.links import FixedLists
from algorithms.pipeline.neighbours import NeighbourPlan, PlanMessage, neighbour_block
from algorithms.pipeline.row_programs import (
    Operation,
    Program,
    Register,
    add,
    blend,
    copy,
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


class CopiedRows(NamedTuple):
    r"""Public copies of rows, and what a worker knows of its neighbours' by their messages.

    Attributes:
        public: own copies ``[..., m, d]``.
        around: \sum_j W_{ij} of the copies ``[..., m, d]``.
    """

    public: Tensor
    around: Tensor

    def pull(self) -> Tensor:
        """(W - I) of the copies ``[..., m, d]``."""
        return self.around - self.public


class BEERState(NamedTuple):
    r"""Models X^t with copies H^t; trackers V^{t-1} with copies Z^{t-1}, and what they track.

    Attributes:
        x: the models ``[..., m, d]``.
        public: copies H of the models ``[..., m, d]``.
        around: W H ``[..., m, d]``.
        v: the trackers ``[..., m, d]``, at the start 0.
        tracked: copies Z of the trackers ``[..., m, d]``, at the start 0.
        tracked_around: W Z ``[..., m, d]``, at the start 0.
        m: gradients, or their moving mean, that v holds ``[..., m, d]``, at the start 0.
    """

    x: Tensor
    public: Tensor
    around: Tensor
    v: Tensor
    tracked: Tensor
    tracked_around: Tensor
    m: Tensor


@final
@dataclass(frozen=True)
class BEER(Method[BEERState]):
    r"""V^0 = M^0 = G^0, X^{t+1} = X^t + c (W - I) H^t - \gamma_t V^t, H^{t+1} = H^t + C(X^{t+1} -
    H^t), M^{t+1} = (1 - m) M^t + m G^{t+1}, V^{t+1} = V^t + c (W - I) Z^t + M^{t+1} - M^t,
    Z^{t+1} = Z^t + C(V^{t+1} - Z^t). With m = 1 it is BEER (Zhao, Li, Li, Richtarik, Chi 2022,
    arXiv:2201.13320, Algorithm 1), below it MoTEF (Islamov, Gao, Stich 2024, arXiv:2405.20114).

    H^0 = X^0, which all know, and Z^0 = C(G^0). Two compressed messages a link and step. The mean
    of V is that of M always, whatever C. With C the identity H is X and Z is V: DIGing on
    I + c (W - I).

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        topology: the graph and its mixing matrix W, the same at all steps.
        compressor: the operator C of both messages, any contraction.
        consensus_step: c in (0, 1], how far one round of mixing moves.
        momentum: m in (0, 1], the share of the fresh gradient.

    Raises:
        ValueError: a topology that changes with time, consensus_step or momentum outside (0, 1].
    """

    step_rule: Stepsize
    topology: Topology
    compressor: Compressor
    consensus_step: float
    momentum: float = 1.0

    def __post_init__(self) -> None:
        check_static(self.topology, self.title)
        for name, value in (("consensus_step", self.consensus_step), ("momentum", self.momentum)):
            if not 0 < value <= 1:
                raise ValueError(f"{name} must lie in (0, 1], got {name}={value}; 0.5 would do")

    @property
    def title(self) -> str:
        """BEER, or MoTEF where gradients are averaged over time."""
        return "BEER" if self.momentum == 1 else f"MoTEF(m={self.momentum:g})"

    @property
    def name(self) -> str:
        c = self.consensus_step
        return f"{self.title}, {self.topology.name}, {self.compressor.name}, c={c:g}"

    def constants(self, problem: Problem) -> Constants:
        own = operator_constants(self.compressor, problem.d)
        own = own.state(consensus_step=self.consensus_step)
        return problem.constants().merge(self.topology.constants()).merge(own)

    def init(self, x0: Tensor, context: RunContext) -> BEERState:
        check_size(self.topology, context)
        x = context.rows(x0, len(context.network.workers))
        return BEERState(x, x, x, *[torch.zeros_like(x)] * 4)

    def step(self, state: BEERState, t: int, context: RunContext) -> BEERState:
        g = context.gradient(state.x, t)
        m = g if t == 0 else (1 - self.momentum) * state.m + self.momentum * g
        tracked = CopiedRows(state.tracked, state.tracked_around)
        v = add_scaled(state.v, self.consensus_step, tracked.pull()) + (m - state.m)
        tracked = self._told(v, tracked, t, context, "tracker")
        models = CopiedRows(state.public, state.around)
        x = add_scaled(state.x, self.consensus_step, models.pull())
        x = add_scaled(x, -self.step_rule(t), v)
        models = self._told(x, models, t, context, "compress")
        return BEERState(x, *models, v, *tracked, m)

    def _told(
        self, rows: Tensor, copies: CopiedRows, t: int, context: RunContext, purpose: str
    ) -> CopiedRows:
        """Copies after one compressed difference of ``rows`` to them."""
        change = rows - copies.public
        packet = context.pack(self.compressor.at_step(t), change, t, purpose=purpose)
        incoming = context.network.mix(packet, self.topology.neighbours(0))
        return CopiedRows(copies.public + incoming.own, copies.around + incoming.result)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        x, public, around, v, tracked, tracked_around, m = rows = registers(7)
        g, new, pull = registers(3)

        def program(fresh: Operation) -> Program:
            return Program((
                gradient(g, x),
                fresh,
                subtract(pull, tracked_around, tracked),
                plus_scaled(v, v, self.consensus_step, pull),
                subtract(pull, new, m),
                add(v, v, pull),
                copy(m, new),
                *_told_rows(v, tracked, tracked_around, 0),
                subtract(pull, around, public),
                plus_scaled(x, x, self.consensus_step, pull),
                plus_scaled(x, x, lambda s: -self.step_rule(s), v),
                *_told_rows(x, public, around, 1),
            ))  # fmt: skip

        first, later = copy(new, g), blend(new, 1 - self.momentum, m, self.momentum, g)
        plan = NeighbourPlan(
            rows, (program(first), program(later)), FixedLists.from_topology(self.topology),
            drawn_gradient(context), self.compressor, program=lambda s: min(s, 1),
            purpose="tracker", further=(PlanMessage(self.compressor, "compress"),),
        )  # fmt: skip
        return neighbour_block(context, t, plan)

    def models(self, state: BEERState) -> Tensor:
        return state.x


def _told_rows(
    rows: Register, public: Register, around: Register, message: int
) -> tuple[Operation, ...]:
    """One compressed difference of rows to their copies, as operations on rows."""
    change, said, incoming = registers(3)
    return (
        subtract(change, rows, public),
        sent(said, change, message),
        add(public, public, said),
        mixed(incoming, said, message),
        add(around, around, incoming),
    )
