"""How often the 95% interval of an exponent holds it: curves whose exponent is known.

``python -m proofs_check.instruments.power_laws.calibration`` prints the table of docs/rates.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np
import scipy

from proofs_check.instruments.power_laws.average import averaged
from theory.arrays import Floats

EXPONENT = -0.5
KINDS = (
    "power law", "flat start, b = 48", "steep start, b = -8", "floor of 30%", "logarithm",
)  # fmt: skip
NOISES = ("log-normal", "heavy")
REPLICAS = (8, 16)
SPREADS = (0.01, 0.05, 0.3)
_X = np.geomspace(16, 2048, 12)
_ALIKE = 0.6  # correlation of neighbouring points
_TAIL = 3.0  # index of the heavy tail: no third moment


class Coverage(NamedTuple):
    """Of one kind of curve.

    Attributes:
        share: intervals that hold the exponent, of all.
        width: median length of an interval.
        refuted: p-values of the power law itself below 5%, of all.
    """

    share: float
    width: float
    refuted: float


def curve(kind: str) -> Floats:
    """E y ``[12]`` of a kind at x from 16 to 2048; the floor is 30% of the last mean."""
    bare = _X**EXPONENT
    match kind:
        case "flat start, b = 48":
            return np.asarray((_X + 48) ** EXPONENT)
        case "steep start, b = -8":
            return np.asarray((_X - 8) ** EXPONENT)
        case "floor of 30%":
            return np.asarray(bare + 0.3 / 0.7 * bare[-1])
        case "logarithm":
            return np.asarray(bare * np.log(_X))
    return np.asarray(bare)


def noisy_curves(
    kind: str, replicas: int, noise: str, spread: float, trials: int, seed: int
) -> Floats:
    """Curves ``[N, R, 12]`` with noise of mean 1 and standard deviation ``spread`` in every
    replica (about, if log-normal), neighbouring points correlated."""
    normal = np.random.default_rng(seed).standard_normal((trials, replicas, _X.size))
    for k in range(1, _X.size):
        normal[..., k] = _ALIKE * normal[..., k - 1] + (1 - _ALIKE**2) ** 0.5 * normal[..., k]
    if noise == "log-normal":
        factor = np.exp(spread * normal - spread**2 / 2)
    else:
        lomax = scipy.stats.norm.sf(normal) ** (-1 / _TAIL) - 1
        mean = 1 / (_TAIL - 1)
        factor = 1 + spread * (lomax - mean) / (mean * (_TAIL / (_TAIL - 2)) ** 0.5)
    return np.asarray(curve(kind) * factor)


def coverage(
    kind: str, replicas: int, noise: str, spread: float, trials: int = 2000, seed: int = 7
) -> Coverage:
    """Over ``trials`` curves of a kind (:data:`KINDS`), a noise (:data:`NOISES`) and a spread."""
    found = averaged(_X, noisy_curves(kind, replicas, noise, spread, trials, seed), 0.05)
    inside = (found.low <= EXPONENT) & (found.high >= EXPONENT)
    return Coverage(
        float(inside.mean()),
        float(np.median(found.high - found.low)),
        float((found.lack[:, 0] < 0.05).mean()),
    )


def table() -> Iterator[str]:
    """Rows of a Markdown table: coverage and median width at each spread."""
    yield "| curve | noise | replicas | " + " | ".join(f"{s:.0%}" for s in SPREADS) + " |"
    yield "|---|---|---|" + "---|" * len(SPREADS)
    for kind, noise, replicas in product(KINDS, NOISES, REPLICAS):
        cells = (coverage(kind, replicas, noise, spread) for spread in SPREADS)
        shown = " | ".join(f"{one.share:.1%} ({one.width:.2g})" for one in cells)
        yield f"| {kind} | {noise} | {replicas} | {shown} |"


if __name__ == "__main__":
    for line in table():
        print(line)
