"""Effects of relays, directed trackers, local steps and momentum; one fault each, who sees it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import torch

from algorithms.catalogue.gossip_directed import uneven_exponential
from algorithms.catalogue.gossip_tracking import uneven_ring
from algorithms.methods.base import RunContext
from algorithms.methods.exchanges.exchange import FixedLinks
from algorithms.methods.exchanges.gossip_rounds import PlainRound
from algorithms.methods.gossip_directed.sgp import SGP
from algorithms.methods.gossip_local.gossip_local_sgd import GossipLocalSGD
from algorithms.methods.gossip_tracking.gradient_tracking import (
    GradientTracking,
    StepOrder,
    TrackingState,
)
from algorithms.methods.gossip_tracking.k_gt import KGT, KGTState
from algorithms.methods.gossip_tracking.push_diging import PushDIGing, PushDIGingState
from algorithms.methods.gossip_tracking.push_pull import PushPull
from algorithms.methods.gossip_tracking.quasi_global import QuasiGlobalMomentum, QuasiGlobalState
from algorithms.methods.gossip_tracking.relay_sgd import RelaySGD, RelayState
from algorithms.problems.quadratic_data import unequal
from algorithms.topologies.base import MixingSequence
from algorithms.topologies.lazy import Lazy
from algorithms.topologies.path import Path
from algorithms.topologies.ring import Ring
from proofs_check.evidence.gossip_tracking import closed_forms_graphs as rest
from proofs_check.evidence.gossip_tracking import closed_forms_links as forms
from proofs_check.instruments.contrast import arm, contrast
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import Setting, around
from proofs_check.methods.faulty.faulty_method import OneWrongStep
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step
from theory.stepsizes import Stepsize


def local_momentum(
    own: QuasiGlobalMomentum, state: QuasiGlobalState, t: int, context: RunContext
) -> QuasiGlobalState:
    """m = beta m + g, kept alone: the mixed model is not asked"""
    g = context.gradient(state.x, t)
    m = own.momentum * state.m + g
    around = own.topology.neighbours(t)
    return QuasiGlobalState(context.mixed(state.x - own.step_rule(t) * m, around, t), m)


quasi_global_kept_alone = wrong_step(
    "quasi-global momentum kept alone", judge=forms.quasi_global_printed, of=QuasiGlobalMomentum
)(local_momentum)


@wrong_step(
    "quasi-global momentum shortened by 1 + beta",
    judge=forms.quasi_global_printed, of=QuasiGlobalMomentum,
)  # fmt: skip
def quasi_global_shortened(
    own: QuasiGlobalMomentum, state: QuasiGlobalState, t: int, context: RunContext
) -> QuasiGlobalState:
    """an extra 1/(1 + beta) on the momentum's part of the step"""
    weak = state._replace(m=state.m / (1 + own.momentum))
    after = own.step(weak, t, context)
    return after._replace(m=after.m + own.momentum * (state.m - weak.m))


@wrong_step("RelaySGD divided by what has arrived", judge=forms.relay_formula, of=RelaySGD)
def relay_by_count(own: RelaySGD, state: RelayState, t: int, context: RunContext) -> RelayState:
    """the count in the place of n, x0 still added"""
    count = own.links.incoming(t)[context.network.workers, None]
    after = own.step(state, t, context)
    return after._replace(x=after.x * own.topology.n / count)


@wrong_step("RelaySGD that forgets its start", judge=forms.relay_start, of=RelaySGD)
def relay_from_zero(own: RelaySGD, state: RelayState, t: int, context: RunContext) -> RelayState:
    """0 in the place of x0 for what has not arrived"""
    return own.step(state._replace(x0=torch.zeros_like(state.x0)), t, context)


@wrong_step("RelaySGD that relays again", judge=forms.relay_formula, of=RelaySGD)
def relay_again(own: RelaySGD, state: RelayState, t: int, context: RunContext) -> RelayState:
    """what came from a neighbour is kept, and passed on once more at every later step"""
    after = own.step(state, t, context)
    return after._replace(incoming=after.incoming + state.incoming)


def without_relay(own: RelaySGD, state: RelayState, t: int, context: RunContext) -> RelayState:
    """nothing is passed on: a mean with the neighbours alone"""
    after = own.step(state._replace(incoming=torch.zeros_like(state.incoming)), t, context)
    here = context.network.workers
    arrived, near = (own.links.incoming(s).to(state.x.device)[here, None] for s in (t, 0))
    n = own.topology.n
    return after._replace(x=(n * after.x - (n - arrived).to(state.x.dtype) * state.x0) / near)


