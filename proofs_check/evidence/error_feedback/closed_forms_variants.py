"""EF21 in both directions and with partial participation: closed forms, and faults."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from algorithms.compressors.base import Compressor
from algorithms.compressors.top_k import TopK
from algorithms.methods.base import Method, RunContext
from algorithms.methods.error_feedback.ef21 import EF21, EF21State
from algorithms.methods.parts.gradients import Sampled
from algorithms.problems.quadratic_data import unequal
from proofs_check.evidence.auxiliary.error_feedback import Shrink
from proofs_check.evidence.error_feedback.closed_forms import (
    dyadic,
    pair_of_workers,
)
from proofs_check.evidence.error_feedback.closed_forms_momentum import (
    largest_entry,
)
from proofs_check.instruments.closed_forms import ClosedForms, at_most, mean_is, none_wrong, same
from proofs_check.instruments.paths import models, path
from proofs_check.methods.faulty.faulty_method import OneWrongStep, wrapped
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep, Stepsize
from theory.theorems.ef21 import ef21

BothWays = Callable[[Stepsize, Compressor, Compressor], Method[Any]]
ByLot = Callable[[Stepsize, float], Method[Any]]
Build = Callable[[Stepsize, Compressor, float, float], Method[Any]]
ALMOST = 1 - 2.0**-53  # a probability that no draw misses, and yet not 1


def both_ways(step: Stepsize, up: Compressor, down: Compressor) -> EF21:
    """EF21-BC with these operators."""
    return EF21(step, up, downlink=down)


def at_random(step: Stepsize, probability: float) -> EF21:
    """EF21-PP that sends a quarter of the coordinates."""
    return EF21(step, TopK(0.25), participation=probability)


def sampled_momentum(
    step: Stepsize, compressor: Compressor, eta: float, probability: float
) -> EF21:
    """EF21-SGDM under partial participation."""
    return EF21(step, compressor, eta, Sampled(), participation=probability)


def top_one_by_lot(step: Stepsize, probability: float) -> EF21:
    """EF21-PP that sends one coordinate."""
    return EF21(step, TopK(1), participation=probability)


_BOTH = ClosedForms("ef21-bc")


@_BOTH.case("by hand", "top-1 both ways, 200 steps")
def recursion(make: BothWays = both_ways) -> Verdict:
    """The recursion of g_i and b in numpy; every copy of the model takes x - gamma b."""
    problem = unequal(3, 6, sigma2=0.0)
    a, c = problem.a.numpy(), problem.c.numpy()
    x, g, b = np.zeros(6), np.zeros((3, 6)), np.zeros(6)
    out: list[NDArray[np.float64]] = [x]
    for _ in range(200):
        g = g + largest_entry(a * x - c - g)
        b = b + largest_entry((g.mean(0) - b)[None])[0]
        x = x - 0.2 * b
        out.append(x)
    mine = models(make(ConstantStep(0.2), TopK(1), TopK(1)), problem, 200)[:, 0]
    return same("x, g_i and b by hand", mine.numpy(), np.stack(out), on=problem, tolerance=1e-11)


@_BOTH.case("equal to", "15 steps of 1/2, exact in floats")
def full_answers(make: BothWays = both_ways) -> Verdict:
    """A server that leaves nothing out: EF21 bit for bit."""
    problem, half = dyadic(), ConstantStep(0.5)
    mine = models(make(half, TopK(1), Shrink(1.0)), problem, 15)
    theirs = models(EF21(half, TopK(1)), problem, 15)
    wrong = int((mine != theirs).sum())
    return none_wrong(
        "D = I: EF21 bit for bit", wrong, f"{wrong} of {mine.numel()} numbers differ", on=problem
    )


@_BOTH.case("fixed point", "top-1 both ways, 4000 rounds, gamma = 0.05")
def exact_minimum(make: BothWays = both_ways) -> Verdict:
    """It ends at x* where workers differ."""
    problem = pair_of_workers()
    end = models(make(ConstantStep(0.05), TopK(1), TopK(1)), problem, 4000)[-1, 0]
    error = float((end - problem.x_star).abs().max())
    return at_most("x* at gamma 0.05", error, 1e-12, f"error {error:.2g}", on=problem)


_LOTS = ClosedForms("ef21-pp")


@_LOTS.case("equal to", "100 steps")
def all_take_part(make: ByLot = at_random) -> Verdict:
    """Where no draw keeps a worker away it is EF21, bit for bit."""
    problem, step = unequal(4, 8, sigma2=0.0), ConstantStep(0.2)
    mine = models(make(step, ALMOST), problem, 100)
    theirs = models(EF21(step, TopK(0.25)), problem, 100)
    wrong = int((mine != theirs).sum())
    return none_wrong(
        "p = 1: EF21 bit for bit", wrong, f"{wrong} of {mine.numel()} numbers differ", on=problem
    )


@_LOTS.case("participation", "p = 0.3, 40 rounds, 64 replicas, seed 0")
def absent_workers(make: ByLot = at_random) -> Iterator[Verdict]:
    """A share p of the memories moves; the mean of the server is that of all, absent or not."""
    problem = unequal(4, 8, sigma2=0.0)
    states = [one.state for one in path(make(ConstantStep(0.1), 0.3), problem, 40, replicas=64)]
    memories = torch.stack([state.memory for state in states])
    moved = (memories[2:] != memories[1:-1]).any(-1)
    share = moved.double().mean((0, 2)).numpy()
    yield mean_is("share of the memories that move", share, 0.3, on=problem)
    never = int((~moved.any(0)).sum())
    yield none_wrong("every worker takes part at times", never, f"{never} never do", on=problem)
    server = torch.stack([state.mean[..., 0, :] for state in states])
    yield same("g = (1/n) sum_i g_i", server.numpy(), memories.mean(-2).numpy(), on=problem)


@_LOTS.case("participation", "p = 0.3, eta = 0.2, 40 rounds, 16 replicas, seed 0")
def absent_momentum(make: Build = sampled_momentum) -> Iterator[Verdict]:
    """An absent worker computes no gradient: its v_i moves in the rounds of its g_i alone."""
    problem = unequal(4, 8)
    method = make(ConstantStep(0.1), Shrink(0.5), 0.2, 0.3)
    states = [one.state for one in path(method, problem, 40, replicas=16)]
    memories, momenta = (
        torch.stack([getattr(state, name) for state in states[1:]])
        for name in ("memory", "momentum")
    )
    sent, moved = ((rows[1:] != rows[:-1]).any(-1) for rows in (memories, momenta))
    wrong = int((sent != moved).sum())
    yield none_wrong(
        "v_i moves where g_i does", wrong, f"{wrong} of {sent.numel()} moves differ", on=problem
    )
    share = moved.double().mean((0, 2)).numpy()
    yield mean_is("share of the v_i that move", share, 0.3, on=problem)


@_LOTS.case("fixed point", "p = 1/2, 8 replicas, 4000 rounds, gamma = 0.1")
def minimum_by_lot(make: ByLot = at_random) -> Verdict:
    """It ends at x* where workers differ, though half of them are absent."""
    problem = unequal(4, 8, sigma2=0.0, ratio=10.0)
    assert problem.x_star is not None
    end = models(make(ConstantStep(0.1), 0.5), problem, 4000, replicas=8)[-1]
    error = float((end - problem.x_star).abs().max())
    return at_most("x* at gamma 0.1", error, 1e-12, f"error {error:.2g}", on=problem)


def rests(method: Method[Any]) -> Verdict:
    """Rounds from x* with g_i = v_i = grad f_i(x*) move nothing, though these are not 0."""
    problem = unequal(4, 8, sigma2=0.0)
    assert problem.x_star is not None
    x = problem.x_star.expand(3, 1, -1).clone()
    g = problem.all_gradients(problem.x_star).expand(3, -1, -1).clone()
    zero = torch.zeros_like(x)
    end = models(method, problem, 5, replicas=3, state=EF21State(x, g, zero, g, zero))[-1]
    return same("x* stays", end, problem.x_star, on=problem, tolerance=1e-14)


@_BOTH.case("fixed point", "5 rounds from x*, top-1 both ways")
def both_ways_rest(make: BothWays = both_ways) -> Verdict:
    """What is told of a mean that is 0 stays 0."""
    return rests(make(ConstantStep(0.2), TopK(1), TopK(1)))


@_LOTS.case("fixed point", "5 rounds from x*, p = 1/2, 3 replicas")
def absent_rest(make: ByLot = at_random) -> Verdict:
    """Who stays away keeps its g_i, and the mean stays 0."""
    return rests(make(ConstantStep(0.2), 0.5))


def published_ratio(delta: float, p: float, s: float, rho: float) -> float:
    """sqrt(B/theta_p) of EF21-PP's theorem with one p, by its free parameters; infinite where they
    do not suit."""
    theta, beta = 1 - (1 + s) * (1 - delta), (1 + 1 / s) * (1 - delta)
    share = p * theta - (1 - p) * rho
    if theta <= 0 or share <= 0:
        return float("inf")
    return float(np.sqrt((beta * p + (1 + 1 / rho) * (1 - p)) / share))


def best_ratio(delta: float, p: float) -> float:
    """The least of :func:`published_ratio` over both parameters, looked for from nine starts."""
    from scipy.optimize import minimize  # 0.3 s, which `rateproof list` need not wait for

    def log_ratio(z: NDArray[np.float64]) -> float:
        return min(50.0, float(np.log(published_ratio(delta, p, *np.exp(z)))))

    starts = [(a, b) for a in (-8.0, -4.0, -2.0) for b in (-8.0, -5.0, -3.0)]
    close = {"xatol": 1e-9, "fatol": 1e-13, "maxiter": 5000}
    found = [minimize(log_ratio, z, method="Nelder-Mead", options=close).fun for z in starts]
    return float(np.exp(min(found)))


@_LOTS.case(
    "parameters of the theorem", "arithmetic: delta, p = (0.1, 1/2), (1/3, 1/2), (0.01, 0.1)"
)
def free_parameters(make: ByLot = top_one_by_lot) -> Iterator[Verdict]:
    """The best of the published family of limits is that of EF21's theorem for the constants that
    the method states."""
    for d, p in ((10, 0.5), (3, 0.5), (100, 0.1)):
        problem = unequal(2, d, sigma2=0.0)
        c = make(ConstantStep(0.1), p).constants(problem)
        c = c.state(None, L_rms=problem.constants().L)  # any: the ratio does not depend on it
        ours = (1 / ef21.limit(c) - c.need("L")) / c.need("L_rms")
        yield same(
            f"delta = 1/{d}, p = {p:g}: sqrt(beta/theta) is the best of the family",
            ours / best_ratio(1 / d, p), 1.0, tolerance=1e-8, on=problem,
        )  # fmt: skip


CLOSED_FORMS = (_BOTH, _LOTS)


# Faults planted in EF21 compressed in both directions and under partial participation.


def nothing_told(own: EF21, state: EF21State, t: int, context: RunContext) -> EF21State:
    """The server compresses its estimate, not what it has not told of it."""
    return own.step(state._replace(told=torch.zeros_like(state.told)), t, context)


def forgotten_absent(own: EF21, state: EF21State, t: int, context: RunContext) -> EF21State:
    """Workers that were absent start again from g_i = 0."""
    new = own.step(state, t, context)
    here = own.present(t, context)
    if here is None:
        return new
    memory = torch.where(here[..., None], new.memory, 0.0)
    return new._replace(memory=memory, mean=context.network.mean_over_workers(memory)[..., None, :])


def first_for_mean(own: EF21, state: EF21State, t: int, context: RunContext) -> EF21State:
    """The server tells what the first worker holds, not the mean."""
    first = state.memory[..., :1, :]
    return own.step(state._replace(told=state.told - first), t, context)


def all_workers_constant(step: Stepsize, _probability: float) -> EF21:
    """EF21 in which all take part, and whose constants say so."""
    return EF21(step, TopK(1))


def _spoilt(step: Any) -> Any:
    return lambda right: OneWrongStep(right, step)


@wrong_step("EF21-BC whose workers step along the mean", judge=recursion, of=both_ways)
def untold_estimate(own: EF21, state: EF21State, t: int, context: RunContext) -> EF21State:
    """the model goes along g, which no worker was told"""
    new = own.step(state, t, context)
    return new._replace(x=state.x - own.step_rule(t) * new.mean)


@wrong_step("EF21-PP that draws once", judge=absent_workers, of=at_random)
def same_workers(own: EF21, state: EF21State, t: int, context: RunContext) -> EF21State:
    """the workers of the second round take part in every one"""
    return own.step(state, min(t, 1), context)


@wrong_step("EF21-PP whose absent workers go on", judge=absent_momentum, of=sampled_momentum)
def moving_absent(own: EF21, state: EF21State, t: int, context: RunContext) -> EF21State:
    """v_i of a worker that takes no part takes in a gradient too"""
    new = own.step(state, t, context)
    if t == 0:
        return new
    g = own.gradients.compute(state.x, t, context)
    return new._replace(momentum=(1 - own.eta) * state.momentum + own.eta * g)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "EF21-BC that compresses the estimate", "b is not remembered: D(g) is told",
        recursion, wrapped(_spoilt(nothing_told), both_ways),
    ),
    fault(
        "EF21-PP that forgets the absent", "g_i of absent workers is set to 0",
        minimum_by_lot, wrapped(_spoilt(forgotten_absent), at_random),
    ),
    fault(
        "EF21-PP that forgets the absent, at rest", "g_i of absent workers is set to 0",
        absent_rest, wrapped(_spoilt(forgotten_absent), at_random),
    ),
    fault(
        "EF21-BC that tells one worker's, at rest", "b follows g_1 in the place of the mean",
        both_ways_rest, wrapped(_spoilt(first_for_mean), both_ways),
    ),
    fault(
        "EF21-PP with all workers' constant", "delta in the place of p delta",
        free_parameters, all_workers_constant,
    ),
)  # fmt: skip
