"""``rateproof figure wen2017-variance``: variance of TernGrad by dimension."""

from __future__ import annotations

import math

import numpy as np
import torch

from algorithms.compressors.terngrad import TernGrad
from experiments.figures.lines import DrawnLine
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import Reproduction, near
from experiments.published.figure import PublishedFigure, Request
from proofs_check.figure_runs.trace import exact_error, gaussian, relative_error
from theory.claims import Confidence, Source

_SIZES, _DRAWS = (10, 100, 1000, 10_000), 60


def measure(_: Request) -> Reproduction:
    """Gaussian vectors, drawn, beside max|g| ||g||_1/||g||^2 - 1 and the worst vector."""
    drawn = {d: relative_error(TernGrad(), gaussian(d), _DRAWS) for d in _SIZES}
    formula = {d: _formula(gaussian(d)) for d in _SIZES}
    worst = {d: exact_error(TernGrad(), _worst(d)) for d in _SIZES}
    d = np.array(_SIZES, dtype=np.float64)
    mean, low, high = (np.array(column) for column in zip(*drawn.values(), strict=True))
    numbers = (
        *(near(f"Gaussian, d = {k}", formula[k], drawn[k], relative=0.03,
               source="closed form max|g| ||g||_1/||g||^2 - 1, Eq. 2 to 4")
          for k in _SIZES[1:]),
        near("Gaussian, d = 10^4, one published draw", 1.92, drawn[10_000],
             relative=0.1, confidence=Confidence.ORDER, source="about 2: by the one draw"),
        near("worst vector, d = 10^4: (sqrt(d) - 1)/2", 49.5, worst[10_000], absolute=1e-6,
             confidence=Confidence.DERIVED, source="maximised exactly"),
    )  # fmt: skip
    panel = CurvePanel(
        "", "dimension $d$", "$E\\Vert C(x)-x\\Vert^2/\\Vert x\\Vert^2$",
        (DrawnLine("Gaussian", d, mean, low, high),
         DrawnLine("worst vector", d, np.array(list(worst.values())))),
        (DrawnLine("$(\\sqrt{d}-1)/2$", d, (np.sqrt(d) - 1) / 2),
         DrawnLine("$\\sqrt{(4/\\pi) \\ln d} - 1$", d, np.sqrt(4 / math.pi * np.log(d)) - 1)),
    )  # fmt: skip
    return Reproduction(numbers, (panel,))


def _formula(x: torch.Tensor) -> float:
    return float(x.abs().max() * x.abs().sum() / x.square().sum()) - 1


def _worst(d: int) -> torch.Tensor:
    """One coordinate of 1 and d - 1 of 1/(1 + sqrt(d))."""
    x = torch.full((d,), 1 / (1 + math.sqrt(d)), dtype=torch.float64)
    x[0] = 1.0
    return x


FIGURE = PublishedFigure(
    "wen2017-variance",
    "TernGrad: relative variance against the dimension",
    Source("Wen et al.", 2017, "1705.07878", "Eq. 2 to 4"),
    "draws have the closed form's variance to 3 percent, and the worst vector (sqrt(d) - 1)/2",
    measure,
)
