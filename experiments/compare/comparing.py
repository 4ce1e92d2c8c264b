"""Several rows on one problem at one budget: who is better, by how much, and is it chance?

Every row may spend the same number of bits, modelled seconds, gradients or steps; it runs for as
many steps as that takes. The error at the budget has a Student interval over replicas; whether one
row beats another is a paired two-sided t test over replicas, Bonferroni-corrected for the pairs.
Where noise has no variance, errors have no mean: medians are compared there, with intervals of
order statistics and a sign test, which hold for any law.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, final

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from algorithms.catalogue import Row
from algorithms.engine.replicas import HEAVY, LEVEL, centre, middle
from algorithms.engine.run import Trace, run
from algorithms.problems.base import Problem
from algorithms.synchronisation.stopwatch import Timing
from algorithms.tuning.grid import score, scored
from algorithms.tuning.parameters import Settings
from experiments.compare.clustered import OnCluster, clocked, in_cluster_time
from experiments.compare.ranking import (
    CHANCE,
    ComparedRow,
    Entrant,
    enough_replicas,
    error_at,
    paired,
    spent_to,
)
from experiments.compare.tuned_rows import Chosen, Tuning, chosen
from experiments.figures.forest import ForestLine, ForestPlot, forest_figure
from experiments.figures.html import block, frame_html, picture
from experiments.figures.lines import DrawnLine, LineCurves
from experiments.figures.lines_figure import lines_figure
from experiments.figures.replicas import ReplicaErrors, replicas_figure
from proofs_check.curves import typical
from proofs_check.methods.tuned_run import VACUOUS, TunedRun
from theory.arrays import Floats

Axis = Literal["steps", "bits", "messages", "seconds", "gradients"]
AXES: dict[Axis, str] = {
    "steps": "steps",
    "bits": "bits sent and received per worker",
    "messages": "messages sent and received per worker",
    "seconds": "modelled time [s]",
    "gradients": "gradients per worker",
}
"""What a comparison may be at equal amounts of, with the label of its axis."""


class TimedPlace(Protocol):
    """TimedPlace in whose seconds rows run, such as a cluster."""

    def timing(self, row: Row, problem: Problem) -> Timing:
        """The model of time of a row's run."""
        ...


_PILOT = 64  # steps from which a row's price of a step is read
_SHARE = 0.98  # of the budget that every replica spends at least
_MOST = 50  # times T: the longest run


