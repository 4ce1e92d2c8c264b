"""Closed forms of EF21: its fixed point, invariants, the methods it equals, its exact rate."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.compressors.top_k import TopK
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.base import Method
from algorithms.methods.error_feedback.ef21 import EF21
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.quadratic_data import unequal
from proofs_check.evidence.auxiliary.error_feedback import Shrink
from proofs_check.instruments.closed_forms import (
    ClosedForms,
    agrees,
    at_most,
    none_wrong,
    same,
)
from proofs_check.instruments.paths import models, path
from proofs_check.verdict import Verdict
from proofs_check.worst_case.feedback import feedback_optimum
from theory.stepsizes import ConstantStep, Stepsize

Make = Callable[[Stepsize], Method[Any]]
WithOperator = Callable[[Stepsize, Compressor], Method[Any]]

PAIR = "two workers in the plane, centres (2, 1) and (-2, 1.5)"
ROUNDS = 4000
CYCLE_LENGTH = 200  # rounds, and more than one turn
STUCK = ((0.1, 1.25), (0.05, 1.25))
CYCLE = ((0.1, 0.1046), (0.05, 0.0517))


def pair_of_workers() -> Quadratic:
    """f_i = ||x - b_i||^2 / 2 with b = (2, 1), (-2, 1.5): x* = (0, 1.25), from 0."""
    b = torch.tensor([[2.0, 1.0], [-2.0, 1.5]], dtype=torch.float64)
    return Quadratic.from_arrays(torch.ones_like(b), b, name="a pair of workers")


def dyadic() -> Quadratic:
    """Curvatures and minimisers of few binary digits: steps of 1/2 are exact in floats."""
    a = torch.tensor([[1.0, 0.5, 0.25], [0.5, 0.5, 1.0]], dtype=torch.float64)
    b = torch.tensor([[2.0, -1.0, 3.0], [-4.0, 1.0, 1.0]], dtype=torch.float64)
    return Quadratic.from_arrays(a, b, name="a quadratic of few binary digits")


def top_one(step: Stepsize) -> EF21:
    """EF21 that sends one coordinate."""
    return EF21(step, TopK(1))


def quarter(step: Stepsize) -> EF21:
    """EF21 that sends a quarter of the coordinates."""
    return EF21(step, TopK(0.25))


def end_error(method: Method[Any], rounds: int = ROUNDS) -> float:
    """Largest entry of |x - x*| in the last rounds of so many on the pair of workers: models of
    error feedback go round in a cycle."""
    problem = pair_of_workers()
    errors = [
        float((one.state.x[0, 0] - problem.x_star).abs().max())
        for one in path(method, problem, rounds)
    ]
    return max(errors[-CYCLE_LENGTH:])


def hand_error(gamma: float, rounds: int = ROUNDS) -> float:
    """The same of error feedback by a recursion in numpy over the two workers' rows."""
    b, x, e = np.array([[2.0, 1.0], [-2.0, 1.5]]), np.zeros(2), np.zeros((2, 2))
    star, errors = np.array([0.0, 1.25]), []
    for _ in range(rounds):
        p = gamma * (x - b) + e
        sent = np.zeros_like(p)
        for i, j in enumerate(np.abs(p).argmax(1)):
            sent[i, j] = p[i, j]
        e, x = p - sent, x - sent.mean(0)
        errors.append(float(np.abs(x - star).max()))
    return max(errors[-CYCLE_LENGTH:])


_FORMS = ClosedForms("ef21")


@_FORMS.case("fixed point", f"{ROUNDS} rounds of top-1", on=PAIR)
def memories() -> Iterator[Verdict]:
    """Top-1 alone never leaves the start; error feedback ends in a cycle."""
    for gamma, error in STUCK:
        found = end_error(BSP(ConstantStep(gamma), TopK(1)), 50)
        yield same(f"no memory: stays at 0, error 1.25 at gamma {gamma:g}", found, error)
    for gamma, error in CYCLE:
        found = end_error(BSP(ConstantStep(gamma), TopK(1), ErrorFeedback()))
        yield same(f"error feedback: {error} at gamma {gamma:g}", found, error, tolerance=5e-5)
        yield same(
            f"error feedback at gamma {gamma:g} by hand", found, hand_error(gamma),
            tolerance=1e-10,
        )  # fmt: skip


