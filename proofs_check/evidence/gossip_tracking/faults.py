"""Trackers and corrections with one fault each, and who sees it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import torch

from algorithms.methods.base import RunContext
from algorithms.methods.gossip_tracking.corrected import (
    EXACT_DIFFUSION,
    NIDS,
    CorrectedGossip,
    CorrectedState,
)
from algorithms.methods.gossip_tracking.gradient_tracking import GradientTracking, TrackingState
from proofs_check.evidence.gossip_tracking import closed_forms as forms
from proofs_check.evidence.gossip_tracking import closed_forms_graphs as graphs
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step
from theory.networks.finite_time import Round, base_graph


@wrong_step(
    "DIGing with a tracker that starts at 0", judge=forms.tracking.converges, of=GradientTracking
)
def tracker_from_zero(
    own: GradientTracking, state: TrackingState, t: int, context: RunContext
) -> TrackingState:
    """Y0 = 0 in the place of G0: mean Y = mean G - mean G0"""
    if t:
        return own.step(state, t, context)
    return TrackingState(state.x, torch.zeros_like(state.x), context.gradient(state.x, t))


@wrong_step(
    "DIGing that keeps another gradient than it used",
    judge=forms.tracker_mean_is_kept, of=GradientTracking,
)  # fmt: skip
def gradient_drawn_again(
    own: GradientTracking, state: TrackingState, t: int, context: RunContext
) -> TrackingState:
    """G of the step before is drawn anew at its model, from another sample"""
    again = context.problem.gradient(state.x, context.draws("again", t))
    return own.step(state, t, context)._replace(g=again)


def tracker_unmixed_step(
    own: GradientTracking, state: TrackingState, t: int, context: RunContext
) -> TrackingState:
    """Y = Y + G+ - G without W, which is the own gradient: D-PSGD"""
    return own.step(state, 0, replace(context, key=context.key.fold("fault", t)))


tracker_unmixed = wrong_step(
    "DIGing without mixing its trackers", judge=forms.tracking.printed, of=GradientTracking
)(tracker_unmixed_step)


@wrong_step("ATC tracking that combines first", judge=forms.adapting.printed, of=forms.atc)
def combined_first(
    own: GradientTracking, state: TrackingState, t: int, context: RunContext
) -> TrackingState:
    """X+ = W X - gamma Y, Y+ = W Y + G+ - G: DIGing's order"""
    return GradientTracking(own.step_rule, own.topology).step(state, t, context)


def without_correction(
    own: CorrectedGossip, state: CorrectedState, t: int, context: RunContext
) -> CorrectedState:
    """the correction by the last step never applied"""
    plain = CorrectedState(state.x, state.x, torch.zeros_like(state.x))
    return own.step(plain, t, context)


def old_gradient_kept(
    own: CorrectedGossip, state: CorrectedState, t: int, context: RunContext
) -> CorrectedState:
    """gamma G' in the place of gamma (G' - G), as if models alone were corrected"""
    return own.step(state._replace(pull=torch.zeros_like(state.x)), t, context)


extra_uncorrected = wrong_step(
    "EXTRA without its correction", judge=forms.extra_cases.converges, of=forms.extra
)(without_correction)
nids_uncorrected = wrong_step(
    "NIDS without its correction", judge=forms.nids_cases.converges, of=forms.nids
)(without_correction)
diffusion_uncorrected = wrong_step(
    "exact diffusion without its correction",
    judge=forms.diffusion.converges, of=forms.exact_diffusion,
)(without_correction)  # fmt: skip
extra_old_gradient = wrong_step(
    "EXTRA that subtracts no old gradient", judge=forms.extra_cases.is_fixed_point, of=forms.extra
)(old_gradient_kept)
nids_old_gradient = wrong_step(
    "NIDS that subtracts no old gradient", judge=forms.nids_cases.is_fixed_point, of=forms.nids
)(old_gradient_kept)


@wrong_step("EXTRA that mixes the gradients too", judge=forms.extra_cases.printed, of=forms.extra)
def extra_mixing_gradients(
    own: CorrectedGossip, state: CorrectedState, t: int, context: RunContext
) -> CorrectedState:
    """(I + W)/2 on the change of gradients as well: NIDS"""
    return replace(own, form=NIDS).step(state, t, context)


@wrong_step("NIDS that mixes its first step", judge=forms.nids_cases.printed, of=forms.nids)
def nids_from_mixed(
    own: CorrectedGossip, state: CorrectedState, t: int, context: RunContext
) -> CorrectedState:
    """X1 = (I + W)/2 (X0 - gamma G0): exact diffusion's start"""
    return replace(own, form=EXACT_DIFFUSION).step(state, t, context)


@wrong_step(
    "exact diffusion that does not mix its first step",
    judge=forms.diffusion.printed, of=forms.exact_diffusion,
)  # fmt: skip
def diffusion_from_unmixed(
    own: CorrectedGossip, state: CorrectedState, t: int, context: RunContext
) -> CorrectedState:
    """X1 = X0 - gamma G0: NIDS' start"""
    return replace(own, form=NIDS).step(state, t, context)


@wrong_step("NIDS on W itself", judge=forms.nids_cases.limits, of=forms.nids)
def nids_on_whole_w(
    own: CorrectedGossip, state: CorrectedState, t: int, context: RunContext
) -> CorrectedState:
    """W in the place of (I + W)/2: D-squared's limit of -1/3 comes back"""
    after = own.step(state, t, context)
    if t == 0:
        return after
    ahead = 2 * state.x - state.old - (after.pull - state.pull)
    around = own.topology.neighbours(0)
    return after._replace(x=context.mixed(ahead, around, t, purpose="whole"))


def _short(n: int, k: int) -> list[Round]:
    return base_graph(n, k)[:-1]


def _by_halves(n: int, k: int) -> list[Round]:
    rounds = base_graph(n, k)
    heavy = Fraction(4, 5)
    return [{e: Fraction(1, 2) if w == heavy else w for e, w in one.items()} for one in rounds]


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "base-(k+1) graph that stops early", "the last round is missing",
        graphs.averages_exactly, _short,
    ),
    fault(
        "base-(k+1) graph that gives by halves", "weight 1/2 where a block of 4 gives to one of 1",
        graphs.averages_exactly, _by_halves,
    ),
)  # fmt: skip
