r"""Compressed gradient descent with scaled rand-k on f(x) = a ||x||^2 / 2.

One step scales E||x||^2 by (1 - gamma a)^2 + omega (gamma a)^2 / n, omega = d/k - 1, from every x:
stable iff gamma a < 2 / (1 + omega / n).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from algorithms.compressors.rand_k import RandK
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.evidence import mean_value
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep, Stepsize

Build = Callable[[Stepsize], Method[Any]]

_REPLICAS = 100_000


def rand_1(step: Stepsize) -> Method[Any]:
    """BSP with scaled rand-1."""
    return BSP(step, RandK(1))


def one_step_factor(gamma: float, n: int, build: Build = rand_1) -> Verdict:
    """E||x_1||^2 / ||x_0||^2 with a = 1, d = 4, x_0 = (3, -4, 0, 12)."""
    a = torch.ones((n, 4), dtype=torch.float64)
    x0 = torch.tensor([3.0, -4.0, 0.0, 12.0], dtype=torch.float64)
    problem = Quadratic.from_arrays(a, torch.zeros_like(a), x0=x0)
    seed = 31 + n
    trace = run(
        build(ConstantStep(gamma)), problem, steps=1, seed=seed, replicas=_REPLICAS, points=2
    )
    factor = (1 - gamma) ** 2 + 3 * gamma**2 / n
    return mean_value(
        "random-k",
        f"E||x||^2 factor = (1-ga)^2 + omega (ga)^2 / n at ga={gamma:g}, omega=3, n={n}",
        trace.model.square().sum(-1).numpy() / 169.0,
        factor,
        check="closed form",
        problem=problem.name,
        provenance=f"seed {seed}, {_REPLICAS} replicas, one step from (3, -4, 0, 12)",
        note=f"{'contracts' if factor < 1 else 'neutral' if factor == 1 else 'expands'}; stable "
        f"iff ga < {2 / (1 + 3 / n):g}",
    )


def random_sparsification() -> tuple[Verdict, ...]:
    """At ga = 0.2, and below, at and above the stability limits 0.5 (n = 1) and 1 (n = 3)."""
    points = ((0.2, 1), (0.2, 3), (0.45, 1), (0.5, 1), (0.55, 1), (0.9, 3), (1.0, 3), (1.1, 3))
    return tuple(one_step_factor(gamma, n) for gamma, n in points)


CLOSED_FORMS = (random_sparsification,)
