"""QuanTimed-DSGD: quantised gossip with gradients cut off at a deadline."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, final

import numpy as np
import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.core.key import Draws
from algorithms.kernels.devices import put
from algorithms.methods.base import Method, RunContext
from algorithms.methods.gossip_compressed.quantimed_block import QuanTimedBlock
from algorithms.methods.parts.checks import check_size
from algorithms.methods.parts.constants import operator_constants
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.rounds import rounds_block
from algorithms.problems.base import Problem
from algorithms.synchronisation.base import ComputeTimes
from algorithms.topologies.base import Neighbours, Topology
from theory.constants import Constants
from theory.seconds.costs import AlphaBeta
from theory.stepsizes import Stepsize

FREE = AlphaBeta(0.0, 0.0)
"""A link on which messages take no time."""


class QuanTimedState(NamedTuple):
    """Models ``[..., m, d]`` and the time that has passed ``[...]`` [seconds].

    Attributes:
        x: the models ``[..., m, d]``.
    """

    x: Tensor
    time: Tensor


@final
@dataclass(frozen=True)
class QuanTimed(Method[QuanTimedState]):
    r"""x_i^{t+1} = (1 - \epsilon_t + \epsilon_t W_{ii}) x_i^t
    + \epsilon_t \sum_{j \ne i} W_{ij} Q(x_j^t) - \alpha_t \epsilon_t \tilde g_i(x_i^t).
    (Reisizadeh, Taheri, Mokhtari, Hassani, Pedarsani 2019, arXiv:1907.10595, Algorithm 1.)

    \tilde g_i is the mean of the gradients that worker i ends within ``deadline`` [seconds] by
    ``times``, at most ``most``; which ones end does not depend on their values, so it is unbiased.
    A worker that ends none takes part with its first: the others wait for it. Messages take what
    ``link`` says, by default no time. ``step_rule`` is
    \alpha, ``mixing_rule`` \epsilon in (0, 1]. The paper's Q is unbiased with an absolute variance.

    Attributes:
        topology: the graph and its mixing matrix W.
        compressor: the operator Q.

    Raises:
        ValueError: a deadline that is not positive, or most < 1.
    """

    step_rule: Stepsize
    mixing_rule: Stepsize
    topology: Topology
    compressor: Compressor
    times: ComputeTimes
    deadline: float
    most: int = 8
    link: AlphaBeta = FREE

    def __post_init__(self) -> None:
        if not self.deadline > 0:
            raise ValueError(
                f"deadline must be positive [seconds], got deadline={self.deadline}; a few times "
                "the mean of a gradient would do"
            )
        if self.most < 1:
            raise ValueError(f"most must be at least 1 gradient, got most={self.most}")

    @property
    def name(self) -> str:
        return f"QuanTimed-DSGD, {self.topology.name}, {self.compressor.name}"

    def constants(self, problem: Problem) -> Constants:
        own = operator_constants(self.compressor, problem.d)
        return problem.constants().merge(self.topology.each_step()).merge(own)

    def init(self, x0: Tensor, context: RunContext) -> QuanTimedState:
        check_size(self.topology, context)
        x = context.rows(x0, len(context.network.workers))
        time = torch.zeros(context.replicas.shape, dtype=torch.float64, device=x.device)
        return QuanTimedState(x, time)

    def step(self, state: QuanTimedState, t: int, context: RunContext) -> QuanTimedState:
        ended, took = self.batches(t, context)
        g = self.gradient(state.x, ended, t, context)
        packet = context.pack(self.compressor.at_step(t), state.x, t)
        others, _ = context.network.mix(packet, self.incoming(t))
        kept = own_weights(self.topology, t, context).to(state.x)
        share = self.mixing_rule(t)
        x = (1 - share + share * kept) * state.x + share * others
        took = put(took, x.device) + self.message_seconds(packet.bits, t)
        return QuanTimedState(x - self.step_rule(t) * share * g, state.time + took)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        return rounds_block(QuanTimedBlock, context, t, self)

    def incoming(self, t: int) -> Neighbours:
        """What each worker hears of others at step t."""
        return without_own(self.topology, t % self.topology.period)

    def message_seconds(self, bits: int | Tensor, t: int) -> float | Tensor:
        """Seconds until every worker has sent to all its neighbours, one after another."""
        degree = int(self.incoming(t).out_degree.max())
        if isinstance(bits, int):
            return self.link.seconds(bits, 1) * degree
        return (self.link.alpha + self.link.beta * bits.amax().to(torch.float64)) * degree

    def batches(self, t: int, context: RunContext) -> tuple[Tensor, Tensor]:
        """Gradients that every worker ends ``[..., n]`` (int64), and the step's time ``[...]``.

        The same on all ranks: everybody's clock is drawn everywhere, on the host.
        """
        seconds = self.times.seconds(self.clocks(context).fold("times", t), self.most)
        return self.by_deadline(seconds)

    @staticmethod
    def clocks(context: RunContext) -> Draws:
        """What everybody's times are drawn from, step by step."""
        return context.key.draws(context.replicas_on_host, torch.arange(context.network.n))

    def by_deadline(self, seconds: Tensor) -> tuple[Tensor, Tensor]:
        """How many gradients end ``[..., n]`` (int64) of those that take ``seconds``
        ``[..., n, most]``, and the step's time ``[...]``."""
        ends = seconds.cumsum(-1)
        ended = (ends <= self.deadline).sum(-1).clamp_min(1)
        return ended, ends[..., 0].amax(-1).clamp_min(self.deadline)

    def gradient(self, x: Tensor, ended: Tensor, t: int, context: RunContext) -> Tensor:
        """Mean ``[..., m, d]`` over the first ``ended`` gradients of each of the rows held here."""
        mine = ended[..., context.network.held]
        most, own = int(mine.max()), put(mine, x.device)
        draws, total = context.draws("gradient", t), torch.zeros_like(x)
        for k in range(most):
            g = context.problem.gradient(x, _of_sample(draws, k))
            total = total + torch.where((k < own)[..., None], g, 0)
        return context.checked(total / own[..., None], t)

    def models(self, state: QuanTimedState) -> Tensor:
        return state.x

    def seconds(self, state: QuanTimedState, t: int) -> Tensor:
        return state.time


@lru_cache(maxsize=16)
def without_own(topology: Topology, phase: int) -> Neighbours:
    """W with a zero diagonal: what is heard from others."""
    w = topology.matrix(phase)
    return Neighbours(w - np.diag(w.diagonal()))


def own_weights(topology: Topology, t: int, context: RunContext) -> Tensor:
    """W_ii ``[m, 1]`` of the rows held here."""
    diagonal = torch.from_numpy(topology.matrix(t).diagonal().copy())
    return put(diagonal, context.replicas.device)[context.network.workers][:, None]


def _of_sample(draws: Draws, k: int) -> Draws:
    """Draws of the step's gradient ``k``; the first are those of a step with one gradient."""
    return draws if k == 0 else draws.fold("sample", k)
