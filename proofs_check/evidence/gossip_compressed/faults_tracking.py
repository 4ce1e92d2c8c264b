"""Compressed trackers and corrections with one fault each, and who sees it."""

from __future__ import annotations

from dataclasses import replace

import torch

from algorithms.methods.base import RunContext
from algorithms.methods.gossip.d_psgd import DPSGDState
from algorithms.methods.gossip_compressed.beer import BEER, BEERState
from algorithms.methods.gossip_compressed.deep_squeeze import DeepSqueeze, DeepSqueezeState
from algorithms.methods.gossip_compressed.lead import LEAD, LEADState
from algorithms.methods.gossip_compressed.moniqua import Moniqua
from proofs_check.evidence.gossip_compressed import closed_forms as rest
from proofs_check.evidence.gossip_compressed import closed_forms_tracking as forms
from proofs_check.mutants.method_mutant import wrong_step


def untracked(own: BEER, state: BEERState, t: int, context: RunContext) -> BEERState:
    """V is the own gradient: nothing is tracked"""
    zero = torch.zeros_like(state.v)
    return own.step(state._replace(v=state.m, tracked=zero, tracked_around=zero), t, context)


beer_untracked = wrong_step("BEER without its tracker", judge=forms.beer_settles, of=BEER)(
    untracked
)
beer_moved = wrong_step("BEER without its tracker, at rest", judge=rest.beer_stays, of=BEER)(
    untracked
)
motef_moved = wrong_step(
    "MoTEF without its tracker, at rest", judge=rest.motef_stays, of=forms.motef
)(untracked)


@wrong_step("BEER with a tracker that starts at 0", judge=forms.beer_mean, of=BEER)
def beer_from_zero(own: BEER, state: BEERState, t: int, context: RunContext) -> BEERState:
    """V0 = 0 in the place of G0"""
    after = own.step(state, t, context)
    return after if t else after._replace(v=torch.zeros_like(after.v))


@wrong_step("BEER whose own copies are not compressed", judge=forms.beer_copies, of=BEER)
def beer_own_copies(own: BEER, state: BEERState, t: int, context: RunContext) -> BEERState:
    """H = X and Z = V at home, while neighbours hear C(X - H) and C(V - Z)"""
    after = own.step(state, t, context)
    return after._replace(public=after.x, tracked=after.v)


@wrong_step("BEER with mixing at full length", judge=forms.beer_is_diging, of=BEER)
def beer_full_mixing(own: BEER, state: BEERState, t: int, context: RunContext) -> BEERState:
    """c = 1 whatever the consensus stepsize says"""
    return replace(own, consensus_step=1.0).step(state, t, context)


@wrong_step("MoTEF that averages nothing", judge=forms.motef_printed, of=forms.motef)
def motef_fresh(own: BEER, state: BEERState, t: int, context: RunContext) -> BEERState:
    """the fresh gradient in the place of its moving mean"""
    return replace(own, momentum=1.0).step(state, t, context)


@wrong_step("MoTEF that starts its mean at 0", judge=forms.motef_printed, of=forms.motef)
def motef_from_zero(own: BEER, state: BEERState, t: int, context: RunContext) -> BEERState:
    """M0 = m G0 in the place of G0"""
    if t:
        return own.step(state, t, context)
    late = own.step(state, 1, context)
    return late


def without_dual(own: LEAD, state: LEADState, t: int, context: RunContext) -> LEADState:
    """D never kept: the bias comes back"""
    return own.step(state._replace(dual=torch.zeros_like(state.dual)), t, context)


lead_without_dual = wrong_step("LEAD without its dual", judge=forms.lead_stays, of=LEAD)(
    without_dual
)


def lead_whole_around_step(own: LEAD, state: LEADState, t: int, context: RunContext) -> LEADState:
    """The step alpha left out of the copy of W H."""
    after = own.step(state, t, context)
    return after._replace(around=state.around + (after.around - state.around) / own.copy_rate)


lead_whole_around = wrong_step(
    "LEAD whose neighbours' copies move whole", judge=forms.lead_copies, of=LEAD
)(lead_whole_around_step)


@wrong_step("LEAD with twice the dual step", judge=forms.lead_is_diffusion, of=LEAD)
def lead_double_dual(own: LEAD, state: LEADState, t: int, context: RunContext) -> LEADState:
    """c / gamma in the place of c / (2 gamma)"""
    after = own.step(state, t, context)
    moved = after.dual - state.dual
    return after._replace(dual=after.dual + moved, x=after.x - own.step_rule(t) * moved)


def lead_own_dual_step(own: LEAD, state: LEADState, t: int, context: RunContext) -> LEADState:
    """D moves by the own copy, not by (I - W) of all"""
    after = own.step(state, t, context)
    return after._replace(dual=state.dual + after.public)


lead_own_dual = wrong_step(
    "LEAD with the own message alone in its dual", judge=forms.lead_dual_sum, of=LEAD
)(lead_own_dual_step)


def error_dropped(
    own: DeepSqueeze, state: DeepSqueezeState, t: int, context: RunContext
) -> DeepSqueezeState:
    """e = 0: what a message left out is forgotten"""
    return own.step(state._replace(e=torch.zeros_like(state.e)), t, context)


squeeze_without_error = wrong_step(
    "DeepSqueeze without error feedback", judge=forms.squeeze_printed, of=DeepSqueeze
)(error_dropped)


@wrong_step("DeepSqueeze whose error enters the model", judge=forms.squeeze_mean, of=DeepSqueeze)
def squeeze_error_in_model(
    own: DeepSqueeze, state: DeepSqueezeState, t: int, context: RunContext
) -> DeepSqueezeState:
    """x+ = v + eta (W - I) q: the error is added to the model as well"""
    after = own.step(state, t, context)
    return after._replace(x=after.x + state.e)


@wrong_step("Moniqua on a circle that is too short", judge=forms.moniqua_mean, of=Moniqua)
def moniqua_aliased(own: Moniqua, state: DPSGDState, t: int, context: RunContext) -> DPSGDState:
    """B / 64: neighbours are farther than theta, and taken for others"""
    short = replace(own.circle, length=own.circle.length / 64)
    return replace(own, circle=short).step(state, t, context)


@wrong_step("Moniqua that keeps its own exact model", judge=forms.moniqua_mean, of=Moniqua)
def moniqua_uncorrected(own: Moniqua, state: DPSGDState, t: int, context: RunContext) -> DPSGDState:
    """x_i in the place of its own reading: the sender does not correct"""
    after = own.step(state, t, context)
    packet = context.pack(own.circle, state.x, t)
    reading = own.circle.read_by(packet.own(context.network.workers), state.x)
    others = 1 - torch.from_numpy(own.topology.matrix(t).diagonal().copy())
    mine = others[context.network.workers, None]
    return DPSGDState(after.x + mine * (reading - state.x))
