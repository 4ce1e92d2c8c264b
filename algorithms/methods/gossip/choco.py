"""CHOCO-SGD and CHOCO-Gossip: compressed differences to publicly known copies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.kernels.scaled_sum import add_scaled
from algorithms.methods.base import Method, RunContext
from algorithms.methods.exchanges.gossip_rounds import GossipRound, RoundOnRows
from algorithms.methods.gossip_averaging.gossip_averaging import (
    averaging_start,
    starts,
    unfit_to_average,
)
from algorithms.methods.parts.checks import check_size, check_static
from algorithms.methods.parts.constants import operator_constants
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.gradients import drawn_gradient
from algorithms.pipeline.links import FixedLists
from algorithms.pipeline.neighbours import NeighbourPlan, neighbour_block
from algorithms.pipeline.row_programs import (
    Operation,
    Program,
    Register,
    copy,
    gradient,
    mixed,
    plus_scaled,
    sent,
    subtract,
)
from algorithms.problems.base import Problem
from algorithms.topologies.base import Topology
from theory.constants import Constants, Kind, Statement
from theory.stepsizes import Stepsize


class ChocoState(NamedTuple):
    r"""Models x, public copies xhat, neighbourhood sums sum_j W_ij xhat_j: ``[..., m, d]``.

    Attributes:
        mixed: the sums \sum_j W_{ij} \hat x_j ``[..., m, d]``.
    """

    x: Tensor
    public: Tensor
    mixed: Tensor


@final
@dataclass(frozen=True)
class ChocoRound(GossipRound[ChocoState]):
    r"""One round of compressed averaging: q_i = Q(x_i - \hat x_i), \hat x_i += q_i,
    x_i += \gamma \sum_j W_{ij} (\hat x_j - \hat x_i), \gamma the ``consensus_step``.

    The sum over neighbours is kept up to date by what they send, so W must not change.

    Attributes:
        topology: who hears whom, and the mixing matrices W.
        compressor: the operator Q, any contraction.

    Raises:
        ValueError: a topology that changes with time, consensus_step outside (0, 1].
    """

    topology: Topology
    compressor: Compressor
    consensus_step: float

    def __post_init__(self) -> None:
        check_static(self.topology, "CHOCO")
        if not 0 < self.consensus_step <= 1:
            raise ValueError(
                f"consensus_step must lie in (0, 1], got consensus_step={self.consensus_step}"
            )

    @property
    def name(self) -> str:
        return f"{self.topology.name}, {self.compressor.name}, gamma_c={self.consensus_step:g}"

    def constants(self, problem: Problem, period: int) -> Constants:
        """Those of CHOCO-SGD for H = 1, the potential at the start among them; else the problem's:
        no theorem here knows both.

        G2 only if it holds everywhere: iterates that lag behind public copies are no convex
        combinations of SGD's.
        """
        stated = problem.constants().uniform("G2")
        if period > 1:
            return stated
        own = operator_constants(self.compressor, problem.d)
        apart = problem.n * float(problem.start().double().square().sum())
        known = Statement(Kind.EXACT, "x_0", "models are equal, public copies start at 0")
        own = own.state(known, initial_potential=apart).state(consensus_step=self.consensus_step)
        return stated.merge(self.topology.constants()).merge(own)

    def init(self, x: Tensor) -> ChocoState:
        return ChocoState(x, torch.zeros_like(x), torch.zeros_like(x))

    def average(
        self, x: Tensor, memo: ChocoState, meeting: int, t: int, context: RunContext
    ) -> tuple[Tensor, ChocoState]:
        packet = context.pack(self.compressor.at_step(t), x - memo.public, t)
        incoming, sent = context.network.mix(packet, self.topology.neighbours(0))
        public, mixed = memo.public + sent, memo.mixed + incoming
        x = x + self.consensus_step * (mixed - public)
        return x, ChocoState(x, public, mixed)

    def operations(self, x: Register, public: Register, around: Register) -> tuple[Operation, ...]:
        """:meth:`average` on rows, in place."""
        apart, said, incoming, behind = Register(), Register(), Register(), Register()
        return (
            subtract(apart, x, public),
            sent(said, apart),
            plus_scaled(public, public, 1.0, said),
            mixed(incoming, said),
            plus_scaled(around, around, 1.0, incoming),
            subtract(behind, around, public),
            plus_scaled(x, x, self.consensus_step, behind),
        )

    def on_rows(self, x: Register) -> RoundOnRows[ChocoState] | None:
        held, public, around = Register(), Register(), Register()
        operations = (*self.operations(x, public, around), copy(held, x))
        rows = held, public, around
        return RoundOnRows(
            rows, operations, self.compressor, tuple, lambda parts: ChocoState(*parts)
        )


class Choco(Method[ChocoState]):
    """Averages by CHOCO's rounds; members are frozen dataclasses with these fields."""

    topology: Topology
    compressor: Compressor
    consensus_step: float

    title: ClassVar[str]

    def __post_init__(self) -> None:
        _ = self.gossip

    @cached_property
    def gossip(self) -> ChocoRound:
        """The compressed averaging round that the method repeats."""
        return ChocoRound(self.topology, self.compressor, self.consensus_step)

    @property
    def name(self) -> str:
        return f"{self.title}, {self.topology.name}, {self.compressor.name}"

    def models(self, state: ChocoState) -> Tensor:
        return state.x


