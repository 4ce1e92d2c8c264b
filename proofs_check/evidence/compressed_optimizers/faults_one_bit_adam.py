"""Faults planted in 1-bit Adam, each refuted by a closed form of its row."""

from __future__ import annotations

from dataclasses import replace

import torch

from algorithms.compressors.identity import Identity
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.methods.base import RunContext
from algorithms.methods.compressed_optimizers.one_bit_adam import OneBitAdam, OneBitAdamState
from proofs_check.evidence.compressed_optimizers.closed_forms_one_bit_adam import (
    nothing_forgotten,
    one_bit,
    one_bit_bits,
    one_bit_path,
    one_bit_uncompressed,
)
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step


def moving_second(
    own: OneBitAdam, state: OneBitAdamState, t: int, context: RunContext
) -> OneBitAdamState:
    """v goes on with squares of the momenta that were heard, after the warm-up"""
    new = own.step(state, t, context)
    if t < own.warm:
        return new
    return new._replace(second=own.moments.second(state.second, new.first))


@wrong_step("1-bit Adam of forgetful workers", judge=nothing_forgotten, on=one_bit())
def cleared_workers(
    own: OneBitAdam, state: OneBitAdamState, t: int, context: RunContext
) -> OneBitAdamState:
    """memories of the workers cleared at every step"""
    new = own.step(state, t, context)
    return new._replace(residual=torch.zeros_like(new.residual))


@wrong_step("1-bit Adam of a forgetful server", judge=nothing_forgotten, on=one_bit())
def cleared_server(
    own: OneBitAdam, state: OneBitAdamState, t: int, context: RunContext
) -> OneBitAdamState:
    """memory of the server cleared at every step"""
    new = own.step(state, t, context)
    return new._replace(server=torch.zeros_like(new.server))


@wrong_step("1-bit Adam with own momenta", judge=one_bit_path, on=one_bit())
def stale_momentum(
    own: OneBitAdam, state: OneBitAdamState, t: int, context: RunContext
) -> OneBitAdamState:
    """momenta go on from the one of the warm-up's end, not from the one that was heard"""
    new = own.step(state, t, context)
    return new if t < own.warm else new._replace(first=state.first)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    wrong_step("1-bit Adam whose v moves", judge=nothing_forgotten, on=one_bit())(moving_second),
    wrong_step(
        "uncompressed 1-bit Adam whose v moves", judge=one_bit_uncompressed, on=one_bit(Identity())
    )(moving_second),
    fault(
        "1-bit Adam of one scale", "one scale shared by all chunks", one_bit_path,
        replace(one_bit(), compressor=ScaledSign()),
    ),
    fault(
        "1-bit Adam billed for one chunk", "one scale on the wire in the place of two",
        one_bit_bits, replace(one_bit(), compressor=ScaledSign()),
    ),
)  # fmt: skip
