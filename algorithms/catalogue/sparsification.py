"""Rows of the family sparsification: operators that drop coordinates, and truncations."""

from __future__ import annotations

from dataclasses import replace

from algorithms.catalogue.compose import compressed, with_feedback
from algorithms.catalogue.entries import entry
from algorithms.catalogue.row import OBJECTIVES, Recipe, Row
from algorithms.compressors.absolute_threshold import AbsoluteThreshold
from algorithms.compressors.dryden import Dryden
from algorithms.compressors.gaussian_k import GaussianK
from algorithms.compressors.identity import Identity
from algorithms.compressors.layerwise import LayerWise
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.random_mask import RandomMask
from algorithms.compressors.row_top_k import RowTopK
from algorithms.compressors.sbc import SBC
from algorithms.compressors.stc import STC
from algorithms.compressors.top_k import TopK
from algorithms.compressors.wangni import GreedyWangni, Wangni
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.sparsification.communication_delay import CommunicationDelay
from algorithms.methods.sparsification.two_way_truncation import TwoWayTruncation
from algorithms.methods.synchronous.bsp import BSP
from algorithms.optimizers.proximal import SoftThreshold
from algorithms.optimizers.truncation import TruncatedGradient
from algorithms.problems.base import Problem
from theory.orders.truncated_regret import truncated_regret
from theory.orders.variance_budget import variance_budget
from theory.theorems.contraction_descent import contraction_descent
from theory.theorems.ef_sgd_two_way import ef_sgd_two_way
from theory.theorems.ef_sgd_two_way_variance import ef_sgd_two_way_variance
from theory.theorems.perturbed_iterate import perturbed_iterate
from theory.theorems.top_k_analytic import top_k_analytic

_HALF = TopK(0.5)
_STC, _SBC = STC(0.25), SBC(0.1)
_ROWS = LayerWise(RowTopK(0.5))
_LASSO = SoftThreshold(1e-4)


def _all_values(problem: Problem, float_bits: int) -> float:
    """The longest message: every coordinate is kept."""
    return float(problem.d * float_bits)


def _mapped(problem: Problem, float_bits: int) -> float:
    """The longest message: two bits a coordinate, and every value."""
    return float(1 + float_bits + problem.d * (2 + float_bits))


def _entries(problem: Problem, float_bits: int) -> float:
    return AbsoluteThreshold(1.0).stated_bits(problem.d, float_bits)


ENTRIES: tuple[Row, ...] = (
    entry(
        "random-k",
        compressed(
            RandK(0.25),
            operators=(RandK(0.25, send_indices=True), RandK(0.25, scaled=False)),
            problems=OBJECTIVES,
        ),
    ),
    entry(
        "top-k",
        with_feedback(
            TopK(0.1), problems=OBJECTIVES, results=(top_k_analytic, contraction_descent)
        ),
        advised=True,
    ),
    entry(
        "random-mask",
        replace(
            compressed(
                RandomMask(0.25, scaled=True),
                operators=(
                    RandomMask(0.25),
                    RandomMask(0.25, scaled=True, send_indices=True),
                    RandK(0.25, scaled=False),
                    RandK(0.25),
                ),
            ),
            message_bits=_all_values,
            bits_vary=True,
        ),
    ),
    entry(
        "wangni",
        replace(
            compressed(Wangni(1.0), operators=(Wangni(0.25), GreedyWangni(0.25))),
            message_bits=_mapped,
            bits_vary=True,
            results=(variance_budget,),
        ),
    ),
    entry("dryden", with_feedback(Dryden(0.1), operators=(Dryden(0.5),))),
    entry(
        "aji-heafield",
        replace(
            with_feedback(
                AbsoluteThreshold(0.1, sample=0.3),
                operators=(AbsoluteThreshold(0.1), LayerWise(AbsoluteThreshold(0.1))),
            ),
            message_bits=_entries,
            bits_vary=True,
        ),
    ),
    entry(
        "gaussian-k",
        Recipe(
            lambda step, _p, _t: BSP(step, GaussianK(0.1), ErrorFeedback()),
            (),
            GaussianK(0.1),
            message_bits=_entries,
            bits_vary=True,
            why="the operator is no contraction: a flat row sends nothing; the paper's theorem is"
            " about exact top-k under a bell-shaped density",
        ),
    ),
    entry(
        "sbc",
        Recipe(
            lambda step, _p, _t: CommunicationDelay(step, 4, _SBC),
            (),
            _SBC,
            why="the paper gives no convergence theorem: with local steps between two messages "
            "the theorems on error feedback, where every step is sent, do not apply",
            results=(perturbed_iterate,),
        ),
    ),
    entry(
        "stc",
        Recipe(
            lambda step, _p, _t: BSP(
                step, _STC, ErrorFeedback(), downlink=_STC, server_memory=ErrorFeedback()
            ),
            (ef_sgd_two_way_variance, ef_sgd_two_way),
            _STC,
            operators=(STC(0.05),),
        ),
    ),
    entry(
        "truncated-gradient",
        Recipe(
            lambda step, _p, _t: BSP(step, proximal=TruncatedGradient(0.01, 0.5, 10)),
            (),
            Identity(),
            cycle=10,
            why="the paper bounds the regret of an online learner, not the error of a last iterate",
            results=(truncated_regret,),
        ),
    ),
    entry(
        "meprop",
        Recipe(
            lambda step, p, _t: BSP(step, _ROWS.for_shapes(p.shapes)),
            (),
            _ROWS,
            why="the paper gives no convergence theorem: the error that is propagated back is "
            "truncated in every layer, which biases the gradient",
            results=(contraction_descent,),
        ),
    ),
    entry(
        "two-way-truncation",
        Recipe(
            lambda step, _p, _t: TwoWayTruncation(step, _HALF, _HALF, _LASSO),
            (),
            _HALF,
            why="the paper bounds the error of sparse estimation from random designs, given a "
            "sparse truth; here the objectives need not have one, and truncation both ways "
            "biases what is sent",
        ),
    ),
)
