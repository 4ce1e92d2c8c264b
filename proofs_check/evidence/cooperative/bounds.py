"""Cooperative SGD under its bound, from averages of all to a ring."""

from __future__ import annotations

from functools import partial

from algorithms.methods.cooperative.cocod import CoCoD
from algorithms.methods.cooperative.cooperative import Cooperative, Gossip
from algorithms.methods.cooperative.easgd import EASGD
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.problems.base import Problem
from algorithms.topologies.base import Topology
from algorithms.topologies.ring import Ring
from algorithms.topologies.torus import Torus
from proofs_check.bounds.check import BoundCheck, Make
from proofs_check.bounds.settings import (
    BALL,
    BOUNDED,
    IID,
    MILD,
    NONCONVEX,
    entry,
    mild,
    moment_in_ball,
    near,
    of_row,
    one_objective,
    same_shards,
)
from theory.constants import Constants
from theory.rules.virtual_iterate_deviation import elastic
from theory.theorems.cocod_sgd import cocod_sgd
from theory.theorems.cooperative_sgd import cooperative_sgd
from theory.theorems.local_sgd_nonconvex import local_sgd_nonconvex
from theory.theorems.ri_sgd import ri_sgd


def all_to_all(problem: Problem) -> Constants:
    """An average of all is gossip with W = J."""
    return Constants().state(lam=0.0)


def _gossip(topology: Topology, period: int) -> Make:
    return lambda step, _p, _t: Cooperative(step, Gossip(topology), period)


_PULL = 0.9 / 4  # the paper's beta over n

BOUND_CHECKS: tuple[BoundCheck, ...] = (
    BoundCheck(
        "cooperative-sgd", f"{IID}, all to all", cooperative_sgd,
        entry(IID), lambda step, _p, _t: LocalSGD(step, 8), 1000, all_to_all,
    ),
    *(
        BoundCheck(
            "cooperative-sgd", f"{IID}, ring, H={period}", cooperative_sgd,
            entry(IID),
            _gossip(Ring(8), period), 1000,
        )
        for period in (1, 4)
    ),
    BoundCheck(
        "cocod-sgd", MILD, cocod_sgd, partial(mild, 8, 0.25),
        lambda step, _p, _t: CoCoD(step, 4), 2000, moment_in_ball, BALL,
    ),
    near("easgd", lambda: elastic(4, _PULL, 2), lambda s, _p, _t: EASGD(s, _PULL, period=2), 1000),
    BoundCheck("ri-sgd", MILD, ri_sgd, partial(mild, 8, 0.25), of_row("ri-sgd"), 1000),
    BoundCheck(
        "ri-sgd", MILD, local_sgd_nonconvex, partial(mild, 4, 0.0), of_row("ri-sgd"), 400,
        rated=True,
    ),
    BoundCheck(
        "cooperative-sgd", f"{NONCONVEX}, equal shards, torus", cooperative_sgd,
        lambda: same_shards(9, BOUNDED), _gossip(Torus(3, 3), 3), 400,
        one_objective,
    ),
)  # fmt: skip
