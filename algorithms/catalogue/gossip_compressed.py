"""Rows of the family gossip that correct or compress what is exchanged."""

from __future__ import annotations

from typing import Any

from algorithms.catalogue.entries import entry
from algorithms.catalogue.row import Recipe, Row
from algorithms.compressors.fixed_point import FixedPoint
from algorithms.compressors.identity import Identity
from algorithms.compressors.qsgd import QSGD
from algorithms.methods.base import Method
from algorithms.methods.exchanges.exchange import RandomLinks
from algorithms.methods.gossip_compressed.d2 import D2
from algorithms.methods.gossip_compressed.dcd_psgd import DCDPSGD
from algorithms.methods.gossip_compressed.ecd_psgd import ECDPSGD
from algorithms.methods.gossip_compressed.quantimed import QuanTimed
from algorithms.methods.gossip_compressed.quantised_consensus import QuantisedConsensus
from algorithms.problems.base import Problem
from algorithms.synchronisation.stopwatch import STANDARD
from algorithms.topologies.lazy import Lazy
from algorithms.topologies.random_mixing import RandomEdge
from algorithms.topologies.ring import Ring
from theory.orders.d2 import d2
from theory.orders.ecd_psgd import ecd_psgd
from theory.orders.quantimed import quantimed
from theory.orders.quantimed_nonconvex import quantimed_nonconvex
from theory.stepsizes import ConstantStep, Stepsize
from theory.theorems.dcd_psgd import dcd_psgd
from theory.theorems.quantised_consensus import quantised_consensus

_LEVELS = QSGD(16)  # DCD-PSGD: an error small against the difference it rounds
_GRID = FixedPoint(10, 24)  # ECD-PSGD and QuanTimed: an error that does not grow with the model
_COARSE = FixedPoint(4, 12)
_DEADLINE = 2e-3  # [s], twice the mean of a gradient
_MOST = 3


def _consensus(_step: Stepsize, problem: Problem, _steps: int) -> Method[Any]:
    error = problem.d * _COARSE.step**2 / 4
    return QuantisedConsensus(RandomLinks(RandomEdge(Ring(problem.n))), _COARSE, row_error=error)


def _quantimed(step: Stepsize, problem: Problem, steps: int) -> Method[Any]:
    share = ConstantStep(max(0.1, min(1.0, 3 / steps**0.5)))
    return QuanTimed(
        step, share, Ring(problem.n), _GRID, STANDARD.times, _DEADLINE, _MOST, STANDARD.link
    )


ENTRIES: tuple[Row, ...] = (
    entry(
        "d2",
        Recipe(
            lambda step, p, _t: D2(step, Lazy(Ring(p.n))),
            (),
            Identity(),
            why="O(1/T + sigma/sqrt(nT)) is stated to order only",
            results=(d2,),
        ),
    ),
    entry(
        "dcd-psgd",
        Recipe(
            lambda step, p, _t: DCDPSGD(step, Ring(p.n), _LEVELS),
            (),
            _LEVELS,
            why="its bound is stated to order only; the condition on the signal-to-noise ratio is"
            " theory.networks.compressed_gossip.dcd_margin",
            results=(dcd_psgd,),
        ),
    ),
    entry(
        "ecd-psgd",
        Recipe(
            lambda step, p, _t: ECDPSGD(step, Ring(p.n), _GRID),
            (),
            _GRID,
            cycle="extrapolates by t/2 and averages by 2/t",
            why="its bound is stated to order only, for operators with an absolute error",
            results=(ecd_psgd,),
        ),
    ),
    entry(
        "quantised-consensus",
        Recipe(_consensus, (quantised_consensus,), _COARSE, problems=("consensus",)),
    ),
    entry(
        "quantimed-dsgd",
        Recipe(
            _quantimed,
            (),
            _GRID,
            why="its rates are quoted from memory, and slower than those of exact gossip",
            results=(quantimed, quantimed_nonconvex),
        ),
    ),
)
