"""PowerSGD (Vogels, Karimireddy, Jaggi 2019, arXiv:1905.13727)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.low_rank import Block, flat, matrices, plan
from algorithms.kernels import low_rank
from algorithms.methods.base import Method, RunContext
from algorithms.methods.decomposition.powersgd_block import PowerBlock
from algorithms.methods.parts.averaged_pieces import averaged_pieces
from algorithms.optimizers.base import SGD, Optimizer
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.rounds import rounds_block
from algorithms.problems.base import Problem
from theory.constants import Constants
from theory.stepsizes import Stepsize


class PowerSGDState(NamedTuple):
    """Model ``[..., 1, d]``, residuals ``[..., m, d]``, Q of every matrix, the optimizer's.

    Attributes:
        x: the model ``[..., 1, d]``.
        residual: what each worker has not sent yet ``[..., m, d]``.
        q: one Q ``[..., 1, columns, rank]`` for each matrix of the model.
        velocity: the optimizer's state.
    """

    x: Tensor
    residual: Tensor
    q: tuple[Tensor, ...]
    velocity: Any


@final
@dataclass(frozen=True)
class PowerSGD(Method[PowerSGDState]):
    r"""One step of subspace iteration a step, in two averages (Algorithms 1 and 2).

    With M_i the matrices of \gamma g_i + e_i: P = orthonormal(mean_i M_i Q), Q_i = M_i^T P, and
    M' = P (mean_i Q_i)^T; e_i = M_i - P Q_i^T (``aggregate_residual``: M_i - M'; the mean over
    workers is the same, both are in use). Q is kept for the next step (``warm``), else drawn anew.
    Other tensors are averaged uncompressed, with P. ``optimizer`` is applied to M'.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        rank: number r of columns of P and Q.
        feedback: whether e_i is kept; without it e_i = 0.

    Raises:
        ValueError: rank < 1.
    """

    step_rule: Stepsize
    rank: int
    warm: bool = True
    aggregate_residual: bool = False
    feedback: bool = True
    optimizer: Optimizer[Any] = field(default_factory=SGD)

    shared_model: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.rank < 1:
            raise ValueError(f"rank must be at least 1, got rank={self.rank}")

    @property
    def name(self) -> str:
        notes = [f"r={self.rank}"]
        notes += [] if self.warm else ["cold start"]
        notes += [] if self.feedback else ["no error feedback"]
        notes += ["residual against the mean"] if self.aggregate_residual else []
        notes += [] if isinstance(self.optimizer, SGD) else [self.optimizer.name]
        return f"PowerSGD({', '.join(notes)})"

    def constants(self, problem: Problem) -> Constants:
        return problem.constants().uniform("G2")

    def init(self, x0: Tensor, context: RunContext) -> PowerSGDState:
        x, rows = context.rows(x0, 1), context.rows(x0, len(context.network.workers))
        blocks = self.blocks(context.problem)
        return PowerSGDState(
            x, torch.zeros_like(rows), self.start(blocks, context, 0), self.optimizer.init(x)
        )

    def blocks(self, problem: Problem) -> tuple[Block, ...]:
        """Partition of the model into matrices."""
        return plan(problem.d, problem.shapes, self.rank)

    def start(self, blocks: tuple[Block, ...], context: RunContext, t: int) -> tuple[Tensor, ...]:
        """Q of every matrix, N(0, 1), the same for all workers: ``[..., 1, columns, r]``."""
        draws = context.key.fold("Q", t).draws(context.replicas, context.network.server)
        sizes = [(k, b) for k, b in enumerate(blocks) if b.rank]
        normals = [
            draws.fold(k).normal(b.columns * b.rank, context.problem.dtype) for k, b in sizes
        ]
        return tuple(
            n.reshape(*n.shape[:-1], b.columns, b.rank)
            for n, (_, b) in zip(normals, sizes, strict=True)
        )

    def step(self, state: PowerSGDState, t: int, context: RunContext) -> PowerSGDState:
        blocks = self.blocks(context.problem)
        wanted = state.residual + self.step_rule(t) * context.gradient(state.x, t)
        q = state.q if self.warm else self.start(blocks, context, t)
        own, mean, q = self._approximate(blocks, wanted, q, t, context)
        velocity, move = self.optimizer.update(state.velocity, mean, state.x, self.step_rule(t))
        kept = wanted - (mean if self.aggregate_residual else own)
        residual = kept if self.feedback else state.residual
        return PowerSGDState(state.x - move, residual, q, velocity)

    def _approximate(
        self,
        blocks: tuple[Block, ...],
        wanted: Tensor,
        q: tuple[Tensor, ...],
        t: int,
        context: RunContext,
    ) -> tuple[Tensor, Tensor, tuple[Tensor, ...]]:
        """Every worker's own approximation, their mean, and the next Q."""
        parts = torch.split(wanted, [b.size for b in blocks], -1)
        pairs = list(zip(blocks, parts, strict=True))
        m = [matrices(part, b) for b, part in pairs if b.rank]
        plain = [part for b, part in pairs if not b.rank]
        first = [
            low_rank.times(one, right.expand(*one.shape[:-2], *right.shape[-2:]))
            for one, right in zip(m, q, strict=True)
        ]
        p_mean = averaged_pieces([*first, *plain], t, "P", context)
        p = [low_rank.orthonormal(one) for one in p_mean[: len(m)]]
        second = [
            low_rank.times(one.transpose(-1, -2), left.expand(*one.shape[:-2], *left.shape[-2:]))
            for one, left in zip(m, p, strict=True)
        ]
        q_mean = averaged_pieces(second, t, "Q", context) if m else []
        own = _assembled(blocks, p, second, plain)
        mean = _assembled(blocks, p, q_mean, p_mean[len(m) :])
        return own, mean, tuple(q_mean)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        return rounds_block(PowerBlock, context, t, self)

    def models(self, state: PowerSGDState) -> Tensor:
        return state.x


def _assembled(
    blocks: tuple[Block, ...], p: list[Tensor], q: list[Tensor], plain: list[Tensor]
) -> Tensor:
    """Rows of P Q^T and of the tensors sent as they are, in the order of the model."""
    factors, others = iter(zip(p, q, strict=True)), iter(plain)
    rows = []
    for b in blocks:
        if not b.rank:
            rows.append(next(others))
            continue
        left, right = next(factors)
        wide = left.expand(*right.shape[:-2], *left.shape[-2:])
        rows.append(flat(low_rank.times(wide, right.transpose(-1, -2)), b))
    return torch.cat(rows, -1)
