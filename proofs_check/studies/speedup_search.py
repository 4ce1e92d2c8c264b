r"""How seldom may workers meet? The longest period that keeps the error within a factor of H = 1.

For a method with period H, horizon T and n workers let e(H) be its expected error. The longest
period H* solves e(H*) = 2 e(1), and T / H* rounds are needed for linear speedup. The search brackets
H* by whole periods, all run with the same draws as H = 1, and interpolates log e between the two
ends. Its interval is a grouped jackknife over replicas (as in :mod:`proofs_check.rates`), so noise
that H and 1 share cancels. e must grow with H where it crosses.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from scipy import stats

from proofs_check.closed_forms.evidence import ALPHA
from proofs_check.rates import Fit, rate_verdict
from proofs_check.studies.base import Curve, StudyResult
from proofs_check.verdict import Verdict

FACTOR = 2.0
_GROUPS = 64
_NEAR = 1.3  # ends of the bracket differ by no more than this factor, or by one step

Errors = Callable[[int], Curve]
"""Period H -> errors ``[R]`` of independent replicas; the same replicas for every H."""


@final
@dataclass(frozen=True)
class Longest:
    """``log_period`` is log H*; ``pseudo`` ``[G]`` its jackknife pseudo-values; H* lies in
    ``[low, high]`` except with probability ALPHA; ``runs`` periods were tried. ``saturated``:
    even the longest period that was allowed keeps the error, so H* is that one.
    """

    log_period: float
    pseudo: Curve
    low: float
    high: float
    runs: int
    saturated: bool


def longest_period(errors: Errors, guess: int, limit: int, factor: float = FACTOR) -> Longest:
    """The longest period up to ``limit`` whose error is at most ``factor`` times that of H = 1.

    Raises:
        ValueError: guess outside [2, limit].
    """
    if not 2 <= guess <= limit:
        raise ValueError(f"guess must lie in [2, {limit}], got guess={guess}")
    seen = {1: errors(1)}
    target = factor * float(seen[1].mean())

    def within(period: int) -> bool:
        if period not in seen:
            seen[period] = errors(period)
        return float(seen[period].mean()) <= target

    low, high = _bracket(within, guess, limit)
    if low == limit:
        pseudo = np.full(_GROUPS, math.log(limit))
        return Longest(math.log(limit), pseudo, limit, limit, len(seen), True)
    log_period, pseudo = _crossing(low, high, seen, factor)
    half = float(stats.t.isf(ALPHA / 2, pseudo.size - 1) * pseudo.std(ddof=1)) / pseudo.size**0.5
    ends = (math.exp(log_period + sign * half) for sign in (-1, 1))
    return Longest(log_period, pseudo, *ends, len(seen), False)


def _bracket(within: Callable[[int], bool], guess: int, limit: int) -> tuple[int, int]:
    """Periods low < high around the crossing; (limit, limit) if there is none."""
    low, high = 1, limit
    trial = guess
    while high > low + 1 and (high > _NEAR * low or high == limit):
        if within(trial):
            low = trial
        else:
            high = trial
        grown = low * 1.5 if high == limit else (low * high) ** 0.5
        shrunk = high / 1.5 if low == 1 else grown
        trial = min(max(round(shrunk if low == 1 else grown), low + 1), high - 1)
        if high == limit and trial >= limit - 1:
            break
    if high == limit and within(limit):
        return limit, limit
    return low, high


def _crossing(low: int, high: int, seen: dict[int, Curve], factor: float) -> tuple[float, Curve]:
    """log H* and its pseudo-values; log of the ratio is taken linear in log H on the bracket."""
    rows = np.stack([seen[1], seen[low], seen[high]])
    groups = min(_GROUPS, rows.shape[1])
    parts = np.array_split(rows, groups, axis=1)
    sums, total = np.stack([part.sum(axis=1) for part in parts]), rows.sum(axis=1)

    def solve(means: Curve) -> Curve:
        base, left, right = np.log(means[..., 0] * factor), *np.log(means[..., 1:].T)
        share = (base - left) / (right - left)
        return np.asarray(math.log(low) + share * math.log(high / low))

    whole = float(solve(total))
    return whole, groups * whole - (groups - 1) * solve(total - sums)


class Scan(NamedTuple):
    """Longest periods along one axis: ``x`` is T or n, ``rounds`` T / H*, one entry a point."""

    x: Curve
    found: tuple[Longest, ...]
    horizons: Curve

    @property
    def log_rounds(self) -> Curve:
        """Pseudo-values ``[G, K]`` of log T / H*."""
        return np.log(self.horizons) - np.stack([f.pseudo for f in self.found], axis=1)

    @property
    def rounds(self) -> Curve:
        return self.horizons / np.exp([f.log_period for f in self.found])


def exponent_fit(scan: Scan) -> Fit:
    """Exponent of x in the rounds; Student's t over the pseudo-values at ALPHA."""
    log_x = np.log(scan.x)
    centred = log_x - log_x.mean()
    slopes = scan.log_rounds @ centred / np.square(centred).sum()
    slope = float(slopes.mean())
    half = float(stats.t.isf(ALPHA / 2, slopes.size - 1) * slopes.std(ddof=1)) / slopes.size**0.5
    log_y = np.log(scan.rounds)
    intercept = float(log_y.mean() - slope * log_x.mean())
    return Fit(
        slope, half, intercept, 2 * half,
        float(np.abs(log_y - intercept - slope * log_x).max()),
        scan.x.size, scan.x.size, slopes.size, ALPHA, 0.0,
    )  # fmt: skip


