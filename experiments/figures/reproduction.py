"""A published number beside ours: what it is, whether it is met, and the verdict on all of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, final

from experiments.figures.reproduced import DotPanel, FigureDrawing, Panel, PublishedDot
from proofs_check.figure_runs.trace import MeasuredMean
from theory.claims import Confidence


class Relation(Enum):
    """Required relation of our number to the published one."""

    NEAR = "="
    AT_MOST = "<="
    AT_LEAST = ">="


@final
@dataclass(frozen=True)
class PublishedNumber:
    """One row of a reproduction: a published number and ours.

    Attributes:
        quantity: what is measured.
        published: the number, or the limit, in ``unit``.
        ours: what this project measured or computed, in ``unit``.
        relation: how ours must stand to it.
        tolerance: how far ours may be off, in ``unit``.
        unit: unit of all numbers; empty: none.
        source: where the number is printed, if not in the figure that is made again.
        confidence: how surely it is known; numbers from memory or of an order never decide.
        low: lower end of our interval; NaN: nothing is drawn at random.
        high: upper end of our interval.
    """

    quantity: str
    published: float
    ours: float
    relation: Relation = Relation.NEAR
    tolerance: float = 0.0
    unit: str = ""
    source: str = ""
    confidence: Confidence = Confidence.READ
    low: float = math.nan
    high: float = math.nan

    @property
    def excess(self) -> float:
        """Excess of our number over what is allowed, in ``unit``; infinite for NaN, 0 if met."""
        apart = self.ours - self.published
        if self.relation is Relation.NEAR:
            apart = abs(apart)
        elif self.relation is Relation.AT_LEAST:
            apart = -apart
        return math.inf if math.isnan(apart) else max(0.0, apart - self.tolerance)

    @property
    def met(self) -> bool:
        """Whether ours is where it must be."""
        return self.excess == 0.0

    @property
    def gate(self) -> bool:
        """Whether the verdict rests on it."""
        return self.confidence.assertable

    @property
    def off(self) -> float:
        """|ours - published| in parts of the published number; of 1 where that is 0."""
        apart = abs(self.ours - self.published)
        return math.inf if math.isnan(apart) else apart / (abs(self.published) or 1.0)

    def record(self) -> dict[str, Any]:
        """Plain data, for JSON and CSV."""
        return {
            "quantity": self.quantity, "relation": self.relation.value,
            "published": self.published, "tolerance": self.tolerance, "ours": self.ours,
            "low": self.low, "high": self.high, "unit": self.unit, "met": self.met,
            "gate": self.gate, "confidence": self.confidence.value, "source": self.source,
        }  # fmt: skip


def near(
    quantity: str, published: float, ours: float | MeasuredMean, *,
    relative: float = 0.0, absolute: float = 0.0, **more: Any,
) -> PublishedNumber:  # fmt: skip
    """Ours must be within ``relative`` parts of the published number and ``absolute`` of it."""
    tolerance = relative * abs(published) + absolute
    return _number(quantity, published, ours, Relation.NEAR, tolerance=tolerance, **more)


def at_most(
    quantity: str, limit: float, ours: float | MeasuredMean, **more: Any
) -> PublishedNumber:
    """Ours may not exceed a published bound."""
    return _number(quantity, limit, ours, Relation.AT_MOST, **more)


def at_least(
    quantity: str, limit: float, ours: float | MeasuredMean, **more: Any
) -> PublishedNumber:
    """Ours may not be below what is published."""
    return _number(quantity, limit, ours, Relation.AT_LEAST, **more)


def _number(
    quantity: str, published: float, ours: float | MeasuredMean, relation: Relation, **more: Any
) -> PublishedNumber:
    mean, low, high = ours if isinstance(ours, MeasuredMean) else (ours, math.nan, math.nan)
    return PublishedNumber(
        quantity, float(published), float(mean), relation, low=low, high=high, **more
    )


@final
@dataclass(frozen=True)
class Reproduction:
    """Result of making a figure again.

    Attributes:
        numbers: published numbers beside ours.
        panels: what is drawn; without any, the numbers.
        notes: sentences below the table: what is not compared, and why.
        details: further results, for ``--json``.
        columns: panels beside one another.
    """

    numbers: tuple[PublishedNumber, ...]
    panels: tuple[Panel, ...] = ()
    notes: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    columns: int = 3

    @property
    def reproduced(self) -> bool | None:
        """Whether every number that decides is met; None where none decides."""
        gates = [number.met for number in self.numbers if number.gate]
        return all(gates) if gates else None

    @property
    def standing(self) -> str:
        """ "reproduced", "compared" or "not reproduced"."""
        return {None: "compared", True: "reproduced", False: "not reproduced"}[self.reproduced]

    @property
    def verdict(self) -> str:
        """The standing, with "by" how much it is not reproduced, and where it is worst."""
        if self.reproduced is not False:
            return self.standing
        missed = [number for number in self.numbers if number.gate and not number.met]
        worst = max(missed, key=lambda number: number.off)
        parts = " of the published value" if worst.published else ""
        more = f", and {len(missed) - 1} more" if len(missed) > 1 else ""
        return (
            f"{self.standing}, by {worst.off:.3g}{parts} ({worst.quantity}: "
            f"{worst.ours:.6g}, {worst.relation.value} {worst.published:.6g} published{more})"
        )

    def drawing(self, title: str) -> FigureDrawing:
        """The panels, or where there are none a dot plot of the numbers for each unit."""
        return FigureDrawing(title, self.panels or number_panels(self.numbers), self.columns)


def number_panels(numbers: tuple[PublishedNumber, ...]) -> tuple[DotPanel, ...]:
    """A dot plot of published numbers and ours for each unit."""
    units = dict.fromkeys(number.unit for number in numbers)
    return tuple(
        DotPanel("", unit or "value", tuple(_dot(n) for n in numbers if n.unit == unit))
        for unit in units
    )


def _dot(number: PublishedNumber) -> PublishedDot:
    sign = "" if number.relation is Relation.NEAR else f"{number.relation.value} "
    return PublishedDot(
        number.quantity, number.ours, number.published, number.low, number.high, sign
    )
