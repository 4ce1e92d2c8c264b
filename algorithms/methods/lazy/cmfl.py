"""CMFL: local updates that run against the common one stay at home (Wang, Wang, Li 2019)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.kernels.scaled_sum import add_scaled
from algorithms.methods.base import Method, RunContext
from algorithms.methods.lazy.cmfl_block import CmflBlock
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.rounds import rounds_block
from algorithms.problems.base import Problem
from theory.constants import Constants
from theory.stepsizes import Stepsize


class CMFLState(NamedTuple):
    """Each worker's model ``[..., m, d]``; the common one and its last update ``[..., 1, d]``.

    Attributes:
        x: the models ``[..., m, d]``.
    """

    x: Tensor
    common: Tensor
    update: Tensor


@final
@dataclass(frozen=True)
class CMFL(Method[CMFLState]):
    r"""Local SGD in which a worker sends its update only where that is relevant (Algorithm 1).

    When H | t+1, u_i = x_i - \bar x is what H local steps changed. Worker i sends it if
    e(u_i, \bar u) = \frac1d |\{j : sgn(u_{ij}) = sgn(\bar u_j)\}| \ge v_k, \bar u the last common
    update; \bar x moves by the mean of the updates that arrived, nothing if none did, and all go
    on from there. In the first round, without a \bar u, all send. v_k = v_0/\sqrt k at round
    k = 1, 2, ... where ``decays``, as the convergence result asks, else v_0. (Wang, Wang, Li 2019,
    "CMFL: mitigating communication overhead for federated learning", ICDCS.)

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        period: steps H between meetings.
        threshold: v_0, share of the coordinates in [0, 1].

    Raises:
        ValueError: period < 1, or a threshold v_0 outside [0, 1].
    """

    step_rule: Stepsize
    period: int
    threshold: float = 0.8
    decays: bool = True

    def __post_init__(self) -> None:
        if self.period < 1:
            raise ValueError(f"period must be at least 1 local step, got period={self.period}")
        if not 0 <= self.threshold <= 1:
            raise ValueError(f"threshold must lie in [0, 1], got threshold={self.threshold}")

    @property
    def name(self) -> str:
        tail = "/sqrt(k)" if self.decays else ""
        return f"CMFL, H={self.period}, v={self.threshold:g}{tail}"

    def constants(self, problem: Problem) -> Constants:
        return problem.constants()  # without H: theorems on local SGD are not about the filter

    def init(self, x0: Tensor, context: RunContext) -> CMFLState:
        common = context.rows(x0, 1)
        rows = context.rows(x0, len(context.network.workers))
        return CMFLState(rows, common, torch.zeros_like(common))

    def step(self, state: CMFLState, t: int, context: RunContext) -> CMFLState:
        x = add_scaled(state.x, -self.step_rule(t), context.gradient(state.x, t))
        if (t + 1) % self.period:
            return state._replace(x=x)
        u = x - state.common
        sends = self.sends(u, state.update, (t + 1) // self.period)
        mean, _ = context.network.average(context.pack(Identity(), u, t, sends=sends))
        share = context.network.mean_over_workers(sends[..., None].to(u.dtype))[..., None, :]
        update = torch.where(share > 0, mean / share, 0)  # the server knows who has sent
        update = context.published(update, t)
        common = state.common + update
        kept = torch.where(share > 0, update, state.update)
        return CMFLState(common.expand_as(x).contiguous(), common, kept)

    def sends(self, u: Tensor, update: Tensor, k: int) -> Tensor:
        """Mask of senders in round k, ``[..., m]``, of updates u ``[..., m, d]``."""
        if k == 1:
            return torch.ones(u.shape[:-1], dtype=torch.bool, device=u.device)
        return relevance(u, update) >= self.threshold_at(k)

    def threshold_at(self, k: int) -> float:
        """The threshold v_k of round k."""
        return self.threshold / k**0.5 if self.decays else self.threshold

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        return rounds_block(CmflBlock, context, t, self)

    def models(self, state: CMFLState) -> Tensor:
        return state.x


def relevance(u: Tensor, update: Tensor) -> Tensor:
    r"""Share ``[..., m]`` (float64) of the coordinates of u whose sign is that of ``update``."""
    return (u.sign() == update.sign()).sum(-1).double() / u.shape[-1]
