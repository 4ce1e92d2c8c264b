"""Rows of the family gossip."""

from __future__ import annotations

from typing import Any

from algorithms.catalogue.entries import entry
from algorithms.catalogue.row import OBJECTIVES, Recipe, Row
from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.scaled_unbiased import ScaledUnbiased
from algorithms.compressors.top_k import TopK
from algorithms.methods.base import Method
from algorithms.methods.gossip.choco import ChocoGossip, ChocoSGD
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.parts.constants import operator_constants
from algorithms.problems.base import Problem
from algorithms.topologies.ring import Ring
from theory.stepsizes import Stepsize
from theory.theorems.choco_gossip import choco_gossip, consensus_stepsize
from theory.theorems.choco_sgd_nonconvex import choco_sgd_nonconvex
from theory.theorems.choco_sgd_strongly_convex import choco_sgd_strongly_convex
from theory.theorems.d_psgd import d_psgd
from theory.theorems.d_psgd_variance import d_psgd_variance

_CHOCO_SHARE = 0.25
_CONSENSUS_STEP = 0.5
"""CHOCO's gamma in practice: the largest power of 1/2 at which a quarter of the coordinates is
stable on rings of 8 and 16. Its authors search a grid too (Koloskova, Stich, Jaggi 2019,
arXiv:1902.00340, section 5); the proven one is 0.0016 on the ring of 16."""
_SHRUNK = ScaledUnbiased(QSGD(4))  # as the papers use quantisers: unbiased ones, scaled to contract


def _consensus_step(topology: Ring, compressor: Compressor, d: int) -> float:
    """CHOCO's prescribed gamma for this network and operator."""
    return consensus_stepsize(topology.constants().merge(operator_constants(compressor, d)))


def _choco_sgd(step: Stepsize, problem: Problem, steps: int) -> Method[Any]:
    topology, compressor = Ring(problem.n), TopK(_CHOCO_SHARE)
    gamma = _consensus_step(topology, compressor, problem.d)
    return ChocoSGD(step, topology, compressor, gamma)


def _practised_sgd(step: Stepsize, problem: Problem, steps: int) -> Method[Any]:
    return ChocoSGD(step, Ring(problem.n), TopK(_CHOCO_SHARE), _CONSENSUS_STEP)


def _practised_gossip(step: Stepsize, problem: Problem, steps: int) -> Method[Any]:
    return ChocoGossip(Ring(problem.n), TopK(_CHOCO_SHARE), _CONSENSUS_STEP)


def _choco_gossip(step: Stepsize, problem: Problem, steps: int) -> Method[Any]:
    topology, compressor = Ring(problem.n), TopK(_CHOCO_SHARE)
    return ChocoGossip(topology, compressor, _consensus_step(topology, compressor, problem.d))


ENTRIES: tuple[Row, ...] = (
    entry(
        "d-psgd",
        Recipe(
            lambda step, p, _t: DPSGD(step, Ring(p.n)),
            (d_psgd_variance, d_psgd),
            Identity(),
            OBJECTIVES,
        ),
        advised=True,
    ),
    entry(
        "choco-gossip",
        Recipe(
            _choco_gossip,
            (choco_gossip,),
            TopK(_CHOCO_SHARE),
            problems=("consensus",),
            operators=(_SHRUNK,),
            practice=_practised_gossip,
        ),
    ),
    entry(
        "choco-sgd",
        Recipe(
            _choco_sgd,
            (choco_sgd_strongly_convex, choco_sgd_nonconvex),
            TopK(_CHOCO_SHARE),
            OBJECTIVES,
            practice=_practised_sgd,
        ),
        advised=True,
    ),
)