@final
@dataclass(frozen=True)
class Comparison:
    """Rows beside each other at one budget of ``axis``; see :func:`compare_rows`.

    Attributes:
        problem: the problem's name.
        n: number of workers.
        seed: seed of all runs.
        axis: what is equal.
        budget: how much of it every row may spend.
        quantity: what the error is.
        target: the error that ``spent`` is about.
        entrants: the rows in the order in which they were named.
        heavy: whether errors have no mean, so that medians are compared.
    """

    problem: str
    n: int
    seed: int
    axis: Axis
    budget: float
    quantity: str
    target: float
    entrants: tuple[Entrant, ...]
    heavy: bool = False

    @property
    def tested(self) -> str:
        """Meaning of the error and its p, in words."""
        if not self.heavy:
            return "p: paired t test against the best over replicas, times the number of pairs"
        return f"{HEAVY}; p: sign test against the best, times the number of pairs"

    @property
    def standings(self) -> tuple[ComparedRow, ...]:
        """Standings of the rows, the best first."""
        ends = {one.key: error_at(one, self.budget) for one in self.entrants}
        ordered = sorted(self.entrants, key=lambda one: self._typical(ends[one.key]))
        best = ends[ordered[0].key]
        return tuple(self._standing(one, ends[one.key], best) for one in ordered)

    @property
    def _pairs(self) -> int:
        """Number of tests: the best is chosen among the rows, so that any pair may be tested."""
        return math.comb(len(self.entrants), 2)

    def _typical(self, end: Floats) -> float:
        return float(centre(end[:, None], self.heavy)[0])

    def _standing(self, one: Entrant, end: Floats, best: Floats) -> ComparedRow:
        error, low, high = (float(part[0]) for part in middle(end[:, None], self.heavy))
        least = self._typical(best)
        return ComparedRow(
            one.key, error, low, high, error / least if least else math.nan,
            paired(end, best, self._pairs, self.heavy),
            spent_to(one, self.target, self.heavy), one.description, self._enough(end, best),
        )  # fmt: skip

    def _enough(self, end: Floats, best: Floats) -> float:
        """Replicas that would tell a row from the best; medians have no such count."""
        if self.heavy or end is best:
            return math.nan
        return enough_replicas(end, best, self._pairs)

    @property
    def frame(self) -> pd.DataFrame:
        """Tidy data: row, replica, record, what was spent, error."""
        parts = []
        for one in self.entrants:
            replicas, records = one.error.shape
            parts.append(
                pd.DataFrame(
                    {
                        "row": one.key,
                        "problem": self.problem,
                        "n": self.n,
                        "seed": self.seed,
                        "replica": np.repeat(np.arange(replicas), records),
                        "record": np.tile(np.arange(records), replicas),
                        self.axis: one.x.ravel(),
                        "error": one.error.ravel(),
                    }
                )
            )
        return pd.concat(parts, ignore_index=True)

    def figure(self) -> Figure:
        """One line a row, with its band, against what is equal."""
        lines = []
        for one in self.entrants:
            lines.append(DrawnLine(one.key, one.x.mean(0), *typical(one.error, self.heavy)))
        title = f"{self.problem}, n = {self.n}, {len(self.entrants[0].error)} replicas"
        title += ", medians" if self.heavy else ""
        return lines_figure(LineCurves(title, AXES[self.axis], self.quantity, tuple(lines)))

    def replicas_figure(self) -> Figure:
        """The distribution of each row's errors at the budget, and who beats whom."""
        ends = {one.key: error_at(one, self.budget) for one in self.entrants}
        order = [one.key for one in self.standings]
        apart = {
            (a, b): paired(ends[a], ends[b], self._pairs, self.heavy) <= CHANCE
            for a in order
            for b in order
            if a != b
        }
        title = f"{self.problem}, n = {self.n}: {self.budget:.4g} {AXES[self.axis]}"
        errors = {key: ends[key] for key in order}
        return replicas_figure(ReplicaErrors(title, self.quantity, errors, apart))

    def differences_figure(self) -> Figure:
        """What the test looks at: each row's paired differences from the best over replicas, in
        units of the best's error, with their interval."""
        ends = {one.key: error_at(one, self.budget) for one in self.entrants}
        best, *others = (one.key for one in self.standings)
        unit = self._typical(ends[best]) or 1.0
        lines = []
        for key in others:
            apart = ((ends[key] - ends[best]) / unit)[:, None]
            at, low, high = (float(part[0]) for part in middle(apart, self.heavy))
            lines.append(ForestLine(key, at, low, high))
        title = f"{self.problem}, n = {self.n}: {self.budget:.4g} {AXES[self.axis]}"
        label = f"error minus that of {best}, in units of it"
        interval = f"{LEVEL:.0%} interval over replicas"
        return forest_figure(ForestPlot(title, label, interval, tuple(lines)))

    def _repr_html_(self) -> str:
        title = f"{self.problem}, n = {self.n}: {self.quantity} at {self.budget:.4g} {self.axis}"
        shown = picture(self.figure, f"{title}, a line a row")
        spread = picture(self.replicas_figure, f"{title}, replicas and pairs")
        return block(title, frame_html(pd.DataFrame(self.standings)), shown, spread)


def compare_rows(
    rows: Sequence[Row | Chosen],
    problem: Problem,
    *,
    axis: Axis = "bits",
    tuning: Tuning = Tuning.GRID,
    steps: int = 1000,
    replicas: int = 16,
    seed: int = 0,
    budget: float | None = None,
    target: float | None = None,
    of_workers: bool = False,
    settings: Mapping[str, Settings] | None = None,
    announce: Callable[[str], object] = str,
    place: TimedPlace | None = None,
) -> Comparison:
    """Run every row until ``budget`` of ``axis`` is spent (default: what the first row named spends
    in ``steps`` steps), and compare the errors there.

    ``of_workers``: the error is (1/n) sum_i f(x_i) - f*, else that of the mean model. ``target``
    (default: the largest of the rows' errors at the budget) is the error to reach.
    A row that is :class:`Chosen` already runs at its own place, whatever ``tuning`` says.
    ``settings`` has by row key what is set by hand, ``place`` whose seconds are meant;
    ``announce`` hears of a search on the grid before it begins.

    Raises:
        ValueError: fewer than two rows or two alike, fewer than 2 replicas, a row that does not run
            on the problem, an amount that the rows do not spend or that is not modelled, or as
            :func:`experiments.compare.tuned_rows.chosen`.
        Diverged: a run left the range of its number type.
    """
    _check([one.row if isinstance(one, Chosen) else one for one in rows], problem, replicas)
    ready = [
        row
        if isinstance(row, Chosen)
        else chosen(
            row,
            problem,
            tuning,
            seed=seed,
            settings=(settings or {}).get(row.key),
            steps=steps,
            guess=False,
            announce=announce,
        )
        for row in rows
    ]
    timings = [(place or OnCluster()).timing(one.row, problem) for one in ready]
    ready = [
        one._replace(row=clocked(one.row, timing))
        for one, timing in zip(ready, timings, strict=True)
    ]
    prices = [
        price_of_step(one, problem, axis, steps, seed, timing)
        for one, timing in zip(ready, timings, strict=True)
    ]
    wanted = budget if budget is not None else steps * prices[0]
    if not 0 < wanted < math.inf:
        raise ValueError(f"budget must be positive and finite, got budget={wanted:g} {axis}")
    entrants = tuple(
        _entrant(one, problem, axis, wanted, price, steps, replicas, seed, of_workers, timing)
        for one, price, timing in zip(ready, prices, timings, strict=True)
    )
    heavy = problem.heavy_tailed
    reach = (
        max(float(centre(error_at(one, wanted)[:, None], heavy)[0]) for one in entrants)
        if target is None
        else target
    )
    return Comparison(
        problem.name, problem.n, seed, axis, wanted, entrants[0].quantity, reach, entrants, heavy
    )


