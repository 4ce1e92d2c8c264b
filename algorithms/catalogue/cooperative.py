"""Rows of local updates beyond plain averages: overlap, elastic centres, redundancy, codes."""

from __future__ import annotations

from dataclasses import replace

from algorithms.catalogue.compose import LOCAL
from algorithms.catalogue.downlink import first_round
from algorithms.catalogue.entries import entry
from algorithms.catalogue.row import Recipe, Row
from algorithms.compressors.identity import Identity
from algorithms.methods.base import dense_bits
from algorithms.methods.cooperative.cocod import CoCoD
from algorithms.methods.cooperative.coded_regression import CodedRegression
from algorithms.methods.cooperative.cooperative import Cooperative, Gossip
from algorithms.methods.cooperative.easgd import EASGD
from algorithms.methods.cooperative.redundancy import OnMoreShards
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.problems.base import Problem
from algorithms.synchronisation.conditions import Linked, Repeated
from algorithms.synchronisation.stopwatch import STANDARD
from algorithms.topologies.ring import Ring
from theory.theorems.cocod_sgd import cocod_sgd
from theory.theorems.cooperative_sgd import cooperative_sgd
from theory.theorems.perturbed_iterate import perturbed_iterate
from theory.theorems.pr_sgd import pr_sgd
from theory.theorems.ri_sgd import ri_sgd

_PERIOD = 8
_PULL = 0.9  # the paper's beta; alpha is beta / n
_SPARE = 2  # shards that a worker of coded regression holds beside its own


def _spare(n: int) -> int:
    return min(_SPARE, n - 1)


def _one_round(problem: Problem) -> Linked:
    """Times of the d + 1 gradients of every shard held, the statistics' push and x_1's fetch."""
    d, dtype = problem.d, problem.dtype
    trip = STANDARD.round_trip(dense_bits(d * d + d, dtype), dense_bits(d, dtype))
    return replace(trip, times=Repeated(trip.times, (_spare(problem.n) + 1) * (d + 1)))


ENTRIES: tuple[Row, ...] = (
    entry(
        "easgd",
        Recipe(
            lambda step, p, _t: EASGD(step, _PULL / p.n, period=_PERIOD),
            (),
            Identity(),
            cycle=_PERIOD,
            why="the paper analyses stability on quadratics, which theory.rules.stability holds; "
            "the bound for non-convex functions in the literature is for the mean of workers "
            "and centre together",
            results=(perturbed_iterate,),
        ),
    ),
    entry(
        "cooperative-sgd",
        Recipe(
            lambda step, p, _t: Cooperative(step, Gossip(Ring(p.n)), _PERIOD),
            (cooperative_sgd,),
            Identity(),
        ),
    ),
    entry(
        "cocod-sgd",
        Recipe(
            lambda step, _p, _t: CoCoD(step, _PERIOD),
            (cocod_sgd,),
            Identity(),
            cycle=_PERIOD,
        ),
    ),
    entry(
        "coded-regression",
        Recipe(
            lambda _s, p, _t: CodedRegression(_one_round(p), _spare(p.n)),
            (),
            Identity(),
            ("quadratic-sc", "quadratic-unequal", "least-squares-rising"),
            message_bits=lambda p, bits: float((p.d * p.d + p.d) * bits),
            downlink=first_round,
            why="no rate is needed: one round of linear algebra gives x* up to rounding, whoever "
            "straggles; it takes gradients that are affine in x",
        ),
    ),
    entry(
        "ri-sgd",
        Recipe(
            lambda step, p, _t: OnMoreShards(LocalSGD(step, _PERIOD), min(2, p.n)),
            (*LOCAL, pr_sgd),
            Identity(),
            results=(ri_sgd,),
        ),
    ),
)
