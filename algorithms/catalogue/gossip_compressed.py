"""Rows of the family gossip that correct or compress what is exchanged."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from algorithms.catalogue.entries import entry
from algorithms.catalogue.row import Recipe, Row
from algorithms.compressors.circle_grid import CircleGrid
from algorithms.compressors.fixed_point import FixedPoint
from algorithms.compressors.identity import Identity
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.top_k import TopK
from algorithms.methods.base import Method
from algorithms.methods.exchanges.exchange import RandomLinks
from algorithms.methods.gossip_compressed.beer import BEER
from algorithms.methods.gossip_compressed.d2 import D2
from algorithms.methods.gossip_compressed.dcd_psgd import DCDPSGD
from algorithms.methods.gossip_compressed.deep_squeeze import DeepSqueeze
from algorithms.methods.gossip_compressed.ecd_psgd import ECDPSGD
from algorithms.methods.gossip_compressed.lead import LEAD
from algorithms.methods.gossip_compressed.moniqua import Moniqua
from algorithms.methods.gossip_compressed.quantimed import QuanTimed
from algorithms.methods.gossip_compressed.quantised_consensus import QuantisedConsensus
from algorithms.methods.parts.constants import operator_constants
from algorithms.problems.base import Problem
from algorithms.synchronisation.stopwatch import STANDARD
from algorithms.topologies.lazy import Lazy
from algorithms.topologies.random_mixing import RandomEdge
from algorithms.topologies.ring import Ring
from theory.orders.beer import beer
from theory.orders.cedas import cedas
from theory.orders.d2 import d2
from theory.orders.ecd_psgd import ecd_psgd
from theory.orders.lead import lead
from theory.orders.motef import motef
from theory.orders.quantimed import quantimed
from theory.orders.quantimed_nonconvex import quantimed_nonconvex
from theory.stepsizes import ConstantStep, Stepsize
from theory.theorems.dcd_psgd import dcd_psgd
from theory.theorems.perturbed_iterate import perturbed_iterate
from theory.theorems.quantised_consensus import quantised_consensus

_LEVELS = QSGD(16)  # DCD-PSGD: an error small against the difference it rounds
_GRID = FixedPoint(10, 24)  # ECD-PSGD and QuanTimed: an error that does not grow with the model
_COARSE = FixedPoint(4, 12)
_DEADLINE = 2e-3  # [s], twice the mean of a gradient
_MOST = 3

TOP_QUARTER = TopK(0.25)
"""BEER, MoTEF and DeepSqueeze: a contraction of 1/4."""

CIRCLE = CircleGrid(4.0, 8)
"""Moniqua: models of neighbours up to 2 apart, errors of 1/128 at most."""

_TWO = ("quadratic-unequal", "nonconvex-digits-dirichlet")


def _lead(step: Stepsize, problem: Problem, _steps: int) -> LEAD:
    omega = operator_constants(_LEVELS, problem.d).need("omega")
    return LEAD(step, Ring(problem.n), _LEVELS, 1 / (1 + 3 * omega), 1 / (1 + omega))


def _cedas(step: Stepsize, problem: Problem, steps: int) -> LEAD:
    return replace(_lead(step, problem, steps), steps_in_dual=True)


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
            results=(d2, perturbed_iterate),
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
    entry(
        "beer",
        Recipe(
            lambda step, p, _t: BEER(step, Ring(p.n), TOP_QUARTER, 0.25),
            (),
            TOP_QUARTER,
            problems=_TWO,
            why="its rate is stated to order only, for a stepsize of the order of (1 - lambda)^2",
            results=(beer,),
        ),
    ),
    entry(
        "motef",
        Recipe(
            lambda step, p, _t: BEER(step, Ring(p.n), TOP_QUARTER, 0.25, momentum=0.1),
            (),
            TOP_QUARTER,
            problems=_TWO,
            why="its rate is stated to order only",
            results=(motef,),
        ),
    ),
    entry(
        "lead",
        Recipe(
            _lead,
            (),
            _LEVELS,
            problems=_TWO,
            why="its linear rate is of exact gradients and recalled without all its constants",
            results=(lead,),
        ),
    ),
    entry(
        "cedas",
        Recipe(
            _cedas,
            (),
            _LEVELS,
            problems=_TWO,
            why="its rate is for stepsizes that fall, and recalled to order only",
            results=(cedas,),
        ),
    ),
    entry(
        "deepsqueeze",
        Recipe(
            lambda step, p, _t: DeepSqueeze(step, Ring(p.n), TOP_QUARTER, 0.25),
            (),
            TOP_QUARTER,
            problems=_TWO,
            why="its rate is stated to order only, for a consensus stepsize of no stated constant",
        ),
    ),
    entry(
        "moniqua",
        Recipe(
            lambda step, p, _t: Moniqua(step, Ring(p.n), CIRCLE),
            (),
            CIRCLE,
            problems=_TWO,
            why="its rate is that of D-PSGD to order, while neighbours stay near",
        ),
    ),
)
