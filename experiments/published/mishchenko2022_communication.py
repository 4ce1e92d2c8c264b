"""``rateproof figure mishchenko2022-communication``: meetings that ProxSkip needs, against p."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import torch

from algorithms.engine.run import run
from algorithms.methods.drift.scaffnew import Scaffnew
from algorithms.problems.quadratic import Quadratic
from experiments.figures.lines import DrawnLine
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import PublishedNumber, Reproduction, at_most, near
from experiments.published.figure import PublishedFigure, Request
from proofs_check.instruments.reaching import reached_at
from theory.arrays import Floats
from theory.claims import Confidence, Source
from theory.stepsizes import ConstantStep

_CONDITIONS = (25.0, 100.0, 400.0)
_DRAWN = 100.0
_SHARES = (1 / 4, 1 / 2, 1, 2, 4, 10)
"""p in parts of 1/sqrt(kappa)."""
_TARGET, _REPLICAS, _RECORDS = 1e-8, 16, 500


class GradientsAndMeetings(NamedTuple):
    """Gradients and meetings until ||x - x*||^2 has fallen to the target, means over runs.

    Attributes:
        gradients: steps, a gradient of every worker each.
        meetings: of these, those that ended in an average.
        over_bound: largest E||x - x*||^2 over the bound of Theorem 3.6.
    """

    gradients: float
    meetings: float
    over_bound: float


def _two_workers(kappa: float) -> Quadratic:
    """Curvatures (1, 1/kappa) and (1/2, 1/kappa), minimisers that differ in both coordinates."""
    a = torch.tensor([[1.0, 1 / kappa], [0.5, 1 / kappa]], dtype=torch.float64)
    b = torch.tensor([[1.0, 2.0], [-1.0, 1.0]], dtype=torch.float64)
    return Quadratic.from_arrays(a, b, name=f"two workers, kappa = {kappa:g}")


def _bound(problem: Quadratic, kappa: float, p: float, steps: Floats) -> Floats:
    r"""(1 - \min(\gamma\mu, p^2))^t \Psi_0 / n, gamma = 1/L = 1."""
    at_best = problem.full_gradient(problem.x_star.expand(1, 2, 2), torch.arange(2))
    first = float(problem.x_star.square().sum() + at_best.square().sum() / 2 / p**2)
    return np.asarray(first * (1 - min(1 / kappa, p**2)) ** steps)


def _until_target(kappa: float, p: float) -> GradientsAndMeetings:
    problem = _two_workers(kappa)
    most = int(12 * max(kappa, 1 / p**2))
    trace = run(
        Scaffnew(ConstantStep(1.0), p), problem, steps=most, replicas=_REPLICAS, points=_RECORDS
    )
    error = trace.squared_distance / trace.squared_distance[:, :1]
    at = reached_at(error, _TARGET)
    if (at < 0).any():
        return GradientsAndMeetings(math.inf, math.inf, math.inf)
    meetings = np.take_along_axis(trace.messages / 2, at[:, None], axis=1)  # one up, one down
    mean = trace.squared_distance.mean(0)
    seen = mean > 1e-20  # above rounding
    bound = _bound(problem, kappa, p, trace.steps.astype(np.float64))
    return GradientsAndMeetings(
        float(trace.steps[at].mean()), float(meetings.mean()), float((mean / bound)[seen].max())
    )


def _exponent(values: list[float]) -> float:
    """Of kappa, between the least and the largest."""
    return math.log(values[-1] / values[0]) / math.log(_CONDITIONS[-1] / _CONDITIONS[0])


def measure(_: Request) -> Reproduction:
    """Meetings and gradients to the target by p, and how both grow with kappa."""
    rare = [_until_target(kappa, 1 / math.sqrt(kappa)) for kappa in _CONDITIONS]
    always = [_until_target(kappa, 1.0) for kappa in _CONDITIONS]
    shares = np.array([min(1.0, share / math.sqrt(_DRAWN)) for share in _SHARES])
    swept = [_until_target(_DRAWN, float(p)) for p in shares]
    meetings = np.array([one.meetings for one in swept])
    order: dict[str, Any] = {"confidence": Confidence.CERTAIN, "unit": "exponent of kappa"}
    numbers: tuple[PublishedNumber, ...] = (
        near("meetings at p = 1/sqrt(kappa)", 0.5, _exponent([one.meetings for one in rare]),
             absolute=0.1, source="abstract: O(sqrt(kappa) log 1/eps)", **order),
        near("gradients at p = 1/sqrt(kappa)", 1.0, _exponent([one.gradients for one in rare]),
             absolute=0.1, source="abstract: O(kappa log 1/eps)", **order),
        near("meetings at p = 1, gradient descent", 1.0,
             _exponent([one.meetings for one in always]), absolute=0.1, **order),
        at_most("largest E||x - x*||^2 over (1 - min(gamma mu, p^2))^t Psi_0/n, all p", 1.0,
                max(one.over_bound for one in swept), source="Theorem 3.6",
                confidence=Confidence.CERTAIN, unit="ratio"),
        at_most(f"p of fewest meetings, kappa = {_DRAWN:g}: factor from 1/sqrt(kappa)", 2.0,
                math.exp(abs(math.log(shares[meetings.argmin()] * math.sqrt(_DRAWN)))),
                unit="factor"),
    )  # fmt: skip
    gradients = np.array([one.gradients for one in swept])
    panel = CurvePanel(
        f"$\\kappa = {_DRAWN:g}$, $||x - x^*||^2$ to $10^{{-8}}$", "probability $p$ of a meeting",
        "until there", (DrawnLine("meetings", shares, meetings),
                        DrawnLine("gradients", shares, gradients)),
        (DrawnLine("gradients times p", shares, gradients * shares),),
    )  # fmt: skip
    return Reproduction(numbers, (panel,))


FIGURE = PublishedFigure(
    "mishchenko2022-communication",
    "ProxSkip: sqrt(kappa) meetings in the place of kappa, for as many gradients",
    Source("Mishchenko, Malinovsky, Stich, Richtarik", 2022, "2202.09357", "Theorem 3.6"),
    "at p = 1/sqrt(kappa) meetings grow as sqrt(kappa) and gradients as kappa, at p = 1 meetings "
    "as kappa; the theorem's bound holds at every p, and 1/sqrt(kappa) is the best p within "
    "a factor of 2",
    measure,
)
