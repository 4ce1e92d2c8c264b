"""``rateproof figure richtarik2021-ef21``: EF21 beside error feedback of 2018 on workers that
differ."""

from __future__ import annotations

from typing import Any

import numpy as np

from algorithms.compressors.top_k import TopK
from algorithms.engine.run import run
from algorithms.engine.trace import Trace
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.base import Method
from algorithms.methods.error_feedback.ef21 import EF21
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.logistic_data import breast_cancer
from algorithms.problems.partitions import SortedByLabel
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.regularisers import BoundedNonconvex
from experiments.figures.lines import DrawnLine
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import Reproduction, at_least, at_most, near
from experiments.published.figure import PublishedFigure, Request
from theory.claims import Confidence, Source
from theory.stepsizes import ConstantStep
from theory.theorems.ef21 import ef21
from theory.theorems.ef21_pl import ef21_pl

_N, _D, _TOP, _RECORDS = 20, 20, TopK(1), 120
_LONG, _STEPS = 6_000, 400


def _new(gamma: float) -> Method[Any]:
    return EF21(ConstantStep(gamma), _TOP)


def _old(gamma: float) -> Method[Any]:
    return BSP(ConstantStep(gamma), _TOP, ErrorFeedback())


def _linear(problem: Quadratic) -> tuple[float, Trace]:
    """Largest f - f* over the bound of Theorem 2 at its own stepsize, down to rounding."""
    constants = EF21(ConstantStep(1.0), _TOP).constants(problem)
    step = ef21_pl.stepsize(constants, _LONG)
    trace = run(EF21(step, _TOP), problem, steps=_LONG, points=_RECORDS)
    bound = ef21_pl.bound(constants, step, trace.steps.astype(np.float64))
    seen = trace.suboptimality[0] > 1e-20
    return float((trace.suboptimality[0] / bound)[seen].max()), trace


def _stationary() -> float:
    """Average squared gradient over the bound of Theorem 1 at the end, non-convex, n = 20."""
    problem = breast_cancer(_N, BoundedNonconvex(0.1), partition=SortedByLabel())
    constants = EF21(ConstantStep(1.0), _TOP).constants(problem)
    constants = constants.state(sigma2=0.0)  # full gradients
    step = ef21.stepsize(constants, _STEPS)
    trace = run(EF21(step, _TOP), problem, steps=_STEPS, points=20, every=1)
    bound = ef21.bound(constants, step, trace.steps[1:].astype(np.float64))
    return float((trace.average_squared_gradient[0, 1:] / bound).max())


def _floor(trace: Trace) -> float:
    """Mean f - f* over the last tenth."""
    return float(trace.suboptimality[0, -_RECORDS // 10 :].mean())


def measure(_: Request) -> Reproduction:
    """f - f* of both with top-1 at the same stepsizes; bounds of both theorems."""
    problem = Quadratic.strongly_convex(_N, _D, mu=0.5, sigma2=0.0, zeta2=1.0)
    over, slow = _linear(problem)
    lines = [DrawnLine("EF21, the theorem's", slow.steps.astype(float), slow.suboptimality[0])]
    ours, floors = [], []
    for gamma in (0.08, 0.04):
        new = run(_new(gamma), problem, steps=_LONG, points=_RECORDS)
        old = run(_old(gamma), problem, steps=_LONG, points=_RECORDS)
        ours.append(_floor(new))
        floors.append(_floor(old))
        lines += [
            DrawnLine(f"EF21, {gamma:g}", new.steps.astype(float), new.suboptimality[0]),
            DrawnLine(f"EF, {gamma:g}", old.steps.astype(float), old.suboptimality[0]),
        ]
    certain = {"confidence": Confidence.CERTAIN, "unit": "of the bound"}
    numbers = (
        at_most("EF21, top-1: largest f - f* over Theorem 2's bound", 1.0, over, **certain),
        at_most("EF21, non-convex: average squared gradient over Theorem 1's bound", 1.0,
                _stationary(), **certain),
        at_most("EF21, stepsize 0.08: f - f* in the end", 1e-20, ours[0], unit="f"),
        at_least("EF, stepsize 0.08: f - f* in the end", 1e-8, floors[0], unit="f"),
        near("EF: f - f* in the end at twice the stepsize", 4.0, floors[0] / floors[1],
             relative=0.5, source="Karimireddy et al. 2019: a floor of order stepsize^2",
             unit="ratio"),
    )  # fmt: skip
    panel = CurvePanel(f"{_N} workers, top-1 of {_D}, no noise", "steps", "$f(x_t) - f^*$",
                       tuple(lines), scales=("linear", "log"), limits=(1e-30, 1e2))  # fmt: skip
    return Reproduction(numbers, (panel,))


FIGURE = PublishedFigure(
    "richtarik2021-ef21",
    "EF21 is exact at a constant stepsize where error feedback keeps a floor",
    Source("Richtarik, Sokolov, Fatkhullin", 2021, "2106.05203", "Theorems 1 and 2, Section 5"),
    "EF21's errors stay under both theorems' bounds at their stepsizes and vanish, and error "
    "feedback at the same stepsizes stays at a floor that falls as the stepsize squared",
    measure,
)
