"""``rateproof figure shi2014-extra``: EXTRA's linear rate beside the floor of gossip descent."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from algorithms.core.key import Key
from algorithms.engine.run import Diverged, run
from algorithms.engine.trace import Trace
from algorithms.methods.base import Method
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_tracking.corrected import EXTRA, CorrectedGossip
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.base import Topology
from algorithms.topologies.ring import Ring
from experiments.figures.lines import DrawnLine
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import Reproduction, at_least, at_most, near
from experiments.published.figure import PublishedFigure, Request
from theory.arrays import Floats
from theory.claims import Confidence, Source
from theory.stepsizes import ConstantStep

_N, _D, _STEPS, _RECORDS = 10, 5, 1200, 300
_FORM = EXTRA


def _least_squares() -> Quadratic:
    """Ten workers with curvatures from (1/2, 1) and minimisers that differ: L <= 1, no noise."""
    draws = Key.seed(14).fold("least squares").draws(torch.tensor(0), torch.arange(_N))
    a = 0.5 + 0.5 * draws.uniform(_D, torch.float64)
    b = draws.fold("minimisers").normal(_D, torch.float64)
    return Quadratic.from_arrays(a, b, name="least squares of ten workers")


def _extra(gamma: float, topology: Topology) -> Method[Any]:
    return CorrectedGossip(ConstantStep(gamma), topology, _FORM)


def _predicted(problem: Quadratic, w: Floats, gamma: float) -> float:
    """Largest modulus below 1 of the eigenvalues of X'' = (I + W) X' - (I + W)/2 X - gamma A (X' -
    X), coordinate by coordinate, as -log of the factor of an error in one step."""
    found = 0.0
    for j in range(_D):
        a, one = np.diag(problem.a[:, j].numpy()), np.eye(_N)
        step = np.block([[one + w - gamma * a, -(one + w) / 2 + gamma * a],
                         [one, np.zeros((_N, _N))]])  # fmt: skip
        moduli = np.sort(np.abs(np.linalg.eigvals(step)))
        found = max(found, float(moduli[-2]))  # the largest is that of adding one vector to all
    return -float(np.log(found))


def _error(trace: Trace) -> Floats:
    """(1/n) sum_i ||x_i - x*||^2 by records."""
    error: Floats = trace.squared_distance[0] + trace.consensus[0]
    return error


def _floor(problem: Quadratic, w: Floats, gamma: float) -> float:
    """(1/n) sum_i ||x_i - x*||^2 at the fixed point of X = W X - gamma (A X - C)."""
    total = 0.0
    for j in range(_D):
        a, c = problem.a[:, j].numpy(), problem.c[:, j].numpy()
        x = np.linalg.solve(np.eye(_N) - w + gamma * np.diag(a), gamma * c)
        total += float(((x - float(problem.x_star[j])) ** 2).mean())
    return total


def _rate(error: Floats, steps: Floats) -> float:
    """-log of the factor of the error, not squared, in one step, from 1e-12 to 1e-22 of the first:
    a fit, as the error oscillates."""
    part = (error < 1e-12 * error[0]) & (error > 1e-22 * error[0])
    if part.sum() < 2:
        return 0.0
    return -float(np.polyfit(steps[part], np.log(error[part]), 1)[0]) / 2


def measure(_: Request) -> Reproduction:
    """Errors of EXTRA and of gossip descent on a ring of ten, at three stepsizes."""
    problem, ring = _least_squares(), Ring(_N)
    w = ring.matrix(0)
    least = float(np.linalg.eigvalsh(w)[0])
    lines, numbers, floors = [], [], []
    for gamma in (0.1, 0.2, 0.4):
        descent = run(DPSGD(ConstantStep(gamma), ring), problem, steps=_STEPS, points=_RECORDS // 3)
        floors.append(float(_error(descent)[-1]))
        lines.append(DrawnLine(f"DGD, {gamma:g}", descent.steps.astype(float), _error(descent)))
        numbers.append(
            near(f"DGD, stepsize {gamma:g}: floor, by its fixed point", _floor(problem, w, gamma),
                 floors[-1], relative=1e-6, confidence=Confidence.DERIVED, unit="squared distance")
        )  # fmt: skip
        trace = run(_extra(gamma, ring), problem, steps=_STEPS, points=_RECORDS)
        error, steps = _error(trace), trace.steps.astype(float)
        lines.append(DrawnLine(f"EXTRA, {gamma:g}", steps, np.maximum(error, 1e-32)))
        numbers += [
            at_most(f"EXTRA, stepsize {gamma:g}: error at the end", 1e-20, float(error[-1]),
                    source="Theorem 3.7: exact, linear", confidence=Confidence.CERTAIN,
                    unit="squared distance"),
            near(f"EXTRA, stepsize {gamma:g}: linear rate, by its recursion's eigenvalues",
                 _predicted(problem, w, gamma), _rate(error, steps), relative=0.1,
                 confidence=Confidence.DERIVED, unit="-log of the factor a step"),
        ]  # fmt: skip
    numbers.append(
        at_least("DGD: floor at stepsize 0.2 over that at 0.1", 2.0, floors[1] / floors[0],
                 source="Section 1: a neighbourhood of O(stepsize)", unit="ratio")
    )  # fmt: skip
    longest = 1 + least  # 2 lambda_min((I + W)/2) / L
    numbers.append(
        at_most(f"EXTRA, stepsize {0.999 * longest:.4g} < 2 lambda_min((I + W)/2)/L: error", 1e-20,
                _end(_extra(0.999 * longest, ring), problem), source="Theorem 3.3",
                confidence=Confidence.CERTAIN, unit="squared distance")
    )  # fmt: skip
    panel = CurvePanel("ring of ten", "steps", "mean $||x_i - x^*||^2$", tuple(lines),
                       scales=("linear", "log"), limits=(1e-33, 1e1))  # fmt: skip
    return Reproduction(tuple(numbers), (panel,))


def _end(method: Method[Any], problem: Quadratic) -> float:
    """Error at the end of a run, infinite if it has none."""
    try:
        return float(_error(run(method, problem, steps=_STEPS, points=2))[-1])
    except Diverged:
        return float("inf")


FIGURE = PublishedFigure(
    "shi2014-extra",
    "EXTRA: exact and linear at a constant stepsize, where gossip descent keeps a floor",
    Source("Shi, Ling, Wu, Yin", 2014, "1404.6264", "Theorems 3.3 and 3.7, Section 4.1"),
    "at every stepsize EXTRA's error vanishes at the rate of its recursion's eigenvalues, DGD's "
    "stays at the floor of its fixed point, which grows with the stepsize, and EXTRA converges up "
    "to 2 lambda_min((I + W)/2)/L",
    measure,
)
