"""SAPS-PSGD: peers average the coordinates of a mask that all workers share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.shared_mask import SharedMask
from algorithms.kernels.scaled_sum import add_scaled
from algorithms.methods.base import Method, RunContext
from algorithms.methods.exchanges.gossip import gossip
from algorithms.methods.parts.checks import check_size
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.gradients import drawn_gradient
from algorithms.pipeline.links import MeetingLinks
from algorithms.pipeline.neighbours import NeighbourPlan, neighbour_block
from algorithms.pipeline.row_programs import (
    Program,
    Register,
    gradient,
    mixed,
    plus_scaled,
    sent,
    subtract,
)
from algorithms.problems.base import Problem
from algorithms.topologies.bandwidth_matching import BandwidthMatching
from algorithms.topologies.random_mixing import RandomMixing
from theory.constants import Constants
from theory.stepsizes import Stepsize


class SAPSState(NamedTuple):
    """Each worker's model ``[..., m, d]``.

    Attributes:
        x: the models ``[..., m, d]``.
    """

    x: Tensor


@final
@dataclass(frozen=True)
class SAPSPSGD(Method[SAPSState]):
    r"""x_i' = x_i - \gamma g_i(x_i); x_i = (1 - m) \circ x_i' + m \circ \sum_j W_{ij} x_j'.

    m is a random mask, each coordinate with probability 1 / ``compression``, drawn afresh from a
    seed that all workers know, so only values are sent; W is that of a meeting of peers. The mean
    over workers moves as with full averages, for any mask. Where peers are matched by bandwidth,
    that is how fast their links are, in modelled time. (Tang, Shi, Chu 2020, arXiv:2002.09692,
    Algorithms 1 and 2.)

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        meetings: the law of the matrices W of peers that meet.

    Raises:
        ValueError: compression < 1, or meetings of another number of workers.
    """

    step_rule: Stepsize
    meetings: RandomMixing
    compression: float

    def __post_init__(self) -> None:
        if not self.compression >= 1:
            raise ValueError(
                f"compression must be at least 1, got compression={self.compression}; 1 sends all"
            )

    @property
    def name(self) -> str:
        return f"SAPS-PSGD, {self.meetings.name}, c={self.compression:g}"

    @property
    def link_speeds(self) -> Tensor | None:
        if not isinstance(self.meetings, BandwidthMatching):
            return None
        return torch.tensor(self.meetings.bandwidth, dtype=torch.float64)

    def constants(self, problem: Problem) -> Constants:
        return problem.constants()

    def init(self, x0: Tensor, context: RunContext) -> SAPSState:
        check_size(self.meetings, context, "meetings")
        return SAPSState(context.rows(x0, len(context.network.workers)))

    def step(self, state: SAPSState, t: int, context: RunContext) -> SAPSState:
        x = add_scaled(state.x, -self.step_rule(t), context.gradient(state.x, t))
        mask = self._mask(t, context)
        meeting = self.meetings.draw(t, context.key, context.replicas)
        mixed = gossip(context.network, context.pack(mask, x, t), meeting)
        return SAPSState(torch.where(mask.coordinates(x.shape[-1]), mixed, x))

    def _mask(self, t: int, context: RunContext) -> SharedMask:
        return SharedMask(1 / self.compression, context.key.fold("mask", t), context.replicas)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        x, g, moved, said, incoming = (Register() for _ in range(5))
        step = (
            gradient(g, x),
            plus_scaled(moved, x, lambda s: -self.step_rule(s), g),
            sent(said, moved),
            subtract(x, moved, said),  # 0 where the mask is, else what stays
            mixed(incoming, said),
            plus_scaled(x, x, 1.0, incoming),
        )
        plan = NeighbourPlan(
            (x,), (Program(step),), MeetingLinks(self.meetings), drawn_gradient(context),
            self._mask(t, context), purpose="mask",
        )  # fmt: skip
        return neighbour_block(context, t, plan)

    def models(self, state: SAPSState) -> Tensor:
        return state.x
