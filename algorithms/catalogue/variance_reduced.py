"""Rows that shift, skip, refine or take blocks: DIANA, LAQ, AsyLPG, MARINA, block descent."""

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
from algorithms.compressors.rand_k import RandK
from algorithms.methods.parts.gradients import Sampled
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.variance_reduced.asylpg import AsyLPG
from algorithms.methods.variance_reduced.dasha import Dasha
from algorithms.methods.variance_reduced.diana import Diana
from algorithms.methods.variance_reduced.laq import LAQ
from algorithms.methods.variance_reduced.marina import Marina
from algorithms.methods.variance_reduced.rand_diana import RandDiana
from algorithms.methods.variance_reduced.refined import RefinedQuantisation
from algorithms.problems.base import Problem
from algorithms.synchronisation.conditions import Linked
from algorithms.synchronisation.stopwatch import STANDARD
from theory.orders.asylpg import asylpg
from theory.orders.hybrid_block_descent import hybrid_block_descent
from theory.orders.inexact_quantised import inexact_quantised
from theory.orders.laq import laq
from theory.theorems.cyclic_blocks import cyclic_blocks
from theory.theorems.dasha import dasha
from theory.theorems.diana import diana
from theory.theorems.diana_nonconvex import diana_nonconvex
from theory.theorems.marina import marina
from theory.theorems.marina_pl import marina_pl
from theory.theorems.rand_diana import rand_diana

_BLOCK = Buckets(NormTernary(), 10)
_EPOCH = 100
_LOT = RandK(0.1)
_SINCE = "quadratic-unequal", "logreg-breast-cancer", "nonconvex-digits-dirichlet"


def _full_at_times(problem: Problem, float_bits: int) -> float:
    """A bound: some rounds send full gradients."""
    return dense(problem, float_bits)


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


def partial_marina() -> Recipe:
    """MARINA whose compressed rounds are of half of the workers: PP-MARINA."""
    return Recipe(
        lambda step, p, _t: Marina(step, _LOT.for_shapes(p.shapes), participants=max(1, p.n // 2)),
        (marina_pl, marina),
        _LOT,
        problems=_SINCE,
        message_bits=_full_at_times,
        bits_vary=True,
        downlink=each_round(),
    )


def sampled_marina() -> Recipe:
    """MARINA whose compressed differences are of samples, full rounds exact: VR-MARINA."""
    return Recipe(
        lambda step, p, _t: Marina(step, _LOT.for_shapes(p.shapes), differences=Sampled()),
        (),
        _LOT,
        problems=_SINCE,
        message_bits=_full_at_times,
        bits_vary=True,
        why="its stepsize is known by the smoothness of single samples, which problems do not "
        "state",
    )


def estimated_dasha(momentum: float, refresh: float) -> Recipe:
    """DASHA on the workers' own estimates of their gradients: DASHA-MVR, DASHA-PAGE."""
    return Recipe(
        lambda step, p, _t: Dasha(
            step, _LOT.for_shapes(p.shapes), gradients=Sampled(), momentum=momentum,
            refresh=refresh,
        ),
        (),
        _LOT,
        problems=_SINCE,
        message_bits=_full_at_times,
        bits_vary=True,
        why="the constants of its stepsize and of its bound are not recalled",
    )  # fmt: skip


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
    entry(
        "marina",
        Recipe(
            lambda step, p, _t: Marina(step, _LOT.for_shapes(p.shapes)),
            (marina_pl, marina),
            _LOT,
            problems=_SINCE,
            message_bits=_full_at_times,
            bits_vary=True,
        ),
        advised=True,
    ),
    entry(
        "dasha",
        Recipe(
            lambda step, p, _t: Dasha(step, _LOT.for_shapes(p.shapes)),
            (dasha,),
            _LOT,
            problems=_SINCE,
            message_bits=_full_at_times,
            bits_vary=True,
        ),
    ),
    entry(
        "rand-diana",
        Recipe(
            lambda step, p, _t: RandDiana(step, _LOT.for_shapes(p.shapes)),
            (rand_diana,),
            _LOT,
            problems=_SINCE,
            message_bits=_full_at_times,
            bits_vary=True,
            downlink=each_round(),
        ),
    ),
)
