"""GossipGraD: averaging with one rotating partner a step, while samples pass round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
import torch
from torch import Tensor

from algorithms.core.key import Draws, Key, PhiloxDraws
from algorithms.kernels.key_words import step_words
from algorithms.kernels.row_parts import RowPart, published
from algorithms.kernels.scaled_sum import add_scaled
from algorithms.kernels.shard_rows import in_turn
from algorithms.methods.base import Method, RunContext
from algorithms.methods.exchanges.exchange import Exchange
from algorithms.methods.parts.checks import check_averages, check_size
from algorithms.pipeline.base import MOST_STEPS, StepBlock
from algorithms.pipeline.gradients import called_back_part, drawn_gradient
from algorithms.pipeline.neighbours import NeighbourPlan, neighbour_block
from algorithms.pipeline.row_programs import Program, Register, gradient, mixed, plus_scaled
from algorithms.problems.base import Problem
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
    has the shard of i - t mod n, and what is drawn from it. What the samples weigh is not charged:
    no problem says how long one is.

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
        source = self._passed_round(context, t) if self.shuffle else drawn_gradient(context)
        block = neighbour_block(context, t, NeighbourPlan((x,), (step,), links, source))
        if block is not None and self.shuffle:
            block.until = t + MOST_STEPS
        return block

    def _passed_round(self, context: RunContext, t: int) -> RowPart | None:
        """Gradients of the next steps at shards that are not a worker's own; which step it is
        follows from the key of its draws."""
        n, words = self.exchange.n, step_words(context.key.words, "gradient", t, MOST_STEPS)
        shifts = np.arange(t, t + MOST_STEPS) % n
        part: RowPart | None = published(context.problem)
        if part is not None:
            return in_turn(part, words, shifts, n, context.problem.dtype)
        steps = {tuple(pair): int(s) for pair, s in zip(words.tolist(), shifts, strict=True)}
        replicas, everyone = context.replicas, torch.arange(n)

        def gradient(x: Tensor, draws: Draws) -> Tensor:
            assert isinstance(draws, PhiloxDraws)
            words = draws.counters.k0, draws.counters.k1
            shards = (everyone - steps[words]) % n  # a gradient that is called back is of all
            return context.problem.gradient(x, Key(words).draws(replicas, shards))

        return called_back_part(context, gradient)

    def models(self, state: GossipGraDState) -> Tensor:
        return state.x

    def _gradient(self, x: Tensor, t: int, context: RunContext) -> Tensor:
        if not self.shuffle:
            return context.gradient(x, t)
        shards = (context.network.workers - t) % context.network.n
        draws = context.key.fold("gradient", t).draws(context.replicas, shards)
        return context.checked(context.problem.gradient(x, draws), t)
