"""``rateproof figure suresh2017-fig1``: mean estimation with and without a random rotation."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.compressors.k_level import KLevel
from algorithms.compressors.rotated import Rotated
from experiments.figures.lines import DrawnLine
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import PublishedNumber, Reproduction, at_least, near
from experiments.published.figure import PublishedFigure, Request
from proofs_check.figure_runs.trace import MeasuredMean, outcomes
from theory.claims import Confidence, Source

_N, _D, _DRAWS = 10, 256, 500
_LEVELS = (2, 4, 16)
_GAUSSIAN = {"as it is": (0.646, 0.0558, 0.00224), "rotated": (0.715, 0.0601, 0.00241)}
_UNBALANCED = {"as it is": (0.0756, 0.0250, 0.00480), "rotated": (0.0089, 0.0028, 0.00039)}
_OTHER = "recomputed exactly at another draw of the same data"
Errors = dict[str, list[MeasuredMean]]


def measure(_: Request) -> Reproduction:
    """Squared error of the mean of ten vectors, in units of their mean square."""
    generator = np.random.default_rng(0)
    gauss = torch.from_numpy(generator.standard_normal((_N, _D)))
    uneven = 0.01 * torch.from_numpy(generator.standard_normal((_N, _D)))
    uneven[:, -1] = 10.0
    found = {"Gaussian": _errors(gauss), "one large coordinate": _errors(uneven)}
    numbers: list[PublishedNumber] = []
    for place, stated, within in (
        ("Gaussian", _GAUSSIAN, 0.1), ("one large coordinate", _UNBALANCED, 0.25)
    ):  # fmt: skip
        for name, values in stated.items():
            numbers += [
                near(f"{place}, {name}, k = {k}", value, ours, relative=within,
                     source=_OTHER, confidence=Confidence.DERIVED)
                for k, value, ours in zip(_LEVELS, values, found[place][name], strict=True)
            ]  # fmt: skip
    for k, plain, turned in zip(_LEVELS, *found["one large coordinate"].values(), strict=True):
        numbers.append(at_least(f"one large coordinate, k = {k}: rotation gains a factor", 5.0,
                                plain.mean / turned.mean, unit="ratio"))  # fmt: skip
    for k, plain, turned in zip(_LEVELS, *found["Gaussian"].values(), strict=True):
        numbers.append(near(f"Gaussian, k = {k}: rotation gains nothing", 1.0,
                            plain.mean / turned.mean, relative=0.15, unit="ratio"))  # fmt: skip
    return Reproduction(
        tuple(numbers), tuple(_panel(place, errors) for place, errors in found.items()), columns=2
    )


def _errors(rows: Tensor) -> Errors:
    operators: dict[str, list[Compressor]] = {
        "as it is": [KLevel(k) for k in _LEVELS], "rotated": [Rotated(KLevel(k)) for k in _LEVELS],
    }  # fmt: skip
    unit = float(rows.square().sum(-1).mean())
    mean = rows.mean(0)
    return {
        name: [
            MeasuredMean.from_samples(
                ((outcomes(one, rows, _DRAWS).mean(1) - mean).square().sum(-1) / unit).numpy()
            )
            for one in made
        ]
        for name, made in operators.items()
    }


def _panel(place: str, errors: Errors) -> CurvePanel:
    k = np.array(_LEVELS, dtype=np.float64)
    lines = []
    for name, found in errors.items():
        mean, low, high = (np.array(column) for column in zip(*found, strict=True))
        lines.append(DrawnLine(name, k, mean, np.maximum(low, mean / 10), high))
    theory = (
        DrawnLine("$d/(2n(k-1)^2)$", k, _D / (2 * _N * (k - 1) ** 2)),
        DrawnLine("$(2\\ln d+2)/(n(k-1)^2)$", k, (2 * math.log(_D) + 2) / (_N * (k - 1) ** 2)),
    )
    label = "$E\\Vert\\bar Y-\\bar x\\Vert^2$ over mean $\\Vert x_i\\Vert^2$"
    return CurvePanel(place, "levels $k$", label, tuple(lines), theory)


FIGURE = PublishedFigure(
    "suresh2017-fig1",
    "Distributed mean estimation: a rotation pays where one coordinate is large",
    Source("Suresh, Yu, Kumar, McMahan", 2017, "1611.00429", "experiments on unbalanced data"),
    "rotation gains a factor of at least 5 on unbalanced data and nothing on Gaussian data, and "
    "errors are the recomputed ones",
    measure,
)
