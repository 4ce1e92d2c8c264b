"""GossipGraD: averaging with one rotating partner a step, while samples pass round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.core.key import Draws, PhiloxDraws
from algorithms.kernels.key_words import step_words
from algorithms.kernels.row_parts import RowPart
from algorithms.kernels.scaled_sum import add_scaled
from algorithms.methods.base import Method, RunContext
from algorithms.methods.exchanges.exchange import Exchange
from algorithms.methods.parts.checks import check_averages, check_size
from algorithms.pipeline.base import MOST_STEPS, StepBlock
from algorithms.pipeline.gradients import called_back_part, drawn_gradient
from algorithms.pipeline.neighbours import NeighbourPlan, neighbour_block
from algorithms.pipeline.row_programs import Program, Register, gradient, mixed, plus_scaled
from algorithms.problems.base import Problem
from algorithms.problems.redundant import BorrowedRows
from theory.constants import Constants
from theory.stepsizes import Stepsize


class GossipGraDState(NamedTuple):
    """Each worker's model ``[..., m, d]``.

    Attributes:
        x: the models ``[..., m, d]``.
    """

    x: Tensor


@final
@dataclass(frozen=True)
class GossipGraD(Method[GossipGraDState]):
    r"""x_i \leftarrow \frac12 (y_i + y_{p(i, t)}), y_j = x_j - \gamma_t g_j(x_j). (Daily, Vishnu,
    Siegel, Warfel, Amatya 2018, arXiv:1803.05880.)

    ``exchange`` says who is whose partner; the paper's are FixedLinks(Dissemination(n)) and
    FixedLinks(RotatingHypercube(n)). With ``shuffle`` samples pass round a ring: at step t worker i
    draws from the shard of i - t mod n, with randomness of its own. What the samples weigh is not
    charged: no problem says how long one is.

    The paper speaks of updates (gradients) that are exchanged; here the models are, after their
    step, so that workers come to agree: averages of gradients alone pull no models together.

    With other exchanges it is D-PSGD that adapts first and combines then. One whose weights do not
    sum to 1 by row would shrink or stretch the models, so it is refused.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.

    Raises:
        ValueError: the rows of the exchange do not sum to 1.
    """

    step_rule: Stepsize
    exchange: Exchange
    shuffle: bool = True

    def __post_init__(self) -> None:
        check_averages(self.exchange)

    @property
    def name(self) -> str:
        return f"GossipGraD, {self.exchange.name}" + ("" if self.shuffle else ", no shuffle")

    def constants(self, problem: Problem) -> Constants:
        return problem.constants().state(n=self.exchange.n)

    def init(self, x0: Tensor, context: RunContext) -> GossipGraDState:
        check_size(self.exchange, context, "exchange")
        return GossipGraDState(context.rows(x0, len(context.network.workers)))

    def step(self, state: GossipGraDState, t: int, context: RunContext) -> GossipGraDState:
        moved = add_scaled(state.x, -self.step_rule(t), self._gradient(state.x, t, context))
        return GossipGraDState(self.exchange.mixed(moved, t, context))

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        x, g, moved = Register(), Register(), Register()
        descent = plus_scaled(moved, x, lambda s: -self.step_rule(s), g)
        step, links = Program((gradient(g, x), descent, mixed(x, moved))), self.exchange.links()
        source = self._lent(context, t) if self.shuffle else drawn_gradient(context)
        block = neighbour_block(context, t, NeighbourPlan((x,), (step,), links, source))
        if block is not None and self.shuffle:
            block.until = t + MOST_STEPS
        return block

    def _lent(self, context: RunContext, t: int) -> RowPart | None:
        """Gradients of the next steps at shards that are not a worker's own, called back: which
        step it is follows from the key of its draws."""
        words = step_words(context.key.words, "gradient", t, MOST_STEPS).tolist()
        steps = {tuple(pair): t + i for i, pair in enumerate(words)}
        everyone = torch.arange(self.exchange.n).expand(*context.replicas.shape, -1)
        shards = [(everyone - s) % self.exchange.n for s in range(self.exchange.n)]

        def gradient(x: Tensor, draws: Draws) -> Tensor:
            assert isinstance(draws, PhiloxDraws)
            key = draws.counters  # of all workers: a gradient that is called back is
            shift = steps[key.k0, key.k1] % self.exchange.n
            return context.problem.gradient(x, BorrowedRows(draws, shards[shift]))

        return called_back_part(context, gradient)

    def models(self, state: GossipGraDState) -> Tensor:
        return state.x

    def _gradient(self, x: Tensor, t: int, context: RunContext) -> Tensor:
        if not self.shuffle:
            return context.gradient(x, t)
        draws = context.draws("gradient", t)
        lent = BorrowedRows(draws, (draws.workers - t) % context.network.n)
        return context.checked(context.problem.gradient(x, lent), t)
