"""Closed forms: MARINA of few workers and of samples, DASHA-MVR and DASHA-PAGE.

One round by all its outcomes, special cases that are other methods, what is kept, and messages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.compressors.rand_k import RandK
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.parts.gradients import Full, Sampled
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.variance_reduced.dasha import Dasha, DashaState
from algorithms.methods.variance_reduced.marina import Marina, MarinaState
from algorithms.problems.base import Problem
from algorithms.problems.logistic import Logistic
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.quadratic_data import unequal
from algorithms.problems.regularisers import L2
from proofs_check.instruments.closed_forms import ClosedForms, none_wrong, same
from proofs_check.instruments.paths import models, path, world_of
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep

Build = Callable[..., Method[Any]]
"""A method of a stepsize rule, an operator and the parameters of the variant."""

_REPLICAS, _SEED, _SAMPLES = 1024, 71, 4
_STEP, _REFRESH = ConstantStep(0.1), 0.25

partial_forms = ClosedForms("marina", name="partial_forms")
"""Closed forms of PP-MARINA."""

sample_forms = ClosedForms("marina", name="sample_forms")
"""Closed forms of VR-MARINA."""

mvr_forms = ClosedForms("dasha", name="mvr_forms")
"""Closed forms of DASHA-MVR."""

page_forms = ClosedForms("dasha", name="page_forms")
"""Closed forms of DASHA-PAGE."""


def three_in_the_plane() -> Quadratic:
    """Three workers of different curvatures in the plane."""
    a = torch.tensor([[1.0, 0.25], [0.5, 2.0], [0.75, 1.5]], dtype=torch.float64)
    b = torch.tensor([[2.0, 1.0], [-2.0, 1.5], [0.5, -1.0]], dtype=torch.float64)
    return Quadratic.from_arrays(a, b, name="three workers in the plane")


def few_samples(n: int) -> Logistic:
    """Logistic regression on four samples a worker, one of them a stochastic gradient."""
    generator = np.random.default_rng(_SEED)
    features = torch.from_numpy(generator.normal(size=(n, _SAMPLES, 3)))
    labels = torch.from_numpy(generator.choice([-1.0, 1.0], size=(n, _SAMPLES)))
    return Logistic.from_data(features, labels, L2(0.1), batch=1, name="four samples")


def sample_gradients(problem: Logistic, x: Tensor) -> Tensor:
    """Gradients ``[n, S, d]`` of the single samples at x ``[d]``, by their formula."""
    slopes = -torch.sigmoid(-(problem.rows @ x))
    return slopes[..., None] * problem.rows + 0.1 * x


@partial_forms.case("outcomes of a round", f"rand-1, p = 1/4, 2 of 3 workers, {_REPLICAS} replicas")
def few_second_moment(make: Build = Marina) -> Iterator[Verdict]:
    """E||g+ - grad f(x+)||^2 over all outcomes of a round: heads, or two workers' coordinates.

    It is (1 - p)(||g - grad f||^2 + omega/r V + (n - r)/(r (n - 1)) (V - ||mean difference||^2)), V
    the mean squared difference: at most the theorem's with (1 + omega)/r for omega/n.
    """
    problem, p, n, r, omega = three_in_the_plane(), 0.25, 3, 2, 1.0
    x = torch.tensor([0.3, -0.7], dtype=torch.float64)
    before = torch.tensor([1.0, 0.5], dtype=torch.float64)
    g = torch.tensor([0.9, -0.2], dtype=torch.float64)
    rows = [one.expand(_REPLICAS, 1, 2).clone() for one in (x, before, g)]
    method = make(_STEP, RandK(1), p, participants=r)
    context = world_of(problem, _SEED, _REPLICAS)
    outcomes, seen = torch.unique(
        method.step(MarinaState(*rows), 1, context).estimate[:, 0], dim=0, return_counts=True
    )
    yield none_wrong("13 outcomes", abs(len(outcomes) - 13), f"{len(outcomes)} seen")
    exact, old = problem.mean_gradient(x), problem.mean_gradient(before)
    heads = (outcomes - exact).square().sum(-1) < 1e-24
    chances = torch.where(heads, p, (1 - p) / max(1, int((~heads).sum())))
    yield _as_often("heads come with p, pairs and their coordinates alike", seen, chances)
    bias = (chances[:, None] * outcomes).sum(0) - exact
    yield same("E g+ - grad f(x+) = (1 - p)(g - grad f(x))", bias, (1 - p) * (g - old))
    moves = problem.all_gradients(x) - problem.all_gradients(before)
    spread = float(moves.square().sum(-1).mean())
    apart = spread - float(moves.mean(0).square().sum())
    moment = float((chances * (outcomes - exact).square().sum(-1)).sum())
    error = float((g - old).square().sum())
    due = (1 - p) * (error + omega / r * spread + (n - r) / (r * (n - 1)) * apart)
    yield same("E||g+ - grad f(x+)||^2 over all outcomes", moment, due)
    bound = (1 - p) * (error + (1 + omega) / r * spread)
    yield none_wrong(
        "at most (1 - p)(||g - grad f||^2 + (1 + omega)/r V)", int(moment > bound),
        f"{moment:.6g} of {bound:.6g}",
    )  # fmt: skip


@partial_forms.case("equal to", f"40 rounds, rand-k with k = d/4, p = 1/4, seed {_SEED}")
def all_take_part(make: Build = Marina) -> Verdict:
    """r = n is MARINA, bit for bit."""
    problem = unequal(4, 8, sigma2=0.0)
    mine, theirs = (
        models(method, problem, 40, seed=_SEED, replicas=3)
        for method in (
            make(_STEP, RandK(0.25), 0.25, participants=4), Marina(_STEP, RandK(0.25), 0.25),
        )
    )  # fmt: skip
    return same("r = n: MARINA", mine, theirs, on=problem, tolerance=0.0)


@partial_forms.case("bits of a round", f"rand-2 of 8, 2 of 4 workers, 200 rounds, seed {_SEED}")
def few_messages(make: Build = Marina) -> Verdict:
    """A round is of 4 full gradients or of 2 messages, in the mean of workers 512 or 64 bits."""
    problem = unequal(4, 8)
    trace = run(make(_STEP, RandK(2), participants=2), problem, steps=200, points=201, seed=_SEED)
    seen = sorted(set(np.diff(trace.sent_bits[0]).tolist()))
    return same("bits of a round in the mean", seen, (64.0, 512.0), on=problem)


@sample_forms.case("outcomes of a round", f"one worker of {_SAMPLES} samples, p = 1/4, no operator")
def is_page(make: Build = Marina) -> Iterator[Verdict]:
    """At n = 1 without compression PAGE: heads grad f(x+), tails g + grad f_j(x+) - grad f_j(x)."""
    problem = few_samples(1)
    x, before, g = (
        torch.tensor(one).double() for one in ([0.3, -0.7, 0.2], [1, 0.5, 0], [1, 2, 3])
    )
    rows = [one.expand(_REPLICAS, 1, 3).clone() for one in (x, before, g)]
    method = make(_STEP, Identity(), 0.25, differences=Sampled())
    after = method.step(MarinaState(*rows), 1, world_of(problem, _SEED, _REPLICAS)).estimate[:, 0]
    exact = sample_gradients(problem, x)[0].mean(0)
    tails = g + (sample_gradients(problem, x) - sample_gradients(problem, before))[0]
    yield _outcomes_are(after, torch.cat((exact[None], tails)))
    heads = int((after - exact).square().sum(-1).lt(1e-20).sum())
    yield _as_often("heads come with p = 1/4", [heads], [0.25])


@sample_forms.case("equal to PAGE", f"40 rounds, one worker of {_SAMPLES} samples, seed {_SEED}")
def runs_as_page(make: Build = Marina) -> Iterator[Verdict]:
    """At n = 1 without compression every round of a run is one of PAGE (Li, Bao, Zhang, Richtarik
    2020, arXiv:2008.10898, Algorithm 1), whose first estimate is the full gradient."""
    problem, stray, away = few_samples(1), 0, []
    method = make(_STEP, Identity(), 0.25, differences=Sampled())
    for old, new in pairwise(path(method, problem, 40, seed=_SEED)):
        x, before, g = (one[0, 0] for one in old.state)
        due = sample_gradients(problem, x)[0].mean(0)[None]
        if old.t:
            moves = sample_gradients(problem, x)[0] - sample_gradients(problem, before)[0]
            due = torch.cat((due, g + moves))
        stray += int(not (new.state.estimate[0] - due).abs().amax(-1).lt(1e-12).any())
        away.append(new.state.x[0, 0] - (x - 0.1 * new.state.estimate[0, 0]))
    yield none_wrong(
        "every estimate is the full gradient or g + grad f_j(x+) - grad f_j(x)", stray,
        f"{stray} of {len(away)} rounds are another",
    )  # fmt: skip
    yield same("x+ = x - gamma g", torch.stack(away), 0.0, tolerance=1e-12)


def _as_often(claim: str, counts: ArrayLike, chances: ArrayLike) -> Verdict:
    """Outcomes came as often as ``chances`` say, six standard deviations allowed each."""
    p = np.asarray(chances)
    off = (np.asarray(counts) / _REPLICAS - p) / np.sqrt(p * (1 - p) / _REPLICAS)
    worst = float(np.abs(off).max())
    return none_wrong(
        claim, int((np.abs(off) > 6).sum()),
        f"{worst:.2g} standard deviations off at most in {_REPLICAS}, six allowed",
    )  # fmt: skip


def _outcomes_are(seen: Tensor, due: Tensor) -> Verdict:
    """Every row of ``seen`` is one of ``due``, and each of these was seen."""
    near = (seen[:, None] - due).abs().amax(-1) < 1e-12
    stray, missed = int((~near.any(1)).sum()), int((~near.any(0)).sum())
    return none_wrong(
        f"the outcomes are those {len(due)} of the formula", stray + missed,
        f"{stray} of {len(seen)} are another, {missed} of {len(due)} did not occur",
    )  # fmt: skip


@sample_forms.case("equal to", f"40 rounds, rand-k with k = d/4, p = 1/4, seed {_SEED}")
def exact_differences(make: Build = Marina) -> Verdict:
    """With exact differences it is MARINA, bit for bit."""
    problem = unequal(4, 8, sigma2=0.0)
    mine, theirs = (
        models(method, problem, 40, seed=_SEED, replicas=3)
        for method in (
            make(_STEP, RandK(0.25), 0.25, differences=Full()), Marina(_STEP, RandK(0.25), 0.25),
        )
    )  # fmt: skip
    return same("exact differences: MARINA", mine, theirs, on=problem, tolerance=0.0)


def _mvr(make: Build, b: float) -> Method[Any]:
    return make(_STEP, RandK(0.25), gradients=Sampled(), momentum=b)


@mvr_forms.case("recursion of the error", f"noise, b = 0.3, 60 rounds, seed {_SEED}")
def error_of_estimates(make: Build = Dasha) -> Verdict:
    """h+ - grad f_i(x+) = (1 - b)(h - grad f_i(x)) + b noise: noise that does not depend on x."""
    problem, b = unequal(4, 8), 0.3
    found, due, error = [], [], torch.zeros(())
    at = problem.start().expand(1, 1, -1)
    for one in path(_mvr(make, b), problem, 60, seed=_SEED):
        if one.t:
            g = one.context.gradient(at, one.t - 1)
            exact = problem.full_gradient(at, torch.arange(4))
            noise = g - exact
            error = noise if one.t == 1 else (1 - b) * error + b * noise
            found.append(one.state.gradients - exact)
            due.append(error)
        at = one.state.x
    return same(
        "errors of the h_i", torch.stack(found), torch.stack(due), on=problem, tolerance=1e-11
    )


@mvr_forms.case("equal to", f"noise, b = 1, no operator, 40 rounds, seed {_SEED}")
def is_sgd(make: Build = Dasha) -> Verdict:
    """b = 1 without compression is SGD."""
    problem = unequal(4, 8)
    mine, theirs = (
        models(method, problem, 40, seed=_SEED, replicas=3)
        for method in (make(_STEP, Identity(), gradients=Sampled(), momentum=1.0), BSP(_STEP))
    )
    return same("b = 1: SGD", mine, theirs, on=problem, tolerance=1e-11)


@mvr_forms.case("invariant", f"noise, rand-k with k = d/4, b = 0.3, 60 rounds, seed {_SEED}")
def mvr_server(make: Build = Dasha) -> Verdict:
    """The server's g is the mean of the workers' g_i after every round."""
    problem = unequal(4, 8)
    states = [one.state for one in path(_mvr(make, 0.3), problem, 60, seed=_SEED)]
    server = torch.stack([state.mean[..., 0, :] for state in states])
    workers = torch.stack([state.estimates.mean(-2) for state in states])
    return same("g = (1/n) sum_i g_i", server.numpy(), workers.numpy(), on=problem)


def _page(make: Build, p: float) -> Method[Any]:
    return make(_STEP, RandK(1), gradients=Sampled(), momentum=0.0, refresh=p)


@page_forms.case("outcomes of a round", f"two workers of {_SAMPLES} samples, p = 1/4")
def page_outcomes(make: Build = Dasha) -> Iterator[Verdict]:
    """h_i+ is grad f_i(x+), or h_i + grad f_ij(x+) - grad f_ij(x), each worker for itself."""
    problem = few_samples(2)
    x, before = (torch.tensor(one).double() for one in ([0.3, -0.7, 0.2], [1, 0.5, 0]))
    h = torch.tensor([[1.0, 2.0, 3.0], [-1.0, 0.0, 1.0]], dtype=torch.float64)
    state = DashaState(
        *(one.expand(_REPLICAS, *one.shape).clone() for one in (x[None], h, h, h.mean(0)[None],
        before[None]))
    )  # fmt: skip
    after = _page(make, _REFRESH).step(state, 1, world_of(problem, _SEED, _REPLICAS)).gradients
    new, old = sample_gradients(problem, x), sample_gradients(problem, before)
    refreshed = []
    for i in range(2):
        due = torch.cat((new[i].mean(0, keepdim=True), h[i] + new[i] - old[i]))
        yield _outcomes_are(after[:, i], due)
        refreshed.append((after[:, i] - due[0]).abs().amax(-1) < 1e-12)
        yield _as_often(
            f"worker {i} refreshes with p = 1/4", [int(refreshed[i].sum())], [_REFRESH]
        )  # fmt: skip
    pairs = torch.bincount(2 * refreshed[0].long() + refreshed[1].long(), minlength=4)
    kept = 1 - _REFRESH
    chances = kept * kept, kept * _REFRESH, _REFRESH * kept, _REFRESH * _REFRESH
    yield _as_often("coins of their own: pairs come with products", pairs, chances)


@page_forms.case("equal to", f"p = 1, rand-k, 40 rounds, seed {_SEED}")
def always_exact(make: Build = Dasha) -> Verdict:
    """p = 1 is DASHA, bit for bit."""
    problem: Problem = few_samples(3)
    mine, theirs = (
        models(method, problem, 40, seed=_SEED, replicas=3)
        for method in (_page(make, 1.0), Dasha(_STEP, RandK(1)))
    )
    return same("p = 1: DASHA", mine, theirs, on=problem, tolerance=0.0)


@page_forms.case("bits of a round", f"rand-1 of 3, 200 rounds, seed {_SEED}")
def page_messages(make: Build = Dasha) -> Verdict:
    """Every message but the first is compressed, also where a worker takes its exact gradient."""
    problem: Problem = few_samples(3)
    trace = run(_page(make, 0.25), problem, steps=200, points=201, seed=_SEED)
    rounds = np.diff(trace.sent_bits[0])
    seen = (rounds[0], rounds[1:].min(), rounds[1:].max())
    return same("bits of the first and of later rounds", seen, (192.0, 64.0, 64.0), on=problem)
