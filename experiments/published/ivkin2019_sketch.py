"""``rateproof figure ivkin2019-sketch``: heavy coordinates found in a count sketch."""

from __future__ import annotations

import math

import numpy as np

from algorithms.compressors.count_sketch import CountSketch
from experiments.figures.lines import DrawnLine
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import PublishedNumber, Reproduction, at_least, at_most
from experiments.published.figure import PublishedFigure, Request
from proofs_check.figure_runs.trace import MeasuredMean, gaussian, outcomes
from theory.claims import Confidence, Source

_D, _HEAVY, _DRAWS = 4096, 8, 60
_ROWS = (1, 3, 7, 13)
_WIDTH = 8 * 2 * _HEAVY  # 8 k counters for coordinates of ||x||^2/k, k = 16


def measure(_: Request) -> Reproduction:
    """Share of heavy coordinates among the largest estimates, and their worst error."""
    x = gaussian(_D)
    x[:_HEAVY] = 0.0
    x *= math.sqrt(_HEAVY) / x.norm()  # half of ||x||^2, so that a heavy one has 1/16 of it
    x[:_HEAVY] = 1.0
    size = float(x.norm())
    found, worst = {}, {}
    for rows in _ROWS:
        estimate = outcomes(CountSketch(rows, _WIDTH), x[None], _DRAWS)[:, 0]
        top = estimate.abs().topk(_HEAVY, dim=-1).indices
        found[rows] = MeasuredMean.from_samples((top < _HEAVY).double().mean(-1).numpy())
        away = (estimate - x)[:, :_HEAVY].abs().amax(-1) / size
        worst[rows] = away.numpy()
    many = _ROWS[-1]
    numbers: list[PublishedNumber] = [
        at_least(f"{many} rows: share of the heavy coordinates found", 1.0, found[many].mean,
                 source="with high probability for r = O(log d)"),
        at_most("1 row: share found is smaller than with many", found[many].mean - 0.05,
                found[1].mean, confidence=Confidence.DERIVED, source="one row collides"),
        at_most(f"{many} rows: worst error of a heavy one, of ||x|| 3/sqrt(width), all draws", 1.0,
                float(worst[many].max() / (3 / math.sqrt(_WIDTH))), unit="ratio",
                confidence=Confidence.DERIVED, source="Charikar et al. 2002: O(||x||/sqrt(width))"),
    ]  # fmt: skip
    r = np.array(_ROWS, dtype=np.float64)
    share = (np.array(column) for column in zip(*(found[k] for k in _ROWS), strict=True))
    error = np.array([float(np.quantile(worst[k], 0.9)) for k in _ROWS])
    panels = (
        CurvePanel("", "rows of the sketch", "heavy coordinates found",
                   (DrawnLine("share", r, *share),), scales=("linear", "linear"),
                   limits=(0.0, 1.05)),
        CurvePanel("", "rows of the sketch", "worst error of a heavy one, of $\\Vert x\\Vert$",
                   (DrawnLine("90% of draws", r, error),),
                   (DrawnLine("$1/\\sqrt{\\mathrm{width}}$", r, 0 * r + 1 / math.sqrt(_WIDTH)),),
                   scales=("linear", "log")),
    )  # fmt: skip
    return Reproduction(tuple(numbers), panels, columns=2)


FIGURE = PublishedFigure(
    "ivkin2019-sketch",
    "Count sketch: heavy coordinates are found from 13 rows of 128 counters",
    Source("Ivkin, Rothchild, Ullah, Braverman, Stoica, Arora", 2019, "1903.04488", "Lemma 1"),
    "all heavy coordinates are found in all draws with r of the order of log d rows, and not with "
    "one",
    measure,
)