@final
@dataclass(frozen=True)
class ChocoSGD(Choco):
    r"""x_i^{t+1/2} = x_i^t - \eta_t g_i(x_i^t), then one compressed averaging round.

    (Koloskova, Stich, Jaggi 2019, arXiv:1902.00340, Algorithm 2.) Algorithm 1 of the later paper
    (Koloskova et al. 2020, arXiv:1907.09356) and the authors' code take the compressed difference
    before the gradient step, q_i = Q(x_i^t - \hat x_i^t), so that messages travel while gradients
    are computed: public copies hear of a gradient one round later than here.

    Attributes:
        step_rule: the stepsizes \eta_t [x^2 / f] by step t.
        topology: the graph and its mixing matrix W, the same at all steps.
        compressor: the operator Q of the averaging round, any contraction.
        consensus_step: \gamma in (0, 1], how far one averaging round moves.

    Raises:
        ValueError: see :class:`ChocoRound`.
    """

    step_rule: Stepsize
    topology: Topology
    compressor: Compressor
    consensus_step: float

    title: ClassVar[str] = "CHOCO-SGD"

    def constants(self, problem: Problem) -> Constants:
        return self.gossip.constants(problem, 1)

    def init(self, x0: Tensor, context: RunContext) -> ChocoState:
        check_size(self.topology, context)
        return self.gossip.init(context.rows(x0, len(context.network.workers)))

    def step(self, state: ChocoState, t: int, context: RunContext) -> ChocoState:
        x = add_scaled(state.x, -self.step_rule(t), context.gradient(state.x, t))
        return self.gossip.average(x, state, t, t, context)[1]

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        x, public, around, g = Register(), Register(), Register(), Register()
        descent = gradient(g, x), plus_scaled(x, x, lambda s: -self.step_rule(s), g)
        step = Program((*descent, *self.gossip.operations(x, public, around)))
        drawn, links = drawn_gradient(context), FixedLists.from_topology(self.topology)
        plan = NeighbourPlan((x, public, around), (step,), links, drawn, self.compressor)
        return neighbour_block(context, t, plan)


@final
@dataclass(frozen=True)
class ChocoGossip(Choco):
    r"""Average consensus by compressed differences, no gradients after the start.

    Worker i starts from x_0 - grad f_i(x_0): on f_i(x) = ||x - b_i||^2 / 2 this is b_i, and the
    limit, the mean of the b_i, is the minimiser of f. (Koloskova, Stich, Jaggi 2019,
    arXiv:1902.00340, Algorithm 1, Theorem 2.)

    Attributes:
        topology: the graph and its mixing matrix W, the same at all steps.
        compressor: the operator Q of the averaging round, any contraction.
        consensus_step: \gamma in (0, 1], how far one averaging round moves.

    Raises:
        ValueError: see :class:`ChocoRound`.
    """

    topology: Topology
    compressor: Compressor
    consensus_step: float

    title: ClassVar[str] = "CHOCO-Gossip"

    def constants(self, problem: Problem) -> Constants:
        everyone = torch.arange(problem.n, device=problem.device)
        rows = starts(problem.start()[None], everyone, problem)
        spread = (rows - rows.mean(0)).square().sum() + rows.square().sum()
        known = Statement(Kind.EXACT, "x_0", "public copies start at 0")
        return self.gossip.constants(problem, 1).state(known, initial_potential=float(spread))

    def unfit(self, problem: Problem) -> str:
        return unfit_to_average(problem)

    def init(self, x0: Tensor, context: RunContext) -> ChocoState:
        check_size(self.topology, context)
        return self.gossip.init(averaging_start(x0, context).x)

    def step(self, state: ChocoState, t: int, context: RunContext) -> ChocoState:
        return self.gossip.average(state.x, state, t, t, context)[1]

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        rows = Register(), Register(), Register()
        step, links = (
            Program(self.gossip.operations(*rows)),
            FixedLists.from_topology(self.topology),
        )
        return neighbour_block(
            context, t, NeighbourPlan(rows, (step,), links, None, self.compressor)
        )
