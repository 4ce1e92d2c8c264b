r"""Effect: the one measured effect that a row's paper is about, beside what it improves on.

A quantity (an error at a budget, the bits or seconds that an accuracy costs, ...; smaller is
better) is measured of three sides on one problem: the row's method, its baseline, and a planted
fault, the row's method with its essential part switched off. Claimed is

$$E[\text{method}] \le \theta\, E[\text{baseline}],$$

with theta stated. The method must keep this and the fault must break it, each by a one-sided
Student limit on the mean of y_r - theta b_r over the replicas r, paired by their seed; a method is
called refuted only by a limit that holds for skewed laws. Without randomness the numbers themselves
are compared.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, final

import numpy as np
import scipy

from proofs_check.cell import CellResult
from proofs_check.curves import ArmReadings, LinePanel, PanelLine, band
from proofs_check.instruments.limits import quantile
from proofs_check.instruments.measurement import Measurement
from proofs_check.instruments.statistics import TEST_ERROR
from proofs_check.instruments.variants import MORE, Fixed, NoSuchVariant, Variant, variants
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.arrays import Floats

CHECK = "effect"
CHECK_OF_FAULT = "effect without its cause"
CHECK_OF_VARIANTS = "effect in variants"


class Arm(StrEnum):
    """Whom an effect measures."""

    METHOD = "method"
    BASELINE = "baseline"
    FAULT = "fault"


class StepsizeChoice(StrEnum):
    """Choice of the stepsizes of method and baseline."""

    ONE_GRID = "both sides take the best of one search"
    OWN_GRIDS = "each side takes the best of a search in its own unit"
    POINT = "the stepsize is what the effect is about"
    ALIKE = "one stepsize for all: at the best of each the effect is smaller or not there"
    STEPLESS = "no side has a stepsize"
    ANY = "the baseline's reading is the same at every stepsize"


@final
@dataclass(frozen=True)
class EffectCheck:
    """Purpose of a row, as a check; see this module.

    Attributes:
        row: key of the row.
        problem: what it is measured on, in words or by a catalogue name.
        effect: the effect, one sentence without figures ("workers that differ leave no floor").
        quantity: what is measured, with unit ("E f(x_T) - f* after 500 steps [f]").
        method: the row's method in the picture's legend.
        baseline: what it improves on, in words ("D-PSGD at the same stepsize").
        fault: what the planted fault switches off ("without the correction by the last step").
        at_most: theta, in (0, 1).
        measure: measures one side; draws the same random numbers for all three.
        x_label: label of the picture's x axis, with unit.
        y_label: label of its y axis, with unit.
        source: authors, year, arXiv id and place of the claim.
        description: seeds, replicas, workers, stepsizes: what makes the run again.
        scales: of the axes, "log" or "linear".
        tuning: how stepsizes were chosen.
        vary: the effect under a variant, or NoSuchVariant; None: it has no variants.
        search: measures one side at the best of its whole grid, whatever was kept; None: there is
            no grid.

    Raises:
        ValueError: at_most outside (0, 1).
    """

    row: str
    problem: str
    effect: str
    quantity: str
    method: str
    baseline: str
    fault: str
    at_most: float
    measure: Callable[[Arm], Measurement]
    x_label: str
    y_label: str
    source: str
    description: str
    scales: tuple[str, str] = ("log", "log")
    tuning: StepsizeChoice = StepsizeChoice.STEPLESS
    vary: Callable[[Variant], EffectCheck] | None = None
    search: Callable[[Arm], Measurement] | None = None

    def __post_init__(self) -> None:
        if not 0 < self.at_most < 1:
            raise ValueError(
                f"at_most must lie in (0, 1), got {self.at_most}: the method's share of the "
                "baseline's quantity that the effect claims"
            )

    def result(self) -> CellResult:
        """Measure all sides: the method's verdict, the fault's, and the picture of the three."""
        seen = {side: self.measure(side) for side in Arm}
        found, fault = self._compared(seen)
        chosen = _chosen(seen)
        verdicts = (self._verdict(found, chosen), self._caught(fault, chosen))
        names = {Arm.METHOD: self.method, Arm.BASELINE: self.baseline, Arm.FAULT: self.fault}
        lines = tuple(_line(names[side], one) for side, one in seen.items())
        readings = _readings(seen, found.theirs, self.at_most)
        picture = LinePanel(self.quantity, self.x_label, self.y_label, self.scales, lines, readings)
        return CellResult(verdicts, (picture,))

    def _compared(self, seen: Mapping[Arm, Measurement]) -> tuple[ArmComparison, ArmComparison]:
        """Method and fault beside the baseline."""
        base = seen[Arm.BASELINE]
        return (
            held(seen[Arm.METHOD].values, base.values, self.at_most, least=base.least),
            held(seen[Arm.FAULT].values, base.values, self.at_most, of_method=False,
                 least=base.least),
        )  # fmt: skip

    def in_variants(self, seed: int) -> tuple[VariantResult, ...]:
        """Results for the effect under each of :func:`variants`."""
        return tuple(self.under(variant) for variant in variants(seed))

    def under(self, variant: Variant) -> VariantResult:
        """Result for the effect under a variant; one that is lost is measured again with more
        replicas."""
        found = self._under(variant)
        if found.holds or found.reason is not None or variant.replicas > 1:
            return found
        return self._under(variant._replace(replicas=MORE))

    def _under(self, variant: Variant) -> VariantResult:
        try:
            if self.vary is None:
                raise NoSuchVariant(Fixed.INSTANCE)
            there = self.vary(variant)
        except NoSuchVariant as none:
            return VariantResult(variant, none.reason)
        found, fault = there._compared({side: there.measure(side) for side in Arm})
        return VariantResult(variant, None, found, fault)

    def over_variants(self, seed: int) -> CellResult:
        """In how many variants the effect holds and the fault's does not."""
        found = [one for one in self.in_variants(seed) if one.reason is None]
        lost = [one for one in found if not one.holds]
        description = f"holds in {len(found) - len(lost)} of {len(found)} variants"
        description += f"; not in {', '.join(map(str, lost))}" if lost else ""
        return CellResult(
            (
                Verdict(
                    subject=self.row, problem=self.problem, check=CHECK_OF_VARIANTS,
                    kind=CheckKind.STUDY, claim=f"{self.effect}, elsewhere too",
                    outcome=Outcome.COMPARED if lost else Outcome.SUPPORTED,
                    statistic=(len(found) - len(lost)) / len(found) if found else None, bound=1.0,
                    evidence=description,
                    provenance=f"variants of {self.description}, on seed {seed}: "
                    f"{', '.join(one.variant.name for one in found)}",
                ),
            )
        )  # fmt: skip

    def _verdict(self, found: ArmComparison, chosen: str) -> Verdict:
        return Verdict(
            subject=self.row, problem=self.problem, claim=self.effect, check=CHECK,
            kind=CheckKind.EFFECT,
            outcome=found.outcome, statistic=found.ratio, bound=self.at_most,
            uncertainty=found.half_width, resolution=2 * found.half_width,
            evidence=f"{self.quantity}: {found.told(self.baseline)}; claimed: at most "
            f"{self.at_most:g}{chosen}",
            provenance=f"{self.source}; {self.description}, error {TEST_ERROR:g}",
        )  # fmt: skip

    def _caught(self, found: ArmComparison, chosen: str) -> Verdict:
        caught = found.outcome is Outcome.REFUTED
        return Verdict(
            subject=self.row, problem=self.problem, check=CHECK_OF_FAULT, kind=CheckKind.ABLATION,
            claim=f"the effect is refuted of a planted fault: {self.fault}",
            outcome=Outcome.CAUGHT if caught else Outcome.REFUTED,
            statistic=found.ratio, bound=self.at_most, uncertainty=found.half_width,
            evidence=f"{self.quantity}: {found.told(self.baseline)}{chosen}",
            provenance=self.description,
        )  # fmt: skip


