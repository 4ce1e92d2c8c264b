"""D-PSGD: gossip averaging of models with one gradient step."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, final

from torch import Tensor

from algorithms.kernels.scaled_sum import add_scaled_onto
from algorithms.methods.base import Method, RunContext
from algorithms.methods.exchanges.exchange import Exchange, FixedLinks
from algorithms.methods.parts.checks import check_averages, check_size
from algorithms.methods.parts.gradients import Gradients, Sampled
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.neighbours import NeighbourPlan, neighbour_block
from algorithms.pipeline.row_programs import Program, Register, gradient, mixed, plus_scaled
from algorithms.problems.base import Problem
from algorithms.topologies.base import Topology
from theory.constants import Constants
from theory.stepsizes import Stepsize


class DPSGDState(NamedTuple):
    """Each worker's model ``[..., m, d]``.

    Attributes:
        x: the models ``[..., m, d]``.
    """

    x: Tensor


class CombineThenAdapt(Method[DPSGDState]):
    r"""x_i^{t+1} = \sum_j W_{ij} x_j^t - \gamma_t g_i(x_i^t), W that of an exchange."""

    step_rule: Stepsize
    gradients: Gradients

    if TYPE_CHECKING:  # read-only; a member may hold it as a field

        @property
        def exchange(self) -> Exchange: ...

    @property
    def name(self) -> str:
        return f"D-PSGD, {self.exchange.name}{self.gradients.note}"

    def constants(self, problem: Problem) -> Constants:
        return self.gradients.constants(problem).merge(self.exchange.constants())

    def init(self, x0: Tensor, context: RunContext) -> DPSGDState:
        check_size(self.exchange, context)
        return DPSGDState(context.rows(x0, len(context.network.workers)))

    def step(self, state: DPSGDState, t: int, context: RunContext) -> DPSGDState:
        g = self.gradients.compute(state.x, t, context)
        mixed = self.exchange.mixed(state.x, t, context)
        return DPSGDState(add_scaled_onto(mixed, -self.step_rule(t), g))

    def _block(self, context: RunContext, t: int) -> StepBlock | None:
        x, ahead, g = Register(), Register(), Register()
        step = Program(
            (
                gradient(g, x),
                mixed(ahead, x),
                plus_scaled(ahead, ahead, lambda s: -self.step_rule(s), g),
            ),
            swaps=((x, ahead),),
        )
        drawn = self.gradients.row_kernel(context)
        return neighbour_block(
            context, t, NeighbourPlan((x,), (step,), self.exchange.links(), drawn)
        )

    def models(self, state: DPSGDState) -> Tensor:
        return state.x


@final
@dataclass(frozen=True)
class DPSGD(CombineThenAdapt):
    r"""x_i^{t+1} = \sum_j W_{ij} x_j^t - \gamma_t g_i(x_i^t). (Lian et al. 2017,
    arXiv:1705.09056, Algorithm 1.)

    The gradient is taken at the model before mixing; neighbours alone are heard. With gradients
    without noise it is DGD, see :func:`algorithms.methods.gossip_convex.dgd.dgd`.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        topology: who hears whom, and the mixing matrices W.
    """

    step_rule: Stepsize
    topology: Topology
    gradients: Gradients = field(default_factory=Sampled)

    @property
    def exchange(self) -> Exchange:
        """Along the links of its topology."""
        return FixedLinks(self.topology)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        return self._block(context, t)


@final
@dataclass(frozen=True)
class LossyDPSGD(CombineThenAdapt):
    r"""D-PSGD over any exchange whose weights sum to 1 by row: lost messages, random meetings.

    Where a lost message's weight goes to the own model, the mean over workers is not kept; where it
    vanished, models would shrink without a word, so that is refused. (D-PSGD: Lian et al. 2017,
    arXiv:1705.09056; the losses are ours.)

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        gradients: which gradients are taken, stochastic or exact.

    Raises:
        ValueError: the rows of the exchange do not sum to 1.
    """

    step_rule: Stepsize
    exchange: Exchange
    gradients: Gradients = field(default_factory=Sampled)

    def __post_init__(self) -> None:
        check_averages(self.exchange)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        return self._block(context, t)
