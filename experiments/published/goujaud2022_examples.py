"""``rateproof figure goujaud2022-examples``: worst cases that PEPit certifies, attained by runs."""

from __future__ import annotations

from typing import Any

import torch

from algorithms.compressors.rand_k import RandK
from algorithms.engine.run import run
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from experiments.figures.reproduction import Reproduction, at_most, near
from experiments.published.figure import PublishedFigure, Request
from proofs_check.figure_runs.trace import MeasuredMean
from theory.claims import Confidence, Source
from theory.stepsizes import ConstantStep

_MU, _L, _EPS = 0.1, 1.0, 0.1
_PRINTED = 1e-4  # the solver's own accuracy


def measure(_: Request) -> Reproduction:
    """Worst ratios over quadratics of gradient descent, inexact and by coordinates."""
    closed: dict[str, Any] = {"source": "closed form", "confidence": Confidence.CERTAIN}
    low, high = (1 - _EPS) * _MU, (1 + _EPS) * _L
    inexact = ((high - low) / (high + low)) ** 4
    descent = _worst(3.0, 4, 1 / 3)
    step = 2 / (high + low)
    wrong = max(_inexact(a, sign, step) for a in (_MU, _L) for sign in (-1, 1))
    coordinates = _coordinates()
    numbers = (
        near("GD convex, L = 3, n = 4: L/(4 n L gamma + 2)", 0.166666, 3 / (4 * 4 * 3 / 3 + 2),
             absolute=_PRINTED),
        at_most("... worst quadratic found", 0.166666, descent),
        near("inexact GD, eps = 0.1, n = 2: PEPit's value", 0.518935, inexact, absolute=_PRINTED),
        near("... attained: f - f* of the first, by a quadratic", inexact, wrong, relative=1e-9,
             **closed),
        near("non-convex GD, min ||grad f||^2, n = 5: 4/(3 n)", 0.266663, 4 / (3 * 5),
             absolute=_PRINTED),
        near("SGD, overparametrised, one step: (1 - mu gamma)^2", 0.81,
             _contraction(_MU, 1.0), absolute=1e-12),
        near("random coordinate descent, d = 2", 0.834711, coordinates, relative=0.02),
    )  # fmt: skip
    note = (
        "PEPit is not installed with the project: its published values are compared with closed "
        "forms and with runs on the quadratics that attain them"
    )
    return Reproduction(numbers, (), (note,))


def _run(a: float, d: int = 1) -> Quadratic:
    curvature = torch.full((1, d), a, dtype=torch.float64)
    return Quadratic.from_arrays(curvature, 0 * curvature, x0=torch.ones(d, dtype=torch.float64))


def _worst(L: float, steps: int, gamma: float) -> float:
    """Largest (f(x_n) - f*)/||x_0 - x*||^2 over curvatures up to L."""
    found = 0.0
    for k in range(1, 101):
        problem = _run(L * k / 100)
        trace = run(BSP(ConstantStep(gamma)), problem, steps=steps, points=2)
        found = max(found, float(trace.suboptimality[0, -1]))
    return found


def _inexact(a: float, sign: int, gamma: float) -> float:
    """(f(x_2) - f*)/(f(x_0) - f*) with gradients (1 + sign eps) too long throughout."""
    problem = _run(a)
    trace = run(BSP(ConstantStep(gamma * (1 + sign * _EPS))), problem, steps=2, points=3)
    return float(trace.suboptimality[0, -1] / trace.suboptimality[0, 0])


def _contraction(a: float, gamma: float) -> float:
    trace = run(BSP(ConstantStep(gamma)), _run(a), steps=1, points=2)
    return float(trace.squared_distance[0, -1] / trace.squared_distance[0, 0])


def _coordinates() -> MeasuredMean:
    """E||x_1 - x*||^2/||x_0 - x*||^2 with one of two coordinates at gamma = 2/(mu + L)."""
    curvature = torch.tensor([[_MU, _MU]], dtype=torch.float64)
    problem = Quadratic.from_arrays(curvature, 0 * curvature, x0=torch.ones(2, dtype=torch.float64))
    method = BSP(ConstantStep(2 / (_MU + _L)), RandK(1, scaled=False))
    trace = run(method, problem, steps=1, replicas=64, points=2)
    return MeasuredMean.from_samples(trace.squared_distance[:, -1] / trace.squared_distance[:, 0])


FIGURE = PublishedFigure(
    "goujaud2022-examples",
    "Exact worst cases of gradient methods: PEPit's values, closed forms and runs",
    Source("Goujaud et al.", 2022, "2201.04040", "examples"),
    "closed forms give PEPit's values, the quadratics that attain them reach them, and none "
    "exceeds them",
    measure,
)
