"""Faults planted in DASHA: what its messages take back, and who adds them up."""

from __future__ import annotations

from algorithms.compressors.base import Compressor
from algorithms.compressors.rand_k import RandK
from algorithms.methods.base import RunContext
from algorithms.methods.variance_reduced.dasha import Dasha, DashaState
from proofs_check.evidence.variance_reduced.closed_forms_dasha import (
    both_errors,
    largest_messages,
    server_estimate,
)
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step
from theory.stepsizes import Stepsize


@wrong_step("DASHA whose server forgets", judge=server_estimate, of=Dasha)
def forgetful_server(own: Dasha, state: DashaState, t: int, context: RunContext) -> DashaState:
    """the server takes the mean of the messages for the estimate, and adds nothing to it"""
    new = own.step(state, t, context)
    return new._replace(mean=new.mean - state.mean)


@wrong_step("DASHA that takes nothing back", judge=both_errors, of=Dasha)
def differences_alone(own: Dasha, state: DashaState, t: int, context: RunContext) -> DashaState:
    """messages are compressed differences of gradients, without the term in a"""
    return Dasha(own.step_rule, own.compressor, 0.0).step(state, t, context)


@wrong_step("DASHA with full rounds", judge=largest_messages, of=Dasha)
def full_at_times(own: Dasha, state: DashaState, t: int, context: RunContext) -> DashaState:
    """every tenth message is uncompressed"""
    full = t > 0 and t % 10 == 0
    one = Dasha(own.step_rule, RandK(1.0), own.pull) if full else own
    return one.step(state, t, context)


def _slow(step: Stepsize, compressor: Compressor) -> Dasha:
    return Dasha(step, compressor, 0.2)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault("DASHA with a = 1/5", "less is taken back than omega = 1 asks for", both_errors, _slow),
)
