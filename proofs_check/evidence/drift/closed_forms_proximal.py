"""FedProx with solved and with few local steps, FedNova, FedDyn: closed forms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.drift.feddyn import FedDyn, FedDynState
from algorithms.methods.drift.fednova import FedNova, accumulated_weight
from algorithms.methods.drift.fedprox import FedProx
from algorithms.methods.local_updates.local_sgd import AtMeetings, LocalSGD
from algorithms.optimizers.momentum import Momentum
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.quadratic_data import unequal
from proofs_check.evidence.drift import two_workers
from proofs_check.instruments.closed_forms import ClosedForms, same
from proofs_check.instruments.paths import models, path
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep, InverseTimeStep

Build = Callable[..., Method[Any]]

_SEED = 337
_STEP, _FALLING = ConstantStep(0.1), InverseTimeStep(2.0, 20.0)
_RESET = AtMeetings.RESET
UNEVEN = (1, 5)
"""Local steps of the two workers."""


def _end(method: Method[Any], problem: Quadratic, steps: int) -> Floats:
    end: Floats = run(method, problem, steps=steps, points=2).model[0].numpy()
    return end


def anchors_of(method: Method[Any], problem: Quadratic, steps: int, period: int) -> Floats:
    """The server's models ``[rounds + 1, d]`` of a run without noise."""
    seen = list(path(method, problem, steps))[::period]
    return torch.stack([one.state.anchor[0, 0] for one in seen]).numpy()


fedprox_forms = ClosedForms("fedprox", name="fedprox_forms")
"""Closed forms of FedProx."""


@fedprox_forms.case("closed form", "two workers, local problems solved by many gradient steps")
def solved_locally(build: Build = FedProx) -> Iterator[Verdict]:
    """Limits 8/13 at mu = 1 and 22/29 at mu = 10: the bias is of order 1/mu, not 0."""
    problem = two_workers()
    for pull, eta, K, limit in ((1.0, 0.2, 60, 8 / 13), (10.0, 0.1, 30, 22 / 29)):
        got = _end(build(ConstantStep(eta), K, pull), problem, (40 if pull == 1 else 130) * K)
        yield same(f"limit at mu = {pull:g}", got, limit, on=problem, tolerance=1e-11)


@fedprox_forms.case(
    "closed form", f"random diagonal Hessians, 4 workers in 3 dimensions, seed {_SEED}"
)
def solved_on_any(build: Build = FedProx) -> Iterator[Verdict]:
    """sum_i A_i (A_i + mu)^{-1} (x - x_i*) = 0 at the limit, for diagonal A_i."""
    generator = np.random.default_rng(_SEED)
    a, b = generator.uniform(0.3, 1.5, size=(4, 3)), generator.normal(size=(4, 3))
    problem = Quadratic.from_arrays(torch.from_numpy(a), torch.from_numpy(b))
    for pull in (0.5, 1.0):
        w = a / (a + pull)
        got = _end(build(ConstantStep(0.45), 60, pull), problem, 60 * 80)
        due = (w * b).sum(0) / w.sum(0)
        yield same(f"limit at mu = {pull:g}", got, due, on=problem, tolerance=1e-9)


@fedprox_forms.case("identity of two methods", f"noise, 6 workers, K = 5, seed {_SEED}")
def without_pull(build: Build = FedProx) -> Verdict:
    """mu = 0 is local SGD, bit for bit."""
    problem = unequal(6, 5)
    ours, theirs = (
        models(method, problem, 40, seed=_SEED, replicas=3)
        for method in (build(_FALLING, 5, 0.0), LocalSGD(_FALLING, 5))
    )
    return same("local SGD", ours, theirs, on=problem, tolerance=0.0)


@fedprox_forms.case("closed form", "no noise, 12 rounds of K = 4, mu = 0.7, falling stepsizes")
def fedprox_by_hand(build: Build = FedProx) -> Verdict:
    """The recursion by hand in numpy: the anchor is the round's start, and stays."""
    problem, pull = unequal(5, 4, sigma2=0.0), 0.7
    a, c, x = problem.a.numpy(), problem.c.numpy(), np.zeros(4)
    told = [x]
    for k in range(12):
        y = np.repeat(x[None], 5, axis=0)
        for t in range(4 * k, 4 * k + 4):
            y = y - _FALLING(t) * (a * y - c + pull * (y - x))
        x = y.mean(0)
        told.append(x)
    got = anchors_of(build(_FALLING, 4, pull), problem, 48, 4)
    return same("the server's model of every round", got, np.stack(told), on=problem)


fednova_forms = ClosedForms("fednova", name="fednova_forms")
"""Closed forms of FedNova."""


def limit_of(eta: float, steps: tuple[int, ...], a: Floats, b: Floats, normalised: bool) -> Floats:
    """Minimiser of the quadratics weighted by (1 - (1 - eta a_i)^tau_i), over tau_i where they are
    ``normalised``."""
    tau = np.array(steps, dtype=float)[:, None]
    w = 1 - (1 - eta * a) ** tau
    w = w / tau if normalised else w
    limit: Floats = (w * b).sum(0) / w.sum(0)
    return limit


