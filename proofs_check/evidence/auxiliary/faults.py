"""Faults planted in memories with momentum, in clipping, and in sparsifiers' accounts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

from torch import Tensor

from algorithms.memories.base import Memory, Round
from algorithms.memories.global_momentum import GlobalMomentum
from algorithms.memories.momentum_correction import Corrected, MomentumCorrection
from proofs_check.evidence.auxiliary.closed_forms import (
    clipping_spares_the_mean,
    converges,
    effective_rate,
    heavy_ball,
    masked_is_plain,
)
from proofs_check.evidence.auxiliary.closed_forms_error_feedback import nothing_is_lost
from proofs_check.methods.faulty.memories import PrintedCorrection, WrongCorrection
from proofs_check.methods.faulty.methods import ForgetfulFeedback
from proofs_check.mutants.method_mutant import MethodMutant, fault
from proofs_check.verdict import Verdict


@final
@dataclass(frozen=True)
class AccumulatedMomentum(WrongCorrection):
    """Momentum applied to what has accumulated, not before it accumulates."""

    title = "momentum after accumulation"

    def before(self, state: Corrected, x: Tensor) -> Tensor:
        return state.v + x + self.m * state.v

    def after(self, state: Corrected, round_: Round) -> Corrected:
        return Corrected(state.u, round_.wanted - round_.sent)


def _parabola(memory: Memory[Any], row: str, limit: float = 1e-3) -> Callable[[], Verdict]:
    return lambda: converges(memory, row, 0.01, 200, limit)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    MethodMutant(
        "momentum correction as printed", "v is never reduced by what was sent (E30)",
        _parabola(PrintedCorrection(0.9), "momentum-correction"),
        _parabola(MomentumCorrection(0.9), "momentum-correction"),
    ),
    MethodMutant(
        "GMC as printed", "m (x_t - x_{t-1}) without 1/gamma: a momentum of gamma m (E31)",
        _parabola(GlobalMomentum(0.01 * 0.9), "gmc"), _parabola(GlobalMomentum(0.9), "gmc"),
    ),
    MethodMutant(
        "momentum after accumulation", "momentum of the residual, not of the gradient",
        lambda: heavy_ball(AccumulatedMomentum(0.6), "momentum-correction"),
        lambda: heavy_ball(MomentumCorrection(0.6), "momentum-correction"),
    ),
    MethodMutant(
        "GMC as printed, effective rate", "the same by its effective rate: gamma/(1 - gamma m)",
        lambda: effective_rate(GlobalMomentum(0.1 * 0.9), "gmc"),
        lambda: effective_rate(GlobalMomentum(0.9), "gmc"),
    ),
    fault(
        "DGC without factor masking", "the velocity of what was sent lives on",
        masked_is_plain, False,
    ),
    fault(
        "local clipping claimed harmless", "threshold T n^-1/2 for gradients that align (E33)",
        clipping_spares_the_mean, 0.5,
    ),
    fault(
        "EF without its old residual", "v_t = g_t - C(v_{t-1} + g_t), as the survey prints it",
        nothing_is_lost, ForgetfulFeedback(),
    ),
)  # fmt: skip
