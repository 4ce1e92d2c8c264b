"""Dion (Ahn et al. 2025, arXiv:2504.05295): closed forms, and the faults they refute."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor

from algorithms.compressors.low_rank import Block, flat, matrices
from algorithms.engine.run import run
from algorithms.kernels import low_rank
from algorithms.methods.base import Method, RunContext
from algorithms.methods.compressed_optimizers.dion import Dion, DionState
from algorithms.problems.quadratic import Quadratic
from proofs_check.evidence.compressed_optimizers import in_single
from proofs_check.instruments.closed_forms import ClosedForms, same
from proofs_check.instruments.mean_estimation_setting import normal_rows
from proofs_check.instruments.paths import models, path
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

SQUARE = Quadratic.from_arrays(
    normal_rows(2, 12, "curvature").sigmoid() + 0.5, normal_rows(2, 12, "centre"),
    name="two workers, a matrix of 3 x 4",
)  # fmt: skip
"""Two workers with Hessians and minimisers of their own; the model is a matrix of 3 rows."""

_DION = ClosedForms("dion", SQUARE)
_STEPS, _GAMMA, _MU, _ROWS, _COLUMNS = 20, 0.05, 0.8, 3, 4
_SHAPE = (_ROWS, _COLUMNS)


def dion(rank: int = 2) -> Dion:
    """Dion of a rank, 2 of at most 3, on the matrix."""
    return Dion(ConstantStep(_GAMMA), rank, _MU)


def _by_hand(q: Floats, rank: int) -> Floats:
    """The models ``[steps + 1, 12]`` of one worker with the mean gradient, in numpy: numpy's QR,
    whose signs of columns are those of its R, turned to be positive."""
    a, b = SQUARE.a.numpy(), (SQUARE.c / SQUARE.a).numpy()
    x, m, seen = np.zeros(12), np.zeros(_SHAPE), [np.zeros(12)]
    for _ in range(_STEPS):
        m = m + (a * (x - b)).mean(0).reshape(_SHAPE)
        p, upper = np.linalg.qr(m @ q)
        p = p * np.sign(np.diag(upper))[:rank]
        r = m.T @ p
        m = m - (1 - _MU) * p @ r.T
        q = r / np.linalg.norm(r, axis=0)
        x = x - _GAMMA * np.sqrt(_ROWS / _COLUMNS) * (p @ q.T).reshape(-1)
        seen.append(x)
    return np.array(seen)


@_DION.case("closed form", f"{_STEPS} steps, gamma {_GAMMA}, mu {_MU}")
def dion_path(method: Method[Any] | None = None) -> Iterator[Verdict]:
    """Two workers with own momenta are one with the mean gradient, by numpy's QR."""
    for rank in (1, 2, 3) if method is None else (2,):
        own = method or dion(rank)
        start = next(path(own, SQUARE, 0)).state
        want = _by_hand(start.q[0][0, 0].numpy(), rank)
        found = models(own, SQUARE, _STEPS)[:, 0]
        yield same(f"rank {rank}: the rule by hand on the mean", found, want, tolerance=1e-9)


@_DION.case("invariant", f"{_STEPS} steps, rank 2")
def dion_factors(method: Method[Any] | None = None) -> Iterator[Verdict]:
    """Moves are gamma sqrt(rows/columns) P Q^T: P' P = I, columns of Q of length 1, no more."""
    own = method or dion()
    states = [one.state for one in path(own, SQUARE, _STEPS)]
    lengths = torch.stack([one.q[0].norm(dim=-2) for one in states])
    yield same("columns of Q have length 1", lengths, 1.0)
    gaps = []
    for before, after in pairwise(states):
        step = (before.x - after.x).reshape(_SHAPE) / (_GAMMA * (_ROWS / _COLUMNS) ** 0.5)
        q = after.q[0][0, 0]
        p = torch.linalg.lstsq(q, step.T).solution.T  # step = P Q^T, Q of full column rank
        gaps.append(p.T @ p - torch.eye(p.shape[-1]))
    yield same("columns of P are orthonormal", torch.stack(gaps), 0.0, tolerance=1e-9)


@_DION.case("invariant", f"{_STEPS} steps")
def dion_momentum(method: Method[Any] | None = None) -> Iterator[Verdict]:
    """What stays: mu (M + G) at full rank; else M + G without (1 - mu) of what lies in P's span."""
    for rank in (2, 3) if method is None else (2,):
        own, gaps = method or dion(rank), []
        for before, after in pairwise(path(own, SQUARE, _STEPS)):
            g = SQUARE.a * (before.state.x - SQUARE.c / SQUARE.a)
            grown = (before.state.momentum + g).reshape(2, *_SHAPE)
            p = torch.linalg.qr(grown.mean(0) @ before.state.q[0][0, 0]).Q
            is_fixed_point = grown - (1 - _MU) * (p @ p.T) @ grown if rank < _ROWS else _MU * grown
            gaps.append(after.state.momentum.reshape(2, *_SHAPE) - is_fixed_point)
        words = "mu (M + G)" if rank == _ROWS else "all but (1 - mu) of the sent part"
        yield same(f"rank {rank}: {words} stays", torch.stack(gaps), 0.0, tolerance=1e-10)


