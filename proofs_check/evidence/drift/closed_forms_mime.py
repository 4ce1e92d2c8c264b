"""Closed forms: Mime and MimeLite by hand, as server momentum, and where they stop; faults."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch

from algorithms.engine.run import run
from algorithms.methods.base import Method, RunContext
from algorithms.methods.drift.mime import Mime, MimeState
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.optimizers.momentum import Momentum
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.quadratic_data import unequal
from proofs_check.evidence.drift import CURVATURES, MINIMISERS, two_workers
from proofs_check.evidence.drift.closed_forms_proximal import anchors_of
from proofs_check.instruments.closed_forms import ClosedForms, same
from proofs_check.instruments.paths import models, path
from proofs_check.mutants.method_mutant import MethodMutant, wrong_step
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

Build = Callable[..., Method[Any]]

_SEED = 347
_STEP = ConstantStep(0.1)
MimeLite = partial(Mime, lite=True)
"""Builds Mime without its correction of local gradients."""


def mime_by_hand(problem: Quadratic, K: int, beta: float, rounds: int, *, lite: bool) -> Floats:
    """The server's models ``[rounds + 1, d]`` in numpy, stepsize 0.1, no noise."""
    a, c, x = problem.a.numpy(), problem.c.numpy(), problem.x0.numpy().copy()
    m, told = np.zeros_like(x), [x.copy()]
    for _ in range(rounds):
        start = a * x - c
        mean, y = start.mean(0), np.repeat(x[None], len(c), axis=0)
        for _ in range(K):
            g = a * y - c
            d = g if lite else g - start + mean
            y = y - 0.1 * ((1 - beta) * d + beta * m)
        m, x = (1 - beta) * mean + beta * m, y.mean(0)
        told.append(x.copy())
    return np.stack(told)


def lite_limit(K: int, beta: float) -> float:
    """Where MimeLite stops on two workers, stepsize 0.1: x with mean_i y_i^K(x) = x, where m is the
    mean gradient at x; y is affine in x."""
    a, b = np.array(CURVATURES), np.array(MINIMISERS)

    def moved(x: float) -> float:
        y, m = np.full(2, x), float((a * (x - b)).mean())
        for _ in range(K):
            y = y - 0.1 * ((1 - beta) * a * (y - b) + beta * m)
        return float(y.mean()) - x

    at_zero, slope = moved(0.0), moved(1.0) - moved(0.0)
    return -at_zero / slope


mime_forms = ClosedForms("mime", name="mime_forms")
"""Closed forms of Mime."""

mimelite_forms = ClosedForms("mimelite", name="mimelite_forms")
"""Closed forms of MimeLite."""


def _by_hand(build: Build, *, lite: bool) -> Verdict:
    problem = unequal(5, 4, sigma2=0.0)
    return same(
        "the server's model of every round", anchors_of(build(_STEP, 4, 0.8), problem, 48, 4),
        mime_by_hand(problem, 4, 0.8, 12, lite=lite), on=problem,
    )  # fmt: skip


def _one_step(build: Build) -> Verdict:
    problem = unequal(6, 5, sigma2=0.0)
    ours, theirs = (
        models(method, problem, 40)
        for method in (build(_STEP, 1, 0.8), BSP(ConstantStep(0.02), optimizer=Momentum(0.8)))
    )
    return same("K = 1: BSP with momentum 0.8 of stepsize (1 - beta) eta", ours, theirs, on=problem)


@mime_forms.case("closed form", "no noise, 12 rounds of K = 4, beta = 0.8")
def mime_rounds(build: Build = Mime) -> Verdict:
    """Mime's recursion by hand."""
    return _by_hand(build, lite=False)


@mimelite_forms.case("closed form", "no noise, 12 rounds of K = 4, beta = 0.8")
def mimelite_rounds(build: Build = MimeLite) -> Verdict:
    """MimeLite's recursion by hand."""
    return _by_hand(build, lite=True)


@mime_forms.case("identity of two methods", "no noise, 6 workers, 40 steps")
def mime_is_server_momentum(build: Build = Mime) -> Verdict:
    """One local step: momentum SGD on the server."""
    return _one_step(build)


@mimelite_forms.case("identity of two methods", "no noise, 6 workers, 40 steps")
def mimelite_is_server_momentum(build: Build = MimeLite) -> Verdict:
    """One local step: momentum SGD on the server."""
    return _one_step(build)


