"""The data of our problems as numpy loops read them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from torch import Tensor

from algorithms.problems.base import Problem
from algorithms.problems.least_squares import LeastSquares
from algorithms.problems.logistic import Logistic
from algorithms.problems.mlp import MLP
from algorithms.problems.quadratic import Quadratic
from benchmarks.programs.loops.objectives import (
    Array,
    LogisticData,
    Objective,
    PerceptronData,
    QuadraticData,
    SquaresData,
)


def objective(problem: Problem, gamma: float) -> Objective | None:
    """The problem in numpy for loops that take stepsizes ``gamma``, None where no loop knows its
    kind."""
    read = _READERS.get(type(problem))
    return None if read is None else read(problem, gamma)


def _common(problem: Problem, gamma: float, smooth: float | None) -> dict[str, Any]:
    return {
        "n": problem.n,
        "start": _array(problem.start()),
        "gamma": gamma,
        "smooth": 10.0 if smooth is None else smooth,  # what is taken where nothing is stated
        "shapes": problem.shapes,
    }


def _array(tensor: Tensor) -> Array:
    found: Array = tensor.contiguous().numpy()
    return found


def _logistic(problem: Logistic, gamma: float) -> Objective:
    r = problem.regulariser
    smooth = r.curvature if r.convex else problem.constants().L_max  # Newton's steps ask for none
    return LogisticData(
        _array(problem.rows), r.lam, not r.convex, problem.batch, **_common(problem, gamma, smooth)
    )


def _quadratic(problem: Quadratic, gamma: float) -> Objective:
    deviation = (problem.sigma2 / problem.d) ** 0.5
    smooth = float(problem.a.max())
    return QuadraticData(
        _array(problem.a), _array(problem.c), deviation, **_common(problem, gamma, smooth)
    )


def _squares(problem: LeastSquares, gamma: float) -> Objective:
    counts = problem.counts.tolist()
    features = [np.ascontiguousarray(a[:k]) for a, k in zip(problem.features, counts, strict=True)]
    targets = [np.ascontiguousarray(y[:k]) for y, k in zip(problem.targets, counts, strict=True)]
    return SquaresData(features, targets, **_common(problem, gamma, max(problem.smoothness)))


def _perceptron(problem: MLP, gamma: float) -> Objective:
    features, labels = _array(problem.features), _array(problem.labels)
    return PerceptronData(features, labels, problem.batch, **_common(problem, gamma, None))


_READERS: dict[type[Problem], Callable[[Any, float], Objective]] = {
    Logistic: _logistic,
    Quadratic: _quadratic,
    LeastSquares: _squares,
    MLP: _perceptron,
}
