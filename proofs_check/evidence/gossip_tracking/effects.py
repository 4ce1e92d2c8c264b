"""Effects of gossip that tracks gradients or corrects its bias, and faults planted in it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import torch

from algorithms.methods.base import RunContext
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_compressed.d2 import D2
from algorithms.methods.gossip_tracking.corrected import (
    EXACT_DIFFUSION,
    NIDS,
    CorrectedGossip,
    CorrectedState,
)
from algorithms.methods.gossip_tracking.corrected import EXTRA as EXTRA_FORM
from algorithms.methods.gossip_tracking.gradient_tracking import GradientTracking, TrackingState
from algorithms.problems.quadratic_data import unequal
from algorithms.topologies.fixed import FixedMatrix
from algorithms.topologies.ring import Ring
from proofs_check.evidence.gossip_tracking import closed_forms as forms
from proofs_check.evidence.gossip_tracking import closed_forms_graphs as graphs
from proofs_check.instruments.contrast import arm, contrast
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import Setting, around
from proofs_check.methods.faulty.faulty_method import OneWrongStep
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step
from theory.networks.finite_time import Round, base_graph

# Trackers and corrections with one fault each, and who sees it.


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


# Effects of gossip that tracks gradients or corrects its bias.

_RING = Setting(
    "quadratic-unequal, no noise", partial(unequal, sigma2=0.0), 16, 1500, around(0.05),
    points=200, d=20, note="ring",
)  # fmt: skip
_MEAN = Reading(of=" of the mean model")
_D_PSGD = arm("D-PSGD", lambda it: DPSGD(it.step, Ring(it.problem.n)))
_UNTRACKED = arm(
    "own gradients in the tracker's place", lambda it: OneWrongStep(it.own, tracker_unmixed_step)
)
_UNCORRECTED = arm(
    "no correction by the last step", lambda it: OneWrongStep(it.own, without_correction)
)


def swinging(n: int) -> FixedMatrix:
    """A ring whose workers keep 1/10 and take 9/20 from either side: eigenvalues down to -4/5."""
    eye = np.eye(n)
    links = np.roll(eye, 1, axis=0) + np.roll(eye, -1, axis=0)
    return FixedMatrix(0.1 * eye + 0.45 * links, label="of a ring that keeps 1/10")


GRADIENT_TRACKING = contrast(
    "gradient-tracking", "workers that differ leave no error floor", _RING, _MEAN,
    method="DIGing", baseline=_D_PSGD, without=_UNTRACKED, at_most=1e-6,
    source="Nedic, Olshevsky, Shi 2016, arXiv:1607.03218, Theorem 3.14: linear to x*",
)  # fmt: skip

ATC_TRACKING = contrast(
    "atc-tracking", "workers that differ leave no error floor, at stepsizes of gradient descent",
    replace(_RING, step=around(0.5)), _MEAN,
    method="ATC tracking", baseline=_D_PSGD, without=_UNTRACKED, at_most=1e-6,
    source="Xu, Zhu, Soh, Xie 2015, CDC; stepsize limits derived",
)  # fmt: skip

EXTRA = contrast(
    "extra", "workers that differ leave no error floor, for one vector a step",
    replace(_RING, step=around(0.2)), _MEAN,
    method="EXTRA", baseline=_D_PSGD, without=_UNCORRECTED, at_most=1e-6,
    source="Shi, Ling, Wu, Yin 2014, arXiv:1404.6264: linear to x*",
)  # fmt: skip

NIDS_EFFECT = contrast(
    "nids", "stepsizes as long as gradient descent's, whatever the network",
    replace(
        _RING, n=8, steps=60, step=(0.25, 0.5, 1.0, 1.5), points=60,
        note="a ring that keeps 1/10: lambda_n = -0.8",
    ),
    _MEAN,
    method=arm(
        "NIDS", lambda it: replace(it.own, topology=swinging(it.problem.n))
    ),
    baseline=arm(
        "EXTRA", lambda it: CorrectedGossip(it.step, swinging(it.problem.n), EXTRA_FORM)
    ),
    without=arm(
        "W in the place of (I + W)/2: D-squared",
        lambda it: D2(it.step, swinging(it.problem.n), allow_unstable=True),
    ),
    at_most=0.1,
    source="Li, Shi, Yan 2017, arXiv:1704.07807: the stepsize does not depend on the network",
)  # fmt: skip

EXACT_DIFFUSION_EFFECT = contrast(
    "exact-diffusion", "workers that differ leave no error floor on a W that D-squared refuses",
    replace(
        _RING, n=8, steps=600, step=around(0.5), note="a ring that keeps 1/10: lambda_n = -0.8"
    ),
    _MEAN,
    method=arm(
        "exact diffusion", lambda it: replace(it.own, topology=swinging(it.problem.n))
    ),
    baseline=arm("D-PSGD", lambda it: DPSGD(it.step, swinging(it.problem.n))),
    without=arm(
        "no correction by the last step",
        lambda it: OneWrongStep(
            replace(it.own, topology=swinging(it.problem.n)), without_correction
        ),
    ),
    at_most=1e-6,
    source="Yuan, Ying, Zhao, Sayed 2017, arXiv:1702.05122: no bias at constant stepsizes",
)  # fmt: skip
