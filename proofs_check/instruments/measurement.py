"""Measurements of an effect: a quantity at the end or at a budget, or the cost of a target."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from algorithms.engine.run import Trace
from proofs_check.instruments.reaching import reached_at
from theory.arrays import Floats

Quantity = Literal[
    "suboptimality", "squared_gradient", "average_squared_gradient", "squared_distance",
    "consensus", "weighted_suboptimality", "distance_of_workers",
]  # fmt: skip
"""What is wanted small: series of a :class:`~algorithms.engine.trace.Trace`, or
(1/n) sum_i ||x_i - x*||^2, the sum of two of them."""


Cost = Literal["steps", "sent_bits", "received_bits", "messages", "seconds"]
"""What is paid for it: series of a :class:`~algorithms.engine.run.Trace`."""


_ALL_BUT = 0.95  # share of the start: what leaves as much has not improved on it


class StepsizeFound(NamedTuple):
    """Stepsize that a search found.

    Attributes:
        size: the best, in the unit of the search.
        tried: all that were tried, rising.
        start_kept: share of what was there at the start that is left at the end.
    """

    size: float
    tried: tuple[float, ...]
    start_kept: float = 0.0

    @property
    def inside(self) -> bool:
        """Whether smaller and larger ones were tried."""
        return self.tried[0] < self.size < self.tried[-1]

    @property
    def best_is_none(self) -> bool:
        """Whether no step is best: one of the smallest that were tried is, up to twice the first,
        and nearly all is left."""
        return self.size <= 2 * self.tried[0] and self.start_kept >= _ALL_BUT

    def __str__(self) -> str:
        if self.best_is_none:
            return f"no step is best, down to {self.size:.4g}"
        where = "inside" if self.inside else "an end of"
        return f"{self.size:.4g}, {where} {self.tried[0]:.4g} to {self.tried[-1]:.4g}"


class Measurement(NamedTuple):
    """Measurement of one side.

    Attributes:
        values: the quantity of each replica ``[R]``, one value where nothing is drawn; infinite
            where a run diverged or an accuracy was never reached.
        x: where the picture's curve has its points ``[K]``.
        y: the curve of each replica ``[R, K]``.
        choice: of its stepsize; None: nothing was chosen.
        least: lower bound of what is infinite: the cost at the end of the run; infinite where
            nothing is known, as of a run that diverged.
    """

    values: Floats
    x: Floats
    y: Floats
    choice: StepsizeFound | None = None
    least: float = math.inf


class BudgetLeft(ValueError):
    """A run ends before its budget is spent; ``times`` as many steps would spend it."""

    def __init__(self, method: str, spent: float, of: str, budget: float) -> None:
        super().__init__(
            f"the run of {method} spends {spent:.6g} of {of}, less than budget={budget:.6g}; "
            "give it more steps"
        )
        self.times = budget / spent if spent > 0 else math.inf


def at_end(
    trace: Trace, y: Quantity = "suboptimality", x: Cost = "steps", last: int = 1
) -> Measurement:
    """The mean of the ``last`` records of ``y``, drawn against ``x``."""
    across, up = _across(trace, x), _up(trace, y)
    return Measurement(up[:, -last:].mean(axis=1), across.mean(axis=0), up)


def at_budget(trace: Trace, budget: float, x: Cost, y: Quantity = "suboptimality") -> Measurement:
    """``y`` at the last record at which at most ``budget`` of ``x`` was spent.

    Raises:
        BudgetLeft: the run ends before its budget is spent: give it more steps.
    """
    across, up = _across(trace, x), _up(trace, y)
    if across[:, -1].min() < budget:
        raise BudgetLeft(trace.method, float(across[:, -1].min()), x, budget)
    at = (across <= budget).sum(axis=1) - 1
    return Measurement(up[np.arange(len(up)), at], across.mean(axis=0), up)


def to_reach(trace: Trace, target: float, x: Cost, y: Quantity = "suboptimality") -> Measurement:
    """Amount of ``x`` spent when ``y`` reached ``target`` (:func:`reached_at`): infinite if it
    never did, and then no less than at the end of the run.
    """
    across, up = _across(trace, x), _up(trace, y)
    first = reached_at(up, target)
    spent = np.where(first >= 0, across[np.arange(len(up)), first], np.inf)
    return Measurement(spent, across.mean(axis=0), up, least=float(across[:, -1].min()))


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
