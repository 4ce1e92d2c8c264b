"""DASHA and Rand-DIANA: one round by all outcomes, messages, gradient descent, faults."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.compressors.rand_k import RandK
from algorithms.engine.run import run
from algorithms.methods.base import Method, RunContext
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.variance_reduced.dasha import Dasha, DashaState
from algorithms.methods.variance_reduced.marina import Marina
from algorithms.methods.variance_reduced.rand_diana import RandDiana, RandDianaState
from algorithms.problems.quadratic_data import unequal
from proofs_check.evidence.error_feedback.closed_forms import dyadic
from proofs_check.evidence.variance_reduced.marina import two_in_the_plane
from proofs_check.instruments.closed_forms import ClosedForms, agrees, none_wrong, same
from proofs_check.instruments.paths import models, path
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep, Stepsize
from theory.theorems.rand_diana import rand_diana

# DASHA: one round by all its outcomes, its messages, gradient descent.

Build = Callable[[Stepsize, Compressor], Method[Any]]
_REPLICAS = 512

_FORMS = ClosedForms("dasha")


@_FORMS.case("outcomes of a round", f"rand-1, {_REPLICAS} replicas see all outcomes")
def both_errors(make: Build = Dasha) -> Iterator[Verdict]:
    """Errors of the workers' estimates and of their mean, over each worker's coordinate.

    With e_i = g_i - h_i, u_i = dh_i - a e_i: E P+ = (1 - a)^2 P + omega mean |u_i|^2, E S+ = (1 -
    a)^2 S + omega/n^2 sum |u_i|^2, and with a = 1/(2 omega + 1) E P+ <= (1 - a) P + 2 omega mean
    |dh_i|^2.
    """
    problem, omega, a = two_in_the_plane(), 1.0, 1 / 3
    x = torch.tensor([0.3, -0.7], dtype=torch.float64)
    h = problem.all_gradients(torch.tensor([1.0, 0.5], dtype=torch.float64))
    e = torch.tensor([[0.4, -0.1], [0.2, 0.7]], dtype=torch.float64)
    method = make(ConstantStep(0.1), RandK(1))
    context = next(iter(path(method, problem, 0, replicas=_REPLICAS))).context
    rows = [
        one.expand(_REPLICAS, *one.shape).clone()
        for one in (x[None], h + e, h, (h + e).mean(0, keepdim=True), x[None])
    ]
    after = method.step(DashaState(*rows), 1, context)
    outcomes = torch.unique(after.estimates, dim=0)
    yield none_wrong("four outcomes", abs(len(outcomes) - 4), f"{len(outcomes)} seen")
    g = problem.all_gradients(x)
    workers = float((outcomes - g).square().sum(-1).mean())
    server = float((outcomes.mean(-2) - g.mean(0)).square().sum(-1).mean())
    u = (g - h) - a * e
    spread, kept = u.square().sum(-1), (1 - a) ** 2
    own = float(e.square().sum(-1).mean())
    yield same("E P+", workers, kept * own + omega * float(spread.mean()))
    yield same(
        "E S+", server, kept * float(e.mean(0).square().sum()) + omega / 4 * float(spread.sum())
    )
    bound = (1 - a) * own + 2 * omega * float((g - h).square().sum(-1).mean())
    yield none_wrong(
        "E P+ <= (1 - a) P + 2 omega mean |dh|^2", int(workers > bound), f"{workers:.6g} of "
        f"{bound:.6g}",
    )  # fmt: skip


@_FORMS.case("invariant", "rand-k with k = d/4, 60 rounds, seed 0")
def server_estimate(make: Build = Dasha) -> Verdict:
    """The server's g is the mean of the workers' g_i after every round."""
    problem = unequal(4, 8)
    states = [one.state for one in path(make(ConstantStep(0.1), RandK(0.25)), problem, 60)]
    server = torch.stack([state.mean[..., 0, :] for state in states])
    workers = torch.stack([state.estimates.mean(-2) for state in states])
    return same("g = (1/n) sum_i g_i", server.numpy(), workers.numpy(), on=problem)


@_FORMS.case("bits of a round", "rand-k with k = 2 of 8, 200 rounds")
def largest_messages(make: Build = Dasha) -> Iterator[Verdict]:
    """After the first round every message has k floats; MARINA's have d in full rounds."""
    problem = unequal(4, 8)
    for method, words, peak in (
        (make(ConstantStep(0.1), RandK(2)), "DASHA", 2 * 64),
        (Marina(ConstantStep(0.1), RandK(2)), "MARINA", 8 * 64),
    ):
        trace = run(method, problem, steps=200, points=201)
        rounds = np.diff(trace.sent_bits[0])
        yield same(
            f"{words}: first and later rounds send at most", (rounds[0], rounds[1:].max()),
            (8 * 64, peak), on=problem,
        )  # fmt: skip