class ArmComparison(NamedTuple):
    """One side against the baseline.

    Attributes:
        outcome: SUPPORTED, REFUTED, or COMPARED where chance could decide it.
        mine: mean of the side.
        theirs: mean of the baseline.
        ratio: mine / theirs.
        half_width: of the limit on mine - at_most theirs, in units of theirs.
        censored: whether the baseline's mean is a lower bound, as it did not get there.
    """

    outcome: Outcome
    mine: float
    theirs: float
    ratio: float
    half_width: float
    censored: bool = False

    def told(self, baseline: str) -> str:
        """The comparison in words."""
        least, most = ("at least ", "at most ") if self.censored else ("", "")
        share = "more than any share of it"
        if math.isfinite(self.ratio):
            share = f"{most}{self.ratio:.3g} of it"
        return f"{self.mine:.4g} against {least}{self.theirs:.4g} ({baseline}), {share}"


@final
class VariantResult(NamedTuple):
    """An effect under a variant.

    Attributes:
        variant: the change.
        reason: why there is no such variant; None: there is.
        method: the method beside the baseline.
        fault: the fault beside it.
    """

    variant: Variant
    reason: Fixed | None
    method: ArmComparison | None = None
    fault: ArmComparison | None = None

    @property
    def holds(self) -> bool:
        """Whether the claimed share holds and the fault's arm does not keep it."""
        return (
            self.method is not None and self.fault is not None
            and self.method.outcome is Outcome.SUPPORTED
            and self.fault.outcome is Outcome.REFUTED
        )  # fmt: skip

    def __str__(self) -> str:
        if self.method is None or self.fault is None:
            return f"{self.variant.name}: {self.reason}"
        method, fault = self.method, self.fault
        return f"{self.variant.name} ({method.ratio:.3g}, without its cause {fault.ratio:.3g})"


