"""Least squares on uneven shards; LAG by both rules, cyclic IAG: counts, limits, both worlds."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
import torch

from algorithms.core.key import Key
from algorithms.engine.run import Diverged, run
from algorithms.kernels.squares import squares_gradient, squares_numba, squares_torch
from algorithms.methods.lazy.lag import LAG
from algorithms.network.simulated import Simulated
from algorithms.problems.least_squares import LeastSquares
from algorithms.problems.least_squares_data import dealt, packaged, read, rising
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.lazy import (
    AllSend,
    InTurn,
    NoneSends,
    ServerRule,
    View,
    WorkerRule,
)
from proofs_check.figure_runs.uploads import contenders, race
from proofs_check.methods.equivalence import Case, cross_validate
from theory.stepsizes import ConstantStep

PUBLISHED = "RATEPROOF_LAG_DATA"  # a folder with data28_data.txt, data28_y.txt, ...


def uneven():
    g = torch.Generator().manual_seed(3)
    sizes = (5, 2, 7)
    a = [torch.randn(s, 4, generator=g, dtype=torch.float64) for s in sizes]
    return a, [torch.randn(s, generator=g, dtype=torch.float64) for s in sizes]


def by_numpy(shards, rule, accuracy=1e-8):
    """The published procedure, worker by worker, uploads counted as there."""
    n, stacked = len(shards), np.concatenate([a for a, _ in shards])
    wanted = np.concatenate([y for _, y in shards])
    alpha = 1 / np.linalg.norm(stacked, 2) ** 2
    smooth = [np.linalg.norm(a, 2) ** 2 for a, _ in shards]
    best = np.linalg.lstsq(stacked, wanted, rcond=None)[0]
    x, stored, incoming = np.zeros(8), np.ones((n, 8)), np.zeros((n, 8))
    past, uploads = [x], 1
    for k in range(1, 10_000):
        recent = sum(np.sum((past[-j] - past[-j - 1]) ** 2) for j in range(1, min(k, 11)))
        allowed = recent / (alpha * n) ** 2 / 10
        for i, (a, y) in enumerate(shards):
            fresh = a.T @ (a @ x - y)
            speaks = {
                "GD": k > 1,
                "Cyc-IAG": k > 1 and i == k % n,
                "LAG-WK": k > 10 and np.sum((fresh - stored[i]) ** 2) > allowed,
                "LAG-PS": k > 10 and smooth[i] ** 2 * np.sum((incoming[i] - x) ** 2) > 10 * allowed,
            }[rule]
            if speaks:
                stored[i], incoming[i], uploads = fresh, x, uploads + 1
        if 0.5 * np.sum((stacked @ (x - best)) ** 2) < accuracy:
            return k, uploads
        x = x - (alpha / n if rule == "Cyc-IAG" else alpha) * stored.sum(0)
        past.append(x)
    raise AssertionError("not reached")


@pytest.mark.parametrize("split", [1, 3])
def test_uploads_equal_those_of_the_procedure_in_numpy(split):
    problem = dealt(packaged(), split, "packaged")
    shards = [
        (problem.features[i, :c].numpy(), problem.targets[i, :c].numpy())
        for i, c in enumerate(problem.counts.tolist())
    ]
    entries = {entry.name: entry for entry in contenders(problem)}
    for name in ("LAG-PS", "Cyc-IAG"):
        got = race(entries[name], problem)
        assert (got.steps, got.total) == by_numpy(shards, name)
    got = race(entries["GD"], problem)  # a round less than a step a number: ones are given
    assert (
        got.total == problem.n * by_numpy(shards, "GD")[0]
        and got.steps * problem.n == got.total - problem.n
    )
    _, uploads = by_numpy(shards, "LAG-WK")
    assert race(entries["LAG-WK"], problem).total == pytest.approx(uploads, rel=0.05)


@pytest.mark.skipif(PUBLISHED not in os.environ, reason=f"{PUBLISHED} names no folder")
@pytest.mark.parametrize(
    ("split", "exact", "cyclic", "by_worker"),
    [
        (3, (5283, 1756), 5271, 412),
        (6, (10548, 3610), 10522, 657),
        (9, (15822, 5944), 15773, 1058),
    ],
)
def test_the_published_table(split, exact, cyclic, by_worker):
    """Table 5 of Chen et al. 2018 (arXiv:1805.09965), linear regression, 9, 18 and 27 workers."""
    problem = dealt(read(Path(os.environ[PUBLISHED])), split, "published")
    totals = {entry.name: race(entry, problem).total for entry in contenders(problem)}
    assert (totals["GD"], totals["LAG-PS"]) == exact
    assert totals["Cyc-IAG"] == pytest.approx(cyclic, abs=3)
    assert totals["LAG-WK"] == pytest.approx(by_worker, rel=0.05)


def test_uploads_follow_the_curvature():
    problem = rising()
    entries = {entry.name: entry for entry in contenders(problem)}
    plain, server, worker = (race(entries[k], problem) for k in ("GD", "LAG-PS", "LAG-WK"))
    assert (np.diff(server.by_worker) > 0).all()
    assert worker.total < server.total < plain.total / 3
    expected = [(1 + 1.3**i) ** 2 for i in range(9)]
    assert problem.smoothness == pytest.approx(expected, rel=1e-12)


def test_problem_against_autograd_and_numpy():
    a, y = uneven()
    problem = LeastSquares.from_data(a, y)
    x = torch.tensor([0.3, -1.0, 2.0, 0.5], dtype=torch.float64, requires_grad=True)
    for i in range(3):
        (expected,) = torch.autograd.grad(0.5 * (a[i] @ x - y[i]).square().sum(), x)
        got = problem.full_gradient(x.detach()[None], torch.tensor([i]))[0]
        assert torch.allclose(got, expected, rtol=1e-13)
    (slope,) = torch.autograd.grad(
        sum(0.5 * (p @ x - q).square().sum() for p, q in zip(a, y, strict=True)), x
    )
    assert torch.allclose(3 * problem.mean_gradient(x.detach()), slope, rtol=1e-11)
    best, rest, *_ = np.linalg.lstsq(torch.cat(a).numpy(), torch.cat(y).numpy(), rcond=None)
    assert problem.x_star.numpy() == pytest.approx(best, rel=1e-11)
    assert problem.f_star == pytest.approx(rest[0] / 6, rel=1e-12)
    c = problem.constants()
    singular = np.linalg.svd(torch.cat(a).numpy(), compute_uv=False) ** 2 / 3
    assert (c.L, c.mu) == pytest.approx((singular[0], singular[-1]), rel=1e-11)
    assert c.L_max == pytest.approx(max(np.linalg.norm(p.numpy(), 2) ** 2 for p in a), rel=1e-12)
    assert problem.noise(x).abs().max() == 0 and c.sigma2 == 0
    assert c.initial_gap == pytest.approx(torch.cat(y).square().sum().item() / 6 - problem.f_star)


def test_kernel_and_twin_agree_and_rows_are_their_own():
    a, y = uneven()
    p = LeastSquares.from_data(a, y)
    workers = torch.tensor([[2, 0, 1], [1, 1, 0]])
    x = Key.seed(0).draws(torch.arange(2), torch.arange(3)).normal(4, torch.float64)
    flat = (p.features, p.targets, p.counts, x.reshape(-1, 4), 1, workers.reshape(-1))
    assert torch.allclose(squares_numba(*flat), squares_torch(*flat), rtol=1e-13)
    every = squares_gradient(p.features, p.targets, p.counts, x, workers)
    for k in range(3):
        one = slice(k, k + 1)
        alone = squares_gradient(p.features, p.targets, p.counts, x[:, one], workers[:, one])
        assert torch.equal(alone, every[:, one])


def test_only_those_asked_hear_the_model():
    problem = rising()
    method = LAG(ConstantStep(1 / problem.constants().L), ServerRule(problem.smoothness))
    network = Simulated(problem.n)
    trace = run(method, problem, steps=40, network=network)
    account = trace.account
    assert torch.equal(account.received_messages, account.sent_messages)
    assert 0 < account.sent_messages.min() < account.sent_messages.max() <= 40
    everyone = run(LAG(method.step_rule), problem, steps=40).account
    assert (everyone.received_messages == 40).all() and (everyone.sent_messages < 40).any()


def test_the_server_asks_whoever_would_speak():
    problem = rising()
    step = ConstantStep(1 / problem.constants().L)
    g = torch.Generator().manual_seed(0)
    x, incoming = (torch.randn(20, m, 50, generator=g, dtype=torch.float64) for m in (1, 9))
    change = problem.full_gradient(x, torch.arange(9)) - problem.full_gradient(
        incoming, torch.arange(9)
    )
    for level in (10.0, 1e3, 1e5):
        allowed = torch.full((20, 1), level, dtype=torch.float64)
        asked = ServerRule(problem.smoothness).asks(View(0, x, incoming, allowed))
        speak = WorkerRule().sends(change, allowed)
        assert (asked | ~speak).all()
    assert LAG(step).allowed(torch.ones(1, 1, 10).double(), step.gamma).item() == pytest.approx(
        1 / step.gamma**2
    )


def test_openings():
    problem = rising()
    step = ConstantStep(1 / problem.constants().L)
    silent = LAG(step, opening=NoneSends(2.0, 3))
    x = run(silent, problem, steps=3).model[0]
    assert torch.allclose(x, torch.full_like(x, -6 * step.gamma), rtol=1e-14)
    assert run(silent, problem, steps=3).account.sent_messages.sum() == 0
    warm = run(LAG(step, opening=AllSend(5)), problem, steps=5)
    assert (warm.account.sent_messages == 5).all()


def test_stochastic_gradients_and_replicas():
    problem = Quadratic.strongly_convex(4, 10, sigma2=1.0, zeta2=1.0)
    method = LAG(ConstantStep(0.5), full=False)
    several = run(method, problem, steps=30, replicas=3, seed=1)
    one = run(method, problem, steps=30, replicas=1, seed=1)
    assert torch.equal(several.model[:1], one.model)
    assert not torch.equal(several.model[0], several.model[1])
    exact = run(LAG(ConstantStep(0.5)), problem, steps=300)
    assert exact.suboptimality[0, -1] < 1e-12
    assert LAG(ConstantStep(0.5)).constants(problem).sigma2 == 0
    assert method.constants(problem).sigma2 == 1


def _server(n):
    problem = rising(n)
    return LAG(
        ConstantStep(1 / problem.curvatures[-1].item()), ServerRule(problem.smoothness)
    ), problem


def _turns(n):
    problem = rising(n)
    return LAG(ConstantStep(0.2 / problem.curvatures[-1].item()), InTurn(1)), problem


@pytest.mark.sharded
def test_ranks_replay_the_server_rule_and_turns():
    cases = tuple(Case("lag", build, (4,), steps=25) for build in (_server, _turns))
    for verdict in cross_validate(cases, 2):
        assert verdict.outcome.holds, verdict


def test_a_step_too_long_says_so():
    with pytest.raises(Diverged, match="smaller stepsize"):
        run(LAG(ConstantStep(1.0)), rising(), steps=2000)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: LAG(ConstantStep(1.0), weights=()), r"weights=\(\)"),
        (lambda: LAG(ConstantStep(1.0), weights=(-0.1,)), r"weights=\(-0.1,\)"),
        (lambda: ServerRule(()), "smoothness"),
        (lambda: ServerRule((1.0, 0.0)), "smoothness"),
        (lambda: AllSend(0), "steps=0"),
        (lambda: NoneSends(steps=0), "steps=0"),
        (lambda: rising(60), "n must be"),
        (lambda: rising(growth=0.0), "growth=0"),
        (lambda: dealt(packaged(), 0, ""), "split=0"),
        (lambda: LeastSquares.from_data([], []), "one tensor a worker"),
        (lambda: LeastSquares.from_data([torch.ones(3, 2)], [torch.ones(2)]), r"features\[0\]"),
        (lambda: LeastSquares.from_data([torch.ones(3, 2)], [torch.ones(3)]), "full column rank"),
        (
            lambda: LeastSquares.from_data([torch.full((3, 1), float("nan"))], [torch.ones(3)]),
            "features must be finite",
        ),
    ],
)
def test_bad_input_is_named(make, told):
    with pytest.raises(ValueError, match=told):
        make()
