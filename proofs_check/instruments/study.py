"""Study: one measured rate or effect, with its verdicts and the curves of its figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, final

import numpy as np

from proofs_check.cell import CellResult
from proofs_check.curves import LinePanel, PanelLine, Points, RatePanel, RateSeries, band
from proofs_check.instruments.rates import PowerLawFit, rational
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.arrays import Floats


class StudyResult(NamedTuple):
    """Result of a study.

    Attributes:
        verdicts: what the checks found.
        curves: rates, a figure each, or lines that share a figure.
    """

    verdicts: tuple[Verdict, ...]
    curves: Sequence[RateSeries] | Sequence[PanelLine] = ()


@final
@dataclass(frozen=True)
class Study:
    """``run`` measures ``claim`` for the survey's ``row`` on ``problem``.

    ``x_label`` and ``y_label`` name the axes of the curves, with units where they have any;
    ``scales`` are theirs, "log" or "linear".
    """

    name: str
    row: str
    problem: str
    claim: str
    x_label: str
    y_label: str
    run: Callable[..., StudyResult]
    scales: tuple[str, str] = ("log", "log")

    def __call__(self, *args: Any, **named: Any) -> StudyResult:
        """What it finds of other methods than its own, or in another setting."""
        return self.run(*args, **named)

    def result(self) -> CellResult:
        """Run it: its verdicts, and its curves with the words of their figures."""
        found = self.run()
        lines = tuple(one for one in found.curves if isinstance(one, PanelLine))
        panels: list[RatePanel | LinePanel] = [
            RatePanel(self.claim, one.along or self.x_label, self.y_label, one)
            for one in found.curves
            if isinstance(one, RateSeries)
        ]
        if lines:
            panels.append(LinePanel(self.claim, self.x_label, self.y_label, self.scales, lines))
        return CellResult(found.verdicts, tuple(panels))


def study(
    row: str, problem: str, claim: str, x_label: str, y_label: str, *, name: str = "",
    scales: tuple[str, str] = ("log", "log"),
) -> Callable[[Callable[..., StudyResult]], Study]:  # fmt: skip
    """Makes a study of a function whose arguments all have defaults; its name is the function's,
    without ``_measure`` at the end, where no other is given."""

    def made(run: Callable[..., StudyResult]) -> Study:
        known = name or run.__name__.removesuffix("_measure")
        return Study(known, row, problem, claim, x_label, y_label, run, scales)

    return made


def fitted(
    x: Floats, samples: Floats, fit: PowerLawFit | None, reference: Floats, **groups: Floats
) -> RateSeries:
    """The band of ``samples`` ``[R, K]``, the fitted power law if there is one, and further points
    by name."""
    mean, low, high = band(samples)
    xs = np.asarray(x, dtype=np.float64)
    line = None if fit is None else np.exp(fit.intercept) * xs**fit.slope
    return RateSeries(
        xs, mean, low, high, line, np.asarray(reference, dtype=np.float64), _points(groups)
    )


def _points(groups: Mapping[str, Floats]) -> tuple[Points, ...]:
    return tuple(Points(name.replace("_", " "), y) for name, y in groups.items())


def exponent(x: Floats, y: Floats) -> float:
    """Least-squares slope of log y ``[K]`` against log x ``[K]``."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def noise_free_rate(
    x: Floats,
    y: Floats,
    order: float,
    tolerance: float,
    *,
    tight: bool,
    subject: str,
    claim: str,
    variable: str,
    problem: str,
    provenance: str,
) -> Verdict:
    """Is the exponent of a curve without randomness at most ``order`` (if ``tight``: equal)?

    ``tolerance`` is what terms of higher order may contribute; the caller says why.
    """
    slope = exponent(x, y)
    refuted = not slope <= order + tolerance or (tight and not slope >= order - tolerance)
    return Verdict(
        subject=subject,
        problem=problem,
        claim=claim,
        check=f"rate in {variable}",
        kind=CheckKind.RATE,
        outcome=Outcome.REFUTED if refuted else Outcome.SUPPORTED,
        statistic=slope,
        bound=order,
        order=f"{variable}^{order:g}",
        exponent=rational(order),
        uncertainty=tolerance,
        resolution=tolerance,
        evidence=f"exponent of {variable} {slope:.5f} (order: {'=' if tight else '<='} {order:g}, "
        f"tolerance {tolerance:g}) on {len(x)} points without randomness",
        provenance=provenance,
    )


def noise_free(x: Floats, y: Floats, reference: Floats, **groups: Floats) -> RateSeries:
    """A measurement without randomness: low = mean = high, a power law fitted to it."""
    slope = exponent(x, y)
    line = np.exp(np.log(y).mean() + slope * (np.log(x) - np.log(x).mean()))
    return RateSeries(x, y, y, y, line, reference, _points(groups))


# What a cell runs of a row, whatever its kind.


class RowCheck(Protocol):
    """Check of a row: a study, a run under a bound, or a check of a system."""

    @property
    def row(self) -> str:
        """Key of the row that is checked."""

    @property
    def name(self) -> str:
        """What cells call it, unlike that of every other of its kind."""

    @property
    def result(self) -> Callable[[], CellResult]:
        """Computation of its verdicts, and of what figures and pages show."""


@final
@dataclass(frozen=True)
class SystemCheck:
    """``result`` checks a part of the row called ``row``, or what its papers say of it.

    A module of a room of such checks declares them in a tuple ``SYSTEM_CHECKS``.

    Attributes:
        row: key of the row.
        name: what cells call it, unlike that of every other.
        result: its verdicts, and what figures and pages show.
    """

    row: str
    name: str
    result: Callable[[], CellResult]
