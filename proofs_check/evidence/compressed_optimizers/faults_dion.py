"""Faults planted in Dion, each refuted by a closed form of its row."""

from __future__ import annotations

import math
from dataclasses import replace

import torch
from torch import Tensor

from algorithms.compressors.low_rank import Block, flat, matrices
from algorithms.kernels import low_rank
from algorithms.methods.base import RunContext
from algorithms.methods.compressed_optimizers.dion import Dion, DionState
from proofs_check.evidence.compressed_optimizers.closed_forms_dion import (
    dion,
    dion_factors,
    dion_is_muon,
    dion_momentum,
    dion_path,
)
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step
from theory.stepsizes import ConstantStep


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