def descends_without_compression(make: Build) -> Verdict:
    """What a method of a stepsize and an operator is without compression: gradient descent."""
    problem, half = dyadic(), ConstantStep(0.5)
    mine, theirs = models(make(half, Identity()), problem, 15), models(BSP(half), problem, 15)
    wrong = int((mine != theirs).sum())
    return none_wrong(
        "omega = 0: gradient descent bit for bit", wrong,
        f"{wrong} of {mine.numel()} numbers differ", on=problem,
    )  # fmt: skip


@_FORMS.case("equal to", "15 steps of 1/2, exact in floats")
def gradient_descent(make: Build = Dasha) -> Verdict:
    """Without compression gradient descent bit for bit."""
    return descends_without_compression(make)


@_FORMS.case("fixed point", "100 rounds from x* with g_i = h_i = grad f_i(x*)")
def is_fixed_point(make: Build = Dasha) -> Verdict:
    """No round moves x*, though the workers' gradients are not 0 there."""
    problem = unequal(4, 8, sigma2=0.0)
    assert problem.x_star is not None
    star = problem.x_star.expand(16, 1, -1).clone()
    g = problem.all_gradients(problem.x_star).expand(16, -1, -1).clone()
    state: Any = DashaState(star, g, g, torch.zeros_like(star), star)
    method = make(ConstantStep(0.2), RandK(0.25))
    context = next(iter(path(method, problem, 0, replicas=16))).context
    reached = []
    for t in range(1, 101):  # after the first round, whose messages are not compressed
        state = method.step(state, t, context)
        reached.append(state.x)
    ends = torch.stack(reached).numpy()
    return same("x* stays", ends, np.asarray(problem.x_star), on=problem)


# Rand-DIANA: one round by all its outcomes, gradient descent, the fixed point.

_RAND_DIANA_REPLICAS = 2048

_RAND_DIANA_FORMS = ClosedForms("rand-diana")


