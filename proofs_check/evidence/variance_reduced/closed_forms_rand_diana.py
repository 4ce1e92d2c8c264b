"""Closed forms of Rand-DIANA: one round by all its outcomes, gradient descent, the fixed point."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from algorithms.compressors.base import Compressor
from algorithms.compressors.rand_k import RandK
from algorithms.methods.base import Method
from algorithms.methods.variance_reduced.rand_diana import RandDiana, RandDianaState
from algorithms.problems.quadratic_data import unequal
from proofs_check.evidence.variance_reduced.closed_forms_dasha import descends_without_compression
from proofs_check.evidence.variance_reduced.closed_forms_marina import two_in_the_plane
from proofs_check.instruments.closed_forms import ClosedForms, agrees, none_wrong, same
from proofs_check.instruments.paths import models, path
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep, Stepsize
from theory.theorems.rand_diana import rand_diana

Build = Callable[[Stepsize, Compressor], Method[Any]]
_REPLICAS = 2048

_FORMS = ClosedForms("rand-diana")


@_FORMS.case("outcomes of a round", f"rand-1, p = 1/2, {_REPLICAS} replicas see all outcomes")
def lyapunov(make: Build = RandDiana) -> Iterator[Verdict]:
    """E||x+ - x*||^2 and E H+ over every worker's coordinate and coin; Psi falls by q.

    E||x+ - x*||^2 = ||x - gamma grad f - x*||^2 + gamma^2 omega/n^2 sum ||grad f_i - h_i||^2, E H+
    = (1 - p) H + p mean ||grad f_i(x) - grad f_i(x*)||^2.
    """
    problem, omega, p, n = two_in_the_plane(), 1.0, 0.5, 2
    c = RandDiana(ConstantStep(1.0), RandK(1)).constants(problem)
    gamma = rand_diana.limit(c)
    x = torch.tensor([0.3, -0.7], dtype=torch.float64)
    h = torch.tensor([[0.4, -0.1], [0.2, 0.7]], dtype=torch.float64)
    method = make(ConstantStep(gamma), RandK(1))
    context = next(iter(path(method, problem, 0, replicas=_REPLICAS))).context
    rows = [
        one.expand(_REPLICAS, *one.shape).clone() for one in (x[None], h, h.mean(0, keepdim=True))
    ]
    after = method.step(RandDianaState(*rows), 1, context)
    outcomes = torch.unique(torch.cat((after.x, after.shifts), -2), dim=0)
    yield none_wrong("4 outcomes of the operator times 4 of the coins", abs(len(outcomes) - 16),
                     f"{len(outcomes)} seen")  # fmt: skip
    g, best = problem.all_gradients(x), problem.all_gradients(problem.x_star)
    away = (outcomes[:, 0] - problem.x_star).square().sum(-1)
    spread = (outcomes[:, 1:] - best).square().sum(-1).mean(-1)
    move = x - gamma * g.mean(0) - problem.x_star
    noise = gamma**2 * omega / n**2 * float((g - h).square().sum())
    yield same("E||x+ - x*||^2", float(away.mean()), float(move.square().sum()) + noise)
    H = float((h - best).square().sum(-1).mean())
    renewed = float((g - best).square().sum(-1).mean())
    yield same("E H+", float(spread.mean()), (1 - p) * H + p * renewed)
    weight = 4 * gamma**2 * omega / (n * p)
    q = max(1 - gamma * c.need("mu"), 1 - p / 2)
    before = float((x - problem.x_star).square().sum()) + weight * H
    psi = float((away + weight * spread).mean())
    yield agrees("E Psi+ <= q Psi", psi <= q * before, psi, q * before,
                 f"{psi:.6g} of {q * before:.6g}, q = {q:.4g}")  # fmt: skip


@_FORMS.case("shifts", "rand-k with k = d/4, 60 rounds, seed 0")
def server_shift(make: Build = RandDiana) -> Verdict:
    """The server's shift is the mean of the workers' after every round."""
    problem = unequal(4, 8)
    states = [one.state for one in path(make(ConstantStep(0.05), RandK(0.25)), problem, 60)]
    server = torch.stack([state.shift[..., 0, :] for state in states])
    workers = torch.stack([state.shifts.mean(-2) for state in states])
    return same("h = (1/n) sum_i h_i", server.numpy(), workers.numpy(), on=problem)


@_FORMS.case("equal to", "15 steps of 1/2, exact in floats")
def gradient_descent(make: Build = RandDiana) -> Verdict:
    """Without compression gradient descent bit for bit."""
    return descends_without_compression(make)


@_FORMS.case("fixed point", "100 rounds from x* with h_i = grad f_i(x*)")
def is_fixed_point(make: Build = RandDiana) -> Verdict:
    """No round moves x*, though the workers' gradients are not 0 there."""
    problem = unequal(4, 8, sigma2=0.0)
    assert problem.x_star is not None
    star = problem.x_star.expand(16, 1, -1).clone()
    g = problem.all_gradients(problem.x_star).expand(16, -1, -1).clone()
    state = RandDianaState(star, g, torch.zeros_like(star))
    method = make(ConstantStep(0.1), RandK(0.25))
    end = models(method, problem, 100, replicas=16, state=state)[-1]
    return same("x* stays", end.numpy(), np.asarray(problem.x_star), on=problem)


CLOSED_FORMS = (_FORMS,)
