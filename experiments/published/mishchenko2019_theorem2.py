"""``rateproof figure mishchenko2019-theorem2``: DIANA beside QSGD on workers that differ."""

from __future__ import annotations

import numpy as np
import torch

from algorithms.methods.variance_reduced.diana import Diana
from experiments.figures.lines import DrawnLine
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import Reproduction, at_least, at_most
from experiments.published.figure import PublishedFigure, Request
from proofs_check.figure_runs.trace import MeasuredMean
from proofs_check.instruments import bits_setting
from proofs_check.instruments.paths import path
from theory.claims import Confidence, Source
from theory.stepsizes import ConstantStep

_STEP, _STEPS, _REPLICAS = ConstantStep(0.5), 400, 16


def measure(_: Request) -> Reproduction:
    """f - f* of both by steps, and how far the shifts are from the gradients at x*."""
    found = {
        name: bits_setting.descent(bits_setting.by_row(key, _STEP), _REPLICAS, _STEPS)
        for name, key in (("DIANA", "diana"), ("QSGD, 4 levels", "qsgd"))
    }
    diana, qsgd = (trace.suboptimality for trace in found.values())
    half = _STEPS // 2
    numbers = (
        at_most("DIANA: f - f* after 400 steps", 1e-10, MeasuredMean.from_samples(diana[:, -1]),
                confidence=Confidence.DERIVED, source="linear to the last digits"),
        at_most("DIANA: largest distance of a shift from grad f_i(x*), of the first", 1e-5,
                _shifts(), confidence=Confidence.DERIVED, source="h_i -> grad f_i(x*)"),
        at_least("QSGD: its floor, mean f - f* of the second half", 1e-4,
                 MeasuredMean.from_samples(qsgd[:, half:].mean(1)), confidence=Confidence.DERIVED,
                 source="a floor of omega mean ||grad f_i(x*)||^2"),
        at_least("QSGD: f - f* at the end of that at half the steps", 0.5,
                 float(qsgd[:, -40:].mean() / qsgd[:, half : half + 40].mean()), unit="ratio"),
    )  # fmt: skip
    t = np.arange(_STEPS + 1.0)
    lines = tuple(
        DrawnLine(name, t, x.suboptimality.mean(0), x.suboptimality.min(0), x.suboptimality.max(0))
        for name, x in found.items()
    )
    panel = CurvePanel(
        "eight workers that differ, no noise", "steps", "$f(x_t) - f^*$",
        lines, scales=("linear", "log"), limits=(1e-16, 1e2), band=f"range of {_REPLICAS} runs",
    )  # fmt: skip
    return Reproduction(numbers, (panel,))


def _shifts() -> float:
    method, problem = bits_setting.by_row("diana", _STEP), bits_setting.problem()
    assert isinstance(method, Diana) and problem.x_star is not None
    *_, last = path(method, problem, _STEPS)
    best = problem.x_star.expand(problem.n, -1)
    wanted = problem.full_gradient(best[None], torch.arange(problem.n))
    return float((last.state.shifts - wanted).abs().max() / wanted.abs().max())


FIGURE = PublishedFigure(
    "mishchenko2019-theorem2",
    "DIANA converges linearly where quantised gradients of workers that differ stall",
    Source("Mishchenko, Gorbunov, Takac, Richtarik", 2019, "1901.09269", "Theorem 2"),
    "DIANA reaches 1e-10 with shifts that end at the gradients of the solution, and QSGD stays at "
    "a floor",
    measure,
)
