"""EF21-P, which compresses the model: closed forms, and the faults they refute."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from algorithms.compressors.identity import Identity
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.top_k import TopK
from algorithms.methods.base import Method, RunContext
from algorithms.methods.error_feedback.ef21_p import EF21P, EF21PState
from algorithms.methods.parts.gradients import Sampled
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.variance_reduced.diana import Diana
from algorithms.problems.quadratic_data import unequal
from proofs_check.evidence.error_feedback.closed_forms import dyadic, pair_of_workers
from proofs_check.evidence.error_feedback.closed_forms_momentum import largest_entry
from proofs_check.instruments.closed_forms import ClosedForms, at_most, none_wrong, same
from proofs_check.instruments.paths import models, path
from proofs_check.methods.faulty.faulty_method import OneWrongStep, wrapped
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep

Build = Callable[..., Method[Any]]
"""A method of a stepsize rule, an operator down, and parameters of the way up."""

_FORMS = ClosedForms("ef21-p")


@_FORMS.case("by hand", "top-1 down, 200 steps")
def recursion(make: Build = EF21P) -> Verdict:
    """The recursion of x and w in numpy."""
    problem = unequal(3, 6, sigma2=0.0)
    a, c = problem.a.numpy(), problem.c.numpy()
    x, w = np.zeros(6), np.zeros(6)
    out: list[NDArray[np.float64]] = [x]
    for _ in range(200):
        x = x - 0.2 * (a * w - c).mean(0)
        w = w + largest_entry((x - w)[None])[0]
        out.append(x)
    mine = models(make(ConstantStep(0.2), TopK(1)), problem, 200)[:, 0]
    return same("x and w by hand", mine.numpy(), np.stack(out), on=problem, tolerance=1e-11)


@_FORMS.case("equal to", "15 steps of 1/2, exact in floats")
def gradient_descent(make: Build = EF21P) -> Verdict:
    """Without compression gradient descent bit for bit."""
    problem, half = dyadic(), ConstantStep(0.5)
    mine, theirs = models(make(half, Identity()), problem, 15), models(BSP(half), problem, 15)
    wrong = int((mine != theirs).sum())
    return none_wrong(
        "C = I: gradient descent bit for bit", wrong,
        f"{wrong} of {mine.numel()} numbers differ", on=problem,
    )  # fmt: skip


@_FORMS.case("fixed point", "top-1 down, gamma = 0.1")
def exact_minimum(make: Build = EF21P) -> Iterator[Verdict]:
    """It ends at x* where workers differ, and one round from there moves nothing."""
    problem = pair_of_workers()
    assert problem.x_star is not None
    method = make(ConstantStep(0.1), TopK(1))
    last = [one.state for one in path(method, problem, 2000)][-1]
    for words, model in (("x", last.x), ("w", last.told)):
        error = float((model[0, 0] - problem.x_star).abs().max())
        yield at_most(f"{words} = x* after 2000 rounds", error, 1e-12, f"error {error:.2g}",
                      on=problem)  # fmt: skip
    star = problem.x_star.expand_as(last.x).clone()
    end = models(method, problem, 3, state=last._replace(x=star, told=star))[-1, 0]
    yield same("x* stays", end.numpy(), problem.x_star.numpy(), on=problem)


@_FORMS.case("differences", "top-k with k = d/4, 200 rounds")
def contraction(make: Build = EF21P) -> Verdict:
    """||x+ - w+||^2 <= (1 - delta) ||x+ - w||^2 in every round, with certainty."""
    problem = unequal(4, 20, sigma2=0.0)
    states = [one.state for one in path(make(ConstantStep(0.1), TopK(0.25)), problem, 200)]
    told = torch.stack([state.told for state in states])
    x = torch.stack([state.x for state in states])[1:]
    left = (x - told[1:]).square().sum(-1) - 0.75 * (x - told[:-1]).square().sum(-1)
    worst = float(left.max())
    return at_most("left over of what was lacking", worst, 1e-24, f"largest excess {worst:.2g}",
                   on=problem)  # fmt: skip


both_ways_forms = ClosedForms("ef21-p", name="both_ways_forms")
"""Closed forms of EF21-P + DIANA."""


@both_ways_forms.case("by hand", "top-1 both ways, alpha = 0.4, 200 steps")
def both_ways_by_hand(make: Build = EF21P) -> Verdict:
    """The recursion of x, w and h_i in numpy; top-1 takes Q's place."""
    problem, alpha = unequal(3, 6, sigma2=0.0), 0.4
    a, c = problem.a.numpy(), problem.c.numpy()
    x, w, h = np.zeros(6), np.zeros(6), np.zeros((3, 6))
    out: list[NDArray[np.float64]] = [x]
    for _ in range(200):
        sent = largest_entry(a * w - c - h)
        x = x - 0.1 * (h + sent).mean(0)
        h = h + alpha * sent
        w = w + largest_entry((x - w)[None])[0]
        out.append(x)
    method = make(ConstantStep(0.1), TopK(1), uplink=TopK(1), alpha=alpha)
    mine = models(method, problem, 200)[:, 0]
    return same("x, w and h_i by hand", mine.numpy(), np.stack(out), on=problem, tolerance=1e-11)


