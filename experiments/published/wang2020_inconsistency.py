"""``rateproof figure wang2020-inconsistency``: unequal local steps, FedAvg and FedNova."""

from __future__ import annotations

import numpy as np
import torch

from algorithms.engine.run import run
from algorithms.methods.drift.fednova import FedNova
from algorithms.problems.quadratic import Quadratic
from experiments.figures.lines import DrawnLine
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import PublishedNumber, Reproduction, near
from experiments.published.figure import PublishedFigure, Request
from proofs_check.figure_runs.trace import gaussian
from theory.claims import Confidence, Source
from theory.stepsizes import ConstantStep

_N, _D = 30, 10
_LOCAL = tuple(1 + 19 * i // (_N - 1) for i in range(_N))
"""tau_i: from 1 to 20 local steps."""
_STEPS = (1e-2, 1e-3)
_TIME = 12.0  # eta times local steps of the mean worker: e^-12 of the start is left
_METHOD = FedNova


def _points() -> Quadratic:
    """f_i = ||x - e_i||^2 / 2 with Gaussian e_i, as in the paper's Section 3."""
    e = gaussian(_N * _D).view(_N, _D)
    return Quadratic.from_arrays(torch.ones_like(e), e, name="||x - e_i||^2 / 2")


def measure(_: Request) -> Reproduction:
    """Where both end, as the local stepsize falls, beside the paper's limits."""
    problem = _points()
    rows = problem.c
    taus = torch.tensor(_LOCAL, dtype=torch.float64)
    weighted = (taus[:, None] * rows).sum(0) / taus.sum()
    apart = float((weighted - problem.x_star).norm())
    numbers: list[PublishedNumber] = []
    lines = []
    for normalised, name, limit in (
        (False, "FedAvg", weighted),
        (True, "FedNova", problem.x_star),
    ):
        for eta in _STEPS:
            method = _METHOD(ConstantStep(eta), _LOCAL, normalised=normalised)
            rounds = int(_TIME / (eta * float(taus.mean())))
            trace = run(method, problem, steps=rounds * method.period, points=100)
            decay = 1 - (1 - eta) ** taus  # what tau_i steps do of the way to e_i
            weights = decay / taus if normalised else decay
            exact = (weights[:, None] * rows).sum(0) / weights.sum()
            numbers += [
                near(f"{name}, eta = {eta:g}: distance from its limit at finite eta", 0.0,
                     float((trace.model[0] - exact).norm()), absolute=1e-3 * apart,
                     confidence=Confidence.DERIVED),
                near(f"{name}, eta = {eta:g}: distance from its limit as eta falls", 0.0,
                     float((trace.model[0] - limit).norm()),
                     absolute=max(_LOCAL) * eta * apart + 1e-3 * apart,
                     confidence=Confidence.CERTAIN),
            ]  # fmt: skip
            lines.append(
                DrawnLine(f"{name}, {eta:g}", eta * trace.steps.astype(np.float64),
                          np.sqrt(trace.squared_distance[0]))
            )  # fmt: skip
    numbers.append(
        near("FedAvg, smallest eta: distance from x*, of ||weighted mean - x*||", 1.0,
             float(lines[1].y[-1]) / apart, relative=max(_LOCAL) * _STEPS[-1],
             source="Lemma 1: weights tau_i", confidence=Confidence.CERTAIN, unit="ratio")
    )  # fmt: skip
    level = DrawnLine("weighted mean", lines[0].x, np.full_like(lines[0].y, apart))
    panel = CurvePanel(f"{_N} workers, 1 to {max(_LOCAL)} local steps", "stepsize times steps",
                       "$||x - x^*||$", tuple(lines), (level,),
                       scales=("linear", "log"))  # fmt: skip
    return Reproduction(tuple(numbers), (panel,))


FIGURE = PublishedFigure(
    "wang2020-inconsistency",
    "FedAvg of unequal local steps ends at another minimiser, FedNova at the right one",
    Source("Wang, Liu, Liang, Joshi, Poor", 2020, "2007.07481", "Section 3, Lemma 1, Theorem 1"),
    "as the local stepsize falls FedAvg's limit is the mean weighted by local steps and FedNova's "
    "the minimiser, each within the stepsize times the most local steps",
    measure,
)
