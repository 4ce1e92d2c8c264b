"""MARINA: one round by all its outcomes, gradient descent where it is that, faults."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import torch

from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.compressors.rand_k import RandK
from algorithms.methods.base import Method, RunContext
from algorithms.methods.parts.gradients import Sampled
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.variance_reduced.marina import Marina, MarinaState
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.quadratic_data import unequal
from proofs_check.evidence.error_feedback.closed_forms import dyadic
from proofs_check.instruments.closed_forms import ClosedForms, agrees, none_wrong, same
from proofs_check.instruments.paths import models, path
from proofs_check.mutants.method_mutant import wrong_step
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep, Stepsize

Build = Callable[[Stepsize, Compressor, float], Method[Any]]
_REPLICAS = 512

_FORMS = ClosedForms("marina")


def two_in_the_plane() -> Quadratic:
    """Two workers of different curvatures in the plane."""
    a = torch.tensor([[1.0, 0.25], [0.5, 2.0]], dtype=torch.float64)
    b = torch.tensor([[2.0, 1.0], [-2.0, 1.5]], dtype=torch.float64)
    return Quadratic.from_arrays(a, b, name="two workers in the plane")


@_FORMS.case("outcomes of a round", f"rand-1, p = 1/4, {_REPLICAS} replicas see all outcomes")
def second_moment(make: Build = Marina) -> Iterator[Verdict]:
    """E||g+ - grad f(x+)||^2 over all outcomes of one round: heads, or each worker's coordinate.

    It is (1 - p)(||g - grad f||^2 + omega/n^2 sum ||difference||^2), the mean of g+ is off by 1 - p
    of what g was: biased by design.
    """
    problem, p, n, omega = two_in_the_plane(), 0.25, 2, 1.0
    x = torch.tensor([0.3, -0.7], dtype=torch.float64)
    before = torch.tensor([1.0, 0.5], dtype=torch.float64)
    g = torch.tensor([0.9, -0.2], dtype=torch.float64)  # not the gradient there
    rows = [one.expand(_REPLICAS, 1, 2).clone() for one in (x, before, g)]
    method = make(ConstantStep(0.1), RandK(1), p)
    start = next(iter(path(method, problem, 0, replicas=_REPLICAS)))
    after = method.step(MarinaState(*rows), 1, start.context)
    outcomes = torch.unique(after.estimate[:, 0], dim=0)
    wrong = abs(len(outcomes) - 5)
    yield none_wrong("one outcome of heads, four of tails", wrong, f"{len(outcomes)} seen")
    exact, old = problem.mean_gradient(x), problem.mean_gradient(before)
    heads = (outcomes - exact).square().sum(-1) < 1e-24
    chances = torch.where(heads, p, (1 - p) / max(1, int((~heads).sum())))
    bias = (chances[:, None] * outcomes).sum(0) - exact
    yield same("E g+ - grad f(x+) = (1 - p)(g - grad f(x))", bias, (1 - p) * (g - old))
    moment = float((chances * (outcomes - exact).square().sum(-1)).sum())
    error = float((g - old).square().sum())
    moves = problem.all_gradients(x) - problem.all_gradients(before)
    spread = omega / n**2 * float(moves.square().sum())
    yield same("E||g+ - grad f(x+)||^2 over all outcomes", moment, (1 - p) * (error + spread))
    smooth = float(problem.a.max(-1).values.square().mean())
    bound = (1 - p) * (error + omega / n * smooth * float((x - before).square().sum()))
    yield agrees(
        "at most (1 - p)(||g - grad f||^2 + omega/n L_rms^2 ||dx||^2)", moment <= bound, moment,
        bound, f"{moment:.6g} of {bound:.6g}",
    )  # fmt: skip


@_FORMS.case("same sample", "sampled gradients, p = 1e-9, no compression, 20 steps")
def same_sample(make: Callable[[Stepsize], Method[Any]] | None = None) -> Verdict:
    """Noise that does not depend on x cancels in the differences of one sample."""
    problem = unequal(4, 6)
    build = make or (lambda step: Marina(step, Identity(), 1e-9, Sampled()))
    states = [one.state for one in path(build(ConstantStep(0.2)), problem, 20)][1:]
    changes = [b.estimate - a.estimate for a, b in pairwise(states)]
    moves = [b.before - a.before for a, b in pairwise(states)]
    mean = problem.a.mean(0)
    return same(
        "g+ - g = mean Hessian times (x+ - x)", torch.stack(changes).numpy(),
        torch.stack([mean * move for move in moves]).numpy(), on=problem,
    )  # fmt: skip


@_FORMS.case("equal to", "15 steps of 1/2, exact in floats")
def gradient_descent(make: Build = Marina) -> Iterator[Verdict]:
    """p = 1, or no compression: gradient descent bit for bit."""
    problem, half = dyadic(), ConstantStep(0.5)
    theirs = models(BSP(half), problem, 15)
    for words, method in (
        ("p = 1", make(half, RandK(1), 1.0)),
        ("omega = 0", make(half, Identity(), 0.25)),
    ):
        mine = models(method, problem, 15)
        wrong = int((mine != theirs).sum())
        yield none_wrong(
            f"{words}: gradient descent bit for bit", wrong,
            f"{wrong} of {mine.numel()} numbers differ", on=problem,
        )  # fmt: skip


@_FORMS.case("fixed point", "p = 1/4, 100 rounds from x* with g = 0", on="quadratic-unequal")
def is_fixed_point(make: Build = Marina) -> Verdict:
    """No round moves x* where g = 0, though the workers' gradients are not 0 there."""
    problem = unequal(4, 8, sigma2=0.0)
    assert problem.x_star is not None
    star = problem.x_star.expand(16, 1, -1).clone()
    state = MarinaState(star, star, torch.zeros_like(star))
    method = make(ConstantStep(0.2), RandK(0.25), 0.25)
    end = models(method, problem, 100, replicas=16, state=state)[-1]
    return same("x* stays", end.numpy(), np.asarray(problem.x_star))