@mime_forms.case("no heterogeneity bias", "no noise, 400 rounds of K = 5")
def mime_is_exact(build: Build = Mime) -> Iterator[Verdict]:
    """Mime stops at x*, and stays there: on two workers and on any."""
    for problem in (two_workers(), unequal(4, 6, sigma2=0.0, ratio=4.0)):
        for beta in (0.0, 0.5):
            got = run(build(_STEP, 5, beta), problem, steps=1500, points=2).model[0]
            yield same(
                f"the minimiser, beta = {beta:g}", got, problem.x_star, on=problem, tolerance=1e-9
            )
    problem = unequal(4, 6, sigma2=0.0)
    centre = problem.x_star
    assert centre is not None
    rows, one = centre.expand(1, 4, -1), centre.expand(1, 1, -1)
    start = MimeState(rows, one, torch.zeros_like(one), torch.zeros_like(one))
    *_, last = path(build(_STEP, 5, 0.5), problem, 10, state=start)
    yield same("two rounds from x* and m = 0 move nobody", last.state.x, centre, on=problem)


@mime_forms.case("one batch", f"additive noise, 4 workers, 6 rounds of K = 4, seed {_SEED}")
def noise_cancels(build: Build = Mime) -> Verdict:
    """g_i(y) and g_i(x) are of one batch: additive noise leaves no trace in a local step."""
    noisy, quiet = (unequal(4, 6, sigma2=s) for s in (1.0, 0.0))
    got, due = (models(build(_STEP, 4, 0.5), p, 24, seed=_SEED) for p in (noisy, quiet))
    return same("the path without noise", got, due, on=noisy)


@mimelite_forms.case("closed form", "two workers, K = 5, no noise")
def lite_is_biased(build: Build = MimeLite) -> Iterator[Verdict]:
    """MimeLite stops elsewhere, as FedAvg does; without momentum it is local SGD."""
    problem = two_workers()
    ends = {
        beta: run(build(_STEP, 5, beta), problem, steps=2500, points=2).model[0, 0].item()
        for beta in (0.0, 0.5, 0.9)
    }
    for beta, got in ends.items():
        yield same(
            f"limit at beta = {beta:g}", got, lite_limit(5, beta), on=problem, tolerance=1e-10
        )
    yield same(
        "beta = 0: FedAvg's limit", ends[0.0], 0.6925023465365121, on=problem, tolerance=1e-10
    )
    noisy = unequal(6, 5)
    ours, theirs = (
        models(method, noisy, 40, seed=_SEED)
        for method in (build(_STEP, 5, 0.0), LocalSGD(_STEP, 5))
    )
    yield same("beta = 0: local SGD", ours, theirs, on=noisy)


def uncorrected(own: Mime, state: MimeState, t: int, context: RunContext) -> MimeState:
    """g_i(y) for g_i(y) - g_i(x) + c: MimeLite posing as Mime"""
    return replace(own, lite=True).step(state, t, context)


def momentum_unused(own: Mime, state: MimeState, t: int, context: RunContext) -> MimeState:
    """the server's momentum is kept, and no local step hears of it"""
    return own.step(state._replace(momentum=torch.zeros_like(state.momentum)), t, context)


@wrong_step("Mime whose old gradient is of another batch", judge=noise_cancels, of=Mime)
def other_batch(own: Mime, state: MimeState, t: int, context: RunContext) -> MimeState:
    """g_i(x) is drawn anew: the noise of two batches adds up"""
    after = own.step(state, t, context)
    again = context.problem.gradient(state.x, context.draws("another batch", t))
    once = context.problem.gradient(state.x, context.draws("gradient", t))
    noise = own.step_rule(t) * (1 - own.beta) * (again - once)
    return after._replace(x=after.x + noise)


@wrong_step("Mime that renews momentum within the round", judge=mime_rounds, of=Mime)
def renewed_momentum(own: Mime, state: MimeState, t: int, context: RunContext) -> MimeState:
    """m takes in the mean gradient at every local step"""
    after = own.step(state, t, context)
    if (t + 1) % own.period == 0:
        return after
    mean = after.mean_gradient
    return after._replace(momentum=(1 - own.beta) * mean + own.beta * after.momentum)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    wrong_step("Mime uncorrected", judge=mime_rounds, of=Mime)(uncorrected),
    wrong_step("Mime uncorrected, at its limit", judge=mime_is_exact, of=Mime)(
        uncorrected
    ),
    wrong_step("MimeLite without momentum", judge=mimelite_rounds,
               of=MimeLite)(momentum_unused),
)  # fmt: skip
