"""Faults planted in Rand-DIANA: its coins, and what the server hears of shifts."""

from __future__ import annotations

import torch

from algorithms.methods.base import RunContext
from algorithms.methods.variance_reduced.rand_diana import RandDiana, RandDianaState
from proofs_check.evidence.variance_reduced.closed_forms_rand_diana import lyapunov, server_shift
from proofs_check.mutants.method_mutant import wrong_step


@wrong_step("Rand-DIANA with one coin for all", judge=lyapunov, of=RandDiana)
def common_coin(
    own: RandDiana, state: RandDianaState, t: int, context: RunContext
) -> RandDianaState:
    """all workers renew their shifts together"""
    new = own.step(state, t, context)
    renewed = (new.shifts != state.shifts).any(-1)[..., :1, None]
    g = own.gradients.compute(state.x, t, context)
    shifts = torch.where(renewed, g, state.shifts)
    return new._replace(shifts=shifts, shift=shifts.mean(-2, keepdim=True))


@wrong_step("Rand-DIANA whose server is not told", judge=server_shift, of=RandDiana)
def untold_shifts(
    own: RandDiana, state: RandDianaState, t: int, context: RunContext
) -> RandDianaState:
    """workers renew their shifts, the server keeps the old mean"""
    return own.step(state, t, context)._replace(shift=state.shift)


@wrong_step("Rand-DIANA that never renews", judge=lyapunov, of=RandDiana)
def old_shifts(
    own: RandDiana, state: RandDianaState, t: int, context: RunContext
) -> RandDianaState:
    """shifts stay what they were"""
    return own.step(state, t, context)._replace(shifts=state.shifts, shift=state.shift)
