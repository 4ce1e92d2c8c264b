"""``rateproof figure shi2019-theorem1``: what top-k leaves of a Gaussian vector."""

from __future__ import annotations

import numpy as np
import scipy
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.top_k import TopK
from experiments.figures.lines import DrawnLine
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import PublishedNumber, Reproduction, at_most, near
from experiments.published.figure import PublishedFigure, Request
from proofs_check.figure_runs.trace import MeasuredMean, gaussian, relative_error
from theory.claims import Confidence, Source

_D, _DRAWS = 10_000, 20
_SHARES = (0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75)


def measure(_: Request) -> Reproduction:
    """||x - C(x)||^2/||x||^2 by k/d of top-k and random-k, at one Gaussian vector."""
    x = gaussian(_D)
    kept = {share: round(share * _D) for share in _SHARES}
    top = {share: _error(TopK(k), x, 2).mean for share, k in kept.items()}
    chance = {share: _error(RandK(k, scaled=False), x, _DRAWS) for share, k in kept.items()}
    numbers: list[PublishedNumber] = []
    for share in _SHARES:
        numbers += [
            at_most(f"k/d = {share:g}: top-k under (1 - k/d)^2", (1 - share) ** 2, top[share]),
            near(f"k/d = {share:g}: top-k, integral of the tail", _tail(share), top[share],
                 relative=0.05, absolute=1e-3, confidence=Confidence.DERIVED,
                 source="2 int_0^q x^2 phi(x) dx"),
            near(f"k/d = {share:g}: random-k, 1 - k/d", 1 - share, chance[share], absolute=0.02,
                 confidence=Confidence.CERTAIN, source="definition"),
        ]  # fmt: skip
    s = np.array(_SHARES)
    fine = np.linspace(0.001, 0.8, 60)
    lines = (
        DrawnLine("random-k", s, np.array([chance[k].mean for k in _SHARES])),
        DrawnLine("top-k", s, np.array([top[k] for k in _SHARES])),
    )
    theory = (
        DrawnLine("$1-k/d$", fine, 1 - fine), DrawnLine("$(1-k/d)^2$", fine, (1 - fine) ** 2),
    )  # fmt: skip
    panel = CurvePanel("Gaussian $x$, $d = 10^4$", "$k/d$", "$\\Vert x-C(x)\\Vert^2/\\Vert x"
                       "\\Vert^2$", lines, theory, scales=("linear", "log"))  # fmt: skip
    return Reproduction(tuple(numbers), (panel,))


def _error(operator: Compressor, x: Tensor, draws: int) -> MeasuredMean:
    return relative_error(operator, x, draws)


def _tail(share: float) -> float:
    """E x^2 of a Gaussian below the quantile that leaves ``share`` above, in absolute value."""
    q = scipy.stats.norm.isf(share / 2)
    return float(2 * scipy.integrate.quad(lambda v: v * v * scipy.stats.norm.pdf(v), 0.0, q)[0])


FIGURE = PublishedFigure(
    "shi2019-theorem1",
    "Top-k leaves less of a bell-shaped vector than (1 - k/d)^2",
    Source("Shi, Chu, Cheung, See", 2019, "1911.08772", "Theorem 1, Figure 5"),
    "top-k's error stays under (1 - k/d)^2 at every share, random-k's is 1 - k/d",
    measure,
)
