"""Rows of local updates beyond plain averages: overlap, elastic centres, redundancy, codes."""

from __future__ import annotations

from algorithms.catalogue.compose import LOCAL, PLAIN
from algorithms.catalogue.downlink import each_round
from algorithms.catalogue.entries import entry
from algorithms.catalogue.row import Recipe, Row
from algorithms.catalogue.synchronous import round_trip
from algorithms.compressors.identity import Identity
from algorithms.methods.cooperative.cocod import CoCoD
from algorithms.methods.cooperative.coded_regression import GradientCoding
from algorithms.methods.cooperative.cooperative import Cooperative, Gossip
from algorithms.methods.cooperative.easgd import EASGD
from algorithms.methods.cooperative.redundancy import OnMoreShards
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.topologies.ring import Ring
from theory.orders.cocod_sgd import cocod_sgd
from theory.orders.ri_sgd import ri_sgd
from theory.theorems.cooperative_sgd import cooperative_sgd
from theory.theorems.pr_sgd import pr_sgd

_PERIOD = 8
_PULL = 0.9  # the paper's beta; alpha is beta / n

ENTRIES: tuple[Row, ...] = (
    entry(
        "easgd",
        Recipe(
            lambda step, p, _t: EASGD(step, _PULL / p.n, period=_PERIOD),
            (),
            Identity(),
            stepsize_divisor=8.0,
            why="the paper analyses stability on quadratics, which theory.rules.stability holds; "
            "the bound for non-convex functions in the literature is for the mean of workers "
            "and centre together",
        ),
    ),
    entry(
        "cooperative-sgd",
        Recipe(
            lambda step, p, _t: Cooperative(step, Gossip(Ring(p.n)), _PERIOD),
            (cooperative_sgd,),
            Identity(),
            stepsize_divisor=16.0,
        ),
    ),
    entry(
        "cocod-sgd",
        Recipe(
            lambda step, _p, _t: CoCoD(step, _PERIOD),
            (),
            Identity(),
            stepsize_divisor=16.0,
            why="O(1/sqrt(nT)) is stated to order only",
            results=(cocod_sgd,),
        ),
    ),
    entry(
        "coded-regression",
        Recipe(
            lambda step, p, steps: GradientCoding(step, steps, round_trip(p), min(2, p.n - 1)),
            PLAIN,
            Identity(),
            downlink=each_round(),
        ),
    ),
    entry(
        "ri-sgd",
        Recipe(
            lambda step, p, _t: OnMoreShards(LocalSGD(step, _PERIOD), min(2, p.n)),
            (*LOCAL, pr_sgd),
            Identity(),
            stepsize_divisor=16.0,
            results=(ri_sgd,),
        ),
    ),
)
