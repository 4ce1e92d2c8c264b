"""Faults planted in 0/1 Adam, each refuted by a closed form of its row."""

from __future__ import annotations

from dataclasses import replace

import torch

from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.methods.base import RunContext
from algorithms.methods.compressed_optimizers.zero_one_adam import ZeroOneAdam, ZeroOneAdamState
from proofs_check.evidence.compressed_optimizers.closed_forms_zero_one_adam import (
    zero_one,
    zero_one_conserves,
    zero_one_is_adam,
    zero_one_path,
)
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step


@wrong_step("0/1 Adam of the last rate", judge=zero_one_path, on=zero_one())
def by_last_rate(
    own: ZeroOneAdam, state: ZeroOneAdamState, t: int, context: RunContext
) -> ZeroOneAdamState:
    """the update that was heard is divided by the last stepsize, not by the sum of the round's"""
    new = own.step(state, t, context)
    if not own.meets(t):
        return new
    rates = sum(own.step_rule(k) for k in range(own.began(t), t + 1))
    return new._replace(first=new.first * (rates / own.step_rule(t)))


@wrong_step("0/1 Adam from the last local model", judge=zero_one_conserves, on=zero_one())
def from_local_model(
    own: ZeroOneAdam, state: ZeroOneAdamState, t: int, context: RunContext
) -> ZeroOneAdamState:
    """what was heard is walked from the worker's own model, not from the last meeting's"""
    new = own.step(state, t, context)
    return new._replace(x=state.x + (new.x - state.anchor)) if own.meets(t) else new


@wrong_step("0/1 Adam of forgetful workers", judge=zero_one_conserves, on=zero_one())
def cleared_residual(
    own: ZeroOneAdam, state: ZeroOneAdamState, t: int, context: RunContext
) -> ZeroOneAdamState:
    """memories of the workers cleared at every step"""
    new = own.step(state, t, context)
    return new._replace(residual=torch.zeros_like(new.residual))


@wrong_step("0/1 Adam whose v moves", judge=zero_one_path, on=zero_one())
def refreshed_always(
    own: ZeroOneAdam, state: ZeroOneAdamState, t: int, context: RunContext
) -> ZeroOneAdamState:
    """v is refreshed by squares of the momenta that were heard, at every meeting"""
    new = own.step(state, t, context)
    if not own.meets(t):
        return new
    return new._replace(second=own.moments.second(new.second, new.first[..., :1, :]))


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "0/1 Adam of one scale", "one scale shared by all chunks", zero_one_path,
        replace(zero_one(), compressor=ScaledSign()),
    ),
    fault("compressed 0/1 Adam as Adam", "signs where C = I is said", zero_one_is_adam, zero_one()),
)  # fmt: skip
