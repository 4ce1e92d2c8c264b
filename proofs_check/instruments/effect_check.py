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
from typing import Literal, NamedTuple, final

import numpy as np
import scipy

from algorithms.engine.run import Trace
from proofs_check.cell import CellResult
from proofs_check.curves import LinePanel, PanelLine, band
from proofs_check.instruments.limits import quantile
from proofs_check.instruments.reaching import reached_at
from proofs_check.instruments.statistics import TEST_ERROR
from proofs_check.instruments.variants import Fixed, NoSuchVariant, Variant, variants
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.arrays import Floats

CHECK = "effect"
CHECK_OF_FAULT = "effect without its cause"
CHECK_OF_VARIANTS = "effect in variants"

Quantity = Literal[
    "suboptimality", "squared_gradient", "average_squared_gradient", "squared_distance",
    "consensus", "weighted_suboptimality", "distance_of_workers",
]  # fmt: skip
"""What is wanted small: series of a :class:`~algorithms.engine.trace.Trace`, or
(1/n) sum_i ||x_i - x*||^2, the sum of two of them."""

Cost = Literal["steps", "sent_bits", "received_bits", "messages", "seconds"]
"""What is paid for it: series of a :class:`~algorithms.engine.run.Trace`."""


class Arm(StrEnum):
    """Whom an effect measures."""

    METHOD = "method"
    BASELINE = "baseline"
    FAULT = "fault"


class StepsizeChoice(StrEnum):
    """How the stepsizes of method and baseline were chosen."""

    ONE_GRID = "both sides take the best of one grid"
    OWN_GRIDS = "each side takes the best of a grid in its own unit"
    POINT = "the stepsize is what the effect is about"
    STEPLESS = "no side has a stepsize"
    ANY = "the baseline's reading is the same at every stepsize"


class Measurement(NamedTuple):
    """What was measured of one side.

    Attributes:
        values: the quantity of each replica ``[R]``, one value where nothing is drawn; infinite
            where a run diverged or an accuracy was never reached.
        x: where the picture's curve has its points ``[K]``.
        y: the curve of each replica ``[R, K]``.
    """

    values: Floats
    x: Floats
    y: Floats


