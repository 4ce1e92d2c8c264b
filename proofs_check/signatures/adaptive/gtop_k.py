"""gTop-k: a tree of merges keeps what a worker receives at k, where a gather brings n k."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
import torch
from torch import Tensor

from algorithms.compressors.top_k import TopK
from algorithms.methods.adaptive.gtop_k import GTopK, GTopKState
from algorithms.methods.base import Method, RunContext
from algorithms.problems.base import Problem
from algorithms.topologies.base import Neighbours
from proofs_check.instruments import bits_setting
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, to_reach
from proofs_check.mutants.adaptive import ForgetfulTree
from theory.constants import Constants
from theory.stepsizes import ConstantStep, Stepsize

_STEP, _TARGET, _STEPS = ConstantStep(0.2), 0.3, 60


@final
@dataclass(frozen=True)
class GatheredTopK(Method[GTopKState]):
    """Top-k with memory in which every worker hears every other's list, and adds them itself.

    Attributes:
        step_rule: the stepsizes gamma_t [x^2 / f] by step t.
        operator: top-k of one row.
    """

    step_rule: Stepsize
    operator: TopK

    shared_model: ClassVar[bool] = True

    @property
    def name(self) -> str:
        return f"all-gather of {self.operator.name}"

    def constants(self, problem: Problem) -> Constants:
        return problem.constants()

    def init(self, x0: Tensor, context: RunContext) -> GTopKState:
        rows = context.rows(x0, len(context.network.workers))
        return GTopKState(context.rows(x0, 1), torch.zeros_like(rows))

    def step(self, state: GTopKState, t: int, context: RunContext) -> GTopKState:
        n = context.network.n
        wanted = state.residual + self.step_rule(t) * context.gradient(state.x, t)
        packet = context.pack(self.operator, wanted, t)
        heard = context.network.mix(packet, Neighbours(np.ones((n, n)))).result
        sent = packet.own(context.network.workers)
        return GTopKState(state.x - heard[..., :1, :] / n, wanted - sent)

    def models(self, state: GTopKState) -> Tensor:
        return state.x


def measure(side: Arm) -> Measurement:
    """Bits that a worker receives until f - f* is at most the target."""
    own = bits_setting.by_row("gtop-k", _STEP)
    assert isinstance(own, GTopK)
    method: Method[Any] = {
        Arm.METHOD: own,
        Arm.BASELINE: GatheredTopK(_STEP, own.operator),
        Arm.FAULT: ForgetfulTree(own),
    }[side]
    return to_reach(bits_setting.descent(method, steps=_STEPS), _TARGET, "received_bits")


SIGNATURE = EffectCheck(
    row="gtop-k",
    problem=bits_setting.ABOUT,
    effect="merging in a tree brings each worker the global k in less than half of the bits that "
    "everybody's k would take",
    quantity=f"bits a worker receives until f - f* <= {_TARGET} [bit]",
    method="gTop-k, k = d/4",
    baseline="top-k with memory, gathered by all, at the same stepsize",
    fault="what was sent and dropped by the merge is lost",
    at_most=0.5,
    measure=measure,
    x_label="bits a worker receives",
    y_label="f(x_t) - f* [f]",
    source="Shi, Wang, Zhao, Tang, Wang, Chu 2019, arXiv:1901.04359, Table 1: 4 k log n against "
    "2 (n - 1) k; Algorithm 4",
    told=f"n = {bits_setting.N}, gamma = {_STEP.gamma:g}; nothing is drawn",
)
