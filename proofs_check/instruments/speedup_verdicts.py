"""Evidence of longest periods along T and n on a table's orders: exponents, verdicts, curves."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple, final

import numpy as np
import scipy

from proofs_check.curves import RateSeries
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.rates import PowerLawFit, rate_verdict
from proofs_check.instruments.speedup_search import Longest
from proofs_check.instruments.study import StudyResult, exponent, noise_free_rate
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats

_INTERPOLATION = 0.01  # of log H, between ends of the bracket

Scans = tuple["Scan", "Scan"]


class Scan(NamedTuple):
    """Longest periods along one axis: ``x`` is T or n, ``rounds`` T / H*, one entry a point.

    Attributes:
        found: the longest periods, one a point.
        horizons: numbers of steps, one a point.
    """

    x: Floats
    found: tuple[Longest, ...]
    horizons: Floats

    @property
    def log_rounds(self) -> Floats:
        """Pseudo-values ``[G, K]`` of log T / H*."""
        return np.log(self.horizons) - np.stack([f.pseudo for f in self.found], axis=1)

    @property
    def rounds(self) -> Floats:
        """Rounds T / H* of communication, one entry a point."""
        return self.horizons / np.exp([f.log_period for f in self.found])


def exponent_fit(scan: Scan) -> PowerLawFit:
    """Exponent of x in the rounds; Student's t over the pseudo-values at ALPHA."""
    log_x = np.log(scan.x)
    centred = log_x - log_x.mean()
    slopes = scan.log_rounds @ centred / np.square(centred).sum()
    slope = float(slopes.mean())
    half = (
        float(scipy.stats.t.isf(ALPHA / 2, slopes.size - 1) * slopes.std(ddof=1)) / slopes.size**0.5
    )
    log_y = np.log(scan.rounds)
    intercept = float(log_y.mean() - slope * log_x.mean())
    return PowerLawFit(
        slope, half, intercept, 2 * half,
        float(np.abs(log_y - intercept - slope * log_x).max()),
        scan.x.size, scan.x.size, slopes.size, ALPHA, 0.0,
    )  # fmt: skip


def rounds_verdict(
    scan: Scan,
    order: float,
    variable: str,
    *,
    subject: str,
    claim: str,
    problem: str,
    description: str,
) -> Verdict:
    """Does the number of rounds needed grow no faster than variable^order? One-sided."""
    return rate_verdict(
        exponent_fit(scan), order, False, subject=subject, claim=claim, variable=variable,
        problem=problem,
        provenance=f"{description}; {_periods(scan, variable)}; error {ALPHA:g}",
    )  # fmt: skip


def _periods(scan: Scan, variable: str) -> str:
    found = ", ".join(
        f"{math.exp(f.log_period):.4g} [{f.low:.4g}, {f.high:.4g}]" + ("+" if f.saturated else "")
        for f in scan.found
    )
    return f"longest periods {found} at {variable} = {', '.join(f'{x:g}' for x in scan.x)}"


def scan_curves(scan: Scan, order: float, along: str = "") -> RateSeries:
    """Rounds along one axis with intervals, the fit, and the table's order through the mean."""
    fit, y = exponent_fit(scan), scan.rounds
    low, high = (scan.horizons / np.array([getattr(f, end) for f in scan.found])
                 for end in ("high", "low"))  # fmt: skip
    centre = np.exp(np.log(y).mean() - order * np.log(scan.x).mean())
    line = np.exp(fit.intercept) * scan.x**fit.slope
    return RateSeries(scan.x, y, low, high, line, centre * scan.x**order, along=along)


@final
@dataclass(frozen=True)
class SpeedupGrid:
    """``horizons`` at ``workers[0]`` and ``workers`` at horizon ``middle``."""

    horizons: Sequence[int]
    workers: Sequence[int]
    middle: int


def scan_both(
    grid: SpeedupGrid,
    search: Callable[[int, int, int], Longest],
    guess: Callable[[int, int], float],
) -> tuple[Scan, Scan]:
    """Longest periods against T and against n; ``search(n, T, guess)`` runs one point."""

    @cache
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


def scan_with_law(
    grid: SpeedupGrid,
    search: Callable[[int, int, int], Longest],
    law: Callable[[int, int, int], Longest],
    guess: Callable[[int, int], float],
) -> tuple[Scans, Scans]:
    """Both scans by ``search``, which begins at the exact law's periods, and those by the law."""
    known: dict[tuple[int, int], float] = {}

    def exact(n: int, steps: int, first: int) -> Longest:
        found = law(n, steps, first)
        known[n, steps] = math.exp(found.log_period)
        return found

    by_law = scan_both(grid, exact, guess)
    return scan_both(grid, search, lambda n, steps: known[n, steps]), by_law


