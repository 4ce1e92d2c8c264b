"""Closed forms: one Hessian for all, exact covariances, post-local SGD."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from algorithms.methods.base import Method
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.periods import PostLocal
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models, path
from proofs_check.instruments.whitened import models_at_end, unequal, whitened
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.networks.second_moments import linear_moments
from theory.stepsizes import ConstantStep, InverseTimeStep

# Local updates on quadratics with one Hessian: what all rows of the family obey.
#
# Everything but the operator is linear and alike on all workers. Without noise, j steps after a
# meeting x_i - \bar x = s_j (b_i - \bar b), where v_{j+1} = m v_j + \gamma a (s_j - 1),
# s_{j+1} = s_j - v_{j+1}, s_0 = v_0 = 0.


STEPS, SEED, COMMON_HESSIAN_REPLICAS, A, GAMMA = 40, 181, 4, 0.5, 0.2
FALLING = InverseTimeStep(6.0, 12.0)
TOLD = f"seed {SEED}, {COMMON_HESSIAN_REPLICAS} replicas, {STEPS} steps, equal draws"


def noisy() -> Quadratic:
    """One Hessian, different minimisers, noise; n = 5."""
    return Quadratic.strongly_convex(5, 12, L=2.0, mu=0.1, sigma2=3.0, zeta2=9.0, R2=4.0)


def quiet(n: int = 3) -> Quadratic:
    """f_i(x) = a (x - b_i)^2 / 2 in two coordinates, no noise; x_0 = (1, -2)."""
    generator = torch.Generator().manual_seed(SEED)
    b = torch.randn((n, 2), generator=generator, dtype=torch.float64)
    x0 = torch.tensor([1.0, -2.0], dtype=torch.float64)
    return Quadratic.from_arrays(torch.full_like(b, A), b, x0=x0)


def spreads(ends: tuple[int, ...], m: float) -> Floats:
    """s_j at every step t = 0, ..., T: j steps after the last meeting."""
    s = v = 0.0
    told = [0.0]
    for t in range(1, STEPS + 1):
        v = m * v + GAMMA * A * (s - 1)
        s -= v
        if t in ends:
            s = v = 0.0
        told.append(s)
    return np.array(told)


def spread_of_run(method: Method[Any]) -> Floats:
    """(x_1 - xbar) / (b_1 - bbar) ``[T + 1, d]`` along the path without noise."""
    problem = quiet()
    b = problem.c / problem.a
    rows = [method.models(moment.state)[0] for moment in path(method, problem, STEPS)]
    away = torch.stack([x[0] - x.mean(0) for x in rows])
    return (away / (b[0] - b.mean(0))).numpy()


def same_means(
    row: str, claim: str, one: Method[Any], other: Method[Any], tolerance: float = 1e-12
) -> Verdict:
    """Equal draws, equal mean models all along."""
    problem = noisy()
    paths = (
        models(m, problem, STEPS, seed=SEED, replicas=COMMON_HESSIAN_REPLICAS) for m in (one, other)
    )
    return identity(
        row, claim, *(p.numpy() for p in paths), tolerance=tolerance,
        check="identity of two methods", problem=problem.name, provenance=TOLD,
    )  # fmt: skip


# Local SGD where Hessians differ: between meetings the models have the exact covariance.


_SECOND_MOMENTS_N, _PERIOD, _SECOND_MOMENTS_STEPS, _SECOND_MOMENTS_STEP, _SECOND_MOMENTS_SEED = (
    6,
    5,
    23,
    0.3,
    4,
)


def covariance_of_local_sgd(noise_share: float = 1.0) -> Verdict:
    """W = J at meetings, else I; 3 steps after one the models differ, and none is singular."""
    problem = unequal(_SECOND_MOMENTS_N)
    mean, alone = (
        np.full((_SECOND_MOMENTS_N, _SECOND_MOMENTS_N), 1 / _SECOND_MOMENTS_N),
        np.eye(_SECOND_MOMENTS_N),
    )
    met = [mean if (t + 1) % _PERIOD == 0 else alone for t in range(_SECOND_MOMENTS_STEPS)]
    law = linear_moments(
        met, problem.a.numpy(), problem.c.numpy(), np.zeros(problem.d), step=_SECOND_MOMENTS_STEP,
        variance=noise_share * problem.sigma2 / problem.d,
    )  # fmt: skip
    got = models_at_end(
        LocalSGD(ConstantStep(_SECOND_MOMENTS_STEP), _PERIOD),
        problem,
        _SECOND_MOMENTS_STEPS,
        _SECOND_MOMENTS_SEED,
    )
    return whitened(
        "local-sgd",
        "mean and covariance of all models follow the linear recursion, Hessians unequal",
        got,
        law,
        check="second moments",
        provenance=f"derived here; seed {_SECOND_MOMENTS_SEED}",
    )


def local_second_moments() -> tuple[Verdict, ...]:
    """The law of all workers' models at the end of a run."""
    return (covariance_of_local_sgd(),)


# Post-local SGD at the two ends of its switch.


def post_local() -> tuple[Verdict, ...]:
    """Switched at once it is local SGD, switched at the end it averages every step."""
    start, end = (LocalSGD(FALLING, PostLocal(switch, 6)) for switch in (0, STEPS))
    row = "post-local-sgd"
    return (
        same_means(row, "switch 0: local SGD, bit for bit", start, LocalSGD(FALLING, 6), 0.0),
        same_means(row, "switch T: H = 1, bit for bit", end, LocalSGD(FALLING, 1), 0.0),
        same_means(row, "switch T: BSP-SGD, to rounding", end, BSP(FALLING)),
    )


CLOSED_FORMS = (
    local_second_moments,
    post_local,
)

COVERS = {"local_second_moments": ("local-sgd",), "post_local": ("post-local-sgd",)}
