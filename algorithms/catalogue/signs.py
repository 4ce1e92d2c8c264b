"""Rows of the family quantisation that send signs, thresholds and low-precision numbers."""

from __future__ import annotations

from algorithms.catalogue.compose import compressed, with_feedback
from algorithms.catalogue.entries import entry
from algorithms.catalogue.row import OBJECTIVES, Recipe, Row
from algorithms.compressors.dorefa import DoReFa
from algorithms.compressors.fixed_point import FixedPoint
from algorithms.compressors.layerwise import LayerWise
from algorithms.compressors.one_bit import OneBit
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.compressors.sign import Sign
from algorithms.compressors.strom import Strom
from algorithms.compressors.three_lc import ThreeLC
from algorithms.memories.decaying_feedback import DecayingFeedback
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.memories.nesterov_feedback import NesterovFeedback
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.base import Problem
from theory.theorems.bsp_nonconvex import bsp_nonconvex
from theory.theorems.dist_ef_sgdm import dist_ef_sgdm
from theory.theorems.ecq_sgd import ecq_sgd
from theory.theorems.ef_sgd_two_way import ef_sgd_two_way
from theory.theorems.signsgd import signsgd
from theory.theorems.signsgd_majority import signsgd_majority
from theory.theorems.signsgd_majority_small_batches import signsgd_majority_small_batches
from theory.theorems.signsgd_small_batches import signsgd_small_batches

_BLOCKS = LayerWise(ScaledSign())
_STROM = Strom(0.05)


def _longest_strom(problem: Problem, float_bits: int) -> float:
    return 32.0 * problem.d


ENTRIES: tuple[Row, ...] = (
    entry("one-bit-sgd", with_feedback(OneBit())),
    entry(
        "strom-threshold",
        Recipe(
            lambda step, _p, _t: BSP(step, _STROM, ErrorFeedback()),
            (),
            _STROM,
            message_bits=_longest_strom,
            bits_vary=True,
            why="the paper gives no convergence theorem: values of plus or minus tau leave an "
            "error growing with the gradient, so neither a contraction nor a bounded error holds",
        ),
    ),
    entry(
        "signsgd",
        Recipe(
            lambda step, _p, _t: BSP(step, Sign()),
            (),
            Sign(),
            why="theorems ask for one worker with symmetric noise (signsgd_small_batches), or for "
            "batches as large as the number of steps (signsgd); else plain signs need not converge",
            results=(signsgd, signsgd_small_batches),
        ),
    ),
    entry(
        "signsgd-majority",
        Recipe(
            lambda step, _p, _t: BSP(step, Sign(), downlink=Sign()),
            (),
            Sign(),
            why="theorems ask for an odd number of workers of one objective, as a tie sends +1 "
            "(signsgd_majority_small_batches), or for batches as large as the number of steps "
            "(signsgd_majority); else plain signs need not converge",
            results=(signsgd_majority, signsgd_majority_small_batches),
        ),
    ),
    entry(
        "ef-signsgd",
        with_feedback(ScaledSign(), problems=OBJECTIVES, operators=(_BLOCKS,)),
        advised=True,
    ),
    entry(
        "dist-ef-sgd",
        Recipe(
            lambda step, p, _t: BSP(
                step,
                _BLOCKS.for_shapes(p.shapes),
                NesterovFeedback(0.5),
                _BLOCKS.for_shapes(p.shapes),
                ErrorFeedback(),
            ),
            (),
            _BLOCKS,
            why="the paper's rate is stated to order only; bounds are derived, by second moments "
            "with momentum (dist_ef_sgdm), and without (ef_sgd_two_way)",
            results=(ef_sgd_two_way, dist_ef_sgdm),
        ),
    ),
    entry(
        "ecq-sgd",
        Recipe(
            lambda step, _p, _t: BSP(step, QSGD(4), DecayingFeedback(0.5, 0.9)),
            (),
            QSGD(4),
            why="the paper's result is about quadratics and asks for a spectral condition on the "
            "two factors: order only",
            results=(ecq_sgd,),
        ),
    ),
    entry(
        "three-lc",
        with_feedback(ThreeLC(1.0, runs=True), operators=(ThreeLC(1.0), ThreeLC(1.75, runs=True))),
    ),
    entry("dorefa", compressed(DoReFa(4), operators=(DoReFa(2),))),
    entry(
        "low-precision-sgd",
        Recipe(
            lambda step, _p, _t: BSP(step, FixedPoint(12, 16)),
            (),
            FixedPoint(12, 16),
            operators=(FixedPoint(),),
            why="the paper gives no convergence theorem that speaks of relative variance: a fixed "
            "grid rounds with an absolute error of at most a quarter of its squared step",
            results=(bsp_nonconvex,),
        ),
    ),
)
