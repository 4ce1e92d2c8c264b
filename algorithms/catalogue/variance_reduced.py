"""Rows that shift, skip, refine or take blocks: DIANA, LAQ, AsyLPG, block coordinate descent."""

from __future__ import annotations

from algorithms.catalogue.compose import UNBIASED
from algorithms.catalogue.downlink import Received, RunRecord, dense, each_round
from algorithms.catalogue.entries import entry
from algorithms.catalogue.row import Recipe, Row
from algorithms.compressors.blocks import BlockInTurn, BlockSampling
from algorithms.compressors.layerwise import Buckets
from algorithms.compressors.max_levels import MaxLevels
from algorithms.compressors.nearest_grid import FixedRange, NearestGrid
from algorithms.compressors.norm_ternary import NormTernary
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.variance_reduced.asylpg import AsyLPG
from algorithms.methods.variance_reduced.diana import Diana
from algorithms.methods.variance_reduced.laq import LAQ
from algorithms.methods.variance_reduced.refined import RefinedQuantisation
from algorithms.problems.base import Problem
from algorithms.synchronisation.conditions import Linked
from algorithms.synchronisation.stopwatch import STANDARD
from theory.orders.asylpg import asylpg
from theory.orders.hybrid_block_descent import hybrid_block_descent
from theory.orders.inexact_quantised import inexact_quantised
from theory.orders.laq import laq
from theory.theorems.cyclic_blocks import cyclic_blocks
from theory.theorems.diana import diana
from theory.theorems.diana_nonconvex import diana_nonconvex

_BLOCK = Buckets(NormTernary(), 10)
_EPOCH = 100


def _asylpg_bits(problem: Problem, float_bits: int) -> float:
    """A bound: anchors are sent uncompressed."""
    return float(problem.d * float_bits)


def _low_precision_trip(problem: Problem) -> Linked:
    """Times of a gradient with its push and fetch, both quantised."""
    up, down = (MaxLevels(s).bits(problem.d, problem.dtype) for s in (7, 127))
    return STANDARD.round_trip(up, down)


def anchored(run: RunRecord) -> Received:
    """A low-precision model for each gradient, an uncompressed one for each worker at an anchor."""
    assert isinstance(run.method, AsyLPG)
    answers = int(run.arrivals().sum())
    anchors = run.replicas * run.problem.n * -(-run.steps // run.method.epoch)
    short = run.method.downlink.stated_bits(run.problem.d, run.float_bits)
    bits = answers * short + anchors * dense(run.problem, run.float_bits)
    return Received(answers + anchors, bits)


ENTRIES: tuple[Row, ...] = (
    entry(
        "diana",
        Recipe(
            lambda step, _p, _t: Diana(step, _BLOCK),
            (diana, diana_nonconvex),
            _BLOCK,
            operators=(NormTernary(1), NormTernary(2), NormTernary()),
        ),
    ),
    entry(
        "laq",
        Recipe(
            lambda step, _p, _t: LAQ(step),
            (),
            NearestGrid(4),
            operators=(NearestGrid(8),),
            downlink=each_round(),
            why="linear convergence is stated to order only; the constants rest on a Lyapunov "
            "function whose weights are chosen implicitly",
            results=(laq,),
        ),
    ),
    entry(
        "asylpg",
        Recipe(
            lambda step, p, steps: AsyLPG(step, steps, _low_precision_trip(p), _EPOCH),
            (),
            MaxLevels(7),
            operators=(MaxLevels(127),),
            message_bits=_asylpg_bits,
            bits_vary=True,
            downlink=anchored,
            why="the rates of variance-reduced gradients are stated to order only",
            results=(asylpg,),
        ),
    ),
    entry(
        "adaptive-quantisation",
        Recipe(
            lambda step, _p, _t: RefinedQuantisation(step, 4, 4.0, 0.99, epoch=50),
            (),
            FixedRange(1.0, 4),
            cycle="the range of the quantiser shrinks as 0.99^t",
            why="linear convergence at a constant number of bits is stated to order only, for a "
            "range that shrinks no faster than the method",
            results=(inexact_quantised,),
        ),
    ),
    entry(
        "ibcd",
        Recipe(
            lambda step, _p, _t: BSP(step, BlockSampling(4)),
            UNBIASED,
            BlockSampling(4),
            operators=(BlockSampling(4, 2), BlockSampling(4, scaled=False)),
        ),
    ),
    entry(
        "bcd",
        Recipe(
            lambda step, _p, _t: BSP(step, BlockInTurn(4)),
            (),
            BlockInTurn(4),
            operators=(BlockInTurn(4, lot=0),),
            cycle=4,
            why="cyclic block coordinate descent is stated for gradients without noise; its "
            "operator has no constant at a single step",
            results=(hybrid_block_descent, cyclic_blocks),
        ),
    ),
)
