r"""Local updates on quadratics with one Hessian: what all rows of the family obey.

Everything but the operator is linear and alike on all workers. Without noise, j steps after a
meeting x_i - \bar x = s_j (b_i - \bar b), where v_{j+1} = m v_j + \gamma a (s_j - 1),
s_{j+1} = s_j - v_{j+1}, s_0 = v_0 = 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from algorithms.methods.base import Method
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models, path
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import InverseTimeStep

STEPS, SEED, REPLICAS, A, GAMMA = 40, 181, 4, 0.5, 0.2
FALLING = InverseTimeStep(6.0, 12.0)
TOLD = f"seed {SEED}, {REPLICAS} replicas, {STEPS} steps, equal draws"


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
    paths = (models(m, problem, STEPS, seed=SEED, replicas=REPLICAS) for m in (one, other))
    return identity(
        row, claim, *(p.numpy() for p in paths), tolerance=tolerance,
        check="identity of two methods", problem=problem.name, provenance=TOLD,
    )  # fmt: skip
