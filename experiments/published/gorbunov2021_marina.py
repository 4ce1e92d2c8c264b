"""``rateproof figure gorbunov2021-marina``: rounds of MARINA and DIANA, each at its theory's
stepsize."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import torch

from algorithms.compressors.rand_k import RandK
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.variance_reduced.diana import Diana
from algorithms.methods.variance_reduced.marina import Marina
from algorithms.problems.base import Problem
from algorithms.problems.logistic_data import breast_cancer
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.regularisers import BoundedNonconvex
from experiments.figures.lines import DrawnLine
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import Reproduction, at_most, near
from experiments.published.figure import PublishedFigure, Request
from proofs_check.figure_runs.trace import gaussian
from proofs_check.instruments.reaching import reached_at
from theory.claims import Confidence, Source
from theory.stepsizes import ConstantStep
from theory.theorems.diana_nonconvex import diana_nonconvex
from theory.theorems.marina import marina

_N, _D, _KEPT = 5, 96, (1, 2, 4)
"""Workers, as in the paper; coordinates, and how many of them are sent."""
_TARGET, _REPLICAS, _RECORDS = 1e-2, 4, 150
_MOST = 6_000
_MARINA = Marina


class RoundsAndBits(NamedTuple):
    """What a method needs until the squared gradient is a hundredth of the first.

    Attributes:
        rounds: steps.
        bits: sent by a worker.
    """

    rounds: float
    bits: float


def _methods(problem: Problem, k: int) -> dict[str, Method[Any]]:
    """Both with rand-k, at the largest stepsizes of their theorems."""
    Q = RandK(k)
    first = marina.limit(_MARINA(ConstantStep(1.0), Q).constants(problem).completed())
    second = diana_nonconvex.limit(Diana(ConstantStep(1.0), Q).constants(problem))
    return {"MARINA": _MARINA(ConstantStep(first), Q), "DIANA": Diana(ConstantStep(second), Q)}


def _needed(method: Method[Any], problem: Problem, most: int) -> tuple[RoundsAndBits, DrawnLine]:
    trace = run(method, problem, steps=most, replicas=_REPLICAS, points=_RECORDS)
    error = trace.squared_gradient.mean(0)
    error = error / error[0]
    at = int(reached_at(error, _TARGET))
    rounds = float(trace.steps[at]) if at >= 0 else math.inf
    line = DrawnLine(method.name, trace.steps.astype(float), error)
    return RoundsAndBits(rounds, float(trace.sent_bits[:, at].mean())), line


def _consensus() -> Quadratic:
    """||x - b_i||^2 / 2 in R^96."""
    rows = gaussian(_N * _D).view(_N, _D)
    return Quadratic.from_arrays(torch.ones_like(rows), rows, name="consensus")


def _exponent(rounds: list[float]) -> float:
    """Of omega = d/k - 1, least squares."""
    omegas = [_D / k - 1 for k in _KEPT]
    return float(np.polyfit(np.log(omegas), np.log(rounds), 1)[0])


def measure(_: Request) -> Reproduction:
    """Growth with omega on quadratics; rounds and bits on a non-convex loss of real data."""
    plain = _consensus()
    rounds: dict[str, list[float]] = {"MARINA": [], "DIANA": []}
    for k in _KEPT:
        most = int(10 * (_D / k) ** 1.5)
        for name, method in _methods(plain, k).items():
            rounds[name].append(_needed(method, plain, most)[0].rounds)
    certain: dict[str, Any] = {
        "confidence": Confidence.CERTAIN,
        "source": "Table 1",
        "unit": "exponent of omega",
    }
    numbers = [
        near(f"{name}: rounds to a hundredth of the squared gradient, k = 4, 2, 1 of {_D}", power,
             _exponent(rounds[name]), absolute=0.15, **certain)
        for name, power in (("MARINA", 1.0), ("DIANA", 1.5))
    ]  # fmt: skip
    data = breast_cancer(_N, BoundedNonconvex(0.1))
    lines = []
    for k in (1, 5, 10):
        found = {}
        for name, method in _methods(data, k).items():
            found[name], line = _needed(method, data, _MOST // k)
            lines.append(line)
        for unit, mine, other in zip(
            RoundsAndBits._fields, found["MARINA"], found["DIANA"], strict=True
        ):
            numbers.append(
                at_most(f"breast cancer, k = {k}: {unit} of MARINA, of DIANA's", 1.0, mine / other,
                        source="Figure 1", unit="ratio")
            )  # fmt: skip
    panel = CurvePanel(
        f"breast cancer, non-convex, {_N} workers", "rounds", "$||\\nabla f||^2$, of the first",
        tuple(lines), scales=("linear", "log"),
    )  # fmt: skip
    return Reproduction(tuple(numbers), (panel,))


FIGURE = PublishedFigure(
    "gorbunov2021-marina",
    "MARINA: rounds that grow as omega, where DIANA's grow as omega^(3/2)",
    Source("Gorbunov, Burlachenko, Li, Richtarik", 2021, "2102.07845", "Table 1, Figure 1"),
    "at the stepsizes of their theorems rounds grow with omega by exponents 1 and 3/2, and on a "
    "non-convex loss of real data MARINA needs fewer rounds and bits at every k",
    measure,
)
