"""Rows of the family auxiliary: memories, momentum, clipping, warm-up."""

from __future__ import annotations

import torch

from algorithms.catalogue.compose import with_feedback
from algorithms.catalogue.entries import entry
from algorithms.catalogue.row import CORE, OBJECTIVES, Recipe, Row
from algorithms.compressors.identity import Identity
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.top_k import TopK
from algorithms.compressors.warm_up import graded_warm_up, sparsity_warm_up
from algorithms.core.key import Key
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.memories.global_momentum import GlobalMomentum
from algorithms.memories.momentum_correction import MomentumCorrection
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.base import Problem
from algorithms.problems.heavy_tailed import NAME as HEAVY_TAILED
from algorithms.transforms.norm_clipping import ClipNorm
from theory.stepsizes import WarmUpStep
from theory.theorems.absolute_compressor_ef import absolute_compressor_ef
from theory.theorems.ef_sgd_two_way import ef_sgd_two_way
from theory.theorems.global_momentum import global_momentum
from theory.theorems.perturbed_iterate import perturbed_iterate

_TOP = TopK(0.1)
_STAGE_STEPS = 20
_STAGES = sparsity_warm_up(_STAGE_STEPS)
_USUAL, _SAMPLES = 0.9, 16


def _first_stage(problem: Problem, float_bits: int) -> float:
    """The longest messages: those of the first stage."""
    return _STAGES.at_step(0).stated_bits(problem.d, float_bits)


def _clip(problem: Problem) -> ClipNorm:
    """At the norm [f / x] that one gradient in ten exceeds at x_0, of 16 a worker, to two digits.

    So it acts on outliers whatever the problem's scale: a typed norm cuts all gradients or none.
    """
    replicas, workers = torch.arange(_SAMPLES), torch.arange(problem.n)
    draws = Key.seed(0).fold("usual norm").draws(replicas, workers)
    with torch.no_grad():
        g = problem.gradient(problem.start().expand(_SAMPLES, 1, -1), draws)
    limit = float(torch.linalg.vector_norm(g.double(), dim=-1).quantile(_USUAL))
    return ClipNorm(float(f"{limit * problem.n**0.5:.2g}") or 1.0)


ENTRIES: tuple[Row, ...] = (
    entry(
        "error-feedback",
        with_feedback(
            RandK(0.25, scaled=False),
            problems=OBJECTIVES,
            results=(ef_sgd_two_way, absolute_compressor_ef),
        ),
    ),
    entry(
        "momentum-correction",
        Recipe(
            lambda step, _p, _t: BSP(step, _TOP, MomentumCorrection(0.9)),
            (),
            _TOP,
            why="the paper gives no convergence theorem: residuals sum velocities, not gradients,"
            " so the theorems on error feedback do not apply",
            results=(perturbed_iterate,),
        ),
    ),
    entry(
        "gmc",
        Recipe(
            lambda step, _p, _t: BSP(step, _TOP, GlobalMomentum(0.9)),
            (),
            _TOP,
            why="stated to order only: that of SGD with momentum",
            results=(global_momentum,),
        ),
    ),
    entry(
        "local-clipping",
        Recipe(
            lambda step, p, _t: BSP(step, transform=_clip(p)),
            (),
            Identity(),
            problems=(HEAVY_TAILED, *CORE),
            why="the paper gives no convergence theorem: the clip biases the mean wherever "
            "gradients align",
        ),
    ),
    entry(
        "warm-up",
        Recipe(
            lambda step, p, _t: BSP(
                WarmUpStep(step, 50), graded_warm_up(_STAGE_STEPS, p.d), ErrorFeedback()
            ),
            (),
            _STAGES,
            message_bits=_first_stage,
            bits_vary=True,
            cycle="stepsize and sparsity are warmed up",
            why="a schedule of stepsizes and operators; the papers give no convergence theorem "
            "for it",
        ),
    ),
    entry(
        "dgc",
        Recipe(
            lambda step, p, _t: BSP(
                WarmUpStep(step, 50),
                graded_warm_up(_STAGE_STEPS, p.d),
                MomentumCorrection(0.9, masking=True),
                transform=_clip(p),
            ),
            (),
            _STAGES,
            message_bits=_first_stage,
            bits_vary=True,
            cycle="stepsize and sparsity are warmed up",
            why="the paper gives no convergence theorem: factor masking drops momentum together "
            "with what was sent, and the evidence is by experiment",
        ),
    ),
)
