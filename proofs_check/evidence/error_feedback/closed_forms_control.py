"""Closed forms of EControl: what it conserves, and the two methods between which it lies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

from algorithms.compressors.base import Compressor
from algorithms.compressors.top_k import TopK
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.base import Method
from algorithms.methods.error_feedback.econtrol import EControl, EControlState
from algorithms.methods.error_feedback.ef21 import EF21
from algorithms.methods.parts.gradients import Sampled
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic_data import unequal
from proofs_check.evidence.error_feedback.closed_forms import pair_of_workers
from proofs_check.instruments.closed_forms import ClosedForms, at_most, none_wrong, same
from proofs_check.instruments.paths import models, path, world_of
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep, Stepsize

Build = Callable[[Stepsize, Compressor, float], Method[Any]]

_FORMS = ClosedForms("econtrol")


@_FORMS.case("conservation", "top-1, eta = 0.1, 80 steps, sampled gradients, seed 0")
def nothing_is_lost(make: Build = EControl) -> Iterator[Verdict]:
    """e_i is the sum of gradients less that of estimates; the server's mean is that of the h_i."""
    problem, method = unequal(4, 8), make(ConstantStep(0.05), TopK(1), 0.1)
    total = torch.zeros(1, 4, 8, dtype=torch.float64)
    states: list[Any] = []
    for moment in path(method, problem, 80):
        if states:
            fresh = moment.context.gradient(states[-1].x, moment.t - 1)
            total = total + fresh - moment.state.memory
        states.append(moment.state)
    yield same("e_i = sum (g - h)", states[-1].unsent.numpy(), total.numpy(), on=problem)
    server = torch.stack([state.mean[..., 0, :] for state in states])
    workers = torch.stack([state.memory.mean(-2) for state in states])
    yield same("h = (1/n) sum_i h_i", server.numpy(), workers.numpy(), on=problem)


@_FORMS.case("equal to", "top-1, 100 steps, sampled gradients")
def without_control(make: Build = EControl) -> Iterator[Verdict]:
    """eta = 0 is EF21 bit for bit, from either start."""
    problem, step = unequal(4, 8), ConstantStep(0.1)
    for full in (False, True):
        if full and make is EControl:
            method: Method[Any] = EControl(step, TopK(1), 0.0, full_start=True)
        else:
            method = make(step, TopK(1), 0.0)
        alike = full and make is EControl
        mine = models(method, problem, 100)
        theirs = models(EF21(step, TopK(1), gradients=Sampled(), full_start=alike), problem, 100)
        wrong = int((mine != theirs).sum())
        yield none_wrong(
            f"eta = 0{', full start' if alike else ''}: EF21 bit for bit", wrong,
            f"{wrong} of {mine.numel()} numbers differ", on=problem,
        )  # fmt: skip


@_FORMS.case("equal to", "top-1, eta = 1 and h_i = 0 before each round, 100 steps of 1/8")
def error_feedback(make: Build = EControl) -> Verdict:
    """With eta = 1 and h_i kept at 0 it is error feedback of 2018."""
    problem, step = unequal(4, 8), ConstantStep(0.125)
    method, context = make(step, TopK(1), 1.0), world_of(problem, 0, 1)
    state = method.init(problem.start(), context)
    found = [state.x]
    for t in range(100):
        zeros = torch.zeros_like(state.memory)
        state = state._replace(memory=zeros, mean=torch.zeros_like(state.x))
        state = method.step(state, t, context)
        found.append(state.x)
    theirs = models(BSP(step, TopK(1), ErrorFeedback()), problem, 100)
    return same("h = 0, eta = 1: error feedback", torch.stack(found)[:, :, 0].numpy(),
                theirs.numpy(), on=problem)  # fmt: skip


@_FORMS.case("fixed point", "top-1, eta = 0.1, 4000 rounds, gamma = 0.05")
def exact_minimum(make: Build = EControl) -> Verdict:
    """It ends at x* where workers differ, at a constant stepsize."""
    problem = pair_of_workers()
    end = models(make(ConstantStep(0.05), TopK(1), 0.1), problem, 4000)[-1, 0]
    error = float((end - problem.x_star).abs().max())
    return at_most("x* at gamma 0.05", error, 1e-12, f"error {error:.2g}", on=problem)


@_FORMS.case("fixed point", "5 rounds from x*, h_i = grad f_i(x*), e_i = 0, top-1, eta = 0.1")
def is_fixed_point(make: Build = EControl) -> Verdict:
    """Nothing is left unsent where h_i are the gradients: x* stays."""
    problem = unequal(4, 8, sigma2=0.0)
    assert problem.x_star is not None
    x, h = problem.x_star.expand(1, 1, -1), problem.all_gradients(problem.x_star)[None]
    start = EControlState(x, h, torch.zeros_like(x), torch.zeros_like(h))
    end = models(make(ConstantStep(0.1), TopK(1), 0.1), problem, 5, state=start)[-1, 0]
    return same("x* stays", end, problem.x_star, on=problem, tolerance=1e-14)


CLOSED_FORMS = (_FORMS,)
