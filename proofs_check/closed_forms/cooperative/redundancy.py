"""Redundant and coded shards: circulants, fixed points, decoded gradients, one round."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from algorithms.methods.base import Method
from algorithms.methods.cooperative.coded_regression import CodedRegression, GradientCoding
from algorithms.methods.cooperative.redundancy import OnMoreShards
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.base import Problem
from algorithms.problems.least_squares import LeastSquares
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.redundant import Redundant
from algorithms.synchronisation.compute_times import Exponential
from proofs_check.closed_forms.asynchronous.asynchronous import SEED, uneven
from proofs_check.closed_forms.cooperative.elastic import same
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep

Build = Callable[[Any], Method[Any]]
Array = NDArray[np.float64]

_N, _D = 5, 6
_STEP = ConstantStep(0.1)
_TIMES = Exponential((1.0, 2.0, 0.5, 1.5, 0.7))
_TOLD = f"five workers, seed {SEED}"


def circulant(n: int, shards: int) -> Array:
    """Row i is 1/q on columns i, ..., i + q - 1 mod n."""
    return sum((np.roll(np.eye(n), s, axis=1) for s in range(shards)), np.zeros((n, n))) / shards


def shards_are_shared(wrap: Callable[[Quadratic, int], Problem] = Redundant) -> tuple[Verdict, ...]:
    """Gradients, and zeta2 by the discrete Fourier transform, for every q; one point."""
    problem = uneven()
    x = torch.linspace(-1, 2, _D, dtype=torch.float64)
    rows = problem.all_gradients(x).numpy()
    waves = np.fft.fft(rows - rows.mean(0), axis=0)
    power = np.square(np.abs(waves)).sum(1) / _N**2
    got, due, zeta, predicted = [], [], [], []
    for q in range(1, _N + 1):
        wrapped = wrap(problem, q)
        got.append(wrapped.all_gradients(x).numpy())
        due.append(circulant(_N, q) @ rows)
        zeta.append(float(wrapped.heterogeneity(x)))
        response = np.abs(np.fft.fft(circulant(_N, q)[0])) ** 2
        predicted.append(float((response * power).sum()))
    check, place = "circulant of shards", "quadratic"
    return (
        identity("ri-sgd", "grad f~_i is the mean over the q shards held", np.stack(got),
                 np.stack(due), check=check, problem=place,
        provenance=_TOLD,
    ),
        identity("ri-sgd", "zeta2 falls by the circulant's response at every frequency",
                 zeta, predicted, check=check, problem=place,
        provenance=_TOLD,
    ),
    )  # fmt: skip


def redundant_bias(build: Callable[[Any, int], Method[Any]] = OnMoreShards) -> Verdict:
    """Where RI-SGD stops without noise, by local GD's formula on f~_i; q = n stops at x*."""
    period, gamma = 8, 0.05
    base = uneven()
    problem = Quadratic("quadratic", base.a, base.c, base.x_star, base.x0, f_star=base.f_star)
    got, due = [], []
    for q in range(1, _N + 1):
        method = build(LocalSGD(ConstantStep(gamma), period), q)
        got.append(models(method, problem, 200 * period)[-1, 0].numpy())
        a, c = (circulant(_N, q) @ v.numpy() for v in (base.a, base.c))
        w = 1 - (1 - gamma * a) ** period
        due.append((w * (c / a)).sum(0) / w.sum(0))
    return identity(
        "ri-sgd", "fixed points sum w_i b~_i / sum w_i with the Hessians and minimisers of f~_i",
        np.stack(got), np.stack(due), check="fixed point", problem="quadratic", tolerance=1e-9,
        provenance=_TOLD,
    )  # fmt: skip


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


def redundancy() -> tuple[Verdict, ...]:
    """Every case of this file."""
    return (*shards_are_shared(), redundant_bias(), decoded_gradient(), one_round())


CLOSED_FORMS = (redundancy,)