@_FORMS.case("fixed point", f"{ROUNDS} rounds of top-1", on=PAIR)
def exact_minimum(make: Make = top_one) -> Iterator[Verdict]:
    """EF21 ends at x* where error feedback goes round it."""
    for gamma in (0.1, 0.05):
        found = end_error(make(ConstantStep(gamma)))
        yield at_most(f"EF21: x* at gamma {gamma:g}", found, 1e-14, f"error {found:.2g}")


@_FORMS.case("invariant", "100 rounds, seed 0")
def mean_of_memories(make: Make = quarter) -> Verdict:
    """The server's g is the mean of the workers' g_i after every round."""
    problem = unequal(4, 20)
    states = [one.state for one in path(make(ConstantStep(0.2)), problem, 100)]
    server = torch.stack([state.mean[..., 0, :] for state in states])
    workers = torch.stack([state.memory.mean(-2) for state in states])
    return same("g = (1/n) sum_i g_i", server, workers, on=problem)


@_FORMS.case("fixed point", "start at x* with g_i = grad f_i(x*)")
def is_fixed_point(make: Make = quarter) -> Verdict:
    """One round from the fixed point moves nothing, though the g_i are not 0."""
    problem = unequal(4, 20, sigma2=0.0)
    assert problem.x_star is not None
    method = make(ConstantStep(0.2))
    first = next(iter(path(method, problem, 0)))
    star = problem.x_star.expand_as(first.state.x).clone()
    g = problem.full_gradient(star, first.context.network.workers)
    zero = torch.zeros_like(star)
    state = first.state._replace(x=star, memory=g, momentum=g, mean=zero, told=zero)
    end = models(method, problem, 3, state=state)[-1, 0]
    return same("x* stays", end, problem.x_star, on=problem, note=f"|g_i| up to {_longest(g):.2g}")


def _longest(rows: Tensor) -> float:
    return float(rows.norm(dim=-1).max())


Smoothness = Callable[[Quadratic], float]


def mean_square(problem: Quadratic) -> float:
    """L_rms^2 = (1/n) sum_i L_i^2."""
    return float(problem.a.max(-1).values.square().mean())


def slope() -> Quadratic:
    """Two workers on a line, of whom one has no curvature, far from the minimum."""
    a = torch.tensor([[1.0], [0.0]], dtype=torch.float64)
    return Quadratic.from_arrays(a, 1000 * a, name="a worker with and one without curvature")


@_FORMS.case("error of the estimates", "300 rounds")
def shrinking_error(
    make: WithOperator = EF21, smooth: Smoothness = mean_square
) -> Iterator[Verdict]:
    """G+ <= (1 - theta) G + beta L_rms^2 ||x+ - x||^2 in every round, with certainty.

    G = (1/n) sum_i ||g_i - grad f_i(x)||^2, theta = 1 - sqrt(1 - delta), beta = (1 - delta)/theta.
    Equal where errors are in line with steps that stay the same: C(x) = theta x on a slope.
    """
    unlike = unequal(4, 20, sigma2=0.0)
    settings = (
        (make(ConstantStep(0.1), TopK(0.25)), unlike, -1.0),
        (make(ConstantStep(0.01), Shrink(0.25)), slope(), -0.05),
    )
    for method, problem, tight in settings:
        gap = _excess(method, problem, 0.25, smooth(problem))
        yield agrees(
            "G+ <= (1 - theta) G + beta L_rms^2 |x+ - x|^2", tight <= gap <= 1e-9, gap, 0.0,
            f"largest excess {gap:.2g} of the right side, expected from {tight:g} to 0", on=problem,
        )  # fmt: skip


