"""SGD with Gaussian noise on quadratics with one Hessian for all workers.

With f_i(x) = a x^2 / 2 per coordinate, noise of variance s^2 per coordinate and worker, q = 1 -
gamma a: the variance of BSP's model obeys V_{t+1} = q^2 V_t + gamma^2 s^2 / n, so its limit is
gamma s^2 / (n a (2 - gamma a)). Local SGD and D-PSGD on the same problems are in their own files.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.evidence import mean_square
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep, Stepsize

COVERS = ("bsp-sgd",)

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


def _second_moment(
    build: Build, claim: str, problem: Quadratic, centre: float, steps: int, seed: int
) -> Verdict:
    trace = run(build(STEP), problem, steps=steps, seed=seed, replicas=REPLICAS, points=2)
    return mean_square(
        "bsp-sgd", claim, trace.model.numpy(), variance(problem.n, steps), centre=centre,
        check="closed form", problem=problem.name,
        provenance=f"seed {seed}, {REPLICAS} replicas of {D} coordinates, {steps} steps",
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


CLOSED_FORMS = (noisy_quadratic,)
