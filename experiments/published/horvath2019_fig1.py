"""``rateproof figure horvath2019-fig1``: natural compression by mantissa."""

from __future__ import annotations

import numpy as np
import torch

from algorithms.compressors.natural_compression import NaturalCompression
from experiments.figures.lines import DrawnLine
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import Reproduction, near
from experiments.published.figure import PublishedFigure, Request
from proofs_check.figure_runs.trace import exact_error, relative_error
from theory.claims import Confidence, Source

_DRAWS, _VECTOR = 4000, 64
_OPERATOR = NaturalCompression()


def measure(_: Request) -> Reproduction:
    """Relative variance over one octave, exact and of draws, and the length of a message."""
    sizes = np.linspace(1.0, 2.0, 385)
    exact = np.array([_exact(t) for t in sizes])
    few = sizes[::16]
    drawn = [relative_error(_OPERATOR, _flat(t), _DRAWS) for t in few]
    worst = relative_error(_OPERATOR, _flat(4 / 3), _DRAWS)
    formula = (sizes - 1) * (2 - sizes) / sizes**2
    mean, low, high = (np.array(column) for column in zip(*drawn, strict=True))
    numbers = (
        near("omega, largest relative variance", 1 / 8, exact.max(), absolute=1e-4,
             source="Theorem 1"),
        near("the mantissa where it is attained", 4 / 3, sizes[exact.argmax()], absolute=2e-3,
             source="derived: (t - 1)(2 - t)/t^2", confidence=Confidence.DERIVED),
        near("second moment E C(x)^2 / x^2 there", 9 / 8, 1 + worst.mean, absolute=2e-3,
             source="Theorem 1"),
        near("bits a coordinate, single precision", 9,
             _OPERATOR.bits(_VECTOR, torch.float32) / _VECTOR, unit="bit"),
    )  # fmt: skip
    panel = CurvePanel(
        "", "$|x|$", "$E(C(x) - x)^2 / x^2$", (DrawnLine("4,000 draws", few, mean, low, high),),
        (DrawnLine("$(t-1)(2-t)/t^2$", sizes, formula), DrawnLine("1/8", sizes, 0 * sizes + 1 / 8)),
        scales=("linear", "linear"),
    )  # fmt: skip
    return Reproduction(numbers, (panel,))


def _flat(t: float) -> torch.Tensor:
    return torch.full((_VECTOR,), float(t), dtype=torch.float64)


def _exact(t: float) -> float:
    return exact_error(_OPERATOR, _flat(t))


FIGURE = PublishedFigure(
    "horvath2019-fig1",
    "Natural compression: relative variance over one octave",
    Source("Horvath et al.", 2019, "1905.10988", "Figure 1 and Theorem 1"),
    "the variance is largest, 1/8, at the mantissa 4/3, and a float takes 9 bits",
    measure,
)
