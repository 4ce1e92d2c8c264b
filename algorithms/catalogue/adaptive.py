"""Sparsification rows whose choice adapts: to bins, variance, time, layers, other workers."""

from __future__ import annotations

from algorithms.catalogue.compose import with_feedback
from algorithms.catalogue.downlink import each_round
from algorithms.catalogue.entries import entry
from algorithms.catalogue.row import Recipe, Row
from algorithms.compressors.adacomp import AdaComp
from algorithms.compressors.layerwise import LayerWise
from algorithms.compressors.layerwise_adaptive_top_k import LayerwiseAdaptiveTopK
from algorithms.compressors.top_count import TopCount
from algorithms.compressors.top_k import TopK
from algorithms.compressors.variance_threshold import VarianceThreshold
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.adaptive.adaptive_k import AdaptiveK
from algorithms.methods.adaptive.gtop_k import GTopK
from algorithms.methods.adaptive.variance_based import VarianceBased
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.base import Problem
from theory.orders.gtop_k import gtop_k
from theory.seconds.costs import ETHERNET_1G
from theory.theorems.layer_wise_adaptive import layer_wise_adaptive

_ADACOMP = AdaComp(10)
_LAYERS = LayerwiseAdaptiveTopK(ETHERNET_1G, compute=1e-3, ratio=10.0)


def _longest_adacomp(problem: Problem, float_bits: int) -> float:
    return _ADACOMP.stated_bits(problem.d, float_bits)


def _longest_unambiguous(problem: Problem, float_bits: int) -> float:
    return VarianceThreshold().stated_bits(problem.d, float_bits)


def _longest_top(problem: Problem, float_bits: int) -> float:
    """Every coordinate: k may rise to d; and the loss in a message of its own."""
    return TopCount(1.0).stated_bits(problem.d, float_bits)


ENTRIES: tuple[Row, ...] = (
    entry(
        "adacomp",
        Recipe(
            lambda step, _p, _t: BSP(step, _ADACOMP, ErrorFeedback()),
            (),
            _ADACOMP,
            message_bits=_longest_adacomp,
            bits_vary=True,
            why="the paper gives no convergence theorem: which coordinates are sent depends on "
            "the residual and on the latest gradient, and their value is the mean of the "
            "bins' largest",
        ),
    ),
    entry(
        "gtop-k",
        Recipe(
            lambda step, _p, _t: GTopK(step, 0.25),
            (),
            TopK(0.25),
            why="stated to order only, under an assumption on the merged top-k that is not a "
            "property of the operator",
            results=(gtop_k,),
        ),
    ),
    entry(
        "adaptive-k",
        Recipe(
            lambda step, _p, _t: AdaptiveK(step, ETHERNET_1G),
            (),
            TopCount(0.5),
            message_bits=_longest_top,
            bits_vary=True,
            downlink=each_round(length=_longest_top, exact=False),
            cycle="k and the stepsize of its search change with t",
            why="the paper's theorem is a regret bound on k, not on the model",
        ),
    ),
    entry(
        "lags",
        with_feedback(_LAYERS, operators=(LayerWise(TopK(0.1)),), results=(layer_wise_adaptive,)),
    ),
    entry(
        "variance-based",
        Recipe(
            lambda step, _p, _t: VarianceBased(step),
            (),
            VarianceThreshold(),
            message_bits=_longest_unambiguous,
            bits_vary=True,
            why="the paper gives no convergence theorem: an element waits until its sum is clear "
            "against its noise, without a bound on how long",
        ),
    ),
)
