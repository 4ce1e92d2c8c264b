"""Rows of the family synchronisation that a parameter server runs under a barrier."""

from __future__ import annotations

from dataclasses import replace

from algorithms.catalogue.compose import PLAIN
from algorithms.catalogue.downlink import as_fetched, each_round
from algorithms.catalogue.entries import entry
from algorithms.catalogue.row import OBJECTIVES, Recipe, Row
from algorithms.compressors.identity import Identity
from algorithms.methods.base import dense_bits
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.synchronous.parameter_server import ParameterServer, Weighting
from algorithms.problems.base import Problem
from algorithms.problems.logistic_data import MANY_SAMPLES
from algorithms.sets.projection import onto_domain
from algorithms.synchronisation.barriers import BackupWorkers, RoundRobin
from algorithms.synchronisation.conditions import Linked, Repeated
from algorithms.synchronisation.stale import SSP, EagerSSP
from algorithms.synchronisation.stopwatch import STANDARD
from theory.theorems.asysg_con import asysg_con
from theory.theorems.asysg_incon import asysg_incon
from theory.theorems.bsp_pl import bsp_pl
from theory.theorems.ssp import ssp
from theory.theorems.ssp_constant_step import ssp_constant_step

_STALENESS, _EAGER = 3, 8  # in short leads SSP's own fetches are as fresh as eager pushes


def round_trip(problem: Problem, gradients: int = 1) -> Linked:
    """Times of so many gradients in turn, a push and the fetch of the next model, uncompressed."""
    bits = dense_bits(problem.d, problem.dtype)
    trip = STANDARD.round_trip(bits, bits)
    return trip if gradients == 1 else replace(trip, times=Repeated(trip.times, gradients))


def _backups(n: int) -> int:
    """An eighth of the workers, but one at least where there are two."""
    return max(n // 8, min(1, n - 1))


ENTRIES: tuple[Row, ...] = (
    entry(
        "bsp-sgd",
        Recipe(
            lambda step, p, _t: BSP(step, proximal=onto_domain(p)),
            PLAIN,
            Identity(),
            (*OBJECTIVES, MANY_SAMPLES),
            results=(bsp_pl,),
        ),
        advised=True,
    ),
    entry(
        "backup-workers",
        Recipe(
            lambda step, p, steps: ParameterServer(
                step, steps, round_trip(p), BackupWorkers(_backups(p.n)), Weighting.ARRIVED
            ),
            PLAIN,
            Identity(),
            OBJECTIVES,
            downlink=each_round(),
        ),
    ),
    entry(
        "ssp",
        Recipe(
            lambda step, p, steps: ParameterServer(
                step, steps, round_trip(p), SSP(_STALENESS), Weighting.ALL
            ),
            (),
            Identity(),
            downlink=as_fetched,
            why="the regret bound is for convex Lipschitz components on a bounded domain",
            results=(ssp, ssp_constant_step, asysg_incon),
        ),
    ),
    entry(
        "essp",
        Recipe(
            lambda step, p, steps: ParameterServer(
                step, steps, round_trip(p), EagerSSP(_EAGER), Weighting.ALL
            ),
            (),
            Identity(),
            downlink=as_fetched,
            why="the regret bound is for convex Lipschitz components on a bounded domain",
            results=(ssp, ssp_constant_step, asysg_incon),
        ),
    ),
    entry(
        "r2sp",
        Recipe(
            lambda step, p, steps: ParameterServer(
                step, steps, round_trip(p), RoundRobin(round_trip(p).up)
            ),
            (asysg_con,),
            Identity(),
        ),
    ),
)
