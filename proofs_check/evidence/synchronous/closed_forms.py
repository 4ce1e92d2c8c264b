"""Closed forms: bsp sgd, noisy quadratic, orders, printed assumptions. Faults of bounds."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from algorithms.core.key import Key
from algorithms.engine.run import run
from algorithms.memories.base import NoMemory
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Law, Quadratic
from algorithms.synchronisation.barriers import (
    BackupWorkers,
    Bulk,
)
from algorithms.synchronisation.compute_times import Exponential, ShiftedExponential
from algorithms.synchronisation.schedule import Schedule
from algorithms.synchronisation.stale import SSP
from proofs_check.bounds.check import BoundCheck
from proofs_check.evidence.auxiliary.closed_forms import converges
from proofs_check.evidence.synchronous.closed_forms_barriers import (
    DRAWN_REPLICAS,
    WORKERS,
    harmonic,
    same_as_bsp,
    step_seconds,
    workers_among,
)
from proofs_check.evidence.synchronous.closed_forms_barriers import barriers_drawn as drawn
from proofs_check.instruments.closed_forms import ClosedForms, mean_square_is
from proofs_check.instruments.erratum import Shown, demonstrates
from proofs_check.instruments.stated_orders import order_verdict
from proofs_check.methods.faulty.methods import MisscaledBSP
from proofs_check.mutants.method_mutant import MethodMutant, fault
from proofs_check.mutants.wrong_bounds import MisreadBound, quarter_noise, workers_squared
from proofs_check.verdict import Verdict
from theory.constants import Constants
from theory.stepsizes import ConstantStep, Stepsize
from theory.theorem import Theorem
from theory.theorems import PROVED_ONLY, THEOREMS
from theory.theorems.bsp_nonconvex import bsp_nonconvex
from theory.theorems.bsp_strongly_convex import bsp_strongly_convex
from theory.theorems.dgd import dgd
from theory.theorems.ssp import ssp as ssp_theorem

# BSP-SGD: the parameter server's form, seconds of a step, and momentum-free descent.


def bsp_sgd() -> tuple[Verdict, ...]:
    """A barrier that waits for all, the slowest of n, and x^2/2 without momentum."""
    return (
        same_as_bsp(Bulk(), "bsp-sgd"),
        step_seconds(Bulk(), "bsp-sgd", harmonic(WORKERS), Exponential()),
        step_seconds(Bulk(), "bsp-sgd", 0.5 + 2 * harmonic(WORKERS), ShiftedExponential(0.5, 2.0)),
        converges(NoMemory(), "bsp-sgd", 0.01, 1000, 1e-3),
    )


# SGD with Gaussian noise on quadratics with one Hessian for all workers.
#
# With f_i(x) = a x^2 / 2 per coordinate, noise of variance s^2 per coordinate and worker, q = 1 -
# gamma a: the variance of BSP's model obeys V_{t+1} = q^2 V_t + gamma^2 s^2 / n, so its limit is
# gamma s^2 / (n a (2 - gamma a)). Local SGD and D-PSGD on the same problems are in their own files.


Build = Callable[[Stepsize], Method[Any]]
_A, _GAMMA, D, REPLICAS = 1.0, 0.1, 64, 64
STEP = ConstantStep(_GAMMA)


def one_hessian(n: int, start: float) -> Quadratic:
    """n workers with f_i(x) = ||x||^2 / 2 in 64 coordinates, unit noise in each."""
    a = torch.full((n, D), _A, dtype=torch.float64)
    x0 = torch.full((D,), start, dtype=torch.float64)
    return Quadratic.from_arrays(a, torch.zeros_like(a), sigma2=float(D), x0=x0)


def stationary_variance(build: Build = BSP, n: int = 4) -> Verdict:
    """E x^2 per coordinate of BSP after 200 steps from the minimiser."""
    claim = f"stationary E x^2 = gamma s^2 / (n a (2 - gamma a)), n={n}"
    return _second_moment(build, claim, one_hessian(n, 0.0), 0.0, 200, seed=11)


def finite_time_variance(build: Build = BSP, n: int = 1) -> Verdict:
    """E x^2 per coordinate of BSP after 10 steps from x_0 = 1: q^20 + V_10."""
    claim, mean = f"E x_10^2 = q^20 x_0^2 + V_10, n={n}", (1 - _GAMMA * _A) ** 10
    return _second_moment(build, claim, one_hessian(n, 1.0), mean, 10, seed=12)


_BSP_SGD_FORMS = ClosedForms("bsp-sgd")


@_BSP_SGD_FORMS.case("closed form")
def _second_moment(
    build: Build, claim: str, problem: Quadratic, centre: float, steps: int, seed: int
) -> Verdict:
    trace = run(build(STEP), problem, steps=steps, seed=seed, replicas=REPLICAS, points=2)
    return mean_square_is(
        claim, trace.model.numpy(), variance(problem.n, steps), centre=centre, on=problem,
        words=f"seed {seed}, {REPLICAS} replicas of {D} coordinates, {steps} steps",
    )  # fmt: skip


def uneven(n: int) -> Quadratic:
    """n workers with one Hessian, different minimisers, and noise."""
    return Quadratic.strongly_convex(n, 6, L=4.0, mu=0.25, sigma2=2.0, zeta2=3.0, R2=5.0)


def variance(n: int, steps: int) -> float:
    """V_t of one coordinate from V_0 = 0."""
    q2 = (1 - _GAMMA * _A) ** 2
    return _GAMMA**2 / n * (1 - q2**steps) / (1 - q2)


def noisy_quadratic() -> tuple[Verdict, ...]:
    """Variances of BSP's model, stationary and after ten steps."""
    return (
        *(stationary_variance(n=n) for n in (1, 4)),
        *(finite_time_variance(n=n) for n in (1, 4)),
    )


