"""Closed forms: limits of local steps under a server's rate, its momentum and its stability."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from algorithms.engine.run import run
from algorithms.methods.local_updates.local_sgd import AtMeetings, LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.optimizers.lamb import adam
from algorithms.optimizers.outer import (
    BlockMomentum,
    Outer,
    SlowMomentum,
    server_momentum,
    server_rate,
)
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.quadratic_data import unequal
from proofs_check.evidence.drift import two_workers
from proofs_check.instruments.closed_forms import ClosedForms, none_wrong, same
from proofs_check.instruments.paths import models, path
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.rules.outer_momentum import local_share, outer_limit, outer_radius
from theory.stepsizes import ConstantStep, InverseTimeStep, Stepsize

Make = Callable[..., Outer[Any]]

_SEED = 331
_STEP, _FALLING = ConstantStep(0.1), InverseTimeStep(2.0, 20.0)
LIMITS = {1: 0.8, 2: 0.7710843373493976, 5: 0.6925023465365121}
"""Limit of FedAvg on two workers, eta = 0.1, by the number K of local steps."""

DILOCO = (0.6132896, 0.9448965375080001, 0.9865891691327245)
"""DiLoCo after 1, 2, 3 rounds on two workers: H = 5 steps of 0.1, rate 0.7, momentum 0.9."""


def diloco_outer(rate: float, momentum: float) -> Outer[Any]:
    """DiLoCo's outer optimiser, Nesterov's momentum."""
    return BlockMomentum(momentum, rate, nesterov=True)


def _average(outer: Outer[Any], K: int = 5, step: Stepsize = _STEP) -> LocalSGD:
    return LocalSGD(step, K, outer=outer)


fedavg_forms = ClosedForms("fedavg", name="fedavg_forms")
"""Closed forms of FedAvg."""


@fedavg_forms.case("closed form", "two workers, eta = 0.1, no noise")
def limits(build: Make = server_rate) -> Iterator[Verdict]:
    """Limits for K = 1, 2, 5; the server's rate changes the speed alone."""
    problem = two_workers()
    for K, limit in LIMITS.items():
        ends = [
            run(_average(build(rate), K), problem, steps=400 * K, points=2).model[0, 0].item()
            for rate in (0.5, 1.0, 1.5)
        ]
        yield same(
            f"limit for K = {K}, eta_g = 0.5, 1, 1.5", ends, limit, on=problem, tolerance=1e-13
        )


@fedavg_forms.case("closed form", f"any quadratics, 4 workers in 3 dimensions, seed {_SEED}")
def limit_of_any(build: Make = server_rate) -> Iterator[Verdict]:
    """sum_i (I - (I - eta A_i)^K) (x - x_i*) = 0 at the limit, for every server's rate."""
    generator = np.random.default_rng(_SEED)
    a, b = generator.uniform(0.3, 1.5, size=(4, 3)), generator.normal(size=(4, 3))
    problem = Quadratic.from_arrays(torch.from_numpy(a), torch.from_numpy(b))
    for K in (1, 3, 8):
        w = 1 - (1 - 0.1 * a) ** K
        got = [
            run(_average(build(rate), K), problem, steps=1000 * K, points=2).model[0].numpy()
            for rate in (0.7, 1.3)
        ]
        due = (w * b).sum(0) / w.sum(0)
        yield same(f"K = {K}", np.stack(got), due, on=problem, tolerance=1e-10)


@fedavg_forms.case("identity of two methods", f"noise, 6 workers, falling stepsizes, seed {_SEED}")
def rate_of_one(build: Make = server_rate) -> Iterator[Verdict]:
    """A rate of 1 is local SGD; with one local step too, BSP."""
    problem = unequal(6, 5)
    options: dict[str, Any] = {"seed": _SEED, "replicas": 3}
    plain, served = (
        models(method, problem, 40, **options)
        for method in (LocalSGD(_FALLING, 5), _average(build(1.0), 5, _FALLING))
    )
    yield same("eta_g = 1: local SGD, bit for bit", served, plain, on=problem, tolerance=0.0)
    yield same(
        "K = 1, eta_g = 1: BSP", models(_average(build(1.0), 1, _FALLING), problem, 40, **options),
        models(BSP(_FALLING), problem, 40, **options), on=problem,
    )  # fmt: skip


