"""Settings for the theorems on local updates: BOUND_CHECKS."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from algorithms.methods.cooperative.cooperative import Cooperative, Gossip
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.problems import entries
from algorithms.problems.base import Problem
from algorithms.problems.logistic_data import breast_cancer
from algorithms.problems.partitions import Dirichlet
from algorithms.problems.regularisers import BoundedNonconvex
from algorithms.topologies.base import Topology
from algorithms.topologies.ring import Ring
from algorithms.topologies.torus import Torus
from proofs_check.bounds.check import BoundCheck, Make
from theory.constants import Constants
from theory.theorems.cooperative_sgd import cooperative_sgd
from theory.theorems.pr_sgd import pr_sgd

_NONCONVEX, _IID = "nonconvex-breast-cancer", "quadratic-sc-iid"


def all_to_all(problem: Problem) -> Constants:
    """An average of all is gossip with W = J."""
    return Constants().state(lam=0.0)


def _periodic(period: int) -> Make:
    return lambda step, _p, _t: LocalSGD(step, period)


def _gossip(topology: Topology, period: int) -> Make:
    return lambda step, _p, _t: Cooperative(step, Gossip(topology), period)


def shared(problem: Problem) -> Constants:
    """All workers hold the same samples."""
    return Constants().state(zeta2=0.0)


def _equal(n: int) -> Problem:
    whole = breast_cancer(1, BoundedNonconvex(0.1))
    return replace(whole, rows=whole.rows.expand(n, -1, -1).contiguous())


def _uneven(n: int) -> Callable[[], Problem]:
    return lambda: breast_cancer(n, BoundedNonconvex(0.1), partition=Dirichlet(0.3))


BOUND_CHECKS: tuple[BoundCheck, ...] = (
    BoundCheck(
        "pr-sgd", f"{_NONCONVEX}, Dirichlet(0.3)", pr_sgd, _uneven(8), _periodic(8), 400
    ),
    BoundCheck(
        "cooperative-sgd", f"{_IID}, all to all", cooperative_sgd,
        lambda: entries.problem(_IID, 8), _periodic(8), 1000, all_to_all,
    ),
    *(
        BoundCheck(
            "cooperative-sgd", f"{_IID}, ring, H={period}", cooperative_sgd,
            lambda: entries.problem(_IID, 8),
            _gossip(Ring(8), period), 1000,
        )
        for period in (1, 4)
    ),
    BoundCheck(
        "cooperative-sgd", f"{_NONCONVEX}, equal shards, torus", cooperative_sgd,
        lambda: _equal(9), _gossip(Torus(3, 3), 3), 400,
        shared,
    ),
)  # fmt: skip
