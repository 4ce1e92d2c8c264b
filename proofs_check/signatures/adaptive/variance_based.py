"""Variance-based compression: an element waits until its sum is clear against its noise."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any, final

import torch

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.adaptive.variance_based import VarianceBased, VarianceState
from algorithms.methods.base import Method, RunContext
from algorithms.problems.sparse_linear import SparseLinear
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, to_reach
from proofs_check.methods.faulty.faulty_method import FaultyMethod
from theory.stepsizes import ConstantStep

_N, _STEPS, _STEP, _TARGET, _REPLICAS = 4, 200, ConstantStep(1.0), 0.05, 16


@cache
def _problem() -> SparseLinear:
    return SparseLinear.overlapping(_N, 256, 64, 4)


@final
@dataclass(frozen=True)
class ForgetfulVariance(FaultyMethod):
    """What is ambiguous is not kept: sums and squares start again at every step."""

    right: VarianceBased

    def step(self, state: VarianceState, t: int, context: RunContext) -> VarianceState:
        zero = torch.zeros_like(state.r)
        return self.right.step(state._replace(r=zero, v=zero), t, context)


def measure(side: Arm) -> Measurement:
    """Bits of a worker until f - f* is at most the target."""
    own = row("variance-based").tune(_problem(), _STEPS, _STEP).method
    assert isinstance(own, VarianceBased)
    method: Method[Any] = {
        Arm.METHOD: own,
        Arm.BASELINE: replace(own, alpha=0.0),
        Arm.FAULT: ForgetfulVariance(own),
    }[side]
    trace = run(method, _problem(), steps=_STEPS, replicas=_REPLICAS, points=_STEPS + 1)
    return to_reach(trace, _TARGET, "sent_bits")


SIGNATURE = EffectCheck(
    row="variance-based",
    problem="least squares whose 256 samples touch 4 of 64 coordinates each",
    effect="elements that wait until their sum is clear against its noise save bits of elements "
    "that are sent at once in the same code",
    quantity=f"bits a worker sends until f - f* <= {_TARGET} [bit]",
    method="unambiguous elements only, alpha = 1",
    baseline="all nonzero elements at once, in the same 4-bit code",
    fault="what is ambiguous is forgotten, not kept until it is clear",
    at_most=0.85,
    measure=measure,
    x_label="bits a worker sends",
    y_label="f(x_t) - f* [f]",
    source="Tsuzuku, Imachi, Akiba 2018, arXiv:1802.06058, Section 4.1, Algorithm 1",
    told=f"n = {_N}, 4 samples a step, gamma = {_STEP.gamma:g}, {_REPLICAS} replicas of seed 0",
)