def table_result(
    scans: tuple[Scan, Scan],
    orders: tuple[float, float],
    *,
    subject: str,
    problem: str,
    description: str,
) -> StudyResult:
    """Verdicts on the exponents of T and n and the curves of both."""
    along_t, along_n = scans
    common = {"subject": subject, "problem": problem, "description": description}
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
    drawn = scan_curves(along_t, orders[0]), scan_curves(along_n, orders[1], along="n")
    return StudyResult(verdicts, drawn)


def against_law(
    measured: tuple[Scan, Scan],
    law: Scans,
    far: tuple[Scan, Scan],
    orders: tuple[float, float],
    *,
    left: float,
    subject: str,
    problem: str,
    description: str,
) -> StudyResult:
    """Measured exponents against those of an exact law on the same grid, and the law's own at
    horizons so ``far`` that at most ``left`` of other terms is left in an exponent, against the
    table's ``orders``.
    """
    verdicts: list[Verdict] = []
    for variable, one, same, distant, order in zip(
        ("T", "n"), measured, law, far, orders, strict=True
    ):
        due = exponent(same.x, same.rounds)
        verdicts += [
            rate_verdict(
                exponent_fit(one), due, True, variable=variable,
                subject=subject, problem=problem,
                claim=f"rounds for linear speedup grow with {variable} as the exact law's on this "
                f"range (exponent {due:.3f})",
                provenance=f"{description}; {_periods(one, variable)}; error {ALPHA:g}",
            ),
            _same_periods(one, same, variable, description, subject=subject, problem=problem),
            noise_free_rate(
                distant.x, distant.rounds, order, left, tight=True, variable=variable,
                subject=subject, problem=problem,
                claim=f"rounds for linear speedup ~ {variable}^{order:.3g}, exact law far out",
                provenance=f"{description}; exact moments at {variable} = "
                f"{', '.join(f'{x:g}' for x in distant.x)}",
            ),
        ]  # fmt: skip
    drawn = scan_curves(measured[0], orders[0]), scan_curves(measured[1], orders[1], along="n")
    return StudyResult(tuple(verdicts), drawn)


def _same_periods(
    one: Scan, law: Scan, variable: str, description: str, *, subject: str, problem: str
) -> Verdict:
    """Is every measured longest period the exact one, within its interval?"""
    gaps = [f.log_period - g.log_period for f, g in zip(one.found, law.found, strict=True)]
    halves = [math.log(f.high / f.low) / 2 + _INTERPOLATION for f in one.found]
    worst = int(np.argmax(np.abs(gaps) / np.array(halves)))
    inside = abs(gaps[worst]) <= halves[worst]
    exact = math.exp(law.found[worst].log_period)
    return Verdict(
        subject=subject,
        problem=problem,
        claim=f"longest periods along {variable} are those of the exact law",
        check=f"longest period, {variable}",
        outcome=Outcome.SUPPORTED if inside else Outcome.REFUTED,
        statistic=math.exp(one.found[worst].log_period),
        bound=exact,
        uncertainty=exact * halves[worst],
        resolution=2 * exact * halves[worst],
        evidence=f"{_periods(one, variable)}; exact "
        f"{', '.join(f'{math.exp(f.log_period):.4g}' for f in law.found)}",
        provenance=f"{description}, error {ALPHA:g}",
    )


def error_ratio(
    longer: Floats,
    every: Floats,
    within: float,
    *,
    subject: str,
    claim: str,
    problem: str,
    description: str,
) -> Verdict:
    """Is the mean of ``longer`` ``[R]`` at most ``within`` times that of ``every`` (H = 1)?"""
    base = float(every.mean())
    ratio = float(longer.mean()) / base
    residual = longer - ratio * every
    half = float(scipy.stats.t.isf(ALPHA, residual.size - 1) * residual.std(ddof=1))
    half /= residual.size**0.5 * base
    return Verdict(
        subject=subject,
        problem=problem,
        claim=claim,
        check="error against H = 1",
        outcome=Outcome.SUPPORTED if ratio - half <= within else Outcome.REFUTED,
        statistic=ratio,
        bound=within,
        uncertainty=half,
        resolution=2 * half,
        evidence=f"the error is {ratio:.4f} +- {half:.2g} of that with H = 1",
        provenance=description,
    )


def beyond(
    longer: Floats,
    every: Floats,
    factor: float,
    *,
    subject: str,
    claim: str,
    problem: str,
    description: str,
) -> Verdict:
    """Is the mean of ``longer`` more than ``factor`` times that of ``every`` (H = 1)? Paired."""
    found = error_ratio(
        longer,
        every,
        factor,
        subject=subject,
        claim=claim,
        problem=problem,
        description=description,
    )
    over = found.outcome is Outcome.REFUTED
    return replace(found, outcome=Outcome.SUPPORTED if over else Outcome.REFUTED)
