"""Adaptive gradient sparsification (Han, Wang, Leung 2020, arXiv:2001.04756)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.compressors.requirements import kept
from algorithms.compressors.top_count import TopCount, ranks
from algorithms.kernels.mean import mean_rows
from algorithms.methods.adaptive.fair_block import FairBlock
from algorithms.methods.base import Method, RunContext
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.rounds import rounds_block
from algorithms.problems.base import Problem
from theory.bits import index_bits
from theory.constants import Constants
from theory.seconds.costs import AlphaBeta
from theory.stepsizes import Stepsize


class AdaptiveKState(NamedTuple):
    """Model ``[..., 1, d]``, residuals ``[..., m, d]``, k and f at the model ``[..., 1, 1]``.

    Attributes:
        x: the model ``[..., 1, d]``.
        residual: what each worker has not sent yet ``[..., m, d]``.
        value: f at the model ``[..., 1, 1]`` [f].
    """

    x: Tensor
    residual: Tensor
    k: Tensor
    value: Tensor


def fair_places(incoming: Tensor) -> Tensor:
    r"""Place ``[..., 1, d]`` of each coordinate of rows ``[..., n, d]`` in the order of fairness.

    Fairness-aware bidirectional top-k: the first ``count`` are the union of all workers' top \kappa
    for the largest \kappa at which it is not too large, filled up with the largest of their next
    entries. A coordinate's turn is its best rank with any worker, so this is the order by turn,
    then size, and every worker has its floor(k/n) largest among the first k.
    """
    size = incoming.abs()
    turn = torch.where(incoming != 0, ranks(size), incoming.shape[-1])
    best = turn.amin(-2, keepdim=True)
    largest = torch.where(turn == best, size, 0).amax(-2, keepdim=True)
    by_size = largest.argsort(dim=-1, descending=True, stable=True)
    order = by_size.gather(-1, best.gather(-1, by_size).argsort(dim=-1, stable=True))
    place = torch.arange(incoming.shape[-1], device=incoming.device).expand_as(order)
    return torch.empty_like(order).scatter_(-1, order, place)


@final
@dataclass(frozen=True)
class AdaptiveK(Method[AdaptiveKState]):
    r"""Top-k both ways with error feedback; k follows the sign of d(time to the same loss)/dk.

    The workers send k entries of \gamma g_i + e_i, the server answers with k coordinates of their
    mean, the first by :func:`fair_places`, and what an entry did not move stays with its sender.
    After that the server tries the step made of k' = k - \delta_t/2 coordinates of what it heard.
    If the same loss would come sooner that way, seconds(k') (f(x) - f(x_k)) < seconds(k) (f(x) -
    f(x_{k'})), then k falls by \delta_t, else it rises (\delta_t = width d / sqrt(2 (t + 1)), k
    within [least, d]). seconds(k) is ``compute`` and one message of k entries by the cost model.
    The server knows f; each worker is charged one float for its share.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        cost: the link model [seconds of a message of so many bits].
        start: k at step 0, a number of coordinates (int) or a share of d (float).

    Raises:
        ValueError: least < 1, compute < 0, or width <= 0; a start that does not fit d.
    """

    step_rule: Stepsize
    cost: AlphaBeta
    compute: float = 1e-4
    start: int | float = 0.5
    least: int = 1
    width: float = 0.2

    shared_model: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.least < 1:
            raise ValueError(f"least must be at least 1, got least={self.least}")
        if not self.compute >= 0:
            raise ValueError(f"compute must be at least 0 s, got compute={self.compute}")
        if not self.width > 0:
            raise ValueError(f"width must be positive, got width={self.width}")

    @property
    def name(self) -> str:
        return f"adaptive-k(from {self.start:g}, compute {self.compute:g} s)"

    def constants(self, problem: Problem) -> Constants:
        return problem.constants().uniform("G2")

    def init(self, x0: Tensor, context: RunContext) -> AdaptiveKState:
        x, rows = context.rows(x0, 1), context.rows(x0, len(context.network.workers))
        first = float(kept(self.start, x0.shape[-1]))
        k, value = torch.full_like(x[..., :1], first), context.problem.value(x)[..., None]
        return AdaptiveKState(x, torch.zeros_like(rows), k, value)

    def step(self, state: AdaptiveKState, t: int, context: RunContext) -> AdaptiveKState:
        network, d = context.network, state.x.shape[-1]
        wanted = state.residual + self.step_rule(t) * context.gradient(state.x, t)
        k = state.k.round()
        guide = k.expand(*wanted.shape[:-1], 1)
        packet = context.pack(TopCount(self.start), wanted, t, guide=guide)
        incoming, sent = network.gather(packet)
        mean, places = mean_rows(incoming, keepdim=True), fair_places(incoming)
        chosen = torch.where(places < k, mean, 0)
        move = network.publish(context.pack_server(TopCount(1.0), chosen, t))
        loss_bits = torch.zeros_like(wanted[..., :1])
        network.gather(context.pack(Identity(), loss_bits, t, purpose="loss"))
        width = self.width * d / math.sqrt(2 * (t + 1))
        fewer = (k - width / 2).clamp_min(self.least).round()
        trial = torch.where(places < fewer, mean, 0)
        moves, ks = torch.stack((move, trial)), torch.stack((k, fewer))
        sooner, value = self.sooner(state.x, state.value, moves, ks, context.problem)
        moved = state.k + torch.where(sooner, -width, width)
        return AdaptiveKState(
            state.x - move,
            wanted - torch.where(move != 0, sent, 0),
            moved.clamp(float(self.least), float(d)),
            value,
        )

    def sooner(
        self, x: Tensor, before: Tensor, moves: Tensor, ks: Tensor, problem: Problem
    ) -> tuple[Tensor, Tensor]:
        """Whether fewer entries would have brought the same loss in less time, and the loss after
        the step, both ``[..., 1, 1]``; moves ``[2, ..., 1, d]`` of ks ``[2, ..., 1, 1]`` entries
        from x, where the loss is ``before``."""
        # one by one: a product with two points reads all data column by column, twice as long
        after = torch.stack([problem.value(x - move) for move in moves])[..., None]
        gain, other = before - after
        slow, fast = self._seconds(ks, x)
        return (fast * gain < slow * other) & (other > 0), after[0]

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        return rounds_block(FairBlock, context, t, self)

    def _seconds(self, k: Tensor, x: Tensor) -> Tensor:
        return self.compute + self.cost.alpha + self.cost.beta * self._entry(x) * k

    def _entry(self, x: Tensor) -> int:
        """Length of one entry of the list that a message is, index and value [bits]."""
        return torch.finfo(x.dtype).bits + index_bits(x.shape[-1])

    def models(self, state: AdaptiveKState) -> Tensor:
        return state.x
