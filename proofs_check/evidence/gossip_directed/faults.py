"""Faults in push methods: weights, ratios, messages in flight, what is sent, who is partner."""

from __future__ import annotations

from algorithms.methods.exchanges.exchange import FixedLinks
from algorithms.methods.exchanges.unreliable import LostWeight
from algorithms.methods.gossip_directed.overlap_sgp import OverlapSGP
from algorithms.methods.gossip_directed.push_sum import PushSum
from algorithms.methods.gossip_directed.sgp import SGP
from algorithms.methods.gossip_directed.subgradient_push import SubgradientPush
from algorithms.topologies.averaging import Averaging
from algorithms.topologies.directed_ring import DirectedRing
from proofs_check.evidence.gossip_directed.closed_forms import (
    DIGRAPH,
    Build,
    exact_after_rounds,
    mass_is_kept,
    reaches_mean,
)
from proofs_check.evidence.gossip_directed.closed_forms_learning import (
    overlap_keeps_mass,
    sgp_fixed_point,
    subgradient_push_fixed_point,
)
from proofs_check.evidence.gossip_directed.closed_forms_losses import told_senders
from proofs_check.methods.faulty.faulty_method import wrapped
from proofs_check.methods.faulty.push import (
    DividedTwice,
    DroppedInFlight,
    GradientAtSum,
    GradientSent,
    PushAtSum,
    StalePushSum,
    Undivided,
    WeightKept,
)
from proofs_check.mutants.method_mutant import MethodMutant, fault
from proofs_check.verdict import Verdict

_STATIC = (FixedLinks(DIGRAPH),)


def _reaches_mean(build: Build = PushSum) -> tuple[Verdict, ...]:
    return reaches_mean(build, _STATIC)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    MethodMutant(
        "push-sum with row-stochastic weights", "rows sum to 1 instead of columns",
        lambda: reaches_mean(PushSum, (FixedLinks(Averaging(DIGRAPH)),)),
        lambda: reaches_mean(PushSum, _STATIC),
    ),
    MethodMutant(
        "push-sum with row-stochastic weights, mass", "rows sum to 1 instead of columns",
        lambda: mass_is_kept(PushSum, (FixedLinks(Averaging(DIGRAPH)),)),
        lambda: mass_is_kept(PushSum, _STATIC),
    ),
    fault(
        "push-sum not divided", "s is taken for the mean",
        _reaches_mean, wrapped(Undivided, PushSum),
    ),
    fault(
        "push-sum without its weight", "the weight is not sent",
        _reaches_mean, wrapped(WeightKept, PushSum),
    ),
    fault(
        "push-sum divided twice", "the ratio goes into the next round's sum",
        _reaches_mean, wrapped(DividedTwice, PushSum),
    ),
    fault(
        "push-sum hearing old values", "neighbours' rows are a step old, flights are not counted",
        _reaches_mean, lambda e: StalePushSum(PushSum(e), DIGRAPH),
    ),
    fault(
        "overlap SGP dropping flights", "what is under way is forgotten",
        overlap_keeps_mass, wrapped(DroppedInFlight, OverlapSGP),
    ),
    fault(
        "SGP sending gradients", "the survey's description, E34",
        sgp_fixed_point, wrapped(GradientSent, SGP),
    ),
    fault(
        "SGP with gradients at x", "the gradient is taken at the biased x",
        sgp_fixed_point, wrapped(GradientAtSum, SGP),
    ),
    fault(
        "subgradient-push with gradients at x", "the gradient is taken at the mixed sum",
        subgradient_push_fixed_point, wrapped(PushAtSum, SubgradientPush),
    ),
    MethodMutant(
        "lost push replaced by the own value", "the receiver keeps rows where the sender should "
        "keep columns", lambda: told_senders(PushSum, LostWeight.OWN_INSTEAD), told_senders,
    ),
    MethodMutant(
        "partner that never rotates", "every hop is 1 instead of 2^t",
        lambda: exact_after_rounds(graph=DirectedRing), exact_after_rounds,
    ),
)  # fmt: skip
