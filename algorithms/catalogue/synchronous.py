"""Rows of the family synchronisation that a parameter server runs under a barrier; local SGD."""

from __future__ import annotations

from algorithms.catalogue.row import OBJECTIVES, Recipe
from algorithms.compressors.identity import Identity
from algorithms.methods.base import dense_bits
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.synchronous.parameter_server import ParameterServer, Weighting
from algorithms.problems.base import Problem
from algorithms.synchronisation.barriers import BackupWorkers, RoundRobin
from algorithms.synchronisation.conditions import Linked
from algorithms.synchronisation.stale import SSP, EagerSSP
from algorithms.synchronisation.stopwatch import STANDARD
from theory.theorems.asysg_con import asysg_con
from theory.theorems.bsp_nonconvex import bsp_nonconvex
from theory.theorems.bsp_strongly_convex import bsp_strongly_convex
from theory.theorems.bsp_strongly_convex_decreasing import bsp_strongly_convex_decreasing
from theory.theorems.local_sgd import local_sgd
from theory.theorems.local_sgd_nonconvex import local_sgd_nonconvex

_BSP = (bsp_strongly_convex_decreasing, bsp_strongly_convex, bsp_nonconvex)
_PERIOD = 8
_STALENESS = 3


def round_trip(problem: Problem) -> Linked:
    """Times of a gradient, its push and the fetch of the next model, uncompressed."""
    bits = dense_bits(problem.d, problem.dtype)
    return STANDARD.round_trip(bits, bits)


def _backups(n: int) -> int:
    """An eighth of the workers, but one at least where there are two."""
    return max(n // 8, min(1, n - 1))


READY: dict[str, Recipe] = {
    "bsp-sgd": Recipe(lambda step, _p, _t: BSP(step), _BSP, Identity(), OBJECTIVES),
    "asp": Recipe(
        lambda step, p, steps: ParameterServer(step, steps, round_trip(p)), (asysg_con,),
        Identity(), OBJECTIVES, stepsize_divisor=64.0,
    ),
    "backup-workers": Recipe(
        lambda step, p, steps: ParameterServer(
            step, steps, round_trip(p), BackupWorkers(_backups(p.n)), Weighting.ARRIVED
        ),
        _BSP, Identity(), OBJECTIVES,
    ),
    "ssp": Recipe(
        lambda step, p, steps: ParameterServer(
            step, steps, round_trip(p), SSP(_STALENESS), Weighting.ALL
        ),
        (), Identity(), stepsize_divisor=8.0,
        why="the regret bound is for convex Lipschitz components on a bounded domain",
    ),
    "essp": Recipe(
        lambda step, p, steps: ParameterServer(
            step, steps, round_trip(p), EagerSSP(_STALENESS), Weighting.ALL
        ),
        (), Identity(), stepsize_divisor=8.0,
        why="the regret bound is for convex Lipschitz components on a bounded domain",
    ),
    "r2sp": Recipe(
        lambda step, p, steps: ParameterServer(step, steps, round_trip(p), RoundRobin()),
        (asysg_con,), Identity(), stepsize_divisor=64.0,
    ),
    "local-sgd": Recipe(
        lambda step, _p, _t: LocalSGD(step, _PERIOD), (local_sgd, local_sgd_nonconvex), Identity(),
        OBJECTIVES, stepsize_divisor=16.0,
    ),
}  # fmt: skip
