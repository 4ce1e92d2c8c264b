"""Closed forms: solutions, async admm, async admm seconds, d admm, decentralised admm, linearised
admm, random admm."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from algorithms.methods.admm.admm_graph import GraphADMM
from algorithms.methods.admm.admm_linearised import LinearisedADMM
from algorithms.methods.admm.admm_random import RandomADMM
from algorithms.methods.admm.admm_star import StarADMM
from algorithms.methods.base import Method
from algorithms.optimizers.proximal import SoftThreshold
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.barriers import PartialBarrier
from algorithms.synchronisation.base import Barrier
from algorithms.synchronisation.compute_times import Constant, Exponential
from algorithms.topologies.ring import Ring
from proofs_check.evidence.synchronous.closed_forms_barriers import (
    PROVENANCE,
    TICKS,
    WORKERS,
    N,
    harmonic,
    promise,
    same_as_bsp,
    step_seconds,
)
from proofs_check.evidence.synchronous.closed_forms_barriers import barriers_drawn as drawn
from proofs_check.evidence.synchronous.closed_forms_barriers import (
    step_times_drawn as async_admm_seconds_drawn,
)
from proofs_check.instruments.closed_forms import ClosedForms, mean_is, same
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models, path
from proofs_check.verdict import Verdict
from theory.seconds.step_times import StepTimes
from theory.stepsizes import ConstantStep

# Where ADMM ends on quadratics: the minimiser in closed form, for any topology.
#
# f_i(x) = \sum_j a_{ij} (x_j - b_{ij})^2 / 2. With any a all methods end at the minimiser of the
# mean, or of the mean plus w ||x||_1, which is a soft threshold for diagonal Hessians.


Change = Callable[[Any], Method[Any]]
SOLUTIONS_N, _D, _SEED, WEIGHT = 6, 5, 91, 0.3
STEP = ConstantStep(1.0)
TOLD = f"{SOLUTIONS_N} workers, {_D} coordinates, rho = 1, seed {_SEED}"


def right(method: Method[Any]) -> Method[Any]:
    """The method unchanged; mutants put a fault in its place."""
    return method


def uneven() -> Quadratic:
    """Curvatures in [0.5, 1.5] and normal minimisers, both different for every worker."""
    generator = torch.Generator().manual_seed(_SEED)
    a = 0.5 + torch.rand((SOLUTIONS_N, _D), generator=generator, dtype=torch.float64)
    return Quadratic.from_arrays(a, torch.randn(a.shape, generator=generator, dtype=a.dtype))


def minimiser(
    row: str, make: Callable[[], Method[Any]], steps: int, weight: float = 0.0
) -> Verdict:
    """End point of a method, against the minimiser in closed form."""
    problem = uneven()
    *_, last = path(make(), problem, steps)
    found = make().models(last.state)[0]
    mean, pull = problem.a.mean(0), problem.c.mean(0)
    best = pull.sign() * (pull.abs() - weight).clamp_min(0) / mean
    return identity(
        row, f"all workers end at the minimiser{' with l1' if weight else ''}", found.numpy(),
        best.expand_as(found).numpy(), check="closed form", problem=problem.name,
        tolerance=1e-8, provenance=f"{TOLD}, {steps} steps",
    )  # fmt: skip


# Asynchronous consensus ADMM: the star's contraction, its minimiser, its partial barrier.
#
# With one curvature a for all, stationarity of the local solve is y_i = -a (x_i - b_i), so the
# workers' mean error shrinks by exactly rho/(a + rho) a step and the master's is 1 - a/rho times
# it. A partial barrier bounds the delay (Zhang and Kwok 2014).


_ASYNC_ADMM_FORMS = ClosedForms("async-admm")


@_ASYNC_ADMM_FORMS.case("closed form")
def star_contraction(change: Change = right) -> Verdict:
    """One curvature: z_k - b = (1 - a/rho) (rho/(a + rho))^k (z_0 - b) for k >= 1, exactly."""
    a, steps = 0.5, 20
    b = torch.linspace(-1.0, 2.0, SOLUTIONS_N, dtype=torch.float64)[:, None]
    x0 = torch.full((1,), 4.0, dtype=torch.float64)
    problem = Quadratic.from_arrays(torch.full_like(b, a), b, x0=x0)
    master = models(change(StarADMM(STEP, steps, Constant())), problem, steps)[:, 0, 0].numpy()
    powers = (1 / (a + 1)) ** np.arange(steps + 1) * (4.0 - b.mean().item())
    expected = b.mean().item() + np.where(np.arange(steps + 1) > 0, 1 - a, 1.0) * powers
    return same(
        "synchronous: z_k - b = (1 - a/rho) (rho/(a+rho))^k (z_0 - b)", master, expected,
        on=problem, words=f"a = {a}, rho = 1, {SOLUTIONS_N} workers",
    )  # fmt: skip


def star(change: Change = right) -> Verdict:
    """Asynchronous consensus ADMM under a partial barrier, with l1."""
    times, l1 = Exponential(), SoftThreshold(WEIGHT)
    make = StarADMM(STEP, 600, times, PartialBarrier(2, 6), l1)
    return minimiser("async-admm", lambda: change(make), 600, WEIGHT)


def delay_bound(
    build: Callable[[int, int], Barrier] = PartialBarrier,
) -> tuple[Verdict, ...]:
    """A partial barrier: at least S arrivals, delay at most tau - 1."""
    verdicts = []
    for least, tau in ((1, 4), (3, 2), (4, 8)):
        schedules = drawn(build(least, tau))
        fewest = min(int((s.arrivals < WORKERS).sum(-1).min()) for s in schedules)
        oldest = max(s.tau for s in schedules)
        description = f"S={least}, tau={tau}"
        verdicts += [
            promise(
                "async-admm", f"{description}: delay <= tau - 1", oldest, tau - 1, "delay bound"
            ),
            promise(
                "async-admm", f"{description}: S - arrivals <= 0", least - fewest, 0, "delay bound"
            ),
        ]
    return tuple(verdicts)


def async_admm() -> tuple[Verdict, ...]:
    """The contraction, and the minimiser under a partial barrier."""
    return (star_contraction(), star())


def partial_barrier() -> tuple[Verdict, ...]:
    """Its promise, its limit of waiting for all, and its mean seconds."""
    seconds = step_seconds(
        PartialBarrier(2, 10**6),
        "async-admm",
        harmonic(SOLUTIONS_N) - harmonic(SOLUTIONS_N - 2),
        Exponential(),
    )
    return (
        *delay_bound(), same_as_bsp(PartialBarrier(SOLUTIONS_N, 3), "async-admm"), seconds,
    )  # fmt: skip


# Mean seconds of an update under a partial barrier, against ``theory.seconds.step_times``.


@_ASYNC_ADMM_FORMS.case("order statistics", PROVENANCE)
def partial_seconds(build: Callable[[int], Barrier] | None = None) -> Iterator[Verdict]:
    """A partial barrier without a bound on the delay, exponential times."""
    make = build or (lambda least: PartialBarrier(least, 10**6))
    for least in (1, 3, N):
        yield mean_is(
            f"S={least}: mean seconds of an update",
            (async_admm_seconds_drawn(make(least), Exponential()).seconds[-1] / TICKS).numpy(),
            StepTimes().partial(N, least),
        )


# D-ADMM: its minimiser, and duals that sum to zero and tend to -grad f_i(x*).


def coloured(change: Change = right) -> Verdict:
    """D-ADMM ends at the minimiser of the mean."""
    return minimiser("d-admm", lambda: change(GraphADMM(STEP, Ring(SOLUTIONS_N))), 300)


_D_ADMM_FORMS = ClosedForms("d-admm")


@_D_ADMM_FORMS.case("closed form", TOLD)
def duals(change: Change = right) -> Iterator[Verdict]:
    """D-ADMM's duals sum to zero always, and tend to -grad f_i(x*)."""
    problem = uneven()
    moments = list(path(change(GraphADMM(STEP, Ring(SOLUTIONS_N))), problem, 300))
    sums = torch.stack([moment.state.p.sum(-2) for moment in moments])
    best = problem.full_gradient(problem.x_star[None], torch.arange(SOLUTIONS_N))
    yield same("duals sum to zero at every step", sums.numpy(), 0.0, on=problem)
    yield same(
        "duals tend to -grad f_i(x*)", moments[-1].state.p[0].numpy(), -best.numpy(),
        tolerance=1e-8, on=problem,
    )  # fmt: skip