@fednova_forms.case("closed form", "two workers, local steps (1, 5)")
def limits_of_uneven(build: Build = FedNova) -> Iterator[Verdict]:
    """FedAvg at 0.9022 and FedNova at 0.6484 for eta = 0.1, 0.9520 and 0.7987 for 0.001; as eta
    falls FedAvg tends to 20/21, FedNova to x* = 4/5."""
    a, b = np.array([[1.0], [4.0]]), np.array([[0.0], [1.0]])
    told = {
        (0.1, False): (0.902175614337142, 1e-13), (0.1, True): (0.6484418944763188, 1e-13),
        (0.001, False): (0.9520, 5e-5), (0.001, True): (0.7987, 5e-5),
    }  # fmt: skip
    for (eta, normalised), (limit, tolerance) in told.items():
        near = torch.tensor([round(limit, 2)], dtype=torch.float64)
        problem = replace(two_workers(), x0=near)  # which saves the way there
        method = build(ConstantStep(eta), UNEVEN, 0.0, normalised)
        got = _end(method, problem, 1000 if eta == 0.1 else 9000)
        words = f"{'FedNova' if normalised else 'FedAvg'}, eta = {eta:g}"
        yield same(words, got, limit, on=problem, tolerance=tolerance)
        yield same(
            f"{words}: the weighted minimiser", got, limit_of(eta, UNEVEN, a, b, normalised),
            on=problem, tolerance=1e-10 if eta == 0.1 else 1e-7,
        )  # fmt: skip
    for normalised, end in ((False, 20 / 21), (True, 0.8)):
        tends = limit_of(1e-7, UNEVEN, a, b, normalised)
        yield same(
            f"as eta falls, {'FedNova' if normalised else 'FedAvg'}", tends, end,
            on="two workers", tolerance=1e-6,
            words="arithmetic: the weighted minimiser, which runs reach, at eta = 1e-7",
        )  # fmt: skip


@fednova_forms.case("identity of two methods", f"noise, 6 workers, four steps each, seed {_SEED}")
def equal_steps(build: Build = FedNova) -> Iterator[Verdict]:
    """Where all take as many steps it is local SGD, with momentum that starts anew in every round
    too: tau_eff = mean_i |a_i|_1 is then every |a_i|_1."""
    problem = unequal(6, 5)
    velocities = {0.0: LocalSGD(_FALLING, 4), 0.6: LocalSGD(_STEP, 4, Momentum(0.6), _RESET)}
    for m, local in velocities.items():
        ours, theirs = (
            models(method, problem, 40, seed=_SEED, replicas=3)
            for method in (build(local.step_rule, (4,) * 6, m), local)
        )
        yield same(f"local SGD, momentum {m:g}", ours, theirs, on=problem)


@fednova_forms.case("closed form", "no noise, 10 rounds of 1 to 5 steps, m = 0, 0.6")
def fednova_by_hand(build: Build = FedNova) -> Iterator[Verdict]:
    """The recursion by hand in numpy, |a_i|_1 summed step by step; momentum starts anew."""
    problem, steps = unequal(5, 4, sigma2=0.0), (1, 5, 2, 4, 3)
    a, c = problem.a.numpy(), problem.c.numpy()
    for m in (0.0, 0.6):
        own = [
            sum(sum(m**j for j in range(k + 1)) for k in range(tau)) for tau in steps
        ]  # the gradient k steps before the last is felt 1 + m + ... + m^k times
        yield same(
            f"|a_i|_1 for m = {m:g}", [accumulated_weight(tau, m) for tau in steps], own, on=problem
        )
        x, told = np.zeros(4), [np.zeros(4)]
        for _ in range(10):
            total = np.zeros(4)
            for i, tau in enumerate(steps):
                y, u = x.copy(), np.zeros(4)
                for _ in range(tau):
                    u = m * u + a[i] * y - c[i]
                    y = y - 0.1 * u
                total = total + (x - y) / own[i]
            x = x - sum(own) / 5 * total / 5
            told.append(x)
        got = anchors_of(build(_STEP, steps, m), problem, 50, 5)
        yield same(f"the server's model of every round, m = {m:g}", got, np.stack(told), on=problem)


# Closed forms of FedDyn: by hand, with solved local problems, what is kept, where it ends.

_FEDDYN_SEED = 353

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


@feddyn_forms.case(
    "closed form", f"4 workers in 3 dimensions, a = 0.8, 8 rounds, seed {_FEDDYN_SEED}"
)
def reflected(build: Build = FedDyn) -> Verdict:
    """With solved local problems x+ = 2 mean th - x - h/a, th_i = (A_i + a)^{-1}(A_i b_i + h_i +
    a x) and h the mean gradient that was learnt: a reflected step."""
    generator, pull = np.random.default_rng(_FEDDYN_SEED), 0.8
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


@feddyn_forms.case(
    "no heterogeneity bias", f"two of five workers a round, no noise, seed {_FEDDYN_SEED}"
)
def few_take_part(build: Build = FedDyn) -> Verdict:
    """Those who stay away keep their terms: the end is x* all the same."""
    problem = unequal(5, 4, sigma2=0.0)
    method = build(_STEP, 6, 1.0, 2)
    got = run(method, problem, steps=12000, seed=_FEDDYN_SEED, points=2).model[0]
    return same("the minimiser", got, problem.x_star, on=problem, tolerance=1e-9)


@feddyn_forms.case("conservation", f"noise, K = 3, 2 or all of 5 workers, seed {_FEDDYN_SEED}")
def mean_of_terms(build: Build = FedDyn) -> Verdict:
    """The server's term is the mean of the workers' at every step, whoever takes part."""
    problem = unequal(5, 4)
    off: list[float] = []
    for few in (None, 2):
        for seen in path(build(_STEP, 3, 0.5, few), problem, 36, seed=_FEDDYN_SEED, replicas=4):
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
