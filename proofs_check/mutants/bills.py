"""Faults planted in what the server says: nothing at all, half of it, or only every other time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.catalogue import row
from algorithms.compressors.identity import Identity
from algorithms.engine.run import run
from algorithms.methods.base import Method, RunContext
from algorithms.methods.synchronous.bsp import BSP, BSPState
from algorithms.problems.quadratic import Quadratic
from proofs_check.methods.faulty.faulty_method import FaultyMethod, wrapped
from proofs_check.methods.received import received_bill
from proofs_check.mutants.method_mutant import MethodMutant, fault
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep, Stepsize

STEPS, REPLICAS = 12, 2

Build = Callable[[Stepsize], Method[BSPState]]


def bsp_hears(build: Build = BSP) -> Verdict:
    """What the workers of BSP-SGD hear against one uncompressed model a step."""
    problem = Quadratic.strongly_convex(4, 6, zeta2=1.0)
    method = build(ConstantStep(0.1))
    trace = run(method, problem, steps=STEPS, replicas=REPLICAS, points=2)
    told = f"seed {trace.seed}, {REPLICAS} replicas, {STEPS} steps"
    return received_bill(row("bsp-sgd"), problem, method, trace, told)


def uploaded_mean(state: BSPState, t: int, context: RunContext) -> Tensor:
    """The mean gradient ``[..., 1, d]`` that the server knows, which nobody has heard yet."""
    packet = context.pack(Identity(), context.gradient(state.x, t), t)
    return context.network.average(packet).result


@final
@dataclass(frozen=True)
class ForgetsDownlink(FaultyMethod):
    """Every worker takes the server's step without hearing of it."""

    right: BSP

    def step(self, state: BSPState, t: int, context: RunContext) -> BSPState:
        mean = uploaded_mean(state, t, context)
        return state._replace(x=state.x - self.right.step_rule(t) * mean)


@final
@dataclass(frozen=True)
class HalfDownlink(FaultyMethod):
    """The server sends the first half of the model; the workers know the rest unheard."""

    right: BSP

    def step(self, state: BSPState, t: int, context: RunContext) -> BSPState:
        mean = uploaded_mean(state, t, context)
        x = state.x - self.right.step_rule(t) * mean
        half = x.shape[-1] // 2
        heard = context.published(x[..., :half], t)
        return state._replace(x=torch.cat((heard, x[..., half:]), -1))


@final
@dataclass(frozen=True)
class EveryOtherDownlink(FaultyMethod):
    """The server is silent at odd steps, and the workers go on as if they had heard it."""

    right: BSP

    def step(self, state: BSPState, t: int, context: RunContext) -> BSPState:
        mean = uploaded_mean(state, t, context)
        heard = mean if t % 2 else context.published(mean, t)
        return state._replace(x=state.x - self.right.step_rule(t) * heard)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "BSP without a downlink", "the workers use a mean that nobody sent them",
        bsp_hears, wrapped(ForgetsDownlink, BSP),
    ),
    fault(
        "BSP with half a downlink", "half of the model is sent, all of it is used",
        bsp_hears, wrapped(HalfDownlink, BSP),
    ),
    fault(
        "BSP with a downlink every other step", "what odd steps brought is not sent",
        bsp_hears, wrapped(EveryOtherDownlink, BSP),
    ),
)  # fmt: skip