def d_admm() -> tuple[Verdict, ...]:
    """The minimiser and the duals."""
    return (coloured(), *duals())


# Decentralised ADMM, workers in turn: it ends at the minimiser.


def in_turn(change: Change = right) -> Verdict:
    """ADMM with one worker after the other ends at the minimiser of the mean."""
    method = GraphADMM(STEP, Ring(SOLUTIONS_N), coloured=False)
    return minimiser("decentralised-admm", lambda: change(method), 300)


def decentralised_admm() -> tuple[Verdict, ...]:
    """End point of decentralised ADMM: the minimiser."""
    return (in_turn(),)


# Linearised ADMM, one gradient a step: it ends at the minimiser.


def linearised(change: Change = right) -> Verdict:
    """Linearised ADMM, one gradient a step, ends at the minimiser of the mean plus an l1 norm."""
    method = LinearisedADMM(ConstantStep(0.5), Ring(SOLUTIONS_N), SoftThreshold(WEIGHT))
    return minimiser("linearised-admm", lambda: change(method), 2000, WEIGHT)


def linearised_admm() -> tuple[Verdict, ...]:
    """End point of linearised ADMM: the minimiser."""
    return (linearised(),)


# Randomised ADMM, an edge at a time: it ends at the minimiser.


def random_edges(change: Change = right) -> Verdict:
    """ADMM with one random edge at a time ends at the minimiser of the mean."""
    return minimiser("random-admm", lambda: change(RandomADMM(STEP, Ring(SOLUTIONS_N))), 3000)


def random_admm() -> tuple[Verdict, ...]:
    """End point of randomised ADMM: the minimiser."""
    return (random_edges(),)


CLOSED_FORMS = (
    async_admm,
    partial_barrier,
    partial_seconds,
    d_admm,
    decentralised_admm,
    linearised_admm,
    random_admm,
)

COVERS = {"partial_barrier": ("async-admm",), "partial_seconds": ("async-admm",)}
