"""CEDAS with one fault each, and who sees it."""

from __future__ import annotations

from dataclasses import replace

from algorithms.methods.base import RunContext
from algorithms.methods.gossip_compressed.lead import LEAD, LEADState
from proofs_check.evidence.gossip_compressed import closed_forms_cedas as forms
from proofs_check.evidence.gossip_compressed.faults_tracking import (
    lead_own_dual_step,
    lead_whole_around_step,
    without_dual,
)
from proofs_check.mutants.method_mutant import wrong_step

cedas_without_dual = wrong_step("CEDAS without its dual", judge=forms.cedas_stays, of=forms.cedas)(
    without_dual
)
cedas_own_dual = wrong_step(
    "CEDAS with the own message alone in its dual", judge=forms.cedas_dual_sum, of=forms.cedas
)(lead_own_dual_step)
cedas_whole_around = wrong_step(
    "CEDAS whose neighbours' copies move whole", judge=forms.cedas_copies, of=forms.cedas
)(lead_whole_around_step)


@wrong_step("CEDAS with LEAD's dual", judge=forms.cedas_is_diffusion, of=forms.cedas)
def dual_of_lead(own: LEAD, state: LEADState, t: int, context: RunContext) -> LEADState:
    """the stepsize of now in the place of those at which the dual was filled"""
    return replace(own, steps_in_dual=False).step(state, t, context)


@wrong_step("CEDAS with twice the dual step", judge=forms.cedas_is_lead, of=forms.cedas)
def cedas_double_dual(own: LEAD, state: LEADState, t: int, context: RunContext) -> LEADState:
    """c in the place of c / 2"""
    after = own.step(state, t, context)
    moved = after.dual - state.dual
    return after._replace(dual=after.dual + moved, x=after.x - moved)
