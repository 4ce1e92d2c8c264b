"""Effects of gossip in which workers meet in pairs."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from algorithms.catalogue import problem
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.quadratic_data import unequal
from algorithms.synchronisation.barriers import Bulk
from algorithms.synchronisation.compute_times import Constant, Exponential
from algorithms.synchronisation.stopwatch import Timing
from algorithms.topologies.bandwidth_matching import drawn_bandwidth
from algorithms.topologies.ring import Ring
from proofs_check.evidence.gossip_pairwise.faults import CallerAlone, HeaviestAlways
from proofs_check.instruments.contrast import ArmContext, arm, contrast
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import Setting
from proofs_check.methods.faulty.faulty_method import FirstMeeting, OnLinks
from theory.seconds.costs import AlphaBeta

_MEAN_MODEL = " of the mean model"
_ALIKE = partial(Quadratic.strongly_convex, sigma2=0.0)
_FREE = AlphaBeta(0.0, 0.0)
_ROUNDS = 60  # in which all workers step, as many as the ticks of one


def _timed(it: ArmContext) -> Any:
    """The row's method, whose schedule is drawn by the times of the setting."""
    timing = it.setting.timing
    assert timing is not None
    return replace(it.own, times=timing.times, replicas=it.setting.replicas)


AD_PSGD = contrast(
    "ad-psgd", "one slow worker does not slow the others down",
    Setting(
        "quadratic-sc-iid, no noise", _ALIKE, 8, lambda n: n * _ROUNDS, (0.1, 0.2, 0.4, 0.8, 1.6),
        replicas=32, d=10, timing=Timing(Constant((10.0, *(1.0,) * 15)), _FREE),
        note="ring, a gradient takes 1 s, worker 0's 10 s, messages take no time",
    ),
    Reading("seconds", target=1e-5, of=_MEAN_MODEL),
    method=arm("AD-PSGD", _timed),
    baseline=arm("D-PSGD", lambda it: DPSGD(it.step, Ring(it.problem.n)), steps=_ROUNDS),
    without=arm(
        "AD-PSGD whose workers wait for each other",
        lambda it: replace(_timed(it), barrier=Bulk()), steps=_ROUNDS,
    ),
    at_most=0.3,
    source="Lian, Zhang, Zhang, Liu 2018, arXiv:1710.06952, section 5: immune to slow workers",
    scales=("linear", "log"),
)  # fmt: skip

GOSSIPING_SGD = contrast(
    "gossiping-sgd", "without a barrier nobody waits for stragglers",
    Setting(
        "quadratic-sc-iid, no noise", _ALIKE, 16, lambda n: 50 * n, (0.4, 0.8, 1.6), replicas=128,
        points=150, d=10,
        timing=Timing(Exponential(1.0), _FREE),
        note="complete graph, gradients take an exponential time of mean 1 s, messages none",
    ),
    Reading("seconds", target=1e-3, of=_MEAN_MODEL),
    method=arm("gossiping SGD, pull", _timed),
    baseline=arm("all-reduce SGD (BSP)", lambda it: it.method_of("bsp-sgd"), steps=_ROUNDS),
    without=arm(
        "gossiping SGD whose workers wait for each other",
        lambda it: replace(_timed(it), barrier=Bulk()), steps=_ROUNDS,
    ),
    at_most=0.8, source="Jin, Yuan, Iandola, Keutzer 2016, arXiv:1611.04581, section 3",
    scales=("linear", "log"),
)  # fmt: skip

RANDOMISED_GOSSIP = contrast(
    "randomised-gossip", "pairs that meet by chance lead all workers to the mean",
    Setting(
        "consensus", partial(problem, "consensus"), 8, lambda n: 800 * n**3 // 512, None,
        replicas=64, points=80, note="a step is a tick, ring, d = 20",
    ),
    Reading(quantity="distance_of_workers"),
    method="randomised gossip",
    baseline=arm(
        "one of the pair averages, the other keeps its value", lambda it: CallerAlone(it.own)
    ),
    without=arm("one pair, drawn once, meets at all ticks", lambda it: FirstMeeting(it.own)),
    at_most=1e-3,
    source="Boyd, Ghosh, Prabhakar, Shah 2006, IEEE Trans. Inf. Theory 52(6), Theorem 3",
    scales=("linear", "log"),
)  # fmt: skip


def _on_links_of_the_row(it: ArmContext, meetings: Any) -> OnLinks:
    """The row's method with other meetings, timed by the links that the row has."""
    return OnLinks(replace(it.own, meetings=meetings), it.own.meetings.bandwidth)


SAPS_PSGD = contrast(
    "saps-psgd", "peers matched by bandwidth save seconds",
    Setting(
        "quadratic-unequal, no noise", partial(unequal, sigma2=0.0), 8, 400,
        (0.02, 0.04, 0.08, 0.16, 0.32), replicas=64, points=200, d=20,
        timing=Timing(Constant(1e-3), AlphaBeta(1e-5, 1e-4)),
        note="links of 10 to 50 kbit/s, a gradient takes 1 ms",
    ),
    Reading("seconds", "distance_of_workers", target=2.0),
    method="SAPS-PSGD, peers by bandwidth",
    baseline=arm(
        "SAPS-PSGD, peers by chance: matched by other bandwidths, drawn alike",
        lambda it: _on_links_of_the_row(
            it, replace(it.own.meetings, bandwidth=drawn_bandwidth(it.problem.n, 1))
        ),
    ),
    without=arm(
        "the fastest links always: no look at who was left apart",
        lambda it: _on_links_of_the_row(it, HeaviestAlways(it.own.meetings)),
    ),
    at_most=0.85, source="Tang, Shi, Chu 2020, arXiv:2002.09692, section IV",
)  # fmt: skip
