"""Two-way truncation for sparse learning (Ren, Haupt 2017, arXiv:1709.00537; Ren, Li, Haupt)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, final

from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.methods.base import Method, RunContext
from algorithms.methods.parts.constants import two_way_constants
from algorithms.methods.sparsification.two_way_block import TwoWayBlock
from algorithms.optimizers.proximal import NoProximal, Proximal
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.rounds import rounds_block
from algorithms.problems.base import Problem
from theory.constants import Constants
from theory.stepsizes import Stepsize


class TwoWayState(NamedTuple):
    """The truncated model that all hold, ``[..., 1, d]``.

    Attributes:
        x: the model ``[..., 1, d]``.
    """

    x: Tensor


@final
@dataclass(frozen=True)
class TwoWayTruncation(Method[TwoWayState]):
    r"""x_{t+1} = D(\mathrm{prox}_{\gamma R}(x_t - \gamma_t \frac1n \sum_i C(g_i(x_t)))).

    C truncates gradients on their way up, D the MODEL on its way down: both messages list as many
    entries as a sparse model has, and all workers hold the model that was sent. The master's
    subproblem, an l1-regularised loss shifted by the mean of the truncated gradients, is solved by
    one proximal step. With D the s largest weights and R = 0 it is iterative hard thresholding
    (Blumensath, Davies 2009), distributed.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        up: C.
    """

    step_rule: Stepsize
    up: Compressor
    down: Compressor
    proximal: Proximal = field(default_factory=NoProximal)

    shared_model: ClassVar[bool] = True

    @property
    def name(self) -> str:
        tail = "" if isinstance(self.proximal, NoProximal) else f", {self.proximal.name}"
        return f"two-way truncation, up {self.up.name}, model {self.down.name}{tail}"

    @property
    def server_operator(self) -> Compressor:
        return self.down

    def constants(self, problem: Problem) -> Constants:
        return problem.constants().merge(two_way_constants(self.up, self.down, problem.d))

    def init(self, x0: Tensor, context: RunContext) -> TwoWayState:
        return TwoWayState(context.rows(x0, 1))

    def step(self, state: TwoWayState, t: int, context: RunContext) -> TwoWayState:
        gamma = self.step_rule(t)
        packet = context.pack(self.up.at_step(t), context.gradient(state.x, t), t)
        mean, _ = context.network.average(packet)
        moved = self.proximal.apply(state.x - gamma * mean, gamma, t)
        return TwoWayState(
            context.network.publish(context.pack_server(self.down.at_step(t), moved, t))
        )

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        return rounds_block(TwoWayBlock, context, t, self)

    def models(self, state: TwoWayState) -> Tensor:
        return state.x
