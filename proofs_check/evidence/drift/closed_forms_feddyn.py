"""Closed forms of FedDyn: by hand, with solved local problems, what is kept, where it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.drift.feddyn import FedDyn, FedDynState
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.quadratic_data import unequal
from proofs_check.evidence.drift.closed_forms_proximal import anchors_of
from proofs_check.evidence.drift.two_workers import two_workers
from proofs_check.instruments.closed_forms import ClosedForms, same
from proofs_check.instruments.paths import path
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep, InverseTimeStep

Build = Callable[..., Method[Any]]

_SEED = 353
_STEP, _FALLING = ConstantStep(0.1), InverseTimeStep(2.0, 20.0)

feddyn_forms = ClosedForms("feddyn", name="feddyn_forms")
"""Closed forms of FedDyn."""


@feddyn_forms.case("closed form", "no noise, 12 rounds of K = 4, a = 0.7, falling stepsizes")
def feddyn_by_hand(build: Build = FedDyn) -> Verdict:
    """The recursion by hand in numpy, as it is printed."""
    problem, pull = unequal(5, 4, sigma2=0.0), 0.7
    a, c = problem.a.numpy(), problem.c.numpy()
    x, linear, server = np.zeros(4), np.zeros((5, 4)), np.zeros(4)
    told = [x]
    for k in range(12):
        y = np.repeat(x[None], 5, axis=0)
        for t in range(4 * k, 4 * k + 4):
            y = y - _FALLING(t) * (a * y - c - linear + pull * (y - x))
        linear = linear - pull * (y - x)
        server = server - pull * (y - x).sum(0) / 5
        x = y.mean(0) - server / pull
        told.append(x)
    got = anchors_of(build(_FALLING, 4, pull), problem, 48, 4)
    return same("the server's model of every round", got, np.stack(told), on=problem)


@feddyn_forms.case("closed form", f"4 workers in 3 dimensions, a = 0.8, 8 rounds, seed {_SEED}")
def reflected(build: Build = FedDyn) -> Verdict:
    """With solved local problems x+ = 2 mean th - x - h/a, th_i = (A_i + a)^{-1}(A_i b_i + h_i +
    a x) and h the mean gradient that was learnt: a reflected step."""
    generator, pull = np.random.default_rng(_SEED), 0.8
    a, b = generator.uniform(0.3, 1.5, size=(4, 3)), generator.normal(size=(4, 3))
    problem = Quadratic.from_arrays(torch.from_numpy(a), torch.from_numpy(b))
    x, linear = np.zeros(3), np.zeros((4, 3))
    told = [x]
    for _ in range(8):
        th: Floats = (a * b + linear + pull * x) / (a + pull)
        x, linear = (
            2 * th.mean(0) - x - linear.mean(0) / pull,
            a * (th - b),  # the gradient at th, which h_i has become
        )
        told.append(x)
    got = anchors_of(build(ConstantStep(0.5), 60, pull), problem, 480, 60)
    return same(
        "the server's model of every round", got, np.stack(told), on=problem, tolerance=1e-11
    )


@feddyn_forms.case("no heterogeneity bias", "K = 5, a = 1, 400 rounds of 0.1")
def ends_at_minimiser(build: Build = FedDyn) -> Iterator[Verdict]:
    """Two workers of curvatures 1 and 4 end at x* = 4/5, all terms at the gradients there."""
    problem = two_workers()
    *_, last = path(build(_STEP, 5, 1.0), problem, 2000)
    yield same("x = 4/5", last.state.anchor[0, 0], 0.8, on=problem, tolerance=1e-12)
    yield same(
        "h_i = grad f_i(x*)", last.state.linear[0, :, 0], [0.8, -0.8], on=problem, tolerance=1e-11
    )


@feddyn_forms.case("no heterogeneity bias", f"two of five workers a round, no noise, seed {_SEED}")
def few_take_part(build: Build = FedDyn) -> Verdict:
    """Those who stay away keep their terms: the end is x* all the same."""
    problem = unequal(5, 4, sigma2=0.0)
    method = build(_STEP, 6, 1.0, 2)
    got = run(method, problem, steps=12000, seed=_SEED, points=2).model[0]
    return same("the minimiser", got, problem.x_star, on=problem, tolerance=1e-9)


@feddyn_forms.case("conservation", f"noise, K = 3, 2 or all of 5 workers, seed {_SEED}")
def mean_of_terms(build: Build = FedDyn) -> Verdict:
    """The server's term is the mean of the workers' at every step, whoever takes part."""
    problem = unequal(5, 4)
    off: list[float] = []
    for few in (None, 2):
        for seen in path(build(_STEP, 3, 0.5, few), problem, 36, seed=_SEED, replicas=4):
            gap = seen.state.linear.mean(-2, keepdim=True) - seen.state.server_linear
            off.append(float(gap.abs().max()))
    return same("h - mean h_i", off, 0.0, on=problem)


@feddyn_forms.case("fixed point", "no noise, K = 4, two rounds from x*, h_i = grad f_i(x*)")
def stays_at_minimiser(build: Build = FedDyn) -> Verdict:
    """From x* and its gradients nothing moves, though local problems are not solved."""
    problem = unequal(4, 6, sigma2=0.0)
    centre = problem.x_star
    assert centre is not None
    rows = centre.expand(1, 4, -1)
    gradients = problem.full_gradient(rows, torch.arange(4))
    start = FedDynState(rows, gradients, centre.expand(1, 1, -1), torch.zeros(1, 1, 6).double())
    *_, last = path(build(_STEP, 4, 0.5), problem, 8, state=start)
    return same("models stay at x*", last.state.x, centre, on=problem)