def momentum_by_hand(
    problem: Quadratic, step: Stepsize, K: int, rounds: int, outer: Callable[[Floats, Floats], Any]
) -> Floats:
    """The server's models ``[rounds + 1, d]`` in numpy: ``outer(u, D)`` gives the next u and the
    move, D the mean change; u starts at 0. No noise."""
    a, c = problem.a.numpy(), problem.c.numpy()
    x = problem.x0.numpy().copy()
    u, told = np.zeros_like(x), [x.copy()]
    for k in range(rounds):
        y = np.repeat(x[None], len(c), axis=0)
        for t in range(k * K, (k + 1) * K):
            y = y - step(t) * (a * y - c)
        u, move = outer(u, y.mean(0) - x)
        x = x + move
        told.append(x)
    return np.stack(told)


def anchors_of(method: LocalSGD, problem: Quadratic, rounds: int) -> Floats:
    """The server's models ``[rounds + 1, d]`` of a run without noise."""
    K = method.periods.longest or 1
    seen = list(path(method, problem, rounds * K))[::K]
    return torch.stack([one.state.anchor[0, 0] for one in seen]).numpy()


@fedavg_forms.case("closed form", "12 rounds of K = 4, eta_g = 1.7")
def fedavg_by_hand(build: Make = server_rate) -> Verdict:
    """x += eta_g D by hand in numpy."""
    problem = unequal(5, 4, sigma2=0.0)
    return same(
        "the server's model of every round",
        anchors_of(_average(build(1.7), 4), problem, 12),
        momentum_by_hand(problem, _STEP, 4, 12, lambda u, change: (u, 1.7 * change)), on=problem,
    )  # fmt: skip


fedavgm_forms = ClosedForms("fedavgm", name="fedavgm_forms")
"""Closed forms of FedAvgM."""


@fedavgm_forms.case("closed form", "12 rounds of K = 4, beta = 0.9, eta_g = 3")
def fedavgm_by_hand(build: Make = server_momentum) -> Verdict:
    """The recursion m = beta m + (1 - beta) D, x += eta_g m, by hand in numpy."""
    problem = unequal(5, 4, sigma2=0.0)

    def outer(u: Floats, change: Floats) -> tuple[Floats, Floats]:
        u = 0.9 * u + 0.1 * change
        return u, 3.0 * u

    return same(
        "the server's model of every round",
        anchors_of(_average(build(3.0, 0.9), 4), problem, 12),
        momentum_by_hand(problem, _STEP, 4, 12, outer), on=problem,
    )  # fmt: skip


@fedavgm_forms.case("closed form", "two workers, eta = 0.1, K = 5, no noise")
def momentum_keeps_the_limit(build: Make = server_momentum) -> Verdict:
    """The limit is FedAvg's: momentum does not remove drift."""
    got = run(_average(build(1.0, 0.9)), two_workers(), steps=3000, points=2).model[0, 0].item()
    return same("FedAvg's limit", got, LIMITS[5], on="two workers", tolerance=1e-10)


diloco_forms = ClosedForms("diloco", name="diloco_forms")
"""Closed forms of DiLoCo."""


@diloco_forms.case("closed form", "two workers, H = 5 gradient steps of 0.1, o = 0.7, mu = 0.9")
def rounds_of_diloco(build: Make = diloco_outer) -> Iterator[Verdict]:
    """x after 1, 2, 3 rounds, and its limit, which is FedAvg's."""
    got = anchors_of(_average(build(0.7, 0.9)), two_workers(), 600)[:, 0]
    yield same("x after 1, 2, 3 rounds", got[1:4], DILOCO, on="two workers", tolerance=1e-14)
    yield same(
        "outer momentum does not remove drift: FedAvg's limit", got[-1], LIMITS[5],
        on="two workers", tolerance=1e-11,
    )  # fmt: skip


@diloco_forms.case("identity of two methods", f"noise, 6 workers, H = 5, seed {_SEED}")
def without_outer_momentum(build: Make = diloco_outer) -> Verdict:
    """o = 1, mu = 0 and SGD inside: local SGD, bit for bit."""
    problem = unequal(6, 5)
    ours, theirs = (
        models(method, problem, 40, seed=_SEED, replicas=3)
        for method in (_average(build(1.0, 0.0)), LocalSGD(_STEP, 5))
    )
    return same("local SGD", ours, theirs, on=problem, tolerance=0.0)


