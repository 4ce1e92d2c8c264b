"""``rateproof figure alistarh2017-theorem32``: bits of QSGD's Elias code."""

from __future__ import annotations

import math

import numpy as np
import torch

from algorithms.compressors.base import code_of
from algorithms.compressors.elias_qsgd import EliasQSGD
from algorithms.core.key import Key
from experiments.figures.lines import DrawnLine
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import PublishedNumber, Reproduction, at_most
from experiments.published.figure import PublishedFigure, Request
from proofs_check.figure_runs.trace import MeasuredMean, gaussian
from theory import bits
from theory.claims import Confidence, Source

_SIZES, _DRAWS = (100, 1000, 10_000), 24


def measure(_: Request) -> Reproduction:
    """Mean lengths of coded messages of Gaussian vectors, one level and sqrt(d) levels."""
    one = {d: _length(1, d) for d in _SIZES}
    many = {d: _length(round(math.sqrt(d)), d) for d in _SIZES}
    numbers: list[PublishedNumber] = []
    for d in _SIZES:
        numbers += [
            at_most(f"s = 1, d = {d}: bits under Theorem 3.2", bits.qsgd_elias(d, 1), one[d],
                    unit="bit"),
            at_most(f"s = sqrt(d), d = {d}: bits under 2.8 d + 32", bits.qsgd_dense(d), many[d],
                    unit="bit", confidence=Confidence.MEMORY,
                    source="Corollary 3.3, of another code than this one for lists"),
        ]  # fmt: skip
    x = np.array(_SIZES, dtype=np.float64)
    lines = tuple(
        DrawnLine(name, x, *(np.array(column) for column in zip(*found.values(), strict=True)))
        for name, found in (("s = 1", one), ("$s = \\sqrt{d}$", many))
    )
    theory = (
        DrawnLine("Theorem 3.2, s = 1", x, np.array([bits.qsgd_elias(d, 1) for d in _SIZES])),
        DrawnLine("$2.8\\,d + 32$", x, 2.8 * x + 32),
        DrawnLine("$32\\,d$, dense", x, 32 * x),
    )
    panel = CurvePanel("Gaussian $x$", "dimension $d$", "message [bit]", lines, theory)
    return Reproduction(tuple(numbers), (panel,))


def _length(s: int, d: int) -> MeasuredMean:
    operator, x = EliasQSGD(s), gaussian(d).float()[None]
    draws = Key.seed(0).fold("bits").draws(torch.arange(_DRAWS), torch.arange(1))
    symbols = operator.encode(x.expand(_DRAWS, 1, -1), draws)
    lengths = code_of(operator, d, torch.float32).lengths(symbols)
    return MeasuredMean.from_samples(lengths.double().flatten().numpy())


FIGURE = PublishedFigure(
    "alistarh2017-theorem32",
    "QSGD: lengths of Elias-coded messages",
    Source("Alistarh et al.", 2017, "1610.02132", "Theorem 3.2, Corollary 3.3"),
    "coded messages of one level are no longer on average than the theorem's bound",
    measure,
)