# Orders that theorems state against the exponents of their own bounds: all theorems.


def orders_of_all_bounds() -> tuple[Verdict, ...]:
    """Exponents of T and of what methods, networks and schedules bring, read off far out."""
    return tuple(order_verdict(one, one.order) for one in (*THEOREMS, *PROVED_ONLY))


# What the survey prints of schemes, gradients and headers: E2, E11, E35, T1, T2, S7.


def clocks_ahead(schedule: Schedule, replica: int) -> int:
    """By how many clocks at most an update that a worker starts with is ahead of its own."""
    clock, held = np.zeros(WORKERS, int), [np.zeros(WORKERS, int)] * WORKERS
    most = 0
    for t in range(schedule.ticks):
        for i in workers_among(schedule.arrivals[t, replica]):
            clock[i] += 1
        for i in workers_among(schedule.fetches[t, replica]):
            held[i] = clock.copy()
        for i in workers_among(schedule.starts[t, replica]):
            most = max(most, int((held[i] - clock[i]).max()))
    return most


@demonstrates(
    "E2",
    "ssp",
    "clocks by which an update read is ahead of the reader's, s = 2",
    covers=("backup-workers", "bsp-sgd", "ssp"),
)
def e2() -> Shown:
    """Others' updates of clocks up to t + s are seen, not only up to t."""
    s = 2
    most = max(clocks_ahead(one, r) for one in drawn(SSP(s)) for r in range(DRAWN_REPLICAS))
    return (
        (float(most), float(s)),
        (0.0, float(most)),
        "four models of time; printed: a window that ends at t",
    )


@demonstrates(
    "E11",
    "bsp-sgd",
    "E||G_i(x) - grad f_i(x)||^2 = sigma2 = 4, each draw",
    covers=("backup-workers", "bsp-sgd", "ssp"),
)
def e11() -> Shown:
    """G_i is random: with noise of two values every draw is sigma from its mean."""
    one = torch.ones((1, 1), dtype=torch.float64)
    problem = Quadratic.from_arrays(one, 0 * one, sigma2=4.0, law=Law.RADEMACHER)
    draws = Key.seed(0).draws(torch.arange(64), torch.arange(1))
    x = one.expand(64, 1, 1)
    off = problem.gradient(x, draws) - problem.full_gradient(x, torch.arange(1))
    return (
        (float(off.square().mean()), 4.0),
        (0.0, 4.0),
        "defined as an expectation, G_i would have no variance and Eq. 5 no content",
    )