@_DION.case("closed form", "full rank, one gradient for 60 steps", on="a linear function")
def dion_is_muon(method: Method[Any] | None = None) -> Verdict:
    """Of a constant gradient G = U S V' of full rank, the step turns to U V', all singular values
    equal: Muon's, once the power steps have turned Q."""
    u, v = (torch.linalg.qr(normal_rows(3, 3, word)).Q for word in ("u", "v"))
    g = u @ torch.diag(torch.tensor([8.0, 2.0, 0.5]).double()) @ v.T
    flat = torch.zeros((1, 9), dtype=torch.float64)
    steep = Quadratic(name="linear", a=flat, c=-g.reshape(1, -1), x_star=flat[0], x0=flat[0])
    walked = models(method or Dion(ConstantStep(1.0), 3, 0.5), steep, 60)[:, 0]
    return same(
        "steps end at U V^T", walked[-2] - walked[-1], (u @ v.T).reshape(-1), tolerance=1e-8
    )


@_DION.case("bits", "float32, a matrix of 2 x 2 and one of 3 x 4")
def dion_bits() -> Verdict:
    """r (rows + columns) floats a step, up and down, in two messages."""
    wide = Quadratic.from_arrays(SQUARE.a.float(), (SQUARE.c / SQUARE.a).float(), name="single")
    sent: list[Tensor] = []
    for single, rank in ((in_single(), 1), (wide, 2)):
        trace = run(Dion(ConstantStep(_GAMMA), rank), single, steps=10, points=2)
        sent.append(torch.tensor([trace.sent_bits[0, -1], trace.received_bits[0, -1]]))
    want = [[10 * 32 * 1 * (2 + 2)] * 2, [10 * 32 * 2 * (3 + 4)] * 2]
    return same("bits of a worker, up and down", torch.stack(sent), want)


CLOSED_FORMS = (_DION,)


# Faults planted in Dion, each refuted by a closed form of its row.


def by_singular_values(own: Dion, state: DionState, t: int, context: RunContext) -> DionState:
    """P R^T, which has the singular values of the momentum, in the place of P Q^T, on one matrix"""
    new = own.step(state, t, context)
    (block,) = own.blocks(context.problem)
    grown = state.momentum + context.gradient(state.x, t)
    mean = grown.mean(-2, keepdim=True)
    return new._replace(x=state.x - own.step_rule(t) * _projected(mean, state.q[0], block))


@wrong_step("Dion whose P is not orthonormal", judge=dion_factors, on=dion())
def long_left(own: Dion, state: DionState, t: int, context: RunContext) -> DionState:
    """P is M Q itself, its columns not orthonormal, on one matrix"""
    new = own.step(state, t, context)
    (block,) = own.blocks(context.problem)
    m = matrices((state.momentum + context.gradient(state.x, t)).mean(-2, keepdim=True), block)
    p = low_rank.times(m, state.q[0])
    move = low_rank.times(p, new.q[0].transpose(-1, -2)) * math.sqrt(block.rows / block.columns)
    return new._replace(x=state.x - own.step_rule(t) * flat(move, block))


def _projected(row: Tensor, q: Tensor, block: Block) -> Tensor:
    """P P^T M sqrt(rows/columns) of one matrix, P orthonormal in the span of M Q."""
    padded = torch.nn.functional.pad(row, (0, block.rows * block.columns - block.size))
    m = padded.reshape(*row.shape[:-1], block.rows, block.columns)
    p = low_rank.orthonormal(low_rank.times(m, q))
    r = low_rank.transposed_times(m, p)
    step = low_rank.times(p, r.transpose(-1, -2)) * math.sqrt(block.rows / block.columns)
    return step.reshape(*row.shape[:-1], -1)[..., : block.size]


@wrong_step("Dion that forgets what it did not send", judge=dion_momentum, on=dion())
def cleared_dion(own: Dion, state: DionState, t: int, context: RunContext) -> DionState:
    """the momentum is cleared after every step"""
    new = own.step(state, t, context)
    return new._replace(momentum=torch.zeros_like(new.momentum))


@wrong_step("Dion that takes all off", judge=dion_momentum, on=dion())
def undecayed(own: Dion, state: DionState, t: int, context: RunContext) -> DionState:
    """P R^T is taken off whole, as PowerSGD does, not 1 - mu of it"""
    return replace(own, mu=0.0).step(state, t, context)


@wrong_step("Dion of a fixed Q", judge=dion_is_muon, on=Dion(ConstantStep(1.0), 3, 0.5))
def fixed_factor(own: Dion, state: DionState, t: int, context: RunContext) -> DionState:
    """Q is not kept for the next power step"""
    return own.step(state, t, context)._replace(q=state.q)


@wrong_step("Dion of a long Q", judge=dion_factors, on=dion())
def unnormalised(own: Dion, state: DionState, t: int, context: RunContext) -> DionState:
    """Q is R itself, its columns not of length 1"""
    new = own.step(state, t, context)
    grown = (state.momentum + context.gradient(state.x, t)).mean(-2).reshape(-1, 3, 4)
    p = low_rank.orthonormal(low_rank.times(grown, state.q[0][:, 0]))
    return new._replace(q=(low_rank.transposed_times(grown, p)[:, None],))


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    wrong_step("Dion by singular values", judge=dion_path, on=dion())(by_singular_values),
    fault(
        "Dion without feedback", "what was not sent decays as well", dion_momentum,
        replace(dion(), feedback=False),
    ),
)  # fmt: skip
