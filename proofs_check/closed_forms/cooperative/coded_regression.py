"""Coded gradients and coded regression: exact whoever arrives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from algorithms.methods.base import Method
from algorithms.methods.cooperative.coded_regression import CodedRegression, GradientCoding
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.least_squares import LeastSquares
from algorithms.synchronisation.compute_times import Exponential
from proofs_check.closed_forms.asynchronous.replays import SEED, uneven
from proofs_check.closed_forms.cooperative.replays import same
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep

Build = Callable[[Any], Method[Any]]
_N = 5
_STEP = ConstantStep(0.1)
_TIMES = Exponential((1.0, 2.0, 0.5, 1.5, 0.7))
_TOLD = f"five workers, seed {SEED}"


def decoded_gradient(build: Build = same) -> Verdict:
    """Gradient coding takes BSP-SGD's steps, whoever arrives."""
    problem = uneven()
    method = build(GradientCoding(_STEP, 30, _TIMES, 2))
    return identity(
        "coded-regression", "the decoded mean is that of all shards: BSP-SGD's iterates",
        models(method, problem, 30, seed=SEED), models(BSP(_STEP), problem, 30, seed=SEED),
        check="decoding", problem="quadratic", tolerance=1e-9,
        provenance=_TOLD,
    )  # fmt: skip


def least_squares(n: int = _N, d: int = 4) -> LeastSquares:
    """Random rows in shards of unequal size."""
    rng = np.random.default_rng(8)
    sizes = [6 + 2 * i for i in range(n)]
    rows = [torch.from_numpy(rng.normal(size=(size, d))) for size in sizes]
    return LeastSquares.of(rows, [torch.from_numpy(rng.normal(size=size)) for size in sizes])


def one_round(build: Build = same) -> Verdict:
    """Coded regression solves least squares in one round (numpy's lstsq on all rows)."""
    problem = least_squares()
    rows, y = problem.features.flatten(0, 1).numpy(), problem.targets.flatten().numpy()
    solution = np.linalg.lstsq(rows, y, rcond=None)[0]
    got = models(build(CodedRegression(_TIMES, 2)), problem, 2, replicas=16)[1:]
    return identity(
        "coded-regression", "one round gives the least-squares solution", got,
        np.broadcast_to(solution, got.shape), check="one round", problem="least-squares",
        tolerance=1e-9,
        provenance=_TOLD,
    )  # fmt: skip


def coded_regression() -> tuple[Verdict, ...]:
    """Steps of BSP-SGD, and least squares in one round."""
    return (decoded_gradient(), one_round())


CLOSED_FORMS = (coded_regression,)