@demonstrates(
    "E35",
    "backup-workers",
    "largest age of a gradient that is used",
    covers=("backup-workers", "bsp-sgd", "ssp"),
)
def e35() -> Shown:
    """No gradient that backup workers use is stale, under four models of time; SSP's are."""
    ages = [max(schedule.tau for schedule in drawn(one)) for one in (BackupWorkers(2), SSP(2))]
    return (float(ages[0]), 0.0), (float(ages[1]), 0.0), "printed: stale, here as in SSP, s = 2"


@demonstrates(
    "T1",
    "bsp-sgd",
    "power of T in the bound for convex Lipschitz functions",
    covers=("backup-workers", "bsp-sgd", "ssp"),
)
def t1() -> Shown:
    """The bound for convex functions falls by 10 where T grows by 100, with its own stepsizes."""
    c = Constants(n=1, lam=0.0, convex=True, lipschitz=3.0, R2=2.0, symmetric=True)
    ends = [float(dgd.bound(c, dgd.stepsize(c, t), np.array([t]))[0]) for t in (10**4, 10**6)]
    strong = Constants(n=1, L=1.0, mu=0.5, sigma2=1.0, R2=1.0)
    step = bsp_strongly_convex.stepsize(strong.state(mu=0.5), 10)
    broken = bsp_strongly_convex.violations(strong.without("mu"), step, 10)
    return (math.log(ends[1] / ends[0], 100), -0.5), (-1.0, -0.5), broken[0]


@demonstrates(
    "T2",
    "ssp",
    "the theorem applies to convex functions, not to others",
    covers=("backup-workers", "bsp-sgd", "ssp"),
)
def t2() -> Shown:
    """Ho et al. 2013 ask for convex components."""
    c = ssp_theorem.example
    step = ssp_theorem.stepsize(c, 100)
    other = c.state(convex=False)
    return (
        (float(ssp_theorem.applies(c, step, 100)), 1.0),
        (float(ssp_theorem.applies(other, step, 100)), 1.0),
        ssp_theorem.violations(other, step, 100)[0],
    )


@demonstrates(
    "S7",
    "bsp-sgd",
    "floor of one worker with the batch of four, over that of four",
    covers=("backup-workers", "bsp-sgd", "ssp"),
)
def s7() -> Shown:
    """Four workers and one with their batch have one floor; one with a worker's has four times."""
    end, step = np.array([1e9]), ConstantStep(0.1)

    def floor(n: int, sigma2: float) -> float:
        c = Constants(n=n, L=1.0, mu=0.5, sigma2=sigma2, R2=1.0)
        return float(bsp_strongly_convex.bound(c, step, end)[0])

    return (
        (floor(1, 0.25) / floor(4, 1.0), 1.0),
        (floor(1, 1.0) / floor(4, 1.0), 1.0),
        "printed: the same convergence, whatever the batch",
    )


CLOSED_FORMS = (bsp_sgd, noisy_quadratic, orders_of_all_bounds)


COVERS = {"noisy_quadratic": ("bsp-sgd",), "orders_of_all_bounds": ("bsp-sgd",)}


def from_the_minimiser() -> Quadratic:
    """One curvature, start at x*, gamma = 1/L: BSP-SGD attains the noise terms of its bounds."""
    return Quadratic.strongly_convex(4, 16, L=1.0, mu=1.0, sigma2=1.0, R2=0.0)


def under(theorem: Theorem) -> Verdict:
    """BSP-SGD's whole curve under ``theorem``."""
    check = BoundCheck(
        "bsp-sgd", "quadratic-sc", theorem, from_the_minimiser, lambda s, _p, _t: BSP(s), 200
    )
    return check.result().verdicts[0]


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "BSP summing gradients", "the sum over workers instead of the mean",
        stationary_variance, MisscaledBSP,
    ),
    fault(
        "BSP dividing by sqrt(n)", "the sum over workers divided by sqrt(n)",
        stationary_variance, lambda step: MisscaledBSP(step, 0.5),
    ),
    MethodMutant(
        "bound with a quarter of the noise", "sigma2/4 in the bound of BSP-SGD, non-convex",
        lambda: under(MisreadBound(bsp_nonconvex, quarter_noise)), lambda: under(bsp_nonconvex),
    ),
    MethodMutant(
        "bound with n squared", "n^2 for n in the bound of BSP-SGD, strongly convex",
        lambda: under(MisreadBound(bsp_strongly_convex, workers_squared)),
        lambda: under(bsp_strongly_convex),
    ),
)  # fmt: skip
