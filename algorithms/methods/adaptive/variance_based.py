"""Variance-based gradient compression (Tsuzuku, Imachi, Akiba 2018, arXiv:1802.06058)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.variance_threshold import VarianceThreshold
from algorithms.methods.adaptive.variance_block import VarianceBlock
from algorithms.methods.base import Method, RunContext
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.rounds import rounds_block
from algorithms.problems.base import Problem
from theory.constants import Constants
from theory.stepsizes import Stepsize


class VarianceState(NamedTuple):
    """The model ``[..., 1, d]``; each worker's sum r of gradients not sent and v of their
    squares, ``[..., m, d]``.

    Attributes:
        x: the model ``[..., 1, d]``.
    """

    x: Tensor
    r: Tensor
    v: Tensor


@final
@dataclass(frozen=True)
class VarianceBased(Method[VarianceState]):
    r"""r += \frac1B \sum_z g_z, v += \sum_z (g_z/B)^2; send r_j where r_j^2 > \alpha v_j.

    Where j was sent r and v start again from 0; elsewhere v *= \zeta (Algorithm 1). So the paper
    loses what rounding to a power of two changed; with ``keep`` it stays in r (ours), and nothing
    is lost. A step takes B stochastic gradients, the micro-batches that v is made of.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.

    Raises:
        ValueError: B < 1, or zeta outside (0, 1].
    """

    step_rule: Stepsize
    alpha: float = 1.0
    zeta: float = 0.999
    micro: int = 4
    keep: bool = False

    shared_model: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.micro < 1:
            raise ValueError(f"micro must be at least 1 gradient, got micro={self.micro}")
        if not 0 < self.zeta <= 1:
            raise ValueError(f"zeta must lie in (0, 1], got zeta={self.zeta}")

    @property
    def name(self) -> str:
        kept = ", rounding kept" if self.keep else ""
        return f"variance-based(alpha={self.alpha:g}, zeta={self.zeta:g}, B={self.micro}{kept})"

    def constants(self, problem: Problem) -> Constants:
        return problem.constants()

    def init(self, x0: Tensor, context: RunContext) -> VarianceState:
        zero = torch.zeros_like(context.rows(x0, len(context.network.workers)))
        return VarianceState(context.rows(x0, 1), zero, zero)

    def step(self, state: VarianceState, t: int, context: RunContext) -> VarianceState:
        r, v = state.r, state.v
        for g in self.samples(state.x, t, context):
            r, v = r + g, v + g * g
        packet = context.pack(VarianceThreshold(self.alpha), r, t, guide=v)
        mean, sent = context.network.average(packet)
        gone = sent != 0
        x = context.published(state.x - self.step_rule(t) * mean, t)
        rest = r - sent if self.keep else torch.where(gone, 0, r)
        return VarianceState(x, rest, torch.where(gone, 0, self.zeta * v))

    def samples(self, x: Tensor, t: int, context: RunContext) -> Iterator[Tensor]:
        """g_z / B ``[..., m, d]`` of the B micro-batches of step t."""
        for b in range(self.micro):
            draws = context.draws("gradient", t).fold("micro", b)
            yield context.checked(context.problem.gradient(x, draws), t) / self.micro

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        return rounds_block(VarianceBlock, context, t, self)

    def models(self, state: VarianceState) -> Tensor:
        return state.x
