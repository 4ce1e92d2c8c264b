"""Coverage of the 95% interval of an exponent: curves whose exponent is known.

``python -m proofs_check.instruments.power_laws.calibration`` prints the table of docs/rates.md;
with ``--shorter`` that of what shorter intervals would hold at 30% noise.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
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
SHARES = (1.0, 0.95, 0.9, 0.8, 0.75)
"""Of an interval's length, by which shorter ones are tried."""
X = np.geomspace(16, 2048, 12)
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
    bare = X**EXPONENT
    match kind:
        case "flat start, b = 48":
            return np.asarray((X + 48) ** EXPONENT)
        case "steep start, b = -8":
            return np.asarray((X - 8) ** EXPONENT)
        case "floor of 30%":
            return np.asarray(bare + 0.3 / 0.7 * bare[-1])
        case "logarithm":
            return np.asarray(bare * np.log(X))
    return np.asarray(bare)


def noisy_curves(
    kind: str, replicas: int, noise: str, spread: float, trials: int, seed: int
) -> Floats:
    """Curves ``[N, R, 12]`` with noise of mean 1 and standard deviation ``spread`` in every
    replica (about, if log-normal), neighbouring points correlated."""
    normal = np.random.default_rng(seed).standard_normal((trials, replicas, X.size))
    for k in range(1, X.size):
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
    found = averaged(X, noisy_curves(kind, replicas, noise, spread, trials, seed), 0.05)
    inside = (found.low <= EXPONENT) & (found.high >= EXPONENT)
    return Coverage(
        float(inside.mean()),
        float(np.median(found.high - found.low)),
        float((found.lack[:, 0] < 0.05).mean()),
    )


def shortened(
    kind: str, replicas: int, noise: str, shares: Sequence[float] = SHARES, trials: int = 2000,
    seed: int = 7,
) -> tuple[float, ...]:  # fmt: skip
    """Coverage at the largest spread by intervals with these shares of their length, about the
    exponent of the weighted models: what is taken off is taken off both sides alike."""
    found = averaged(X, noisy_curves(kind, replicas, noise, SPREADS[-1], trials, seed), 0.05)
    best = (found.weights * found.exponents).sum(axis=1)
    below, above = best - found.low, found.high - best
    off = np.where(best > EXPONENT, (best - EXPONENT) / below, (EXPONENT - best) / above)
    return tuple(float((off <= share).mean()) for share in shares)


def shorter_table() -> Iterator[str]:
    """Rows of a Markdown table: coverage at 30% noise by shorter intervals."""
    yield "| curve | noise | replicas | " + " | ".join(f"{s:g}" for s in SHARES) + " |"
    yield "|---|---|---|" + "---|" * len(SHARES)
    for kind, noise, replicas in product(KINDS, NOISES, REPLICAS):
        shown = " | ".join(f"{one:.1%}" for one in shortened(kind, replicas, noise))
        yield f"| {kind} | {noise} | {replicas} | {shown} |"


def table() -> Iterator[str]:
    """Rows of a Markdown table: coverage and median width at each spread."""
    yield "| curve | noise | replicas | " + " | ".join(f"{s:.0%}" for s in SPREADS) + " |"
    yield "|---|---|---|" + "---|" * len(SPREADS)
    for kind, noise, replicas in product(KINDS, NOISES, REPLICAS):
        cells = (coverage(kind, replicas, noise, spread) for spread in SPREADS)
        shown = " | ".join(f"{one.share:.1%} ({one.width:.2g})" for one in cells)
        yield f"| {kind} | {noise} | {replicas} | {shown} |"


if __name__ == "__main__":
    for line in shorter_table() if "--shorter" in sys.argv[1:] else table():
        print(line)