def rounds_verdict(
    scan: Scan, order: float, variable: str, *, subject: str, claim: str, problem: str, told: str
) -> Verdict:
    """Does the number of rounds needed grow no faster than variable^order? One-sided."""
    periods = ", ".join(
        f"{math.exp(f.log_period):.4g} [{f.low:.4g}, {f.high:.4g}]" + ("+" if f.saturated else "")
        for f in scan.found
    )
    return rate_verdict(
        exponent_fit(scan), order, False, subject=subject, claim=claim, variable=variable,
        problem=problem,
        provenance=f"{told}; longest periods {periods} at {variable} = "
        f"{', '.join(f'{x:g}' for x in scan.x)}; error {ALPHA:g}",
    )  # fmt: skip


def scan_curves(scan: Scan, order: float) -> dict[str, Curve]:
    """Rounds along one axis with their intervals, the fit, and the table's order through the mean."""
    fit, y = exponent_fit(scan), scan.rounds
    low, high = (scan.horizons / np.array([getattr(f, end) for f in scan.found])
                 for end in ("high", "low"))  # fmt: skip
    centre = np.exp(np.log(y).mean() - order * np.log(scan.x).mean())
    return {
        "x": scan.x, "mean": y, "low": low, "high": high,
        "fit": np.exp(fit.intercept) * scan.x**fit.slope, "reference": centre * scan.x**order,
    }  # fmt: skip


@final
@dataclass(frozen=True)
class Grid:
    """``horizons`` at ``workers[0]`` and ``workers`` at horizon ``middle``."""

    horizons: Sequence[int]
    workers: Sequence[int]
    middle: int


def scan_both(
    grid: Grid, search: Callable[[int, int, int], Longest], guess: Callable[[int, int], float]
) -> tuple[Scan, Scan]:
    """Longest periods against T and against n; ``search(n, T, guess)`` runs one point."""

    def at(n: int, steps: int) -> Longest:
        return search(n, steps, max(2, min(round(guess(n, steps)), steps)))

    first = grid.workers[0]
    along_t = tuple(at(first, steps) for steps in grid.horizons)
    along_n = tuple(at(n, grid.middle) for n in grid.workers)
    horizons = np.array(grid.horizons, dtype=np.float64)
    middle = np.full(len(grid.workers), float(grid.middle))
    return (
        Scan(horizons, along_t, horizons),
        Scan(np.array(grid.workers, dtype=np.float64), along_n, middle),
    )


def table_result(
    scans: tuple[Scan, Scan],
    orders: tuple[float, float],
    *,
    subject: str,
    problem: str,
    told: str,
) -> StudyResult:
    """Verdicts on the exponents of T and n and the curves of both; those of n named ``n/...``."""
    along_t, along_n = scans
    common = {"subject": subject, "problem": problem, "told": told}
    verdicts = (
        rounds_verdict(
            along_t, orders[0], "T", claim=f"rounds for linear speedup <= T^{orders[0]:.3g}",
            **common,
        ),
        rounds_verdict(
            along_n, orders[1], "n", claim=f"rounds for linear speedup <= n^{orders[1]:.3g}",
            **common,
        ),
    )  # fmt: skip
    against_n = {f"n/{key}": curve for key, curve in scan_curves(along_n, orders[1]).items()}
    return StudyResult(verdicts, scan_curves(along_t, orders[0]) | against_n)