CLOSED_FORMS = (_FORMS,)


# Faults planted in MARINA.


def _of_samples(step: Stepsize) -> Marina:
    return Marina(step, Identity(), 1e-9, Sampled())


@wrong_step("MARINA with a coin for each worker", judge=second_moment, of=Marina)
def own_coins(own: Marina, state: MarinaState, t: int, context: RunContext) -> MarinaState:
    """every worker tosses for itself whether it sends its full gradient"""
    g = own.gradients.compute(state.x, t, context)
    old = own.gradients.compute(state.before, t, context)
    tossed = context.draws("coin", t).uniform(1, torch.float64)[..., 0]
    heads = tossed < own.probability(context.problem.d, context.network.n)
    full, _ = context.network.average(context.pack(Identity(), g, t, sends=heads, purpose="full"))
    packet = context.pack(own.compressor.at_step(t), g - old, t, sends=~heads)
    mean, _ = context.network.average(packet)
    here = heads.to(g.dtype).mean(-1)[..., None, None]
    estimate = full + (1 - here) * state.estimate + mean
    x = context.published(state.x - own.step_rule(t) * estimate, t)
    return MarinaState(x, state.x, estimate)


@wrong_step("MARINA with a stale model", judge=second_moment, of=Marina)
def stale_model(own: Marina, state: MarinaState, t: int, context: RunContext) -> MarinaState:
    """differences are taken to the gradient at a model older than the last one"""
    older = state.before + (state.before - state.x)
    return own.step(state._replace(before=older), t, context)


@wrong_step("MARINA of two samples", judge=same_sample, of=_of_samples)
def two_samples(own: Marina, state: MarinaState, t: int, context: RunContext) -> MarinaState:
    """the gradient at the model before is of another sample than the one now"""
    new = own.step(state, t, context)
    if t == 0:
        return new
    other = own.gradients.compute(state.before, t + 10**6, context)
    same = own.gradients.compute(state.before, t, context)
    shift = (other - same).mean(-2, keepdim=True)
    estimate = new.estimate - shift
    return replace_estimate(own, new, estimate, t)


def replace_estimate(own: Marina, new: MarinaState, estimate: torch.Tensor, t: int) -> MarinaState:
    """The state had the step gone along another estimate."""
    return new._replace(x=new.before - own.step_rule(t) * estimate, estimate=estimate)