def held(
    mine: Floats, theirs: Floats, at_most: float, alpha: float = TEST_ERROR, *,
    of_method: bool = True, least: float = math.inf,
) -> ArmComparison:  # fmt: skip
    """Is E mine ``[R]`` at most ``at_most`` times E theirs ``[R]``, with error ``alpha``?

    A side of one value is without randomness. Replicas r of both are one pair. The method
    (``of_method``) is refuted by what is so for skewed laws too (:func:`limits.quantile`); all
    other limits are Student's, a fault's also with its largest values cut. Where ``theirs`` is
    infinite it counts as ``least``, a lower bound of it, and as no less than where it is finite:
    what is supported against a bound is so against what it bounds, and the method is not refuted
    by one. ``theirs`` that is infinite everywhere without a bound is beaten by all that is finite.
    Of two sides that cost nothing, or are infinite without a bound, nothing is told.

    Raises:
        ValueError: the sides have other numbers of replicas, and neither is a single value.
    """
    if len(mine) != len(theirs) and 1 not in (len(mine), len(theirs)):
        raise ValueError(
            f"sides must have equally many replicas or one value, got {len(mine)} and {len(theirs)}"
        )
    arrived = np.isfinite(theirs)
    censored = not bool(arrived.all())
    if censored:
        bounds = [float(theirs[arrived].max())] if arrived.any() else []
        bounds += [least] if math.isfinite(least) else []
        theirs = np.where(arrived, theirs, max(bounds, default=math.inf))
    a, b = float(np.mean(mine)), float(np.mean(theirs))
    if not math.isfinite(b):
        known = bool(np.isfinite(mine).all())
        outcome = Outcome.SUPPORTED if known else Outcome.COMPARED
        return ArmComparison(outcome, a, b, 0.0 if known else math.inf, 0.0)
    refuted = Outcome.COMPARED if of_method and censored else Outcome.REFUTED
    if not math.isfinite(a):
        return ArmComparison(refuted, math.inf, b, math.inf, 0.0, censored)
    if a == b == 0:
        return ArmComparison(Outcome.COMPARED, a, b, math.inf, 0.0)
    excess = np.atleast_1d(mine - at_most * theirs)
    half = sure = 0.0
    if len(excess) > 1:
        spread = float(excess.std(ddof=1)) / len(excess) ** 0.5
        half = float(scipy.stats.t.isf(alpha, len(excess) - 1)) * spread
        sure = quantile(alpha, len(excess)) * spread if spread else 0.0
    middle = float(excess.mean())
    outcome = Outcome.COMPARED
    if middle + half <= 0:
        outcome = Outcome.SUPPORTED
    elif middle - (sure if of_method else half) > 0 or (not of_method and _above(excess, alpha)):
        outcome = refuted
    in_theirs = (a / b, half / b) if b > 0 else (math.inf, math.inf)
    return ArmComparison(outcome, a, b, *in_theirs, censored)


def _above(excess: Floats, alpha: float) -> bool:
    """Whether the mean is above 0 by Student's limit when large values are cut to twice the median:
    a few of them, which only raise the mean, do not hide it."""
    cut = np.minimum(excess, 2 * max(float(np.median(excess)), 0.0))
    spread = float(cut.std(ddof=1)) / len(cut) ** 0.5 if len(cut) > 1 else 0.0
    return float(cut.mean()) > float(scipy.stats.t.isf(alpha, max(len(cut) - 1, 1))) * spread


def _chosen(seen: Mapping[Arm, Measurement]) -> str:
    told = [f"{side.value} {one.choice}" for side, one in seen.items() if one.choice is not None]
    return f"; best stepsizes: {', '.join(told)}" if told else ""


def _line(name: str, seen: Measurement) -> PanelLine:
    mean, low, high = band(seen.y)
    return (
        PanelLine(name, seen.x, mean, low, high)
        if len(seen.y) > 1
        else PanelLine(name, seen.x, mean)
    )


def _readings(
    seen: Mapping[Arm, Measurement], of_baseline: float, at_most: float
) -> ArmReadings | None:
    """Values of all arms over the baseline's mean; None where that is 0 or unbounded, or where
    nothing is drawn at random in any arm."""
    drawn = any(len(one.values) > 1 for one in seen.values())
    if not (drawn and math.isfinite(of_baseline) and of_baseline > 0):
        return None
    return ArmReadings(at_most, tuple(one.values / of_baseline for one in seen.values()))
