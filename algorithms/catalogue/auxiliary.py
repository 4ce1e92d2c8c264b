"""Rows of the family auxiliary: memories, momentum, clipping, warm-up."""

from __future__ import annotations

from algorithms.catalogue.compose import with_feedback
from algorithms.catalogue.row import OBJECTIVES, Recipe
from algorithms.compressors.identity import Identity
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.top_k import TopK
from algorithms.compressors.warm_up import sparsity_warm_up
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.memories.global_momentum import GlobalMomentum
from algorithms.memories.momentum_correction import MomentumCorrection
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.base import Problem
from algorithms.transforms.norm_clipping import ClipNorm
from theory.stepsizes import WarmUpStep

_TOP = TopK(0.1)
_STAGES = sparsity_warm_up(20)
_NONE = "the paper gives no convergence theorem"


def _first_stage(problem: Problem, float_bits: int) -> float:
    """The longest messages: those of the first stage."""
    return _STAGES.at(0).stated_bits(problem.d, float_bits)


READY: dict[str, Recipe] = {
    "error-feedback": with_feedback(RandK(0.25, scaled=False), problems=OBJECTIVES),
    "momentum-correction": Recipe(
        lambda step, _p, _t: BSP(step, _TOP, MomentumCorrection(0.9)), (), _TOP,
        stepsize_divisor=64.0,
        why=_NONE,
    ),
    "gmc": Recipe(
        lambda step, _p, _t: BSP(step, _TOP, GlobalMomentum(0.9)), (), _TOP, stepsize_divisor=64.0,
        why="stated to order only: that of SGD with momentum",
    ),
    "local-clipping": Recipe(
        lambda step, _p, _t: BSP(step, transform=ClipNorm(4.0)), (), Identity(),
        why="a clipped gradient is biased; the paper gives no convergence theorem",
    ),
    "warm-up": Recipe(
        lambda step, _p, _t: BSP(WarmUpStep(step, 50), _STAGES, ErrorFeedback()), (), _STAGES,
        stepsize_divisor=32.0, message_bits=_first_stage, bits_vary=True,
        why="a schedule of stepsizes and operators; the papers give no convergence theorem for it",
    ),
    "dgc": Recipe(
        lambda step, _p, _t: BSP(
            WarmUpStep(step, 50), _STAGES, MomentumCorrection(0.9, masking=True),
            transform=ClipNorm(8.0),
        ),
        (), _STAGES, stepsize_divisor=64.0, message_bits=_first_stage, bits_vary=True, why=_NONE,
    ),
}  # fmt: skip
