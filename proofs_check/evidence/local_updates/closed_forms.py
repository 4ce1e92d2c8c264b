"""Closed forms: local SGD, its fixed points."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.local_updates.local_sgd import LocalSGD, LocalSGDState
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from proofs_check.evidence.synchronous.closed_forms import (
    REPLICAS,
    STEP,
    Build,
    D,
    one_hessian,
    uneven,
    variance,
)
from proofs_check.instruments.closed_forms import ClosedForms, mean_square_is, same
from proofs_check.instruments.erratum import erratum
from proofs_check.instruments.evidence import chi_square
from proofs_check.instruments.paths import models, path
from proofs_check.methods.faulty.methods import GradientAveragingLocalSGD
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep, InverseTimeStep, Stepsize

# Local SGD: where it stops, how far models spread, and their mean on a common Hessian.
#
# Without noise local GD with f_i(x) = a_i (x - b_i)^2 / 2 stops at sum w_i b_i / sum w_i with
# w_i = 1 - (1 - gamma a_i)^H. With noise of variance s^2, one Hessian a and q = 1 - gamma a the
# spread of local models after j local steps is (1 - 1/n) gamma^2 s^2 (1 - q^{2j}) / (1 - q^2), and
# their mean is BSP's model, path by path, whatever the period.


_GAMMA = 0.1
_LOCAL_SGD_STEP = ConstantStep(_GAMMA)


_LOCAL_SGD_FORMS = ClosedForms("local-sgd")


@_LOCAL_SGD_FORMS.case("closed form")
def local_fixed_point(
    build: Callable[[Stepsize, int], Method[Any]] = LocalSGD,
) -> Iterator[Verdict]:
    """a = (1, 4), b = (0, 1): 0.8 for H = 1, 0.64/0.83 for H = 2."""
    column = (torch.tensor([[1.0], [4.0]]).double(), torch.tensor([[0.0], [1.0]]).double())
    problem, a, b = Quadratic.from_arrays(*column), *(c.numpy()[:, 0] for c in column)
    for period in (1, 2, 5):
        w = 1 - (1 - _GAMMA * a) ** period
        trace = run(build(_LOCAL_SGD_STEP, period), problem, steps=100 * period, points=2)
        yield same(
            f"fixed point sum w_i b_i / sum w_i, w_i = 1-(1-gamma a_i)^H, H={period}",
            trace.model.item(), float((w * b).sum() / w.sum()), on=problem,
            words=f"no noise, {100 * period} steps; the optimum is 0.8",
        )  # fmt: skip


def local_spread(build: Build = lambda step: LocalSGD(step, 64)) -> tuple[Verdict, ...]:
    """(1/n) sum_i (x_i - xbar)^2 per coordinate after j = 1, 4, 16 local steps of 4 workers."""
    n, seed, steps = 4, 13, 16
    problem = one_hessian(n, 1.0)
    trace = run(build(STEP), problem, steps=steps, seed=seed, replicas=REPLICAS, points=100)
    verdicts = []
    for j in (1, 4, 16):
        dof = (n - 1) * D * REPLICAS
        measured = float(trace.consensus[:, j].mean()) / D
        verdicts.append(
            chi_square(
                "local-sgd",
                f"spread after {j} local steps = (1-1/n) g^2 s^2 (1-q^(2j)) / (1-q^2)",
                measured * dof,
                dof,
                (n - 1) * variance(n, j),
                check="closed form",
                problem=problem.name,
                provenance=f"seed {seed}, {REPLICAS} replicas of {D} coordinates",
            )
        )
    return tuple(verdicts)


@_LOCAL_SGD_FORMS.case("closed form")
def local_mean_is_bsp(
    build: Callable[[Stepsize, int], Method[Any]] = LocalSGD,
) -> Iterator[Verdict]:
    """The mean of the local models is BSP's model at every step, for H = 2, 4, 16."""
    problem, seed = uneven(4), 14
    right = models(BSP(STEP), problem, 32, seed=seed, replicas=4)
    for period in (2, 4, 16):
        yield same(
            f"mean of local models = BSP's model, path by path, H={period}",
            models(build(STEP, period), problem, 32, seed=seed, replicas=4), right, on=problem,
            words=f"seed {seed}, 4 replicas, 32 steps, equal draws",
        )  # fmt: skip