@diloco_forms.case("closed form", "no noise, 9 rounds of H = 4, AdamW of decay 0.1")
def state_stays_local(velocity: AtMeetings = AtMeetings.KEPT) -> Verdict:
    """AdamW's moments stay on their workers over meetings, by hand in numpy."""
    problem, gamma = unequal(5, 4, sigma2=0.0), 0.02
    a, c, (b1, b2) = problem.a.numpy(), problem.c.numpy(), (0.9, 0.999)
    outer, inner = diloco_outer(0.7, 0.9), adam(problem.shapes, decay=0.1)
    method = LocalSGD(ConstantStep(gamma), 4, inner, velocity, outer=outer)
    x, u, told = np.zeros(4), np.zeros(4), [np.zeros(4)]
    first, second, t = np.zeros((5, 4)), np.zeros((5, 4)), 0
    for _ in range(9):
        y = np.repeat(x[None], 5, axis=0)
        for _ in range(4):
            t, g = t + 1, a * y - c
            first, second = b1 * first + (1 - b1) * g, b2 * second + (1 - b2) * g * g
            moved = (first / (1 - b1**t)) / (np.sqrt(second / (1 - b2**t)) + 1e-8)
            y = y - gamma * (moved + 0.1 * y)
        change = x - y.mean(0)
        u = 0.9 * u + change
        x = x - 0.7 * (change + 0.9 * u)
        told.append(x)
    return same(
        "the server's model of every round", anchors_of(method, problem, 9), np.stack(told),
        on=problem, tolerance=1e-11,
    )  # fmt: skip


def factor(outer: Outer[Any], share: float) -> float:
    """Factor by which a round changes (error, u) in the long run, from four rounds in a row where
    the roots are two; ``share`` of the error goes in the four local steps of a round."""
    gamma = 1 - (1 - share) ** 0.25
    assert np.isclose(local_share(1.0, gamma, 4), share)
    ones = torch.ones((2, 1), dtype=torch.float64)
    problem = Quadratic.from_arrays(ones, 0 * ones, x0=torch.ones(1, dtype=torch.float64))
    x = anchors_of(_average(outer, 4, ConstantStep(gamma)), problem, 4)[:, 0]
    p, q = np.linalg.solve([[x[1], -x[0]], [x[2], -x[1]]], [x[2], x[3]])
    return float(np.abs(np.roots([1.0, -p, q])).max())


def _stable(
    build: Make, momentums: tuple[float, ...], *, nesterov: bool
) -> Iterator[tuple[str, Floats, Floats]]:
    share = 0.6
    for mu in momentums:
        edge = outer_limit(mu, nesterov=nesterov) / share
        rates = [0.3, 0.8, 0.98 * edge, edge, 1.02 * edge]
        got = [factor(build(o, mu), share) for o in rates]
        due = [outer_radius(o, mu, share, nesterov=nesterov) for o in rates]
        yield f"mu = {mu:g}", np.array(got), np.array(due)


@diloco_forms.case("stability", "one curvature, w = 0.6, o w = 0.18, 0.48, 0.98, 1 and 1.02 limits")
def nesterov_limit(build: Make = diloco_outer) -> Iterator[Verdict]:
    """Stable iff 0 < o w < 2 (1 + mu)/(1 + 2 mu), 1.357 at mu = 0.9: by the 2 x 2 matrix."""
    yield same("the limit at mu = 0.9", outer_limit(0.9, nesterov=True), 1.357, tolerance=5e-4)
    for words, got, due in _stable(build, (0.5, 0.9), nesterov=True):
        yield same(f"factor a round is the matrix's radius, {words}", got, due, tolerance=1e-8)
        yield none_wrong(
            f"below 1 under the limit, 1 at it, above 1 beyond, {words}",
            int(not got[2] < 1) + int(abs(got[3] - 1) > 1e-8) + int(not got[4] > 1), f"{got[2:]}",
        )  # fmt: skip


def rounds_to(outer: Outer[Any], shares: tuple[float, ...], most: int = 3000) -> int:
    """Rounds until every coordinate's error is 1e-6 of its start for good, on curvatures of which
    a round of four local steps takes these shares away."""
    a = 1 - (1 - torch.tensor([shares, shares], dtype=torch.float64)) ** 0.25
    problem = Quadratic.from_arrays(a, 0 * a, x0=torch.ones_like(a[0]))
    away = np.abs(anchors_of(_average(outer, 4, ConstantStep(1.0)), problem, most)).max(-1)
    above = np.flatnonzero(away > 1e-6)
    return int(above[-1]) + 1 if len(above) else 0


