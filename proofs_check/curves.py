"""Data of a check for figures: frozen dataclasses of 1-D curves, each known by its type.

They are plain data: stored with a cell's verdicts and read back by the name of their type.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from algorithms.engine.replicas import middle
from proofs_check.gantt import LanePanel
from theory.arrays import Floats

BAND_ERRORS = 2.0
"""Half-width of every band around a mean over replicas, in standard errors of that mean."""

BAND = f"± {BAND_ERRORS:g} standard errors"
"""What a band is called."""

MEDIAN_BAND = "95% interval of the median"
"""What the band of a median is called."""


def band(samples: Floats) -> tuple[Floats, Floats, Floats]:
    """Mean over replicas of ``samples`` ``[R, K]``, and the ends of its band; NaN for R = 1."""
    mean = samples.mean(axis=0)
    if len(samples) < 2:
        return mean, np.full_like(mean, np.nan), np.full_like(mean, np.nan)
    half = BAND_ERRORS * samples.std(axis=0, ddof=1) / len(samples) ** 0.5
    return mean, mean - half, mean + half


def typical(samples: Floats, heavy: bool) -> tuple[Floats, Floats, Floats]:
    """The mean with its :func:`band`; where tails are ``heavy`` the median, and the ends of its
    interval, NaN where replicas are too few for one."""
    if not heavy:
        return band(samples)
    at, *ends = middle(samples, True)
    low, high = (np.where(np.isfinite(end), end, np.nan) for end in ends)
    return at, low, high


def _alike(owner: object, x: str, *names: str) -> None:
    """Raise a ValueError unless the named curves that are there are 1-D and as long as ``x``."""
    wanted = getattr(owner, x).shape
    for name in (x, *names):
        curve = getattr(owner, name)
        if curve is not None and (curve.ndim != 1 or curve.shape != wanted):
            raise ValueError(
                f"{name} must be 1-D and as long as {x}, got {name} of shape {curve.shape}; "
                f"{x} has shape {wanted}"
            )


@final
@dataclass(frozen=True)
class Cited:
    """A theorem as a figure names it.

    Attributes:
        name: the theorem's name in ``theory.theorems``.
        title: its title.
        source: authors, year and number, as they are printed.
        short: authors and year, for a legend.
        order: the order of its bound, ``O(T^-1/2 n^-1/2)``; empty without one.
    """

    name: str
    title: str
    source: str
    short: str
    order: str = ""


@final
@dataclass(frozen=True, eq=False)
class RunSeries:
    """One run of a method, ``[K]`` each: what is shown, bits and seconds so far, the bound.

    Attributes:
        quantity: what ``mean`` is, in the words of ``theory.theorem.Metric``.
        steps: steps done at each record.
        mean: mean over replicas; the median where tails are heavy.
        low: lower end of its band.
        high: upper end of its band.
        sent_bits: bits sent per worker so far.
        received_bits: bits received per worker so far.
        seconds: seconds of the cost model so far, or None.
        bound: the theorem's bound on the quantity, NaN where it says nothing, or None.
        theorem: the theorem that bounds it, or None.
        method: the method's name and what is known of its network.
        tuning: what set the stepsize, in words.
        vacuous: whether the bound at the end is no less than the start; None without one.
        beside: the same row as practitioners tune it, where a theorem tuned this run.
        heavy: whether noise has no variance, so that ``mean`` is a median.
        ends: what each replica shows at the last record ``[R]``, or None.

    Raises:
        ValueError: a curve is not 1-D, or not as long as ``steps``.
    """

    quantity: str
    steps: Floats
    mean: Floats
    low: Floats
    high: Floats
    sent_bits: Floats
    received_bits: Floats
    seconds: Floats | None = None
    bound: Floats | None = None
    theorem: Cited | None = None
    method: str = ""
    tuning: str = ""
    vacuous: bool | None = None
    beside: RunSeries | None = None
    heavy: bool = False
    ends: Floats | None = None

    def __post_init__(self) -> None:
        names = ("mean", "low", "high", "sent_bits", "received_bits", "seconds", "bound")
        _alike(self, "steps", *names)


@final
@dataclass(frozen=True, eq=False)
class Points:
    """Further measured points of a rate.

    Attributes:
        name: what they are called in the legend.
        y: their values ``[K]`` at the rate's x.
    """

    name: str
    y: Floats


@final
@dataclass(frozen=True, eq=False)
class RateSeries:
    """A measured rate or effect, ``[K]`` each: values with their band, the fit, theory's line.

    Attributes:
        x: what is varied.
        mean: what is measured.
        low: lower end of its band.
        high: upper end of its band.
        fit: the fitted power law at x, or None.
        reference: theory's line or exact curve, NaN where it says nothing, or None.
        groups: further measured points.
        along: the name of x, where it is another than the study's own.

    Raises:
        ValueError: a curve is not 1-D, or not as long as ``x``.
    """

    x: Floats
    mean: Floats
    low: Floats
    high: Floats
    fit: Floats | None = None
    reference: Floats | None = None
    groups: tuple[Points, ...] = ()
    along: str = ""

    def __post_init__(self) -> None:
        _alike(self, "x", "mean", "low", "high", "fit", "reference")
        for group in self.groups:
            if group.y.shape != self.x.shape:
                raise ValueError(
                    f"groups must be as long as x, got {group.name} of shape {group.y.shape}; "
                    f"x has shape {self.x.shape}"
                )


@final
@dataclass(frozen=True, eq=False)
class PanelLine:
    """One line among several.

    Attributes:
        name: what it is called in the legend.
        x: where its points are ``[K]``.
        y: its values ``[K]``.
        low: lower end of its band ``[K]``, or None.
        high: upper end of its band ``[K]``, or None.
        theory: whether it is what theory says, drawn dashed.

    Raises:
        ValueError: a curve is not 1-D, or not as long as ``x``.
    """

    name: str
    x: Floats
    y: Floats
    low: Floats | None = None
    high: Floats | None = None
    theory: bool = False

    def __post_init__(self) -> None:
        _alike(self, "x", "y", "low", "high")


@final
@dataclass(frozen=True, eq=False)
class RatePanel:
    """A rate with the words of its figure.

    Attributes:
        title: what is measured.
        x_label: label of the x axis, with unit.
        y_label: label of the y axis, with unit.
        rate: the curves.
    """

    title: str
    x_label: str
    y_label: str
    rate: RateSeries


@final
@dataclass(frozen=True, eq=False)
class ArmReadings:
    """Readings of an effect's arms over their replicas, in units of the baseline's mean.

    Attributes:
        claimed: the largest share of the baseline's mean that the effect claims of the method.
        shares: of method, baseline and the method without its cause, a reading a replica ``[R]``;
            infinite where an accuracy was never reached or the run diverged.
    """

    claimed: float
    shares: tuple[Floats, ...]


@final
@dataclass(frozen=True, eq=False)
class LinePanel:
    """Several lines with the words of their figure.

    Attributes:
        title: what is measured.
        x_label: label of the x axis, with unit.
        y_label: label of the y axis, with unit.
        scales: of the axes, "log" or "linear".
        lines: what is drawn, in this order.
        readings: distribution over replicas of what an effect reads of each line, or None.
    """

    title: str
    x_label: str
    y_label: str
    scales: tuple[str, str]
    lines: tuple[PanelLine, ...]
    readings: ArmReadings | None = None


@final
@dataclass(frozen=True, eq=False)
class WorkerSeries:
    """Error at equal bits against the number of workers, ``[K]`` each.

    Attributes:
        workers: numbers of workers.
        mean: mean error over replicas.
        low: lower end of its band.
        high: upper end of its band.
        spent: share of the budget of bits that was spent.

    Raises:
        ValueError: a curve is not 1-D, or not as long as ``workers``.
    """

    workers: Floats
    mean: Floats
    low: Floats
    high: Floats
    spent: Floats

    def __post_init__(self) -> None:
        _alike(self, "workers", "mean", "low", "high", "spent")


@final
@dataclass(frozen=True)
class TradeoffPoint:
    """Cost and error of an operator at one vector.

    Attributes:
        operator: its name.
        vector: the vector's name.
        bits: bits a coordinate by the code.
        error: E||C(x) - x||^2 / ||x||^2.
        constant: the smallest claimed bound on the error, NaN where none is claimed.
    """

    operator: str
    vector: str
    bits: float
    error: float
    constant: float


@final
@dataclass(frozen=True)
class SchemeNumbers:
    """One combination of survey 002's Table II, measured.

    Attributes:
        architecture: as the survey names it.
        synchronisation: as the survey names it.
        spread: rms distance between the models that gradients are computed on.
        frequency: messages that a worker sends per gradient.
        burst: messages that reach the busiest node at once; NaN where none do.
        crossing: messages' worth that crosses the busiest node per gradient of each worker.
        error: f - f* at the end.
        seconds: seconds of the cost model at the end.
    """

    architecture: str
    synchronisation: str
    spread: float
    frequency: float
    burst: float
    crossing: float
    error: float
    seconds: float


Curves = (
    RunSeries | RatePanel | LinePanel | WorkerSeries | TradeoffPoint | SchemeNumbers | LanePanel
)
