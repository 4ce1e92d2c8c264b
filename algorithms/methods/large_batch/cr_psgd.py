"""CR-PSGD-Catalyst (Yu, Jin 2019, arXiv:1905.04346, Algorithm 2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, final

from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.methods.base import Method, RunContext
from algorithms.methods.large_batch.batched import with_batch
from algorithms.problems.base import Problem
from theory.constants import Constants
from theory.rules.batch_rules import BatchRule
from theory.stepsizes import Stepsize


class CatalystState(NamedTuple):
    """The model and the centre of the proximal term, both ``[..., 1, d]``.

    Attributes:
        x: the model ``[..., 1, d]``.
    """

    x: Tensor
    centre: Tensor


@final
@dataclass(frozen=True)
class CatalystPSGD(Method[CatalystState]):
    r"""CR-PSGD on h(x; y) = f(x) + \frac\theta2 \|x - y\|^2, y renewed every ``stage`` steps.

    x_{t+1} = x_t - \gamma_t (\frac1n \sum_i g_i(x_t) + \theta (x_t - y)); batches start anew with
    every stage, B_{s+1} = \lfloor\rho B_s\rfloor within it. theta > L makes h strongly convex,
    where f is not convex. The paper counts stages by gradient evaluations, \sqrt{T/n} each, so they
    all take equally many steps. ``theta`` [f / x^2].

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        batch: how many gradients a worker averages at each step of a stage.

    Raises:
        ValueError: stage < 1 or theta < 0.
    """

    step_rule: Stepsize
    batch: BatchRule
    stage: int
    theta: float

    shared_model: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.stage < 1:
            raise ValueError(f"stage must be at least 1 step, got stage={self.stage}")
        if not self.theta >= 0:
            raise ValueError(f"theta must be at least 0, got theta={self.theta}")

    @property
    def name(self) -> str:
        return f"CR-PSGD-Catalyst, {self.batch}, theta={self.theta:g}, stages of {self.stage} steps"

    def constants(self, problem: Problem) -> Constants:
        return problem.enlarged(self.batch.least).constants()

    def init(self, x0: Tensor, context: RunContext) -> CatalystState:
        x = context.rows(x0, 1)
        return CatalystState(x, x)

    def step(self, state: CatalystState, t: int, context: RunContext) -> CatalystState:
        place = t % self.stage
        centre = state.x if place == 0 else state.centre
        larger = with_batch(context, self.batch(place))
        packet = context.pack(Identity(), larger.gradient(state.x, t), t)
        mean, _ = context.network.average(packet)
        slope = mean + self.theta * (state.x - centre)
        return CatalystState(context.published(state.x - self.step_rule(t) * slope, t), centre)

    def models(self, state: CatalystState) -> Tensor:
        return state.x
