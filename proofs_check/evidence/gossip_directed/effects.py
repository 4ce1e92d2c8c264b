"""Effects of gossip over directed links, and faults planted in push methods."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from algorithms.catalogue import problem
from algorithms.methods.exchanges.exchange import FixedLinks
from algorithms.methods.exchanges.unreliable import LostWeight
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_directed.gossipgrad import GossipGraD
from algorithms.methods.gossip_directed.overlap_sgp import OverlapSGP
from algorithms.methods.gossip_directed.push_sum import PushSum
from algorithms.methods.gossip_directed.sgp import SGP
from algorithms.methods.gossip_directed.subgradient_push import SubgradientPush
from algorithms.problems.quadratic_data import unequal
from algorithms.topologies.averaging import Averaging
from algorithms.topologies.directed_ring import DirectedRing
from algorithms.topologies.ring import Ring
from algorithms.topologies.time_varying_digraph import TimeVaryingDigraph
from proofs_check.evidence.gossip_directed.closed_forms import (
    DIGRAPH,
    Build,
    exact_after_rounds,
    mass_is_kept,
    overlap_keeps_mass,
    reaches_mean,
    sgp_fixed_point,
    subgradient_push_fixed_point,
)
from proofs_check.evidence.gossip_directed.closed_forms_losses import told_senders
from proofs_check.instruments.contrast import arm, contrast
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import Setting
from proofs_check.methods.faulty.faulty_method import wrapped
from proofs_check.methods.faulty.push import (
    DividedTwice,
    DroppedInFlight,
    GradientAtSum,
    GradientSent,
    MeanOfHeard,
    PushAtSum,
    StalePushSum,
    Undivided,
    WeightKept,
)
from proofs_check.mutants.method_mutant import MethodMutant, fault
from proofs_check.verdict import Verdict

# Faults in push methods: weights, ratios, messages in flight, what is sent, who is partner.

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


# Effects of gossip over directed links, and with rotating partners.

_UNEQUAL = Setting(
    "quadratic-unequal, no noise", partial(unequal, sigma2=0.0), 16, 1000,
    (0.0125, 0.025, 0.05, 0.1, 0.2), points=200, d=20,
)  # fmt: skip
_D_PSGD = arm("D-PSGD on a ring", lambda it: DPSGD(it.step, Ring(it.problem.n)))

GOSSIPGRAD = contrast(
    "gossipgrad", "partners that rotate keep workers together with one message a step",
    replace(_UNEQUAL, note="dissemination, samples pass round"),
    Reading("sent_bits", "distance_of_workers", budget=6e5),
    method="GossipGraD",
    baseline=_D_PSGD,
    without=arm(
        "partners that never rotate: always the next worker",
        lambda it: GossipGraD(it.step, FixedLinks(DirectedRing(it.problem.n))),
    ),
    at_most=0.05,
    source="Daily, Vishnu, Siegel, Warfel, Amatya 2018, arXiv:1803.05880, section 4: diffusion in "
    "ceil(log2 n) steps",
)  # fmt: skip

PUSH_SUM = contrast(
    "push-sum", "weights that travel along lead all workers to the mean over directed links",
    Setting(
        "consensus", partial(problem, "consensus"), 16, 60, None, replicas=64,
        note="uniform gossip, d = 20",
    ),
    Reading(quantity="distance_of_workers"),
    method="push-sum",
    baseline=arm(
        "the mean of what one hears, over the same links", lambda it: MeanOfHeard(it.own)
    ),
    without=arm("the weight is not sent", lambda it: WeightKept(it.own)),
    at_most=1e-6,
    source="Kempe, Dobra, Gehrke 2003, FOCS, Theorem 3.1: accuracy eps after O(log n + log 1/eps)",
    scales=("linear", "log"),
)  # fmt: skip

SGP_EFFECT = contrast(
    "sgp", "one-way messages over far links keep workers together for fewer bits",
    replace(_UNEQUAL, steps=1500, note="exponential graph with uneven in-degrees"),
    Reading("sent_bits", "distance_of_workers", budget=9.5e5),
    method="SGP",
    baseline=_D_PSGD,
    without=arm("the weight is not sent", lambda it: WeightKept(it.own)),
    at_most=0.2,
    source="Assran, Loizou, Ballas, Rabbat 2018, arXiv:1811.10792, section 4 and Theorem 1",
)  # fmt: skip

SUBGRADIENT_PUSH = contrast(
    "subgradient-push", "directed links that change bring no bias",
    replace(
        _UNEQUAL, n=10, steps=2500, step=(0.005, 0.01, 0.02, 0.04, 0.08),
        note="ring whose links are alive in turn",
    ),
    Reading(of=" of the mean model"),
    method="subgradient-push",
    baseline=arm(
        "gradient steps and the mean of what one hears",
        lambda it: GossipGraD(
            it.step, FixedLinks(Averaging(TimeVaryingDigraph.ring_by_parts(it.problem.n, 3))),
            shuffle=False,
        ),
    ),
    without=arm("gradients at the sums, not at the ratios", lambda it: PushAtSum(it.own)),
    at_most=0.2, source="Nedic, Olshevsky 2016, arXiv:1406.2075, Theorem 1",
)  # fmt: skip