relay_unrelayed = wrong_step(
    "RelaySGD that passes nothing on", judge=forms.relay_settles, of=RelaySGD
)(without_relay)


def _exchanged(rule: Stepsize, pull: MixingSequence, push: MixingSequence) -> PushPull:
    return PushPull(rule, push, pull)


def _pushed_twice(rule: Stepsize, _pull: MixingSequence, push: MixingSequence) -> PushPull:
    return PushPull(rule, push, push)


def _pulled_twice(rule: Stepsize, pull: MixingSequence, _push: MixingSequence) -> PushPull:
    return PushPull(rule, pull, pull)


def directed_untracked(
    own: PushPull, state: TrackingState, t: int, context: RunContext
) -> TrackingState:
    """own gradients in the tracker's place"""
    return own.step(state, 0, replace(context, key=context.key.fold("fault", t)))


push_pull_untracked = wrong_step(
    "push-pull without its tracker", judge=forms.push_pull_settles, of=PushPull
)(directed_untracked)


@wrong_step("Push-DIGing whose weights stay 1", judge=forms.push_diging_settles, of=PushDIGing)
def push_diging_unweighted(
    own: PushDIGing, state: PushDIGingState, t: int, context: RunContext
) -> PushDIGingState:
    """X = U: the weights are not pushed"""
    return own.step(state, t, context)._replace(v=torch.ones_like(state.v))


@wrong_step("Push-DIGing with a tracker from 0", judge=forms.push_diging_sum, of=PushDIGing)
def push_diging_from_zero(
    own: PushDIGing, state: PushDIGingState, t: int, context: RunContext
) -> PushDIGingState:
    """Y0 = 0 in the place of G0"""
    after = own.step(state, t, context)
    return after if t else after._replace(y=torch.zeros_like(after.y))


def pushed_untracked(
    own: PushDIGing, state: PushDIGingState, t: int, context: RunContext
) -> PushDIGingState:
    """own gradients in the tracker's place"""
    zero = torch.zeros_like(state.y)
    return own.step(state._replace(y=zero, g=zero), t, context)


push_diging_untracked = wrong_step(
    "Push-DIGing without its tracker", judge=forms.push_diging_settles, of=PushDIGing
)(pushed_untracked)


def k_gt_uncorrected_step(own: KGT, state: KGTState, t: int, context: RunContext) -> KGTState:
    """the correction is computed and never applied: local SGD over gossip"""
    return own.step(state._replace(c=torch.zeros_like(state.c)), t, context)


k_gt_uncorrected = wrong_step(
    "K-GT whose correction is never applied", judge=forms.k_gt_settles, of=KGT
)(k_gt_uncorrected_step)


