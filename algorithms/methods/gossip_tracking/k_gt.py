"""K-GT and LED: gradient tracking and exact diffusion with local steps between meetings."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.kernels.scaled_sum import add_scaled
from algorithms.methods.base import Method, RunContext
from algorithms.methods.parts.checks import check_size, check_spectrum
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.gradients import drawn_gradient
from algorithms.pipeline.links import FixedLists
from algorithms.pipeline.neighbours import NeighbourPlan, neighbour_block
from algorithms.pipeline.row_programs import (
    Operation,
    Program,
    Register,
    add,
    copy,
    divide,
    gathered,
    gradient,
    mixed,
    plus_scaled,
    registers,
    subtract,
    told,
)
from algorithms.problems.base import Problem
from algorithms.synchronisation.periods import FixedPeriod
from algorithms.topologies.base import Topology
from theory.constants import Constants
from theory.stepsizes import Stepsize


class KGTState(NamedTuple):
    """Models at the last meeting and now, and corrections.

    Attributes:
        x: the models at the last meeting ``[..., m, d]``.
        y: the models now ``[..., m, d]``.
        c: the corrections ``[..., m, d]`` [f / x], whose sum over workers stays 0.
    """

    x: Tensor
    y: Tensor
    c: Tensor


class CorrectionSource(Enum):
    """Vector whose differences between neighbours correct the local steps."""

    MOVES = "K-GT"
    """The local moves z = (x - y)/(K \\gamma), in a message of their own."""

    MODELS = "LED"
    """The local models y, which are what is mixed anyway."""


@final
@dataclass(frozen=True)
class KGT(Method[KGTState]):
    r"""K local steps y \leftarrow y - \gamma (g(y) + c), z = (x - y)/(K \gamma), then
    c \leftarrow c - z + W z, x \leftarrow W (x - \eta K \gamma z). (Liu, Lin, Koloskova, Stich
    2023, arXiv:2301.01313, Algorithm 1.)

    c starts at 0, which costs no message and biases the start alone, or with ``gradient_start`` at
    the mean gradient less the own one, of samples of their own at x_0, which a server averages.
    sum c = 0 always. On the complete graph, W = J, it is SCAFFOLD of all workers. With stepsizes
    that fall K \gamma is their sum over the period. Two vectors a link and meeting.

    With ``source`` MODELS it is LED, local exact diffusion (Alghunaim 2023, arXiv:2302.00620, with
    beta = 1/K, recalled): c \leftarrow c + (y - W y)/(K \gamma), x \leftarrow W y, one vector a
    link and meeting. At K = 1 that is exact diffusion on W, which must be symmetric, the same at
    all meetings, and have no eigenvalue at or below -1/3; on the complete graph it is SCAFFOLD too.

    Attributes:
        step_rule: the local stepsizes \gamma_t [x^2 / f] by step t.
        topology: the graph and its mixing matrices W, by meeting.
        period: local steps K between meetings.
        outer_step: \eta, the share of the local move that is made; LED knows none but 1.
        source: K-GT or LED.
        gradient_start: whether c starts at the mean gradient less the own one, else at 0.

    Raises:
        ValueError: period < 1, outer_step <= 0, or another than 1 for LED; for LED a W that changes
            with time, is not symmetric, or has an eigenvalue at or below -1/3.
    """

    step_rule: Stepsize
    topology: Topology
    period: int
    outer_step: float = 1.0
    source: CorrectionSource = CorrectionSource.MOVES
    gradient_start: bool = False

    def __post_init__(self) -> None:
        _ = FixedPeriod(self.period)
        if not self.outer_step > 0:
            raise ValueError(f"outer_step must be positive, got {self.outer_step}; 1 would do")
        if self.source is CorrectionSource.MODELS and self.outer_step != 1:
            raise ValueError(f"outer_step of LED must be 1, got outer_step={self.outer_step}")
        if self.source is CorrectionSource.MODELS:
            check_spectrum(self.topology, "LED")

    @property
    def name(self) -> str:
        start = ", c of gradients" if self.gradient_start else ""
        return f"{self.source.value}, K={self.period}, {self.topology.name}{start}"

    def constants(self, problem: Problem) -> Constants:
        own = problem.constants().merge(self.topology.each_step())
        return own.state(H=self.period)

    def init(self, x0: Tensor, context: RunContext) -> KGTState:
        check_size(self.topology, context)
        x = context.rows(x0, len(context.network.workers))
        return KGTState(x, x, torch.zeros_like(x))

    def step(self, state: KGTState, t: int, context: RunContext) -> KGTState:
        if t == 0 and self.gradient_start:
            state = state._replace(c=self._first_corrections(state.x, context))
        force = context.gradient(state.y, t) + state.c
        y = add_scaled(state.y, -self.step_rule(t), force)
        if (t + 1) % self.period:
            return state._replace(y=y)
        meeting = t // self.period
        around = self.topology.neighbours(meeting)
        if self.source is CorrectionSource.MODELS:
            x = context.mixed(y, around, t)
            return KGTState(x, x, add_scaled(state.c, 1 / self._length(t), y - x))
        z = (state.x - y) / self._length(t)
        c = state.c + (context.mixed(z, around, t, purpose="correction") - z)
        ahead = add_scaled(state.x, self.outer_step, y - state.x)
        x = context.mixed(ahead, around, t)
        return KGTState(x, x, c)

    def _first_corrections(self, x: Tensor, context: RunContext) -> Tensor:
        """Mean gradient at x_0 less the own, ``[..., m, d]``."""
        g = context.checked(context.problem.gradient(x, context.draws("first correction", 0)), 0)
        mean, own = context.network.average(context.pack(Identity(), g, 0, purpose="start"))
        return context.published(mean, 0, "start") - own

    def _length(self, t: int) -> float:
        r"""K \gamma of the period that ends with step t, the sum of its stepsizes."""
        return sum(self.step_rule(s) for s in range(t + 1 - self.period, t + 1))

    def _length_by(self, s: int) -> float:
        """The same; 1 where step s meets nobody."""
        return 1.0 if (s + 1) % self.period else self._length(s)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        x, y, c, g, z, incoming = registers(6)
        alone = (
            gradient(g, y),
            add(g, g, c),
            plus_scaled(y, y, lambda s: -self.step_rule(s), g),
        )
        models = (
            mixed(incoming, y),
            subtract(z, y, incoming),
            plus_scaled(c, c, lambda s: 1 / self._length_by(s), z),
            copy(x, incoming),
            copy(y, incoming),
        )
        moves = (
            subtract(z, x, y),
            divide(z, z, self._length_by),
            mixed(incoming, z),
            subtract(incoming, incoming, z),
            add(c, c, incoming),
            subtract(y, y, x),
            plus_scaled(y, x, self.outer_step, y),
            mixed(x, y),
            copy(y, x),
        )
        met = models if self.source is CorrectionSource.MODELS else moves
        mean = Register(lone=True)
        begun = gradient(c, x, 1), gathered(mean, c), told(), subtract(c, mean, c)
        kinds: tuple[tuple[Operation, ...], ...] = (alone, (*alone, *met))
        if self.gradient_start:
            kinds += ((*begun, *alone), (*begun, *alone, *met))
        drawn = drawn_gradient(context)
        plan = NeighbourPlan(
            (x, y, c), tuple(Program(one) for one in kinds),
            FixedLists.from_topology(self.topology, lambda s: s // self.period), drawn,
            program=lambda s: (
                int((s + 1) % self.period == 0) + 2 * int(self.gradient_start and s == 0)
            ),
            second=drawn if self.gradient_start else None, second_purpose="first correction",
        )  # fmt: skip
        return neighbour_block(context, t, plan)

    def models(self, state: KGTState) -> Tensor:
        return state.y
