"""Local SGD: where it stops, how far models spread, and their mean on a common Hessian.

Without noise local GD with f_i(x) = a_i (x - b_i)^2 / 2 stops at sum w_i b_i / sum w_i with
w_i = 1 - (1 - gamma a_i)^H. With noise of variance s^2, one Hessian a and q = 1 - gamma a the
spread of local models after j local steps is (1 - 1/n) gamma^2 s^2 (1 - q^{2j}) / (1 - q^2), and
their mean is BSP's model, path by path, whatever the period.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.local_updates.local_sgd import LocalSGD, LocalSGDState
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from proofs_check.closed_forms.erratum import erratum
from proofs_check.closed_forms.synchronous.noisy_quadratic import (
    REPLICAS,
    STEP,
    Build,
    D,
    one_hessian,
    uneven,
    variance,
)
from proofs_check.instruments.evidence import chi_square, identity
from proofs_check.instruments.paths import models, path
from proofs_check.methods.faulty.methods import GradientAveragingLocalSGD
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep, Stepsize

_GAMMA = 0.1
_STEP = ConstantStep(_GAMMA)


def local_fixed_point(
    build: Callable[[Stepsize, int], Method[Any]] = LocalSGD,
) -> tuple[Verdict, ...]:
    """a = (1, 4), b = (0, 1): 0.8 for H = 1, 0.64/0.83 for H = 2."""
    column = (torch.tensor([[1.0], [4.0]]).double(), torch.tensor([[0.0], [1.0]]).double())
    problem, a, b = Quadratic.from_arrays(*column), *(c.numpy()[:, 0] for c in column)
    verdicts = []
    for period in (1, 2, 5):
        w = 1 - (1 - _GAMMA * a) ** period
        trace = run(build(_STEP, period), problem, steps=100 * period, points=2)
        verdicts.append(
            identity(
                "local-sgd",
                f"fixed point sum w_i b_i / sum w_i, w_i = 1-(1-gamma a_i)^H, H={period}",
                trace.model.item(),
                float((w * b).sum() / w.sum()),
                check="closed form",
                problem=problem.name,
                provenance=f"no noise, {100 * period} steps; the optimum is 0.8",
            )
        )
    return tuple(verdicts)


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


def local_mean_is_bsp(
    build: Callable[[Stepsize, int], Method[Any]] = LocalSGD,
) -> tuple[Verdict, ...]:
    """The mean of the local models is BSP's model at every step, for H = 2, 4, 16."""
    problem, seed = uneven(4), 14
    right = models(BSP(STEP), problem, 32, seed=seed, replicas=4)
    return tuple(
        identity(
            "local-sgd",
            f"mean of local models = BSP's model, path by path, H={period}",
            models(build(STEP, period), problem, 32, seed=seed, replicas=4),
            right,
            check="closed form",
            problem=problem.name,
            provenance=f"seed {seed}, 4 replicas, 32 steps, equal draws",
        )
        for period in (2, 4, 16)
    )


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


CLOSED_FORMS = (common_hessian, e4, local_fixed_point)
DEMONSTRATIONS = (("E4", e4),)
