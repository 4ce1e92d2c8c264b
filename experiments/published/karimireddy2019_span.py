"""``rateproof figure karimireddy2019-span``: distance of iterates from the span of the data."""

from __future__ import annotations

import numpy as np
import torch

from algorithms.compressors.identity import Identity
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.compressors.sign import Sign
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.logistic import Logistic
from algorithms.problems.regularisers import L2
from experiments.figures.lines import DrawnLine
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import Reproduction, at_least, at_most
from experiments.published.figure import PublishedFigure, Request
from proofs_check.figure_runs.trace import gaussian
from proofs_check.instruments.paths import path
from theory.arrays import Floats
from theory.claims import Source
from theory.stepsizes import ConstantStep

_SAMPLES, _D, _STEPS = 20, 100, 2000
_STEP = ConstantStep(0.01)


def measure(_: Request) -> Reproduction:
    """||x_t - P x_t|| / ||x_t||, P the projector on the span of 20 samples in 100 dimensions."""
    data = gaussian(_SAMPLES * _D).view(1, _SAMPLES, _D)
    labels = torch.where(gaussian(_SAMPLES, 2) > 0, 1.0, -1.0).double()[None]
    problem = Logistic.from_data(data, labels, L2(0.0), batch=_SAMPLES)
    basis = torch.linalg.qr(data[0].T).Q
    methods = {
        "SGD": BSP(_STEP, Identity()),
        "signSGD": BSP(_STEP, Sign()),
        "EF-signSGD": BSP(_STEP, ScaledSign(), ErrorFeedback()),
    }
    found = {name: _distances(method, problem, basis) for name, method in methods.items()}
    signs, feedback = found["signSGD"], found["EF-signSGD"]
    numbers = (
        at_most("SGD: share of x_T outside the span", 1e-12, float(found["SGD"][-1])),
        at_least("signSGD: at the end of that after a tenth of the steps", 0.8,
                 float(signs[-1] / signs[_STEPS // 10]), unit="ratio"),
        at_most("EF-signSGD: share of x_T outside the span, of signSGD's", 0.1,
                float(feedback[-1] / signs[-1]), unit="ratio"),
        at_most("EF-signSGD: at the end of that after a tenth of the steps", 0.5,
                float(feedback[-1] / feedback[_STEPS // 10]), unit="ratio"),
    )  # fmt: skip
    t = np.arange(1.0, _STEPS + 1)
    lines = tuple(DrawnLine(name, t, share[1:]) for name, share in found.items())
    panel = CurvePanel(f"{_SAMPLES} samples in $R^{{{_D}}}$", "steps",
                       "share of $x_t$ outside the span", lines, limits=(1e-3, 2.0))  # fmt: skip
    note = (
        "logistic loss in place of least squares: both have gradients in the span; Gaussian data; "
        "SGD's share is rounding and lies below the axis"
    )
    return Reproduction(numbers, (panel,), (note,))


def _distances(method: BSP, problem: Logistic, basis: torch.Tensor) -> Floats:
    shares = []
    for moment in path(method, problem, _STEPS):
        x = method.models(moment.state)[0, 0]
        outside = x - basis @ (basis.T @ x)
        shares.append(float(outside.norm() / x.norm().clamp_min(1e-300)))
    return np.array(shares)


FIGURE = PublishedFigure(
    "karimireddy2019-span",
    "Over-parametrised linear models: who leaves the span of the gradients",
    Source("Karimireddy, Rebjock, Stich, Jaggi", 2019, "1901.09847", "section 5, Figure 2"),
    "SGD stays in the span, signSGD leaves it for good, and EF-signSGD's share outside falls",
    measure,
)