@final
@dataclass(frozen=True)
class EffectCheck:
    """What a row is for, as a check; see this module.

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
        told: seeds, replicas, workers, stepsizes: what makes the run again.
        scales: of the axes, "log" or "linear".
        tuning: how stepsizes were chosen.
        vary: the effect under a variant, or NoSuchVariant; None: it has no variants.

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
    told: str
    scales: tuple[str, str] = ("log", "log")
    tuning: StepsizeChoice = StepsizeChoice.STEPLESS
    vary: Callable[[Variant], EffectCheck] | None = None

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
        verdicts = (self._verdict(found), self._caught(fault))
        names = {Arm.METHOD: self.method, Arm.BASELINE: self.baseline, Arm.FAULT: self.fault}
        lines = tuple(_line(names[side], one) for side, one in seen.items())
        picture = LinePanel(self.effect, self.x_label, self.y_label, self.scales, lines)
        return CellResult(verdicts, (picture,))

    def _compared(self, seen: Mapping[Arm, Measurement]) -> tuple[ArmComparison, ArmComparison]:
        """Method and fault beside the baseline."""
        base = seen[Arm.BASELINE].values
        return (
            held(seen[Arm.METHOD].values, base, self.at_most),
            held(seen[Arm.FAULT].values, base, self.at_most, skewed=False),
        )

    def in_variants(self, seed: int) -> tuple[VariantResult, ...]:
        """What becomes of the effect under each of :func:`variants`."""
        return tuple(self.under(variant) for variant in variants(seed))

    def under(self, variant: Variant) -> VariantResult:
        """What becomes of the effect under a variant."""
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
        told = f"holds in {len(found) - len(lost)} of {len(found)} variants"
        told += f"; not in {', '.join(map(str, lost))}" if lost else ""
        return CellResult(
            (
                Verdict(
                    subject=self.row, problem=self.problem, check=CHECK_OF_VARIANTS,
                    kind=CheckKind.STUDY, claim=f"{self.effect}, elsewhere too",
                    outcome=Outcome.COMPARED if lost else Outcome.SUPPORTED,
                    statistic=(len(found) - len(lost)) / len(found) if found else None, bound=1.0,
                    evidence=told,
                    provenance=f"variants of {self.told}, on seed {seed}: "
                    f"{', '.join(one.variant.name for one in found)}",
                ),
            )
        )  # fmt: skip

    def _verdict(self, found: ArmComparison) -> Verdict:
        return Verdict(
            subject=self.row, problem=self.problem, claim=self.effect, check=CHECK,
            kind=CheckKind.EFFECT,
            outcome=found.outcome, statistic=found.ratio, bound=self.at_most,
            uncertainty=found.half_width, resolution=2 * found.half_width,
            evidence=f"{self.quantity}: {found.mine:.4g} against {found.theirs:.4g} "
            f"({self.baseline}), {_share(found.ratio)}; claimed: at most {self.at_most:g}",
            provenance=f"{self.source}; {self.told}, error {TEST_ERROR:g}",
        )  # fmt: skip

    def _caught(self, found: ArmComparison) -> Verdict:
        caught = found.outcome is Outcome.REFUTED
        return Verdict(
            subject=self.row, problem=self.problem, check=CHECK_OF_FAULT, kind=CheckKind.ABLATION,
            claim=f"the effect is refuted of a planted fault: {self.fault}",
            outcome=Outcome.CAUGHT if caught else Outcome.REFUTED,
            statistic=found.ratio, bound=self.at_most, uncertainty=found.half_width,
            evidence=f"{self.quantity}: {found.mine:.4g} against {found.theirs:.4g} "
            f"({self.baseline}), {_share(found.ratio)}",
            provenance=self.told,
        )  # fmt: skip


class ArmComparison(NamedTuple):
    """One side against the baseline.

    Attributes:
        outcome: SUPPORTED, REFUTED, or COMPARED where chance could decide it.
        mine: mean of the side.
        theirs: mean of the baseline.
        ratio: mine / theirs.
        half_width: of the limit on mine - at_most theirs, in units of theirs.
    """

    outcome: Outcome
    mine: float
    theirs: float
    ratio: float
    half_width: float


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
    mine: Floats, theirs: Floats, at_most: float, alpha: float = TEST_ERROR, skewed: bool = True
) -> ArmComparison:
    """Is E mine ``[R]`` at most ``at_most`` times E theirs ``[R]``, with error ``alpha``?

    A side of one value is without randomness. Replicas r of both are one pair. Refuted is what is
    so for ``skewed`` laws too (:func:`limits.quantile`); else all limits are Student's.

    Raises:
        ValueError: the sides have other numbers of replicas, and neither is a single value.
    """
    if len(mine) != len(theirs) and 1 not in (len(mine), len(theirs)):
        raise ValueError(
            f"sides must have equally many replicas or one value, got {len(mine)} and {len(theirs)}"
        )
    a, b = float(np.mean(mine)), float(np.mean(theirs))
    if not math.isfinite(a):
        return ArmComparison(Outcome.REFUTED, a, b, math.inf, 0.0)
    if not math.isfinite(b):
        return ArmComparison(Outcome.SUPPORTED, a, b, 0.0, 0.0)
    ratio = a / b if b > 0 else math.inf
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
    elif middle - (sure if skewed else half) > 0:
        outcome = Outcome.REFUTED
    return ArmComparison(outcome, a, b, ratio, half / b if b > 0 else math.inf)


def at_end(
    trace: Trace, y: Quantity = "suboptimality", x: Cost = "steps", last: int = 1
) -> Measurement:
    """The mean of the ``last`` records of ``y``, drawn against ``x``."""
    across, up = _across(trace, x), _up(trace, y)
    return Measurement(up[:, -last:].mean(axis=1), across.mean(axis=0), up)


def at_budget(trace: Trace, budget: float, x: Cost, y: Quantity = "suboptimality") -> Measurement:
    """``y`` at the last record at which at most ``budget`` of ``x`` was spent.

    Raises:
        ValueError: the run ends before its budget is spent: give it more steps.
    """
    across, up = _across(trace, x), _up(trace, y)
    if across[:, -1].min() < budget:
        raise ValueError(
            f"the run of {trace.method} spends {across[:, -1].min():.6g} of {x}, less than "
            f"budget={budget:.6g}; give it more steps"
        )
    at = (across <= budget).sum(axis=1) - 1
    return Measurement(up[np.arange(len(up)), at], across.mean(axis=0), up)


def to_reach(trace: Trace, target: float, x: Cost, y: Quantity = "suboptimality") -> Measurement:
    """What of ``x`` was spent when ``y`` reached ``target`` (:func:`reached_at`): infinite if it
    never did.
    """
    across, up = _across(trace, x), _up(trace, y)
    first = reached_at(up, target)
    spent = np.where(first >= 0, across[np.arange(len(up)), first], np.inf)
    return Measurement(spent, across.mean(axis=0), up)


def _up(trace: Trace, y: Quantity) -> Floats:
    if y == "distance_of_workers":
        return trace.consensus + trace.squared_distance
    return np.asarray(getattr(trace, y), dtype=np.float64)


def _across(trace: Trace, x: Cost) -> Floats:
    """``[R, K]``, whatever shape the series has.

    Raises:
        ValueError: it is not modelled: an accuracy that costs NaN would count as never reached.
    """
    series = np.asarray(getattr(trace, x), dtype=np.float64)
    if np.isnan(series).any():
        raise ValueError(f"the run of {trace.method} models no {x}; another cost would do")
    return np.broadcast_to(series, trace.suboptimality.shape)


def _share(ratio: float) -> str:
    return f"{ratio:.3g} of it" if math.isfinite(ratio) else "more than any share of it"


def _line(name: str, seen: Measurement) -> PanelLine:
    mean, low, high = band(seen.y)
    return (
        PanelLine(name, seen.x, mean, low, high)
        if len(seen.y) > 1
        else PanelLine(name, seen.x, mean)
    )