def local_gap(method: LocalSGD | GradientAveragingLocalSGD, b: tuple[float, float]) -> float:
    """|x_1 - x_2| after 40 steps from (0, 1), f_i(x) = (x - b_i)^2 / 2, averaging every 4."""
    column = torch.tensor(b, dtype=torch.float64)[:, None]
    problem = Quadratic.from_arrays(torch.ones_like(column), column)
    apart = torch.tensor([[[0.0], [1.0]]], dtype=torch.float64)
    *_, last = path(method, problem, 40, state=LocalSGDState(apart))
    return float((last.state.x[0, 0] - last.state.x[0, 1]).abs())


def e4() -> tuple[Verdict, ...]:
    """Eq. 9 never synchronises."""
    step = ConstantStep(0.1)
    right, wrong = LocalSGD(step, 4), GradientAveragingLocalSGD(step, 4)
    claim = "local SGD averages models: the workers agree after the 40th step; Eq. 9 never does so"
    return (
        erratum(
            "E4", "local-sgd", f"{claim} (one objective, gap 0.9^30)",
            (local_gap(right, (0, 0)), 0.0), (local_gap(wrong, (0, 0)), 0.0),
            f"0.9^30 = {0.9**30:.6g}",
        ),
        erratum(
            "E4", "local-sgd", f"{claim} (two objectives, gap 1)",
            (local_gap(right, (0, 1)), 0.0), (local_gap(wrong, (0, 1)), 0.0),
        ),
    )  # fmt: skip


def common_hessian() -> tuple[Verdict, ...]:
    """The spread between meetings, and the mean."""
    return (*local_spread(), *local_mean_is_bsp())


# Local SGD on quadratics: BSP's law for every period, and fixed points for any workers.
#
# With one Hessian for all, whatever the minimisers, the mean of the local models is BSP's model
# path by path, so it has BSP's law: with f_i(x) = a (x - b_i)^2 / 2 and noise of variance s^2, \bar
# x_T - b is Gaussian with mean q^T (x_0 - b) and variance \gamma^2 s^2 (1 - q^{2T}) / (n (1 -
# q^2)), q = 1 - \gamma a. With different Hessians local GD stops at \sum w_i b_i / \sum w_i, w_i =
# 1 - (1 - \gamma a_i)^H, near the mean of the b_i for large H.


LocalPointsBuild = Callable[[Stepsize, int], Method[Any]]

_D, _REPLICAS, _LOCAL_POINTS_SEED = 64, 32, 171

_A, _START, _LOCAL_POINTS_STEPS, _LOCAL_POINTS_N = 0.5, 2.0, 48, 5
_PERIODS = (1, 3, 7, 32, _LOCAL_POINTS_STEPS, _LOCAL_POINTS_STEPS + 1)


local_points = ClosedForms("local-sgd", name="local_points")
"""Closed forms of local-sgd."""


