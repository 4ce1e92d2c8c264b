"""``rateproof figure vogels2021-relay``: a chain slows it by its length, gossip by its gap."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from algorithms.engine.run import Diverged, run
from algorithms.methods.base import Method
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_tracking.gradient_tracking import GradientTracking, StepOrder
from algorithms.methods.gossip_tracking.relay_sgd import RelaySGD
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.path import Path
from experiments.figures.lines import DrawnLine
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import Reproduction, at_least, at_most, near
from experiments.published.figure import PublishedFigure, Request
from proofs_check.figure_runs.trace import gaussian
from proofs_check.instruments.paths import path
from proofs_check.instruments.reaching import reached_at
from theory.claims import Confidence, Source
from theory.stepsizes import ConstantStep

_SIZES, _D, _TARGET = (6, 12, 24), 4, 1e-6
_RECORDS = 150
_METHOD = RelaySGD
_GRIDS = {"RelaySGD": (1.9, 1.6, 1.1, 0.8),
          "gradient tracking": tuple(2.0**-k for k in range(1, 9))}  # fmt: skip


def _workers(n: int) -> Quadratic:
    """Curvatures from 1 down to 1/4, Gaussian minimisers of every worker's own, no noise."""
    b = gaussian(n * _D).view(n, _D)
    a = torch.linspace(1.0, 0.25, _D, dtype=torch.float64).expand_as(b)
    return Quadratic.from_arrays(a, b, name="quadratics on a chain")


def _relay(gamma: float, n: int) -> Method[Any]:
    return _METHOD(ConstantStep(gamma), Path(n))


def _tracking(gamma: float, n: int) -> Method[Any]:
    return GradientTracking(ConstantStep(gamma), Path(n), StepOrder.COMBINE_FIRST)


def _apart(n: int, gamma: float, steps: int) -> float:
    """Largest distance of a model from the mean of all workers' y, each as late as it is far."""
    problem = _workers(n)
    workers = torch.arange(n)
    x = [moment.state.x[0] for moment in path(_relay(gamma, n), problem, steps)]
    y = [one - gamma * problem.full_gradient(one[None], workers)[0] for one in x[:-1]]
    late = ((workers[:, None] - workers).abs() - 1).clamp_min(0)
    found = 0.0
    for t in range(steps):
        heard = torch.stack([
            torch.stack([y[t - s][j] if t >= s else x[0][j] for j, s in enumerate(row.tolist())])
            for row in late
        ])  # fmt: skip
        found = max(found, float((x[t + 1] - heard.mean(1)).abs().max()))
    return found


def _steps(made: Any, n: int, most: int, grid: tuple[float, ...]) -> float:
    """Fewest steps until (1/n) sum_i ||x_i - x*||^2 is the target's share of the first, by the
    best of the grid's stepsizes."""
    problem, best = _workers(n), math.inf
    for gamma in grid:
        try:
            trace = run(made(gamma, n), problem, steps=most, points=_RECORDS)
        except Diverged:
            continue
        error = (trace.squared_distance + trace.consensus)[0]
        at = int(reached_at(error / error[0], _TARGET))
        best = min(best, float(trace.steps[at]) if at >= 0 else math.inf)
    return best


def measure(_: Request) -> Reproduction:
    """The mechanism; exactness on workers that differ; steps by the chain's length."""
    n = _SIZES[1]
    made = {"RelaySGD": _relay, "gradient tracking": _tracking}
    counts = {
        "RelaySGD": [_steps(_relay, n, 16 * n, _GRIDS["RelaySGD"]) for n in _SIZES],
        "gradient tracking": [
            _steps(_tracking, n, 14 * n * n, _GRIDS["gradient tracking"]) for n in _SIZES
        ],
    }
    powers = {
        name: float(np.polyfit(np.log(_SIZES), np.log(found), 1)[0])
        for name, found in counts.items()
    }
    gamma = 0.5
    ends = {
        name: run(method, _workers(n), steps=100 * n, points=200)
        for name, method in (("RelaySGD", _relay(gamma, n)),
                             ("D-PSGD", DPSGD(ConstantStep(gamma), Path(n))))
    }  # fmt: skip
    curves = {name: (one.squared_distance + one.consensus)[0] for name, one in ends.items()}
    numbers = (
        at_most(f"chain of {n}: largest distance from (1/n) sum_j y_j, delayed by distance", 1e-12,
                _apart(n, gamma, 2 * n), source="RelaySum, Section 3",
                confidence=Confidence.CERTAIN, unit="x"),
        at_most("RelaySGD: mean ||x_i - x*||^2 in the end", 1e-20, float(curves["RelaySGD"][-1]),
                source="Theorem 1: no heterogeneity", confidence=Confidence.CERTAIN,
                unit="squared distance"),
        at_least("D-PSGD at that stepsize", 1e-3, float(curves["D-PSGD"][-1]),
                 unit="squared distance"),
        near("RelaySGD: steps to 1e-6, tuned", 1.0, powers["RelaySGD"], absolute=0.25,
             source="Theorem 1: tau_max, the diameter", confidence=Confidence.CERTAIN,
             unit="exponent of n"),
        near("gradient tracking: steps to 1e-6, tuned", 2.0, powers["gradient tracking"],
             absolute=0.25, source="1/gap of a chain", confidence=Confidence.CERTAIN,
             unit="exponent of n"),
    )  # fmt: skip
    panels = (
        CurvePanel(f"chain of {n}, stepsize {gamma:g}", "steps", "mean $||x_i - x^*||^2$",
                   tuple(DrawnLine(k, ends[k].steps.astype(float), np.maximum(c, 1e-32))
                         for k, c in curves.items()), scales=("linear", "log")),
        CurvePanel("tuned", "workers on the chain", "steps to $10^{-6}$",
                   tuple(DrawnLine(name, np.array(_SIZES, float), np.array(counts[name]))
                         for name in made), scales=("log", "log")),
    )  # fmt: skip
    return Reproduction(numbers, panels, columns=2)


FIGURE = PublishedFigure(
    "vogels2021-relay",
    "RelaySGD on a chain: every model reaches everyone once, later by the distance",
    Source("Vogels et al.", 2021, "2110.04175", "Section 3, Theorem 1"),
    "models are the mean of delayed ones to rounding, no error is left on workers that differ, and "
    "tuned steps grow as the chain's length, those of gradient tracking as its square",
    measure,
)