@wrong_step("K-GT that does not mix its correction", judge=forms.k_gt_sum, of=KGT)
def k_gt_unmixed(own: KGT, state: KGTState, t: int, context: RunContext) -> KGTState:
    """c -= z alone, without W z"""
    after = own.step(state, t, context)
    if (t + 1) % own.period:
        return after
    around = own.topology.neighbours(t // own.period)
    g = context.gradient(state.y, t) + state.c
    z = (state.x - (state.y - own.step_rule(t) * g)) / (own.period * own.step_rule(t))
    return after._replace(c=after.c - context.mixed(z, around, t, purpose="fault"))


@wrong_step("K-GT that forgets K", judge=forms.k_gt_is_scaffold, of=KGT)
def k_gt_without_k(own: KGT, state: KGTState, t: int, context: RunContext) -> KGTState:
    """z = (x - y)/gamma in the place of (x - y)/(K gamma)"""
    after = own.step(state, t, context)
    return after._replace(c=state.c + own.period * (after.c - state.c))


@wrong_step(
    "Push-DIGing that steps by gradients alone", judge=rest.push_diging_stays, of=PushDIGing
)  # fmt: skip
def push_diging_own_gradient(
    own: PushDIGing, state: PushDIGingState, t: int, context: RunContext
) -> PushDIGingState:
    """own gradients in the tracker's place, seen from the fixed point"""
    zero = torch.zeros_like(state.y)
    return own.step(state._replace(y=zero, g=zero), t, context)


@wrong_step("RelaySGD that takes in the neighbours alone", judge=rest.relay_stays, of=RelaySGD)
def relay_near(own: RelaySGD, state: RelayState, t: int, context: RunContext) -> RelayState:
    """nothing is passed on, seen from the fixed point"""
    return without_relay(own, state, t, context)


_STILL = Setting(
    "quadratic-unequal, no noise", partial(unequal, sigma2=0.0), 16, 1500, around(0.05),
    points=200, d=20, note="ring",
)  # fmt: skip
_MEAN = Reading(of=" of the mean model")

RELAY_SGD = contrast(
    "relay-sgd", "a chain slows it by its length, not by its gap",
    replace(
        _STILL, steps=1200, step=(0.025, 0.05, 0.1, 0.2, 0.3, 0.4), points=401, note="path"
    ),
    Reading("steps", "distance_of_workers", target=1e-4),
    method="RelaySGD",
    baseline=arm(
        "ATC tracking",
        lambda it: GradientTracking(it.step, Path(it.problem.n), StepOrder.ADAPT_FIRST),
    ),
    without=arm("nothing is passed on", lambda it: OneWrongStep(it.own, without_relay)),
    at_most=0.7,
    source="Vogels et al. 2021, arXiv:2110.04175: the length of the tree in the place of its gap",
)  # fmt: skip

QG_MOMENTUM = contrast(
    "qg-momentum", "momentum's speed at the error floor of short steps",
    replace(_STILL, steps=300, step=(0.0125, 0.025, 0.05, 0.1, 0.2)),
    Reading(quantity="distance_of_workers"),
    method="quasi-global momentum, beta = 0.9",
    baseline=arm("no momentum", lambda it: replace(it.own, momentum=0.0)),
    without=arm("momentum kept alone", lambda it: OneWrongStep(it.own, local_momentum)),
    at_most=0.7,
    source="Lin, Karimireddy, Stich, Jaggi 2021, arXiv:2102.04761, section 4",
)  # fmt: skip

PUSH_PULL = contrast(
    "push-pull", "links of one direction and workers that differ leave no error floor",
    replace(_STILL, note="uneven ring"), _MEAN,
    method="push-pull",
    baseline=arm("SGP", lambda it: SGP(it.step, FixedLinks(uneven_ring(it.problem.n)))),
    without=arm(
        "own gradients in the tracker's place", lambda it: OneWrongStep(it.own, directed_untracked)
    ),
    at_most=1e-6,
    source="Pu, Shi, Xu, Nedic 2018, arXiv:1810.06653: linear to x*",
)  # fmt: skip

PUSH_DIGING = contrast(
    "push-diging", "changing links of one direction and workers that differ leave no error floor",
    replace(_STILL, note="uneven exponential"), _MEAN,
    method="Push-DIGing",
    baseline=arm("SGP", lambda it: SGP(it.step, FixedLinks(uneven_exponential(it.problem.n)))),
    without=arm(
        "own gradients in the tracker's place", lambda it: OneWrongStep(it.own, pushed_untracked)
    ),
    at_most=1e-6,
    source="Nedic, Olshevsky, Shi 2016, arXiv:1607.03218: linear to x* over time-varying digraphs",
)  # fmt: skip

K_GT = contrast(
    "k-gt", "local steps over gossip and workers that differ leave no error floor",
    replace(_STILL, n=8, steps=3000, note="ring, K = 4"), _MEAN,
    method="K-GT",
    baseline=arm(
        "local SGD over gossip, H = 4",
        lambda it: GossipLocalSGD(it.step, PlainRound(Ring(it.problem.n)), 4),
    ),
    without=arm(
        "the correction is never applied", lambda it: OneWrongStep(it.own, k_gt_uncorrected_step)
    ),
    at_most=1e-4,
    source="Liu, Lin, Koloskova, Stich 2023, arXiv:2301.01313: no heterogeneity in the rate",
)  # fmt: skip

LED = contrast(
    "led", "local steps and workers that differ leave no error floor, for one vector a meeting",
    replace(_STILL, n=8, steps=3000, note="lazy ring, K = 4"), _MEAN,
    method="LED",
    baseline=arm(
        "local SGD over gossip, H = 4",
        lambda it: GossipLocalSGD(it.step, PlainRound(Lazy(Ring(it.problem.n))), 4),
    ),
    without=arm(
        "the correction is never applied", lambda it: OneWrongStep(it.own, k_gt_uncorrected_step)
    ),
    at_most=1e-4,
    source="Alghunaim 2023, arXiv:2302.00620: no heterogeneity in the rate",
)  # fmt: skip


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "push-pull with its matrices exchanged", "models by columns, trackers by rows",
        forms.push_pull_settles, _exchanged,
    ),
    fault(
        "push-pull that pushes twice", "models by columns as well",
        forms.push_pull_settles, _pushed_twice,
    ),
    fault(
        "push-pull that pulls twice", "trackers by rows as well: consensus at a wrong point",
        forms.push_pull_settles, _pulled_twice,
    ),
    fault(
        "push-pull that pulls twice and its sum", "trackers by rows as well",
        forms.push_pull_sum, _pulled_twice,
    ),
)  # fmt: skip
