"""Closed forms: Scaffnew's coin, its Lyapunov function, and the meetings that it takes; faults."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import torch

from algorithms.compressors.identity import Identity
from algorithms.engine.run import run
from algorithms.methods.base import Method, RunContext
from algorithms.methods.drift.scaffnew import Scaffnew, ScaffnewState
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.quadratic_data import unequal
from proofs_check.evidence.drift import closed_forms as wrong_controls
from proofs_check.instruments.closed_forms import ClosedForms, at_most, same
from proofs_check.instruments.paths import models, path, world_of
from proofs_check.mutants.method_mutant import MethodMutant, wrong_step
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep, InverseTimeStep

Build = Callable[..., Method[Any]]

_SEED = 317
_STEP, _FALLING = ConstantStep(0.3), InverseTimeStep(2.0, 20.0)
_CURVATURES = ((1.0, 0.01), (0.5, 0.01))
_LINEAR = ((2.0, 1.0), (-2.0, 1.5))
_TARGET = 1e-8


class Published(NamedTuple):
    """Meetings and gradients of a worker until the squared distance is 1e-8 of its start.

    Attributes:
        p: probability of a meeting.
        meetings: how many, in one run.
        gradients: gradients of a worker.
    """

    p: float
    meetings: int
    gradients: int


PUBLISHED = (
    Published(1.0, 917, 917), Published(0.2, 175, 917), Published(0.1, 85, 917),
    Published(0.05, 61, 1300), Published(0.02, 125, 5700), Published(0.01, 245, 25000),
)  # fmt: skip
"""Scaffnew on two workers of condition number 100, by p: fewest meetings near 1/sqrt(100)."""


def ill_conditioned() -> Quadratic:
    """f_i(x) = x' A_i x/2 - b_i' x: A = diag(1, .01) and diag(.5, .01), b = (2, 1), (-2, 1.5)."""
    a, b = (torch.tensor(rows, dtype=torch.float64) for rows in (_CURVATURES, _LINEAR))
    return Quadratic.from_arrays(a, b / a, name="two workers, condition number 100")


scaffnew_forms = ClosedForms("scaffnew", name="scaffnew_forms")
"""Closed forms of Scaffnew."""


@scaffnew_forms.case("conservation", f"noise, 6 workers, p = 0.3, falling stepsizes, seed {_SEED}")
def shifts_sum_to_zero(build: Build = Scaffnew) -> Verdict:
    """The shifts sum to 0 over the workers at every step."""
    method, problem = build(_FALLING, 0.3), unequal(6, 5)
    sums = [one.state.shift.sum(-2) for one in path(method, problem, 40, seed=_SEED, replicas=4)]
    return same("sum_i h_i", torch.stack(sums), 0.0, on=problem)


@scaffnew_forms.case("identity of two methods", f"noise, 6 workers, p = 1, seed {_SEED}")
def always_meeting(build: Build = Scaffnew) -> Verdict:
    """A coin that falls on heads alone makes it BSP: the shifts cancel in the mean."""
    problem = unequal(6, 5)
    ours, theirs = (
        models(method, problem, 40, seed=_SEED, replicas=3)
        for method in (build(_FALLING, 1.0), BSP(_FALLING))
    )
    return same("p = 1: the model of BSP at every step", ours, theirs, on=problem)


@scaffnew_forms.case("fixed point", f"no noise, 30 steps of p = 0.3 from x*, seed {_SEED}")
def stays_where_gradients_are_known(build: Build = Scaffnew) -> Verdict:
    """From x* with h_i = grad f_i(x*) no step and no meeting moves anybody."""
    problem = unequal(4, 6, sigma2=0.0)
    centre = problem.x_star
    assert centre is not None
    rows = centre.expand(1, 4, -1)
    start = ScaffnewState(rows, problem.full_gradient(rows, torch.arange(4)))
    *_, last = path(build(_STEP, 0.3), problem, 30, seed=_SEED, state=start)
    return same("every worker stays at x*", last.state.x, centre, on=problem)


@scaffnew_forms.case("closed form", f"no noise, 120 steps of p = 0.15, 4 replicas, seed {_SEED}")
def recursion_by_coin(build: Build = Scaffnew) -> Iterator[Verdict]:
    """The recursion by hand in numpy under the same coins; a coin is one for all workers."""
    problem, p, steps, replicas = unequal(5, 4, sigma2=0.0), 0.15, 120, 4
    method, right = build(_STEP, p), Scaffnew(_STEP, p)
    context = world_of(problem, _SEED, replicas)
    coins = torch.stack([right.coin(t, context) for t in range(steps)]).numpy()
    a, c = problem.a.numpy(), problem.c.numpy()
    x = np.zeros((replicas, 5, 4))
    h, told = np.zeros_like(x), [np.zeros_like(x)]
    for t in range(steps):
        ahead = x - 0.3 * (a * x - c - h)
        mean, met = ahead.mean(1, keepdims=True), coins[t][:, None, None]
        h = np.where(met, h + p / 0.3 * (mean - ahead), h)
        x = np.where(met, mean, ahead)
        told.append(x)
    seen = [one.state.x for one in path(method, problem, steps, seed=_SEED, replicas=replicas)]
    yield same("all models at every step", torch.stack(seen), np.stack(told), on=problem)
    trace = run(method, problem, steps=steps, seed=_SEED, replicas=replicas, points=steps + 1)
    met = np.concatenate((np.zeros((1, replicas)), coins.cumsum(0))).T
    yield same(
        "a worker sends d floats whenever the coin falls on heads, and else nothing",
        trace.sent_bits, met * 4 * 64, tolerance=0.0, on=problem,
    )  # fmt: skip


@scaffnew_forms.case("one step in expectation", f"no noise, both sides of the coin, seed {_SEED}")
def lyapunov_step(build: Build = Scaffnew) -> Iterator[Verdict]:
    """E Psi+ = |x - gamma g - (x* - gamma g*)|^2 + (1 - p^2) (gamma/p)^2 |h - h*|^2, exactly, and
    so at most max((1 - gamma mu)^2, 1 - p^2) Psi."""
    problem, gamma = unequal(5, 4, sigma2=0.0), 0.3
    everyone, centre = torch.arange(5), problem.x_star
    assert centre is not None
    star = problem.full_gradient(centre.expand(1, 5, -1), everyone)
    generator = torch.Generator().manual_seed(_SEED)
    drawn = torch.randn((2, 1, 5, 4), generator=generator, dtype=torch.float64)
    x, h = drawn[0], drawn[1] - drawn[1].mean(-2, keepdim=True)
    g = problem.full_gradient(x, everyone)
    descended = float((x - centre - gamma * (g - star)).square().sum())
    got, due, largest = [], [], []
    for p in (0.1, 0.5, 1.0):
        weight = (gamma / p) ** 2

        def psi(state: ScaffnewState, weight: float = weight) -> float:
            away = (state.x - centre).square().sum() + weight * (state.shift - star).square().sum()
            return float(away)

        heads, tails = (  # with one p: meetings at every step, and none in two
            list(path(build(ConstantStep(gamma), p, k), problem, 1, state=ScaffnewState(x, h)))[-1]
            for k in (1, 2)
        )
        got.append(p * psi(heads.state) + (1 - p) * psi(tails.state))
        due.append(descended + (1 - p**2) * weight * float((h - star).square().sum()))
        slowest = (1 - gamma * float(problem.a.min())) ** 2
        largest.append(max(slowest, 1 - p**2) * psi(ScaffnewState(x, h)))
    yield same("E Psi+ for p = 0.1, 0.5, 1", got, due, on=problem)
    over = np.maximum(0.0, np.array(got) - np.array(largest))
    yield same("at most max((1 - gamma mu)^2, 1 - p^2) Psi", over, 0.0, on=problem)


def until(build: Build, p: float, replicas: int = 16) -> tuple[Floats, Floats]:
    """Meetings, and gradients of a worker, until (1/n) sum_i |x_i - x*|^2 is 1e-8 of its start:
    ``[replicas]`` each."""
    problem, method = ill_conditioned(), build(ConstantStep(1.0), p)
    centre, coin = problem.x_star, Scaffnew(ConstantStep(1.0), p).coin
    assert centre is not None
    met = steps = torch.zeros(replicas, dtype=torch.int64)
    going, start = torch.ones(replicas, dtype=torch.bool), float(centre.square().sum()) * 2
    for seen in path(method, problem, 4000, seed=_SEED, replicas=replicas):
        going = going & ((seen.state.x - centre).square().sum((-1, -2)) > _TARGET * start)
        if not going.any():
            break
        steps = steps + going
        met = met + (going & coin(seen.t, seen.context))
    return met.double().numpy(), steps.double().numpy()


def until_by_hand(p: float, replicas: int = 64) -> tuple[Floats, Floats]:
    """The same by the recursion in numpy, whose equality with the method is a case of its own."""
    generator = np.random.default_rng(_SEED)
    a, b = np.array(_CURVATURES), np.array(_LINEAR)
    centre = b.sum(0) / a.sum(0)
    x, h = np.zeros((replicas, 2, 2)), np.zeros((replicas, 2, 2))
    met, steps, going = np.zeros(replicas), np.zeros(replicas), np.ones(replicas, bool)
    target = _TARGET * 2 * (centre**2).sum()
    while going.any():
        ahead = x - (a * x - b - h)
        coins = generator.random(replicas) < p
        mean, here = ahead.mean(1, keepdims=True), coins[:, None, None]
        h = np.where(here, h + p * (mean - ahead), h)
        x = np.where(here, mean, ahead)
        met, steps = met + (going & coins), steps + going
        going &= ((x - centre) ** 2).sum((1, 2)) > target
    return met, steps


def _one_of(counts: Floats, published: int) -> float:
    """Standard deviations of one run between the mean count and a published one; 0: equal."""
    away = abs(float(counts.mean()) - published)
    return away / float(counts.std(ddof=1)) if away > 1e-9 else 0.0


@scaffnew_forms.case(
    "published figures", f"gamma 1, kappa 100, to 1e-8, seed {_SEED}", on="two workers"
)
def meetings_by_probability(build: Build = Scaffnew) -> Iterator[Verdict]:
    """Meetings are fewest near p = 1/sqrt(kappa); gradients rise below it only.

    The published counts are of one run each: they lie within 3 standard deviations of a run.
    Counts below p = 0.05 are by hand, which takes a tenth of the time.
    """
    means = {}
    for one in PUBLISHED:
        by_method = one.p >= 0.05
        met, steps = until(build, one.p) if by_method else until_by_hand(one.p)
        means[one.p] = met.mean()
        note = f"{met.mean():.1f} meetings, {steps.mean():.1f} gradients" + (
            "" if by_method else ", by hand"
        )
        pairs = (("meetings", met, one.meetings), ("gradients", steps, one.gradients))
        for words, counts, published in pairs:
            away = _one_of(counts, published)
            yield at_most(f"p = {one.p:g}: {words} beside {published}", away, 3.0, note)
    fewest = min(means, key=lambda p: means[p])
    yield same("p of the fewest meetings", fewest, 0.05)
    yield at_most("meetings there beside p = 1", means[fewest] / means[1.0], 0.1, "1/sqrt(kappa)")


# Faults planted in control variates and skipped meetings: mistakes of public code among them.


def _coins_of_own(own: Scaffnew, t: int, context: RunContext) -> torch.Tensor:
    """A coin for every worker held here, ``[..., m]`` (bool)."""
    lots = context.draws("own coin", t).uniform(1, torch.float64)[..., 0]
    return lots < own.probability


@wrong_step("Scaffnew with a coin each", judge=recursion_by_coin, of=Scaffnew)
def coin_each(own: Scaffnew, state: ScaffnewState, t: int, context: RunContext) -> ScaffnewState:
    """every worker tosses its own coin, and takes the mean of those who met"""
    gamma, heads = own.step_rule(t), _coins_of_own(own, t, context)
    ahead = state.x - gamma * (context.gradient(state.x, t) - state.shift)
    packet = context.pack(Identity(), ahead, t, sends=heads)
    mean, _ = context.network.average(packet)
    share = heads.double().mean(-1)[..., None, None]
    mean = torch.where(share > 0, mean / share, 0)
    shift = own.renewed(state.shift, mean, ahead, gamma)
    met = heads[..., None]
    return ScaffnewState(torch.where(met, mean, ahead), torch.where(met, shift, state.shift))


@wrong_step("Scaffnew renewing shifts on tails", judge=recursion_by_coin, of=Scaffnew)
def renewed_on_tails(
    own: Scaffnew, state: ScaffnewState, t: int, context: RunContext
) -> ScaffnewState:
    """h moves by the mean of models that nobody has sent"""
    gamma = own.step_rule(t)
    after = own.step(state, t, context)
    ahead = state.x - gamma * (context.gradient(state.x, t) - state.shift)
    mean = ahead.mean(-2, keepdim=True)
    return after._replace(shift=own.renewed(state.shift, mean, ahead, gamma))


@wrong_step("Scaffnew with the wrong sign", judge=lyapunov_step, of=Scaffnew)
def wrong_sign(own: Scaffnew, state: ScaffnewState, t: int, context: RunContext) -> ScaffnewState:
    """h -= (p/gamma) (x - x_hat)"""
    after = own.step(state, t, context)
    return after._replace(shift=2 * state.shift - after.shift)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    wrong_step(
        "Scaffnew that overwrites before it subtracts", judge=recursion_by_coin, of=Scaffnew
    )(wrong_controls.never_renewed),
)  # fmt: skip