@_RAND_DIANA_FORMS.case(
    "outcomes of a round", f"rand-1, p = 1/2, {_RAND_DIANA_REPLICAS} replicas see all outcomes"
)
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
    context = next(iter(path(method, problem, 0, replicas=_RAND_DIANA_REPLICAS))).context
    rows = [
        one.expand(_RAND_DIANA_REPLICAS, *one.shape).clone()
        for one in (x[None], h, h.mean(0, keepdim=True))
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


@_RAND_DIANA_FORMS.case("shifts", "rand-k with k = d/4, 60 rounds, seed 0")
def server_shift(make: Build = RandDiana) -> Verdict:
    """The server's shift is the mean of the workers' after every round."""
    problem = unequal(4, 8)
    states = [one.state for one in path(make(ConstantStep(0.05), RandK(0.25)), problem, 60)]
    server = torch.stack([state.shift[..., 0, :] for state in states])
    workers = torch.stack([state.shifts.mean(-2) for state in states])
    return same("h = (1/n) sum_i h_i", server.numpy(), workers.numpy(), on=problem)


@_RAND_DIANA_FORMS.case("equal to", "15 steps of 1/2, exact in floats")
def rand_diana_gradient_descent(make: Build = RandDiana) -> Verdict:
    """Without compression gradient descent bit for bit."""
    return descends_without_compression(make)


@_RAND_DIANA_FORMS.case("fixed point", "100 rounds from x* with h_i = grad f_i(x*)")
def rand_diana_is_fixed_point(make: Build = RandDiana) -> Verdict:
    """No round moves x*, though the workers' gradients are not 0 there."""
    problem = unequal(4, 8, sigma2=0.0)
    assert problem.x_star is not None
    star = problem.x_star.expand(16, 1, -1).clone()
    g = problem.all_gradients(problem.x_star).expand(16, -1, -1).clone()
    state = RandDianaState(star, g, torch.zeros_like(star))
    method = make(ConstantStep(0.1), RandK(0.25))
    end = models(method, problem, 100, replicas=16, state=state)[-1]
    return same("x* stays", end.numpy(), np.asarray(problem.x_star), on=problem)


# Faults planted in DASHA: what its messages take back, and who adds them up.


@wrong_step("DASHA whose server forgets", judge=server_estimate, of=Dasha)
def forgetful_server(own: Dasha, state: DashaState, t: int, context: RunContext) -> DashaState:
    """the server takes the mean of the messages for the estimate, and adds nothing to it"""
    new = own.step(state, t, context)
    return new._replace(mean=new.mean - state.mean)


@wrong_step("DASHA that takes nothing back", judge=both_errors, of=Dasha)
def differences_alone(own: Dasha, state: DashaState, t: int, context: RunContext) -> DashaState:
    """messages are compressed differences of gradients, without the term in a"""
    return Dasha(own.step_rule, own.compressor, 0.0).step(state, t, context)


@wrong_step("DASHA with full rounds", judge=largest_messages, of=Dasha)
def full_at_times(own: Dasha, state: DashaState, t: int, context: RunContext) -> DashaState:
    """every tenth message is uncompressed"""
    full = t > 0 and t % 10 == 0
    one = Dasha(own.step_rule, RandK(1.0), own.pull) if full else own
    return one.step(state, t, context)


def _slow(step: Stepsize, compressor: Compressor) -> Dasha:
    return Dasha(step, compressor, 0.2)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault("DASHA with a = 1/5", "less is taken back than omega = 1 asks for", both_errors, _slow),
)


# Faults planted in Rand-DIANA: its coins, and what the server hears of shifts.


@wrong_step("Rand-DIANA with one coin for all", judge=lyapunov, of=RandDiana)
def common_coin(
    own: RandDiana, state: RandDianaState, t: int, context: RunContext
) -> RandDianaState:
    """all workers renew their shifts together"""
    new = own.step(state, t, context)
    renewed = (new.shifts != state.shifts).any(-1)[..., :1, None]
    g = own.gradients.compute(state.x, t, context)
    shifts = torch.where(renewed, g, state.shifts)
    return new._replace(shifts=shifts, shift=shifts.mean(-2, keepdim=True))


@wrong_step("Rand-DIANA whose server is not told", judge=server_shift, of=RandDiana)
def untold_shifts(
    own: RandDiana, state: RandDianaState, t: int, context: RunContext
) -> RandDianaState:
    """workers renew their shifts, the server keeps the old mean"""
    return own.step(state, t, context)._replace(shift=state.shift)


@wrong_step("Rand-DIANA that never renews", judge=lyapunov, of=RandDiana)
def old_shifts(
    own: RandDiana, state: RandDianaState, t: int, context: RunContext
) -> RandDianaState:
    """shifts stay what they were"""
    return own.step(state, t, context)._replace(shifts=state.shifts, shift=state.shift)


CLOSED_FORMS = (
    _FORMS,
    _RAND_DIANA_FORMS,
)
