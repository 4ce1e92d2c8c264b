r"""Local SGD on quadratics: BSP's law for every period, and fixed points for any workers.

With one Hessian for all, whatever the minimisers, the mean of the local models is BSP's model path
by path, so it has BSP's law: with f_i(x) = a (x - b_i)^2 / 2 and noise of variance s^2,
\bar x_T - b is Gaussian with mean q^T (x_0 - b) and variance \gamma^2 s^2 (1 - q^{2T}) /
(n (1 - q^2)), q = 1 - \gamma a. With different Hessians local GD stops at
\sum w_i b_i / \sum w_i, w_i = 1 - (1 - \gamma a_i)^H, near the mean of the b_i for large H.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.evidence import identity, mean_square
from proofs_check.instruments.paths import models
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep, InverseTimeStep, Stepsize

COVERS = ("local-sgd",)

Build = Callable[[Stepsize, int], Method[Any]]

_D, _REPLICAS, _SEED = 64, 32, 171
_A, _GAMMA, _START, _STEPS, _N = 0.5, 0.1, 2.0, 48, 5
_PERIODS = (1, 3, 7, 32, _STEPS, _STEPS + 1)


def law_of_bsp(build: Build = LocalSGD) -> tuple[Verdict, ...]:
    """E (xbar_T - mean)^2 at T = 48, independent seeds for H = 1, 3, 7, 32, 48, 49; n = 5."""
    generator = torch.Generator().manual_seed(_SEED)
    b = 3 * torch.randn(_N, _D, generator=generator, dtype=torch.float64)
    a, x0 = torch.full_like(b, _A), torch.full((_D,), _START, dtype=torch.float64)
    problem = Quadratic.from_arrays(a, b, sigma2=float(_D), x0=x0)
    q = 1 - _GAMMA * _A
    mean = b.mean(0) + q**_STEPS * (x0 - b.mean(0))
    variance = _GAMMA**2 * (1 - q ** (2 * _STEPS)) / (_N * (1 - q**2))
    verdicts = []
    for period in _PERIODS:
        trace = run(
            build(ConstantStep(_GAMMA), period), problem, steps=_STEPS, seed=_SEED + period,
            replicas=_REPLICAS, points=2,
        )  # fmt: skip
        verdicts.append(
            mean_square(
                "local-sgd",
                f"one Hessian, different minimisers: the mean model has BSP's law, H={period}",
                (trace.model - mean).numpy(),
                variance,
                check="closed form, law",
                problem=problem.name,
                provenance=f"seed {_SEED + period}, {_REPLICAS} replicas of {_D} coordinates, "
                f"n={_N}, {_STEPS} steps, gamma {_GAMMA:g}",
            )
        )
    return tuple(verdicts)


def path_of_bsp(build: Build = LocalSGD) -> tuple[Verdict, ...]:
    """The mean of the local models is BSP's at every step while the stepsize falls, any H."""
    problem = Quadratic.strongly_convex(7, 16, L=2.0, mu=0.1, sigma2=3.0, zeta2=9.0, R2=4.0)
    step, seed, steps = InverseTimeStep(6.0, 12.0), _SEED, 60
    right = models(BSP(step), problem, steps, seed=seed, replicas=8)
    return tuple(
        identity(
            "local-sgd",
            f"mean of local models = BSP's model, path by path, gamma_t = 6/(12 + t), H={period}",
            models(build(step, period), problem, steps, seed=seed, replicas=8),
            right,
            check="closed form",
            problem=problem.name,
            provenance=f"seed {seed}, 8 replicas, {steps} steps, n=7, zeta2=9, equal draws",
        )
        for period in (2, 3, 11, 60, 61)
    )


def random_fixed_points(build: Build = LocalSGD) -> tuple[Verdict, ...]:
    """64 random instances each of n = 2, 3, 8, 24 workers; H = 1, 2, 6, 25 and 2000."""
    verdicts = []
    for n in (2, 3, 8, 24):
        generator = np.random.default_rng(_SEED + n)
        a, b = 0.2 + generator.random((n, _D)), generator.normal(size=(n, _D))
        problem = Quadratic.from_arrays(torch.from_numpy(a), torch.from_numpy(b))
        measured, due = [], []
        for period in (1, 2, 6, 25, 2000):
            steps = max(2000 // period, 1) * period
            trace = run(build(ConstantStep(_GAMMA), period), problem, steps=steps, points=2)
            w = 1 - (1 - _GAMMA * a) ** period
            measured.append(trace.model[0].numpy())
            due.append((w * b).sum(axis=0) / w.sum(axis=0))
        verdicts.append(
            identity(
                "local-sgd",
                f"fixed points sum w_i b_i / sum w_i, w_i = 1-(1-gamma a_i)^H, n={n}",
                np.stack(measured),
                np.stack(due),
                check="closed form",
                problem=problem.name,
                provenance=f"seed {_SEED + n}, {_D} random instances, H = 1, 2, 6, 25, 2000, "
                f"2000 steps without noise, gamma {_GAMMA:g}",
            )
        )
    return tuple(verdicts)


def local_points() -> tuple[Verdict, ...]:
    """Law, path and fixed points."""
    return (*law_of_bsp(), *path_of_bsp(), *random_fixed_points())


CLOSED_FORMS = (local_points,)
