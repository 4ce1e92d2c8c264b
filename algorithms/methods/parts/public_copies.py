"""Public copies: gossip over what neighbours know of each other, kept up to date by messages."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.kernels.scaled_sum import add_scaled
from algorithms.methods.base import Method, RunContext
from algorithms.methods.parts.checks import check_size, check_static
from algorithms.methods.parts.constants import operator_constants
from algorithms.network.base import Exchanged
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.gradients import drawn_gradient
from algorithms.pipeline.links import FixedLists
from algorithms.pipeline.neighbours import NeighbourPlan, neighbour_block
from algorithms.pipeline.row_programs import Operation, Program, Register, gradient, plus_scaled
from algorithms.problems.base import Problem
from algorithms.topologies.base import Topology
from theory.constants import Constants
from theory.stepsizes import Stepsize


class PublicCopiesState(NamedTuple):
    r"""Models x and the sums \sum_j W_ij \hat x_j over copies of neighbours: ``[..., m, d]``.

    Attributes:
        mixed: the sums \sum_j W_{ij} \hat x_j ``[..., m, d]``.
    """

    x: Tensor
    mixed: Tensor


@dataclass(frozen=True)
class PublicCopies(Method[PublicCopiesState]):
    r"""x_i^{t+1/2} = \sum_j W_{ij} \hat x_j^t - \gamma_t g_i(x_i^t); members say what is sent
    compressed, and what it moves.

    The sum over copies is kept up to date by what neighbours send, so W must not change.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        topology: the graph and its mixing matrix W, the same at all steps.
        compressor: the operator C that differences or extrapolations go through.

    Raises:
        ValueError: a topology that changes with time.
    """

    step_rule: Stepsize
    topology: Topology
    compressor: Compressor

    title: ClassVar[str]

    def __post_init__(self) -> None:
        check_static(self.topology, self.title)

    @property
    def name(self) -> str:
        return f"{self.title}, {self.topology.name}, {self.compressor.name}"

    def constants(self, problem: Problem) -> Constants:
        own = operator_constants(self.compressor, problem.d)
        return problem.constants().merge(self.topology.constants()).merge(own)

    def init(self, x0: Tensor, context: RunContext) -> PublicCopiesState:
        check_size(self.topology, context)
        x = context.rows(x0, len(context.network.workers))
        return PublicCopiesState(x, x.clone())

    def step(self, state: PublicCopiesState, t: int, context: RunContext) -> PublicCopiesState:
        half = add_scaled(state.mixed, -self.step_rule(t), context.gradient(state.x, t))
        packet = context.pack(self.compressor.at_step(t), self.message(state.x, half, t), t)
        incoming = context.network.mix(packet, self.topology.neighbours(0))
        return self.moved(state, half, incoming, t)

    def block_of(
        self, context: RunContext, t: int, rows: tuple[Register, Register], half: Register,
        rest: tuple[Operation, ...], swaps: tuple[tuple[Register, Register], ...] = (),
    ) -> StepBlock | None:  # fmt: skip
        """Steps whose registers are the state's ``rows``; ``rest`` follows on x_i^{t+1/2}."""
        (x, around), g = rows, Register()
        descent = gradient(g, x), plus_scaled(half, around, lambda s: -self.step_rule(s), g)
        step, drawn = Program((*descent, *rest), swaps), drawn_gradient(context)
        links = FixedLists.from_topology(self.topology)
        return neighbour_block(
            context, t, NeighbourPlan(rows, (step,), links, drawn, self.compressor)
        )

    @abstractmethod
    def message(self, x: Tensor, half: Tensor, t: int) -> Tensor:
        """z ``[..., m, d]``, sent as C(z)."""

    @abstractmethod
    def moved(
        self, state: PublicCopiesState, half: Tensor, incoming: Exchanged, t: int
    ) -> PublicCopiesState:
        r"""The next state, of \sum_j W_ij C(z_j) and C(z_i)."""

    def models(self, state: PublicCopiesState) -> Tensor:
        return state.x
