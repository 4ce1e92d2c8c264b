"""Reading of a run: what of a cost it takes to an accuracy, or the accuracy at the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import final

import numpy as np

from algorithms.engine.trace import Trace
from proofs_check.instruments.measurement import (
    Cost,
    Measurement,
    Quantity,
    at_budget,
    at_end,
    to_reach,
)
from proofs_check.instruments.setting import Setting

COSTS: dict[str, tuple[str, str]] = {
    "steps": ("steps", "steps"),
    "sent_bits": ("bits a worker sends", "bit"),
    "received_bits": ("bits a worker receives", "bit"),
    "both_ways": ("bits a worker sends and receives", "bit"),
    "messages": ("messages", "messages"),
    "seconds": ("modelled time", "s"),
}
"""What is paid, in words and unit; ``both_ways`` are bits sent and received."""

QUANTITIES: dict[str, tuple[str, str]] = {
    "suboptimality": ("f(x_t) - f*", "f"),
    "squared_gradient": ("||grad f(x_t)||^2", "f^2 / x^2"),
    "average_squared_gradient": ("mean over steps of ||grad f(x_t)||^2", "f^2 / x^2"),
    "squared_distance": ("||x_t - x*||^2", "x^2"),
    "consensus": ("(1/n) sum_i ||x_i - mean||^2", "x^2"),
    "weighted_suboptimality": ("f of the weighted mean of models - f*", "f"),
    "distance_of_workers": ("(1/n) sum_i ||x_i - x*||^2", "x^2"),
}
"""What is wanted small, in words and unit."""


_OF_A_STATE = frozenset(QUANTITIES) - {"average_squared_gradient", "weighted_suboptimality"}


def _as_measured(found: Measurement) -> Measurement:
    return found


@final
@dataclass(frozen=True)
class Reading:
    """Reading of a run: the ``cost`` of a quantity's fall to ``target`` (or to a share
    of its start), or the quantity at the end or at a budget.

    Attributes:
        cost: what is paid, drawn across the picture.
        quantity: what is wanted small.
        target: the value that is to be reached; None: the quantity itself is read.
        share: whether the target is a share of the quantity at the start.
        budget: what of ``cost`` may be spent; None: the whole run.
        last: records at the end of which the mean is read.
        of: whose quantity it is (" of the mean model").
        shown: the measurement as it is drawn.
    """

    cost: str = "steps"
    quantity: Quantity = "suboptimality"
    target: float | None = None
    share: bool = False
    budget: float | None = None
    last: int = 1
    of: str = ""
    shown: Callable[[Measurement], Measurement] = field(default=_as_measured)

    def read(self, trace: Trace, *, diverged: bool = False) -> Measurement:
        """The measurement of one arm; infinite at a budget that it did not live to spend."""
        cost = self.cost
        if cost == "both_ways":
            trace = replace(trace, sent_bits=trace.sent_bits + trace.received_bits)
            cost = "sent_bits"
        spent = np.min(getattr(trace, cost)[..., -1])
        if diverged and self.budget is not None and spent < self.budget:
            found = at_end(trace, self.quantity, cost)  # type: ignore[arg-type]
            return self.shown(found._replace(values=np.full_like(found.values, np.inf)))
        found = self._measured(trace, cost)  # type: ignore[arg-type]
        return self.shown(found._replace(least=np.inf) if diverged else found)

    @property
    def in_bits(self) -> bool:
        """Whether what is paid are bits."""
        return COSTS[self.cost][1] == "bit"

    @property
    def of_last_record(self) -> bool:
        """Whether its value is that of the last record whatever other records there are."""
        at_end_alone = self.target is None and self.budget is None and self.last == 1
        return at_end_alone and self.quantity in _OF_A_STATE and self.shown is _as_measured

    def _measured(self, trace: Trace, cost: Cost) -> Measurement:
        if self.target is not None:
            target = self.target
            if self.share:
                target *= float(getattr(trace, self.quantity)[:, 0].mean())
            return to_reach(trace, target, cost, self.quantity)
        if self.budget is not None:
            return at_budget(trace, self.budget, cost, self.quantity)
        return at_end(trace, self.quantity, cost, self.last)

    def describe(self, setting: Setting) -> str:
        """Quantity measured, with its unit."""
        (paid, paid_unit), (wanted, unit) = COSTS[self.cost], QUANTITIES[self.quantity]
        wanted += self.of
        if self.target is not None:
            share = " of its start" if self.share else ""
            return f"{paid} until {wanted} = {self.target:g}{share} [{paid_unit}]"
        mean = "E " if setting.replicas > 1 else ""
        at = f"{self.budget:g} {paid}" if self.budget is not None else f"{setting.length} steps"
        over = f", mean of the last {self.last} records" if self.last > 1 else ""
        return f"{mean}{wanted} after {at}{over} [{unit}]"

    @property
    def labels(self) -> tuple[str, str]:
        """Of the picture's axes, with units."""
        (paid, paid_unit), (wanted, unit) = COSTS[self.cost], QUANTITIES[self.quantity]
        plain = paid if paid_unit == paid else f"{paid} [{paid_unit}]"
        return plain, f"{wanted}{self.of} [{unit}]"