@both_ways_forms.case("equal to", "noise, rand-k with k = d/4 up, 60 steps")
def is_diana(make: Build = EF21P) -> Verdict:
    """Models told in full: DIANA."""
    problem, step, lot = unequal(4, 8), ConstantStep(0.1), RandK(0.25)
    mine, theirs = (
        models(method, problem, 60, replicas=3)
        for method in (make(step, Identity(), Sampled(), uplink=lot), Diana(step, lot))
    )
    return same("C = I: DIANA", mine, theirs, on=problem, tolerance=1e-12)


@both_ways_forms.case("invariant", "top-k down, rand-k up, k = d/4, 100 steps")
def mean_of_shifts(make: Build = EF21P) -> Verdict:
    """The server's shift is the mean of the workers'."""
    problem = unequal(4, 8)
    method = make(ConstantStep(0.1), TopK(0.25), Sampled(), uplink=RandK(0.25))
    states = [one.state for one in path(method, problem, 100, replicas=3)]
    gaps = torch.stack([one.shift[..., 0, :] - one.shifts.mean(-2) for one in states])
    return same("h - mean h_i", gaps, 0.0, on=problem)


@both_ways_forms.case("no bias", "top-k down, rand-k up, k = d/4, 4000 steps of 0.2")
def both_ways_end(make: Build = EF21P) -> Verdict:
    """The shifts learn the gradients at x*: no floor, though both ways are compressed."""
    problem = unequal(4, 8, sigma2=0.0)
    method = make(ConstantStep(0.2), TopK(0.25), uplink=RandK(0.25))
    got = models(method, problem, 4000)[-1, 0]
    return same("it ends at x*", got, problem.x_star, on=problem, tolerance=1e-9)


CLOSED_FORMS = (_FORMS,)


# Faults planted in EF21-P: what is sent, and where gradients are taken.


def model_itself(own: EF21P, state: EF21PState, t: int, context: RunContext) -> EF21PState:
    """The server compresses its model, not what workers lack of it."""
    x, *shifts = own.moved(state, t, context)
    packet = context.pack_server(own.compressor.at_step(t), x, t, purpose="model")
    return EF21PState(x, context.network.publish(packet), *shifts)


@wrong_step("EF21-P at the server's model", judge=recursion, of=EF21P)
def untold_model(own: EF21P, state: EF21PState, t: int, context: RunContext) -> EF21PState:
    """workers take gradients at x, of which they hold w alone"""
    return own.step(state._replace(told=state.x), t, context)._replace(told=state.told)


@wrong_step("EF21-P that sends the last step", judge=contraction, of=EF21P)
def last_step_alone(own: EF21P, state: EF21PState, t: int, context: RunContext) -> EF21PState:
    """workers hear C of the server's last step: what C left out is lost"""
    x, *shifts = own.moved(state, t, context)
    packet = context.pack_server(own.compressor.at_step(t), x - state.x, t, purpose="step")
    return EF21PState(x, state.told + context.network.publish(packet), *shifts)


def shifts_stay(own: EF21P, state: EF21PState, t: int, context: RunContext) -> EF21PState:
    """h_i stays 0: the gradients themselves are compressed"""
    return replace(own, alpha=0.0).step(state, t, context)


ef21_p_without_shifts = wrong_step(
    "EF21-P + DIANA whose shifts stay", judge=both_ways_end, of=EF21P
)(shifts_stay)


@wrong_step("EF21-P + DIANA whose server keeps no shift", judge=mean_of_shifts, of=EF21P)
def forgetful_server(own: EF21P, state: EF21PState, t: int, context: RunContext) -> EF21PState:
    """the server adds nothing to its shift"""
    return own.step(state, t, context)._replace(shift=state.shift)


@wrong_step("EF21-P + DIANA that shifts by the whole", judge=both_ways_by_hand, of=EF21P)
def whole_shift(own: EF21P, state: EF21PState, t: int, context: RunContext) -> EF21PState:
    """h_i moves by the message itself, not by alpha of it"""
    return replace(own, alpha=1.0).step(state, t, context)


@wrong_step("EF21-P + DIANA with alpha twice", judge=is_diana, of=EF21P)
def twice_alpha(own: EF21P, state: EF21PState, t: int, context: RunContext) -> EF21PState:
    """the server's mean of messages is shortened by alpha as well"""
    new = own.step(state, t, context)
    step = state.x - own.step_rule(t) * new.shift
    return new._replace(x=step, told=step)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "EF21-P that compresses the model", "w = C(x): the entries left out count as 0",
        recursion, wrapped(lambda right: OneWrongStep(right, model_itself), EF21P),
    ),
)  # fmt: skip