def _check(rows: Sequence[Row], problem: Problem, replicas: int) -> None:
    keys = [row.key for row in rows]
    if len(keys) < 2 or len(set(keys)) < len(keys):
        raise ValueError(f"rows must be two or more, no two alike, got {', '.join(keys) or 'none'}")
    if replicas < 2:
        raise ValueError(f"replicas must be at least 2, for intervals, got replicas={replicas}")
    for row in rows:
        row.require_fit(problem)


def price_of_step(
    one: Chosen, problem: Problem, axis: Axis, steps: int, seed: int, timing: Timing
) -> float:
    """Cost of a step along an axis, in the mean over a short run.

    Raises:
        ValueError: the row spends nothing of it that is counted.
        Diverged: the run left the range of its number type.
    """
    length = min(_PILOT, steps)
    method = one.tuned(problem, length).method
    trace = run(method, problem, steps=length, seed=seed, replicas=2, points=2, timing=timing)
    trace = in_cluster_time(trace, method, timing)
    price = float(spending(trace, axis)[:, -1].mean()) / length
    if not 0 < price < math.inf:
        raise ValueError(
            f"row {one.row.key!r} spends no {axis} that are counted; another --x would do "
            f"({', '.join(AXES)})"
        )
    return price


def _entrant(
    one: Chosen, problem: Problem, axis: Axis, budget: float, price: float, steps: int,
    replicas: int, seed: int, of_workers: bool, timing: Timing,
) -> Entrant:  # fmt: skip
    """The row's run for as many steps as the budget buys in every replica."""
    while True:
        length = max(1, math.floor(budget / price * (1 + 1e-9)))
        if length > _MOST * steps:
            raise ValueError(
                f"row {one.row.key!r} spends {price:.4g} {axis} a step and would take {length} "
                f"steps for the budget of {budget:.4g}, more than {_MOST} times T={steps}; a "
                "larger T, or a smaller --budget, would do"
            )
        tuned = one.tuned(problem, length)
        trace = run(
            tuned.method, problem, steps=length, seed=seed, replicas=replicas, timing=timing,
            of_workers=of_workers,
        )  # fmt: skip
        trace = in_cluster_time(trace, tuned.method, timing)
        spent = float(spending(trace, axis)[:, -1].min())
        if spent >= _SHARE * budget or length == 1:
            break
        price = min(spent / length, 0.98 * price)  # a step became cheaper than it was at first
    error = trace.workers_suboptimality if of_workers else score(trace)
    quantity = "(1/n) sum f(x_i) - f*" if of_workers else scored(trace)
    by = one.note or (tuned.theorem.title if tuned.theorem else "")
    constants = tuned.method.constants(problem).completed()
    result = TunedRun(one.row, problem, tuned, constants, trace, length)
    if result.vacuous and not one.note:
        by += f"; {VACUOUS}"
    description = f"{tuned.step_text}, {by}" if by else tuned.step_text
    return Entrant(one.row.key, description, spending(trace, axis), error, quantity, trace)


def spending(trace: Trace, axis: Axis) -> Floats:
    """Cost of a run along an axis, by replica and record ``[R, K]``."""
    match axis:
        case "bits":
            return trace.sent_bits + trace.received_bits
        case "messages":
            return trace.messages
        case "seconds":
            return trace.seconds
        case "gradients":
            return trace.gradients
        case "steps":
            return np.broadcast_to(trace.steps.astype(np.float64), trace.suboptimality.shape)
