r"""C1 and C2: SGD with Gaussian noise on quadratics with one Hessian for all workers.

With f_i(x) = a x^2 / 2 per coordinate, noise of variance s^2 per coordinate and worker, q = 1 -
gamma a: the variance of BSP's model obeys V_{t+1} = q^2 V_t + gamma^2 s^2 / n, so its limit is
gamma s^2 / (n a (2 - gamma a)); the spread of local models after j local steps is
(1 - 1/n) gamma^2 s^2 (1 - q^{2j}) / (1 - q^2); the mean of the local models is BSP's model, path by
path, whatever the period.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from algorithms.methods.base import Method
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from algorithms.run import run
from algorithms.topologies.base import Topology
from algorithms.topologies.ring import Ring
from proofs_check.instruments.evidence import chi_square, identity, mean_square
from proofs_check.instruments.paths import models
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep, Stepsize

Build = Callable[[Stepsize], Method[Any]]

_A, _GAMMA, _D, _REPLICAS = 1.0, 0.1, 64, 64
_STEP = ConstantStep(_GAMMA)


def one_hessian(n: int, start: float) -> Quadratic:
    """n workers with f_i(x) = ||x||^2 / 2 in 64 coordinates, unit noise in each."""
    a = torch.full((n, _D), _A, dtype=torch.float64)
    x0 = torch.full((_D,), start, dtype=torch.float64)
    return Quadratic.from_arrays(a, torch.zeros_like(a), sigma2=float(_D), x0=x0)


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
    trace = run(build(_STEP), problem, steps=steps, seed=seed, replicas=_REPLICAS, points=2)
    return mean_square(
        "bsp-sgd", claim, trace.model.numpy(), _variance(problem.n, steps), centre=centre,
        check="closed form C1", problem=problem.name,
        provenance=f"seed {seed}, {_REPLICAS} replicas of {_D} coordinates, {steps} steps",
    )  # fmt: skip


def local_spread(build: Build = lambda step: LocalSGD(step, 64)) -> tuple[Verdict, ...]:
    """(1/n) sum_i (x_i - xbar)^2 per coordinate after j = 1, 4, 16 local steps of 4 workers."""
    n, seed, steps = 4, 13, 16
    problem = one_hessian(n, 1.0)
    trace = run(build(_STEP), problem, steps=steps, seed=seed, replicas=_REPLICAS, points=100)
    verdicts = []
    for j in (1, 4, 16):
        dof = (n - 1) * _D * _REPLICAS
        measured = float(trace.consensus[:, j].mean()) / _D
        verdicts.append(
            chi_square(
                "local-sgd",
                f"spread after {j} local steps = (1-1/n) g^2 s^2 (1-q^(2j)) / (1-q^2)",
                measured * dof,
                dof,
                (n - 1) * _variance(n, j),
                check="closed form C2",
                problem=problem.name,
                provenance=f"seed {seed}, {_REPLICAS} replicas of {_D} coordinates",
            )
        )
    return tuple(verdicts)


def local_mean_is_bsp(
    build: Callable[[Stepsize, int], Method[Any]] = LocalSGD,
) -> tuple[Verdict, ...]:
    """The mean of the local models is BSP's model at every step, for H = 2, 4, 16."""
    problem, seed = _uneven(4), 14
    right = models(BSP(_STEP), problem, 32, seed=seed, replicas=4)
    return tuple(
        identity(
            "local-sgd",
            f"mean of local models = BSP's model, path by path, H={period}",
            models(build(_STEP, period), problem, 32, seed=seed, replicas=4),
            right,
            check="closed form C2",
            problem=problem.name,
            provenance=f"seed {seed}, 4 replicas, 32 steps, equal draws",
        )
        for period in (2, 4, 16)
    )


def gossip_mean_is_bsp(
    build: Callable[[Stepsize, Topology], Method[Any]] = DPSGD, topology: Topology | None = None
) -> Verdict:
    """W has columns that sum to one, so the mean of D-PSGD's models is BSP's model."""
    problem, seed = _uneven(8), 15
    method = build(_STEP, topology or Ring(8))
    return identity(
        "d-psgd",
        "mean of the models = BSP's model, path by path (common Hessian, doubly stochastic W)",
        models(method, problem, 64, seed=seed, replicas=4),
        models(BSP(_STEP), problem, 64, seed=seed, replicas=4),
        check="mean identity",
        problem=problem.name,
        provenance=f"seed {seed}, 4 replicas, 64 steps, equal draws",
    )


def _uneven(n: int) -> Quadratic:
    return Quadratic.strongly_convex(n, 6, L=4.0, mu=0.25, sigma2=2.0, zeta2=3.0, R2=5.0)


def _variance(n: int, steps: int) -> float:
    """V_t of one coordinate from V_0 = 0."""
    q2 = (1 - _GAMMA * _A) ** 2
    return _GAMMA**2 / n * (1 - q2**steps) / (1 - q2)


def noisy_quadratic() -> tuple[Verdict, ...]:
    """C1."""
    return (
        *(stationary_variance(n=n) for n in (1, 4)),
        *(finite_time_variance(n=n) for n in (1, 4)),
    )


def local_updates() -> tuple[Verdict, ...]:
    """C2."""
    return (*local_spread(), *local_mean_is_bsp())


def mean_of_gossip() -> tuple[Verdict, ...]:
    """The mean of D-PSGD's models."""
    return (gossip_mean_is_bsp(),)


CLOSED_FORMS = (
    local_updates,
    mean_of_gossip,
    noisy_quadratic,
)
