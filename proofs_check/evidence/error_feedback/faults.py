"""Faults planted in EF21 and its variants."""

from __future__ import annotations

import torch

from algorithms.compressors.rand_k import RandK
from algorithms.methods.base import RunContext
from algorithms.methods.error_feedback.ef21 import EF21, EF21State
from algorithms.problems.quadratic import Quadratic
from proofs_check.evidence.error_feedback.closed_forms import (
    exact_minimum,
    mean_of_memories,
    quarter,
    shrinking_error,
    top_one,
)
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step


@wrong_step("EF21 that compresses gradients", judge=exact_minimum, of=top_one)
def gradients_themselves(own: EF21, state: EF21State, t: int, context: RunContext) -> EF21State:
    """workers send C(grad f_i), not C of its difference to g_i"""
    zeros = torch.zeros_like(state.memory)
    return own.step(state._replace(memory=zeros, mean=torch.zeros_like(state.x)), t, context)


@wrong_step("EF21 that believes it sent all", judge=mean_of_memories, of=quarter)
def uncompressed_memory(own: EF21, state: EF21State, t: int, context: RunContext) -> EF21State:
    """g_i moves by the whole difference, of which C alone was sent"""
    new = own.step(state, t, context)
    return new._replace(memory=new.momentum)


@wrong_step("EF21 whose memory is the gradient's buffer", judge=mean_of_memories, of=quarter)
def zeroed_buffer(own: EF21, state: EF21State, t: int, context: RunContext) -> EF21State:
    """g_i is an alias of the gradient, which is set to zero before the second round"""
    new = own.step(state, t, context)
    return new._replace(memory=torch.zeros_like(new.memory)) if t == 0 else new


@wrong_step("EF21 whose server starts elsewhere", judge=mean_of_memories, of=quarter)
def started_elsewhere(own: EF21, state: EF21State, t: int, context: RunContext) -> EF21State:
    """the server starts at 0 where the workers start at what they sent first"""
    new = own.step(state, t, context)
    return new if t else new._replace(mean=torch.zeros_like(new.mean))


def _of_the_mean(problem: Quadratic) -> float:
    """L^2 of f, for L_rms^2."""
    return float(problem.a.mean(0).max()) ** 2


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "EF21 with an unbiased operator", "rand-1 scaled up, not divided by 1 + omega",
        exact_minimum, lambda step: EF21(step, RandK(1)),
    ),
    MethodMutant(
        "EF21 with the smoothness of f", "L of f in the place of L_rms",
        lambda: shrinking_error(smooth=_of_the_mean), shrinking_error,
    ),
)  # fmt: skip
