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
from typing import Protocol

from algorithms.catalogue import Row
from algorithms.engine.replicas import centre
from algorithms.engine.run import run
from algorithms.problems.base import Problem
from algorithms.synchronisation.stopwatch import Timing
from algorithms.tuning.grid import score, scored
from algorithms.tuning.parameters import Settings
from experiments.compare.axes import AXES, Axis, spending
from experiments.compare.clustered import OnCluster, clocked, in_cluster_time
from experiments.compare.comparison import Comparison
from experiments.compare.ranking import (
    Entrant,
    error_at,
)
from experiments.compare.tuned_rows import Chosen, Tuning, chosen
from proofs_check.methods.tuned_run import VACUOUS, TunedRun


class TimedPlace(Protocol):
    """TimedPlace in whose seconds rows run, such as a cluster."""

    def timing(self, row: Row, problem: Problem) -> Timing:
        """The model of time of a row's run."""
        ...


_PILOT = 64  # steps from which a row's price of a step is read
_SHARE = 0.98  # of the budget that every replica spends at least
_MOST = 50  # times T: the longest run


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
