"""Dion, distributed orthonormalised updates (Ahn, Xu, Abreu et al. 2025, arXiv:2504.05295)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.low_rank import Block, flat, matrices
from algorithms.core.decays import require_decay
from algorithms.kernels import low_rank
from algorithms.kernels.row_norms import exact_sqrt
from algorithms.methods.base import Method, RunContext
from algorithms.methods.parts.averaged_pieces import averaged_pieces
from algorithms.problems.base import Problem, require_int
from theory.constants import Constants
from theory.stepsizes import Stepsize


class DionState(NamedTuple):
    """Model, momenta, and the right factor of every matrix.

    Attributes:
        x: the model ``[..., 1, d]``.
        momentum: M_i of each worker ``[..., m, d]``.
        q: Q of every matrix, unit columns ``[..., 1, columns, r]``, the same for all workers.
    """

    x: Tensor
    momentum: Tensor
    q: tuple[Tensor, ...]


@final
@dataclass(frozen=True)
class Dion(Method[DionState]):
    r"""Steps of rank r with equal singular values; only what they take off the momentum decays.

    For every matrix of the model: M_i += G_i; P = orthonormal(mean_i M_i Q); R_i = M_i^T P;
    M_i -= (1 - \mu) P R_i^T; Q = the mean R with unit columns;
    X -= \gamma \sqrt{rows / columns} P Q^T (Algorithm 1). Two averages a step, r (rows + columns)
    floats. Models depend on the mean of the M_i alone, so that they are those of one worker with
    the mean gradient; each worker takes off what its own momentum has in the span of P.

    At full rank \mu (M + G) stays. Tensors of one axis are averaged as they are and take the rule
    of a matrix of one column: X -= \gamma \sqrt{size} M / \|M\|. A column of R that is 0 leaves
    that of Q as it was. Without ``feedback`` \mu (M + G) stays whatever the rank. (PowerSGD sends
    the same and moves by P R^T itself.)

    Attributes:
        step_rule: the stepsizes \gamma_t [x] by step t.
        rank: number r of columns of P and Q.
        mu: \mu, decay of what was sent.
        feedback: whether what was not sent stays whole.

    Raises:
        ValueError: rank < 1, mu outside [0, 1).
    """

    step_rule: Stepsize
    rank: int
    mu: float = 0.95
    feedback: bool = True

    shared_model: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_int("rank", self.rank, 1)
        require_decay("mu", self.mu)

    @property
    def name(self) -> str:
        tail = "" if self.feedback else ", no feedback"
        return f"Dion(r={self.rank}, mu={self.mu:g}{tail})"

    def constants(self, problem: Problem) -> Constants:
        return problem.constants().uniform("G2")

    def blocks(self, problem: Problem) -> tuple[Block, ...]:
        """Partition of the model into matrices; a flat model is one that is nearly square."""
        shapes, d = problem.shapes, problem.d
        if len(shapes) <= 1 and len(shapes[0] if shapes else (d,)) == 1:
            rows = max(1, math.isqrt(d))
            return (self._block(d, rows, -(-d // rows)),)
        return tuple(self._block(math.prod(s), s[0], math.prod(s[1:])) for s in shapes)

    def _block(self, size: int, rows: int, columns: int) -> Block:
        return Block(size, rows, columns, min(self.rank, rows, columns) if columns > 1 else 0)

    def init(self, x0: Tensor, context: RunContext) -> DionState:
        rows = context.rows(x0, len(context.network.workers))
        draws = context.key.fold("Q", 0).draws(context.replicas, context.network.server)
        q = []
        for k, b in enumerate(self.blocks(context.problem)):
            if b.rank:
                normal = draws.fold(k).normal(b.columns * b.rank, x0.dtype)
                q.append(_unit_columns(normal.reshape(*normal.shape[:-1], b.columns, b.rank)))
        return DionState(context.rows(x0, 1), torch.zeros_like(rows), tuple(q))

    def step(self, state: DionState, t: int, context: RunContext) -> DionState:
        blocks = self.blocks(context.problem)
        grown = state.momentum + context.gradient(state.x, t)
        parts = list(zip(blocks, torch.split(grown, [b.size for b in blocks], -1), strict=True))
        m = [matrices(part, b) for b, part in parts if b.rank]
        plain = [part for b, part in parts if not b.rank]
        first = [low_rank.times(one, _wide(q, one)) for one, q in zip(m, state.q, strict=True)]
        incoming = averaged_pieces([*first, *plain], t, "P", context)
        p = [low_rank.orthonormal(one) for one in incoming[: len(m)]]
        r = [
            low_rank.transposed_times(one, _wide(left, one)) for one, left in zip(m, p, strict=True)
        ]
        mean = averaged_pieces(r, t, "R", context) if m else []
        q = tuple(_unit_columns(one, old) for one, old in zip(mean, state.q, strict=True))
        taken = _rows_of(
            blocks, [_product(left, one) for left, one in zip(p, r, strict=True)], plain
        )
        vectors = [_normalised(v) for v in incoming[len(m) :]]
        steps = [_product(left, right) for left, right in zip(p, q, strict=True)]
        scales = [math.sqrt(b.rows / b.columns) for b in blocks if b.rank]
        move = _rows_of(blocks, [s * c for s, c in zip(steps, scales, strict=True)], vectors)
        kept = grown - (1 - self.mu) * (taken if self.feedback else grown)
        return DionState(state.x - self.step_rule(t) * move, kept, q)

    def models(self, state: DionState) -> Tensor:
        return state.x


def _wide(factor: Tensor, of: Tensor) -> Tensor:
    """One factor ``[..., 1, a, r]`` for each of the rows that ``of`` ``[..., m, a, b]`` has."""
    return factor.expand(*of.shape[:-2], *factor.shape[-2:])


def _product(left: Tensor, right: Tensor) -> Tensor:
    """P R^T ``[..., m, rows, columns]`` of a shared P ``[..., 1, rows, r]``."""
    return low_rank.times(_wide(left, right), right.transpose(-1, -2))


def _unit_columns(r: Tensor, old: Tensor | None = None) -> Tensor:
    """Columns of R ``[..., columns, r]`` by their lengths; where one is 0, that of ``old``."""
    norm = exact_sqrt((r * r).sum(-2, keepdim=True))
    unit = r / torch.where(norm > 0, norm, 1)
    return unit if old is None else torch.where(norm > 0, unit, old)


def _normalised(v: Tensor) -> Tensor:
    r"""\sqrt{size} v / \|v\| of vectors ``[..., 1, size]``; 0 of 0."""
    norm = exact_sqrt((v * v).sum(-1, keepdim=True))
    return v * (math.sqrt(v.shape[-1]) / torch.where(norm > 0, norm, 1))


def _rows_of(blocks: tuple[Block, ...], factors: list[Tensor], vectors: list[Tensor]) -> Tensor:
    """Rows ``[..., m, d]`` of matrices and vectors, in the order of the model."""
    wide, plain = iter(factors), iter(vectors)
    return torch.cat([flat(next(wide), b) if b.rank else next(plain) for b in blocks], -1)