@diloco_forms.case("closed form", "w = 0.02 and 0.6, rates of 0.1 to 2, momentums of 0 to 0.975")
def best_pair(build: Make = diloco_outer) -> Iterator[Verdict]:
    """The pair (o, mu) whose matrices have the least radius over both curvatures takes the fewest
    rounds in the method, too."""
    shares = (0.02, 0.6)

    def radius(o: float, mu: float) -> float:
        return max(outer_radius(o, mu, share, nesterov=True) for share in shares)

    pairs = [(o, mu) for o in np.linspace(0.1, 2, 39) for mu in np.linspace(0, 0.975, 40)]
    o, mu = min(pairs, key=lambda pair: radius(*pair))
    beside = [(0.7, 0.9), (1.0, 0.0), (o, mu - 0.15), (o - 0.3, mu), (o, min(mu + 0.1, 0.975))]
    best, *others = (rounds_to(build(*pair), shares, 1000) for pair in ((o, mu), *beside))
    yield none_wrong(
        f"the best pair of the grid, o = {o:.3g}, mu = {mu:.3g}, beats five others",
        sum(best >= other for other in others), f"{best} rounds, others {others}",
    )  # fmt: skip
    yield same(
        "the method's factors there, and at (0.7, 0.9)",
        [[factor(build(*pair), share) for share in shares] for pair in ((o, mu), (0.7, 0.9))],
        [[outer_radius(pair[0], pair[1], share, nesterov=True) for share in shares]
         for pair in ((o, mu), (0.7, 0.9))],
        tolerance=1e-5,
    )  # fmt: skip


slowmo_forms = ClosedForms("slowmo", name="slowmo_forms")
"""Closed forms of SlowMo."""


def slowmo_outer(beta: float, alpha: float) -> Outer[Any]:
    """SlowMo's outer optimiser."""
    return SlowMomentum(beta, alpha)


@slowmo_forms.case("closed form", "no noise, 10 rounds of 4 steps, falling stepsizes")
def slowmo_by_hand(build: Make = slowmo_outer) -> Verdict:
    """u = beta u + (x - mean)/gamma, x -= alpha gamma u, gamma that of the last local step."""
    problem, beta, alpha, told = unequal(5, 4, sigma2=0.0), 0.8, 0.9, [np.zeros(4)]
    a, c, x, u = problem.a.numpy(), problem.c.numpy(), np.zeros(4), np.zeros(4)
    for k in range(10):
        y = np.repeat(x[None], 5, axis=0)
        for t in range(4 * k, 4 * k + 4):
            y = y - _FALLING(t) * (a * y - c)
        gamma = _FALLING(4 * k + 3)
        u = beta * u + (x - y.mean(0)) / gamma
        x = x - alpha * gamma * u
        told.append(x)
    return same(
        "the server's model of every round",
        anchors_of(_average(build(beta, alpha), 4, _FALLING), problem, 10), np.stack(told),
        on=problem,
    )  # fmt: skip


@slowmo_forms.case("identity of two methods", f"noise, 6 workers, H = 5, gamma 0.1, seed {_SEED}")
def slowmo_is_block_momentum(build: Make = slowmo_outer) -> Iterator[Verdict]:
    """While gamma stays it is BMUF's filter with eta = beta, zeta = alpha; alpha = 1, beta = 0 is
    local SGD."""
    problem = unequal(6, 5)
    options: dict[str, Any] = {"seed": _SEED, "replicas": 3}
    for beta, alpha, other in (
        (0.8, 0.9, BlockMomentum(0.8, 0.9)), (0.0, 1.0, server_rate(1.0)),
    ):  # fmt: skip
        ours, theirs = (
            models(_average(outer), problem, 40, **options) for outer in (build(beta, alpha), other)
        )
        yield same(f"beta = {beta:g}, alpha = {alpha:g}: {other.name}", ours, theirs, on=problem)


@slowmo_forms.case("stability", "one curvature, w = 0.6, o w = 0.18, 0.48, 0.98, 1 and 1.02 limits")
def heavy_ball_limit(build: Make = slowmo_outer) -> Iterator[Verdict]:
    """Stable iff alpha w < 2 (1 + beta): by the 2 x 2 matrix."""
    for words, got, due in _stable(lambda o, mu: build(mu, o), (0.5, 0.9), nesterov=False):
        yield same(f"factor a round is the matrix's radius, {words}", got, due, tolerance=1e-8)
        yield none_wrong(
            f"below 1 under the limit, 1 at it, above 1 beyond, {words}",
            int(not got[2] < 1) + int(abs(got[3] - 1) > 1e-8) + int(not got[4] > 1), f"{got[2:]}",
        )  # fmt: skip
