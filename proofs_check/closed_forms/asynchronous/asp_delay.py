r"""Delayed gradient descent: which stepsizes keep it stable.

x_{t+1} = x_t - gamma a x_{t-tau} is stable iff gamma a < 2 sin(pi / (2 (2 tau + 1))).
ASP with equal constant compute times serves n = tau + 1 workers in turn, so every gradient is tau
updates old. Coordinates of a quadratic with different curvatures a_j are independent recursions:
one run tries 64 values of gamma a, and the bracket of the threshold shrinks 63-fold per run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from algorithms.methods.base import Method
from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.compute_times import Constant
from proofs_check.instruments.paths import models
from proofs_check.verdict import Outcome, Verdict
from theory.rules import stability
from theory.stepsizes import ConstantStep

COVERS = ("asp",)

Build = Callable[[ParameterServer], Method[Any]]

RELATIVE = 1e-3
_GRID = 64
_ROUNDS = (60, 400, 1200)  # ticks per round of the search, in which the bracket shrinks


def grows(build: Build, tau: int, products: Tensor, ticks: int) -> Tensor:
    """Whether |x| grows, for every product gamma a ``[d]``, over the last half of ``ticks``."""
    n, d = tau + 1, len(products)
    a = products.expand(n, d).clone()
    problem = Quadratic.from_arrays(a, torch.zeros_like(a), x0=torch.ones(d, dtype=torch.float64))
    method = build(ParameterServer(ConstantStep(1.0), ticks, Constant(), replicas=1))
    x = models(method, problem, ticks)[:, 0]
    window = ticks // 4
    early, late = x[-2 * window : -window], x[-window:]
    return late.square().mean(0) > early.square().mean(0)


def threshold(build: Build, tau: int) -> tuple[float, float]:
    """A bracket of the smallest unstable gamma a, in (0, 2.5]."""
    low, high = 0.0, 2.5
    for ticks in _ROUNDS:
        products = torch.linspace(low, high, _GRID, dtype=torch.float64)
        unstable = grows(build, tau, products[1:-1], ticks * (1 + tau // 4)).tolist()
        first = 1 + next((j for j, bad in enumerate(unstable) if bad), len(unstable))
        low, high = float(products[first - 1]), float(products[first])
        if high - low < RELATIVE / 4 * low:
            break
    return low, high


def delay_threshold(build: Build = lambda asp: asp, tau: int = 2) -> Verdict:
    """The measured threshold against the formula, to 1e-3 relative."""
    low, high = threshold(build, tau)
    formula = stability.delay_threshold(tau)
    measured = (low + high) / 2
    half = (high - low) / 2
    close = abs(measured - formula) <= RELATIVE * formula
    return Verdict(
        subject="asp",
        problem="quadratic",
        claim=f"constant delay {tau}: stable iff gamma a < 2 sin(pi/(2(2 tau+1)))",
        check="closed form",
        outcome=Outcome.SUPPORTED if close else Outcome.REFUTED,
        statistic=measured,
        bound=formula,
        uncertainty=half,
        resolution=RELATIVE * formula,
        evidence=f"threshold between {low:.7g} and {high:.7g}, formula {formula:.7g}",
        provenance=f"{tau + 1} workers with equal compute times, 64 curvatures a run, no noise",
    )


def delays() -> tuple[Verdict, ...]:
    """Largest stable gamma a at delays tau = 0, 1, 2, 3, 5, 10."""
    return tuple(delay_threshold(tau=tau) for tau in (0, 1, 2, 3, 5, 10))


CLOSED_FORMS = (delays,)
