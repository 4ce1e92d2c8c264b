"""Effects of gossip over directed links, and with rotating partners."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from algorithms.catalogue import problem
from algorithms.methods.exchanges.exchange import FixedLinks
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_directed.gossipgrad import GossipGraD
from algorithms.problems.quadratic_data import unequal
from algorithms.topologies.averaging import Averaging
from algorithms.topologies.directed_ring import DirectedRing
from algorithms.topologies.ring import Ring
from algorithms.topologies.time_varying_digraph import TimeVaryingDigraph
from proofs_check.instruments.contrast import arm, contrast
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import Setting
from proofs_check.methods.faulty.push import MeanOfHeard, PushAtSum, WeightKept

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

SGP = contrast(
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
