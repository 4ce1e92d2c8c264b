"""Overlap SGP: gradient push whose messages are under way while workers compute."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, final

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.devices import put
from algorithms.kernels.scaled_sum import add_scaled
from algorithms.methods.base import Method, RunContext
from algorithms.methods.exchanges.exchange import FixedLinks
from algorithms.methods.parts.push import PushState, ratio, start
from algorithms.problems.base import Problem, require_int
from algorithms.topologies.base import MixingSequence, Neighbours
from theory.arrays import Floats
from theory.constants import Constants
from theory.stepsizes import Stepsize


class OverlapState(NamedTuple):
    """x ``[..., m, d]``, w ``[..., m, 1]``, and ``flight`` ``[..., m, d + 1]``: sums of (x, w) that
    were sent to a worker and have not arrived.

    Attributes:
        s: the biased models x, before division by w ``[..., m, d]``.
    """

    s: Tensor
    w: Tensor
    flight: Tensor


@final
@dataclass(frozen=True)
class OverlapSGP(Method[OverlapState]):
    r"""tau-OSGP. (Assran, Loizou, Ballas, Rabbat 2018, arXiv:1811.10792, Algorithm 2.)

    Every step x_i -= gamma_t g_i(z_i). Every tau-th step, for the graph P of that round, worker i
    sends P_{ji} (x_i, w_i), keeps P_{ii} (x_i, w_i) and takes in what was sent to it tau steps
    before, the latest that the algorithm lets it wait. What is in flight is counted: sum x and
    sum w over workers and flights are those of SGP. z_i = x_i / w_i of what a worker holds.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        topology: the column-stochastic matrices P, one a round.
        tau: steps between the sending of a message and its use.

    Raises:
        ValueError: tau < 1 (tau = 0 is SGP).
    """

    step_rule: Stepsize
    topology: MixingSequence
    tau: int = 1

    def __post_init__(self) -> None:
        require_int("tau", self.tau, 1)

    @property
    def name(self) -> str:
        return f"{self.tau}-OSGP, {self.topology.name}"

    def constants(self, problem: Problem) -> Constants:
        return problem.constants().state(n=self.topology.n, tau=self.tau)

    def init(self, x0: Tensor, context: RunContext) -> OverlapState:
        s, w = start(x0, FixedLinks(self.topology), context)
        return OverlapState(s, w, torch.zeros_like(torch.cat((s, w), dim=-1)))

    def step(self, state: OverlapState, t: int, context: RunContext) -> OverlapState:
        g = context.gradient(self.models(state), t)
        x = add_scaled(state.s, -self.step_rule(t), g)
        if t % self.tau:
            return state._replace(s=x)
        kept, links = _parted(self.topology, t // self.tau % self.topology.period)
        both = torch.cat((x, state.w), dim=-1)
        sent = context.mixed(both, links, t)
        kept = put(kept.to(both.dtype), both.device)[context.network.workers, None]
        own = kept * both + state.flight
        return OverlapState(own[..., :-1].contiguous(), own[..., -1:].contiguous(), sent)

    def models(self, state: OverlapState) -> Tensor:
        return ratio(PushState(state.s, state.w))


@lru_cache(maxsize=64)
def _parted(topology: MixingSequence, phase: int) -> tuple[Tensor, Neighbours]:
    """Own weight of each worker ``[n]``, and the links to the others as lists."""
    p: Floats = topology.matrix(phase)
    return torch.from_numpy(p.diagonal().copy()), Neighbours(p - np.diag(p.diagonal()))