def _excess(method: Method[Any], problem: Quadratic, delta: float, smooth: float) -> float:
    """Largest of left over right side less 1."""
    theta = 1 - (1 - delta) ** 0.5
    beta, gap, error, moved = (1 - delta) / theta, -np.inf, np.inf, 0.0
    before = problem.start()[None]
    for moment in path(method, problem, 300):
        if moment.t == 0:
            continue  # the g_i of a state speak of the model before its step
        g = problem.full_gradient(before, moment.context.network.workers)
        now = float((moment.state.memory - g).square().sum(-1).mean())
        allowed = (1 - theta) * error + beta * smooth * moved
        if 1e-26 < allowed < np.inf:
            gap = max(gap, now / allowed - 1)
        error, moved = now, float((moment.state.x - before).square().sum())
        before = moment.state.x
    return gap


@_FORMS.case("equal to")
def equals(make: WithOperator = EF21) -> Iterator[Verdict]:
    """Without compression gradient descent bit for bit; a linear C: error feedback."""
    problem, half = dyadic(), ConstantStep(0.5)
    mine = models(make(half, Identity()), problem, 15)
    theirs = models(BSP(half), problem, 15)
    wrong = int((mine != theirs).sum())
    yield none_wrong(
        "C = I: gradient descent bit for bit", wrong, f"{wrong} of {mine.numel()} numbers differ",
        on=problem, words="15 steps of 1/2, exact in floats",
    )  # fmt: skip
    unlike, step = unequal(4, 20, sigma2=0.0), ConstantStep(0.3)
    linear = Shrink(0.4)
    yield same(
        "C linear, start C(grad): error feedback",
        models(make(step, linear), unlike, 200),
        models(BSP(step, linear, ErrorFeedback()), unlike, 200),
        on=unlike, words="C(x) = 0.23 x, 200 steps",
    )  # fmt: skip


TIGHT = ((0.25, 0.1, 0.606060606, 0.884808290633), (0.5, 0.25, 0.274516600, 0.871128633330),
         (0.9, 0.1, 0.047880071, 0.990469128162))  # fmt: skip
"""eps, mu (L = 1), best stepsize and factor (Berg Thomsen, Taylor, Dieuleveut 2025)."""


@_FORMS.case("exact rate", "Berg Thomsen, Taylor, Dieuleveut 2025, arXiv:2506.05271, Theorem 2")
def tight_rate(make: WithOperator = EF21) -> Iterator[Verdict]:
    """The closed form, and V = (s/n)|sum g_i|^2 + sum |g_i - d_i|^2 under it along runs."""
    for eps, mu, eta, rate in TIGHT:
        best = feedback_optimum(eps, mu, 1.0)
        yield same(
            f"eps {eps:g}, mu {mu:g}: best step and factor", (best.eta, best.rate), (eta, rate),
            tolerance=6e-10,
        )  # fmt: skip
    for eps, mu, eta, rate in TIGHT[:2]:
        for n in (1, 3):
            worst = _largest_ratio(make, eps, mu, eta, n)
            yield at_most(
                f"V+ <= {rate:.6g} V on quadratics, n = {n}, eps {eps:g}, mu {mu:g}", worst,
                rate * (1 + 1e-9), f"largest factor of a round {worst:.6g}", words="60 rounds",
            )  # fmt: skip


def _largest_ratio(make: WithOperator, eps: float, mu: float, eta: float, n: int) -> float:
    """Largest V+/V of 60 rounds with top-k, k = (1 - eps) d, all f_i of one mu and L = 1."""
    d = 4
    a = torch.linspace(mu, 1.0, d, dtype=torch.float64).expand(n, -1)
    a = torch.stack([one.roll(i) for i, one in enumerate(a)])
    b = torch.arange(1.0, n * d + 1, dtype=torch.float64).reshape(n, d).sin() * 3
    problem, values, before = Quadratic.from_arrays(a, b), [], None
    method = make(ConstantStep(eta), TopK(round((1 - eps) * d)))
    for moment in path(method, problem, 60):
        if before is not None:
            g = problem.full_gradient(before, moment.context.network.workers)
            off = (g - moment.state.memory).square().sum()
            values.append(float(eps**0.5 / n * g.sum(-2).square().sum() + off))
        before = moment.state.x
    return max(after / v for v, after in pairwise(values) if v > 1e-20)


CLOSED_FORMS = (_FORMS,)