@local_points.case("closed form, law")
def law_of_bsp(build: LocalPointsBuild = LocalSGD) -> Iterator[Verdict]:
    """E (xbar_T - mean)^2 at T = 48, independent seeds for H = 1, 3, 7, 32, 48, 49; n = 5."""
    generator = torch.Generator().manual_seed(_LOCAL_POINTS_SEED)
    b = 3 * torch.randn(_LOCAL_POINTS_N, _D, generator=generator, dtype=torch.float64)
    a, x0 = torch.full_like(b, _A), torch.full((_D,), _START, dtype=torch.float64)
    problem = Quadratic.from_arrays(a, b, sigma2=float(_D), x0=x0)
    q = 1 - _GAMMA * _A
    mean = b.mean(0) + q**_LOCAL_POINTS_STEPS * (x0 - b.mean(0))
    variance = _GAMMA**2 * (1 - q ** (2 * _LOCAL_POINTS_STEPS)) / (_LOCAL_POINTS_N * (1 - q**2))
    for period in _PERIODS:
        trace = run(
            build(ConstantStep(_GAMMA), period),
            problem,
            steps=_LOCAL_POINTS_STEPS,
            seed=_LOCAL_POINTS_SEED + period,
            replicas=_REPLICAS,
            points=2,
        )
        yield mean_square_is(
            f"one Hessian, different minimisers: the mean model has BSP's law, H={period}",
            (trace.model - mean).numpy(), variance, on=problem,
            words=f"seed {_LOCAL_POINTS_SEED + period}, {_REPLICAS} replicas of "
            f"{_D} coordinates, "
            f"n={_LOCAL_POINTS_N}, {_LOCAL_POINTS_STEPS} steps, gamma {_GAMMA:g}",
        )  # fmt: skip


@local_points.case("closed form")
def path_of_bsp(build: LocalPointsBuild = LocalSGD) -> Iterator[Verdict]:
    """The mean of the local models is BSP's at every step while the stepsize falls, any H."""
    problem = Quadratic.strongly_convex(7, 16, L=2.0, mu=0.1, sigma2=3.0, zeta2=9.0, R2=4.0)
    step, seed, steps = InverseTimeStep(6.0, 12.0), _LOCAL_POINTS_SEED, 60
    right = models(BSP(step), problem, steps, seed=seed, replicas=8)
    for period in (2, 3, 11, 60, 61):
        yield same(
            f"mean of local models = BSP's model, path by path, gamma_t = 6/(12 + t), H={period}",
            models(build(step, period), problem, steps, seed=seed, replicas=8), right, on=problem,
            words=f"seed {seed}, 8 replicas, {steps} steps, n=7, zeta2=9, equal draws",
        )  # fmt: skip


@local_points.case("closed form")
def random_fixed_points(build: LocalPointsBuild = LocalSGD) -> Iterator[Verdict]:
    """64 random instances each of n = 2, 3, 8, 24 workers; H = 1, 2, 6, 25 and 2000."""
    for n in (2, 3, 8, 24):
        generator = np.random.default_rng(_LOCAL_POINTS_SEED + n)
        a, b = 0.2 + generator.random((n, _D)), generator.normal(size=(n, _D))
        problem = Quadratic.from_arrays(torch.from_numpy(a), torch.from_numpy(b))
        measured, due = [], []
        for period in (1, 2, 6, 25, 2000):
            steps = max(2000 // period, 1) * period
            trace = run(build(ConstantStep(_GAMMA), period), problem, steps=steps, points=2)
            w = 1 - (1 - _GAMMA * a) ** period
            measured.append(trace.model[0].numpy())
            due.append((w * b).sum(axis=0) / w.sum(axis=0))
        yield same(
            f"fixed points sum w_i b_i / sum w_i, w_i = 1-(1-gamma a_i)^H, n={n}",
            np.stack(measured), np.stack(due), on=problem,
            words=f"seed {_LOCAL_POINTS_SEED + n}, {_D} random instances, H = 1, 2, "
            f"6, 25, 2000, "
            f"2000 steps without noise, gamma {_GAMMA:g}",
        )  # fmt: skip


CLOSED_FORMS = (common_hessian, e4, local_fixed_point)

DEMONSTRATIONS = (("E4", e4),)

COVERS = {
    "common_hessian": ("local-sgd", "lupa-sgd", "post-local-sgd", "ri-sgd"),
    "e4": ("local-sgd", "lupa-sgd", "post-local-sgd", "ri-sgd"),
    "local_fixed_point": ("local-sgd", "lupa-sgd", "post-local-sgd", "ri-sgd"),
}
