"""Effects of relays, directed trackers, local steps with tracking, and quasi-global momentum."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from algorithms.catalogue.gossip_directed import uneven_exponential
from algorithms.catalogue.gossip_tracking import uneven_ring
from algorithms.methods.exchanges.exchange import FixedLinks
from algorithms.methods.exchanges.gossip_rounds import PlainRound
from algorithms.methods.gossip_directed.sgp import SGP
from algorithms.methods.gossip_local.gossip_local_sgd import GossipLocalSGD
from algorithms.methods.gossip_tracking.gradient_tracking import GradientTracking, StepOrder
from algorithms.problems.quadratic_data import unequal
from algorithms.topologies.lazy import Lazy
from algorithms.topologies.path import Path
from algorithms.topologies.ring import Ring
from proofs_check.evidence.gossip_tracking.faults_links import (
    directed_untracked,
    k_gt_uncorrected_step,
    local_momentum,
    pushed_untracked,
    without_relay,
)
from proofs_check.instruments.contrast import arm, contrast
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import Setting, around
from proofs_check.methods.faulty.faulty_method import OneWrongStep

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
