"""Quantisation refined over iterations: a fixed number of bits on a shrinking range.

Pu, Zeilinger, Jones 2017 (arXiv:1504.02317; distributed, inexact proximal gradient) and McGlohon,
Patterson 2016 (distributed semi-stochastic optimisation with quantisation refinement).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.nearest_grid import FixedRange
from algorithms.compressors.zooming_range import ZoomingRange
from algorithms.methods.base import Method, RunContext
from algorithms.methods.variance_reduced.refined_block import RefinedBlock
from algorithms.optimizers.proximal import NoProximal, Proximal
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.rounds import rounds_block
from algorithms.problems.base import Problem
from theory.constants import Constants
from theory.stepsizes import Stepsize


class RefinedState(NamedTuple):
    """Model ``[..., 1, d]``, each worker's last sent gradient ``[..., m, d]`` and their mean; the
    anchor's model ``[..., 1, d]``, its full gradients ``[..., m, d]``.

    Attributes:
        x: the model ``[..., 1, d]``.
    """

    x: Tensor
    sent: Tensor
    mean: Tensor
    anchor: Tensor
    full: Tensor


@final
@dataclass(frozen=True)
class RefinedQuantisation(Method[RefinedState]):
    r"""q_i += Q_t(v_i - q_i), x = prox(x - \gamma mean q_i); Q_t has b bits on [-R_t, R_t].

    R_t = radius \kappa^t (``shrink``; 1 keeps the range, and the error stays). v_i is the gradient
    of f_i without noise, or, with ``epoch`` > 0, the semi-stochastic g_i(x) - g_i(y) + \nabla
    f_i(y) with the anchor y renewed every so many steps: the same sample at both points. Gradients
    leave the workers as b bits a coordinate and nothing else; the range must cover what changes
    between two steps, so \kappa has to be at least the method's own rate.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        proximal: the regulariser R of the objective, known by its proximal map.

    Raises:
        ValueError: shrink outside (0, 1], or a negative epoch.
    """

    step_rule: Stepsize
    b: int = 4
    radius: float = 1.0
    shrink: float = 0.99
    epoch: int = 0
    proximal: Proximal = field(default_factory=NoProximal)

    shared_model: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.epoch < 0:
            raise ValueError(f"epoch must be at least 0, got epoch={self.epoch}")
        self.quantiser(0)

    @property
    def name(self) -> str:
        kind = f"anchor every {self.epoch}" if self.epoch else "full gradients"
        return f"refined quantisation({self.b} bits, range {self.shrink:g}^t, {kind})"

    def quantiser(self, t: int) -> FixedRange:
        """Q_t: the points of :class:`ZoomingRange`; beyond them the end of the range is sent."""
        return ZoomingRange(self.radius, self.b, self.shrink, t).grid()

    def constants(self, problem: Problem) -> Constants:
        return problem.constants()

    def init(self, x0: Tensor, context: RunContext) -> RefinedState:
        x, mine = context.rows(x0, 1), context.rows(x0, len(context.network.workers))
        zero = torch.zeros_like(mine)
        return RefinedState(x, zero, torch.zeros_like(x), x, zero)

    def step(self, state: RefinedState, t: int, context: RunContext) -> RefinedState:
        state, v = self._estimate(state, t, context)
        packet = context.pack(self.quantiser(t), v - state.sent, t)
        mean, own = context.network.average(packet)
        gamma, total = self.step_rule(t), state.mean + mean
        x = self.proximal.apply(state.x - gamma * total, gamma, t)
        return state._replace(x=context.published(x, t), sent=state.sent + own, mean=total)

    def _estimate(
        self, state: RefinedState, t: int, context: RunContext
    ) -> tuple[RefinedState, Tensor]:
        """Vectors that the workers would send, with the anchor renewed where it is due."""
        workers = context.network.workers
        if not self.epoch:
            return state, context.problem.full_gradient(state.x, workers)
        if t % self.epoch == 0:
            full = context.problem.full_gradient(state.x, workers)
            state = state._replace(anchor=state.x, full=full)
        return state, context.gradient(state.x, t) - context.gradient(state.anchor, t) + state.full

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        return rounds_block(RefinedBlock, context, t, self)

    def models(self, state: RefinedState) -> Tensor:
        return state.x
