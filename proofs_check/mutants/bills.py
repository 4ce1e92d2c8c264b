"""Faults planted in what the server says: nothing at all, half of it, or only every other time."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from algorithms.catalogue import row
from algorithms.compressors.identity import Identity
from algorithms.engine.run import run
from algorithms.methods.base import Method, RunContext
from algorithms.methods.synchronous.bsp import BSP, BSPState
from algorithms.problems.quadratic import Quadratic
from proofs_check.methods.received import received_traffic
from proofs_check.mutants.method_mutant import wrong_step
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep, Stepsize

STEPS, REPLICAS = 12, 2

Build = Callable[[Stepsize], Method[BSPState]]


def bsp_hears(build: Build = BSP) -> Verdict:
    """Traffic received by the workers of BSP-SGD against one uncompressed model a step."""
    problem = Quadratic.strongly_convex(4, 6, zeta2=1.0)
    method = build(ConstantStep(0.1))
    trace = run(method, problem, steps=STEPS, replicas=REPLICAS, points=2)
    description = f"seed {trace.seed}, {REPLICAS} replicas, {STEPS} steps"
    return received_traffic(row("bsp-sgd"), problem, method, trace, description)


def uploaded_mean(state: BSPState, t: int, context: RunContext) -> Tensor:
    """The mean gradient ``[..., 1, d]`` that the server knows, which nobody has heard yet."""
    packet = context.pack(Identity(), context.gradient(state.x, t), t)
    return context.network.average(packet).result


@wrong_step("BSP without a downlink", judge=bsp_hears, of=BSP)
def forgets_downlink(own: BSP, state: BSPState, t: int, context: RunContext) -> BSPState:
    """the workers use a mean that nobody sent them"""
    mean = uploaded_mean(state, t, context)
    return state._replace(x=state.x - own.step_rule(t) * mean)


@wrong_step("BSP with half a downlink", judge=bsp_hears, of=BSP)
def half_downlink(own: BSP, state: BSPState, t: int, context: RunContext) -> BSPState:
    """half of the model is sent, all of it is used"""
    mean = uploaded_mean(state, t, context)
    x = state.x - own.step_rule(t) * mean
    half = x.shape[-1] // 2
    incoming = context.published(x[..., :half], t)
    return state._replace(x=torch.cat((incoming, x[..., half:]), -1))


@wrong_step("BSP with a downlink every other step", judge=bsp_hears, of=BSP)
def every_other_downlink(own: BSP, state: BSPState, t: int, context: RunContext) -> BSPState:
    """what odd steps brought is not sent"""
    mean = uploaded_mean(state, t, context)
    incoming = mean if t % 2 else context.published(mean, t)
    return state._replace(x=state.x - own.step_rule(t) * incoming)
