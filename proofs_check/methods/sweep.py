"""Sweep: a row's error along one variable, all else equal, and the exponent that it shows.

The variable is moved by what makes it: horizons for T, problems for n, batches of the problem, a
parameter of the method (its period for H, its operator's k or s for delta and omega, its barrier's
bound for tau), the graph for the gap. Its value at a point is read off the constants of the method
there, so that what is fitted is what theorems mean by the name. The stepsize is tuned at every
point, or the same at all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from algorithms.catalogue import Row
from algorithms.engine.replicas import NO_MEAN
from algorithms.engine.run import Diverged
from algorithms.problems.base import Problem
from algorithms.tuning.grid import score
from proofs_check.curves import RatePanel
from proofs_check.instruments.rates import fit_power, rate_verdict
from proofs_check.instruments.statistics import TEST_ERROR
from proofs_check.instruments.study import fitted
from proofs_check.methods.sweep_orders import stated_order
from proofs_check.methods.sweep_points import Values, known_at, points, value_at
from proofs_check.methods.tuned_run import (
    VACUOUS,
    TunedRun,
    measured,
    tuned_run,
)
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.arrays import Floats
from theory.constants import Constants
from theory.stepsizes import Stepsize
from theory.theorem import Theorem

_ANY_ERROR = 0.05  # of a fitted line, which does not depend on it

_ALIKE = 1e-9  # values of a variable that differ by less are one point
_ERROR = "the error at the end"
VARIABLES = ("T", "n", "H", "gap", "delta", "omega", "tau", "batch")


class Sweep(NamedTuple):
    """Measurements of a sweep.

    Attributes:
        variable: what was moved.
        x: its values, rising ``[K]``.
        samples: the error at the end of each run ``[R, K]``.
        quantity: what the error is.
        theorem: the theorem that tuned all runs, None where there is none, or several.
        description: how the variable was moved, and what was left out.
        vacuous: at how many points the theorem that tuned the run is vacuous.
        bounds: that theorem's bound at the end of each run ``[K]``; None where there is none.
        settings: the constants at each point.
    """

    variable: str
    x: Floats
    samples: Floats
    quantity: str
    theorem: Theorem | None
    description: str
    vacuous: int = 0
    bounds: Floats | None = None
    settings: tuple[Constants, ...] = ()


def sweep(
    row: Row,
    build: Callable[[int], Problem],
    variable: str,
    *,
    n: int = 16,
    steps: int = 1000,
    replicas: int = 32,
    seed: int = 1,
    values: Values = (),
    step: Stepsize | None = None,
) -> Sweep:
    """The row's error along ``variable``, one of :data:`VARIABLES`; ``build(n)`` makes the problem.

    ``values`` are what is set at each point (steps, workers, periods, shares of coordinates,
    levels, bounds of staleness, factors of the batch); by default a ladder that suits. ``step`` is
    the stepsize at all points, else each is tuned.

    Raises:
        ValueError: the row has nothing that moves the variable, or fewer than three points give a
            value and a finite error.
    """
    places = tuple(points(row, build, variable, n, steps, values))
    found: dict[float, TunedRun] = {}
    left_out: list[str] = []
    for point in places:
        try:
            result = tuned_run(
                point.row, point.problem, point.steps, replicas, seed, step, points=2, timing=None
            )
        except (Diverged, ValueError) as error:
            left_out.append(str(error))
            continue
        at = value_at(variable, known_at(result, point), point)
        if at is not None and not any(abs(at - known) <= _ALIKE * abs(at) for known in found):
            found[at] = result
    found = found if step else _with_one_theorem(found, left_out)
    if len(found) < 3:
        because = f": {left_out[0]}" if left_out else _no_value(row, variable, len(found))
        raise ValueError(
            f"row {row.key!r} on {build(n).name} has {len(found)} points in {variable}, a rate "
            f"needs 3{because}; other values, or another row, would do"
        )
    x = np.array(sorted(found))
    description = f"{variable} from {x[0]:.4g} to {x[-1]:.4g}, {len(x)} points"
    if left_out:
        description += f"; {len(left_out)} left out ({left_out[0]})"
    if places[0].problem.heavy_tailed:
        description += f"; {NO_MEAN}: the exponent is that of the means of these replicas alone"
    vacuous = sum(bool(found[at].vacuous) for at in x)
    if vacuous:
        description += f"; at {vacuous} of {len(x)} points the theorem is vacuous: {VACUOUS}"
    runs = [found[at] for at in x]
    theorem, series = _one_theorem(runs)
    if theorem is None:
        description += _tuned_by(runs)
    quantity = theorem.metric.value if theorem else _ERROR
    samples = np.stack([y[:, -1] for y in series], axis=1)
    settings = tuple(one.constants for one in runs)
    bounds = None if theorem is None else np.array([one.end_bound for one in runs])
    return Sweep(variable, x, samples, quantity, theorem, description, vacuous, bounds, settings)


def _tuned_by(runs: Sequence[TunedRun]) -> str:
    """Tuning of the points, where it is not one theorem for all."""
    named = Counter(one.tuned.theorem.name for one in runs if one.tuned.theorem is not None)
    guessed = sum(bool(one.tuned.note) for one in runs)
    words = [f"{name} at {count}" for name, count in named.items()]
    words += [f"at {guessed} a cautious rule that nobody searched"] if guessed else []
    return f"; stepsizes by no one theorem ({', '.join(words)})" if words else ""


def _with_one_theorem(found: dict[float, TunedRun], left_out: list[str]) -> dict[float, TunedRun]:
    """The points that the theorem of most of them tuned: stepsizes by two rules fit no power law.
    All where it tuned fewer than three, or not more than half."""
    named = Counter(one.tuned.theorem for one in found.values() if one.tuned.theorem is not None)
    theorem, count = named.most_common(1)[0] if named else (None, 0)
    if theorem is None or count < 3 or 2 * count <= len(found):
        return found
    kept = {at: one for at, one in found.items() if one.tuned.theorem is theorem}
    left_out += [f"{theorem.name} does not tune it"] * (len(found) - len(kept))
    return kept


def _no_value(row: Row, variable: str, known: int) -> str:
    """Reason why so few places have a value of the variable."""
    operators = [one.name for one in row.operators]
    subset = operators[0] if variable in ("delta", "omega") and operators else "its method"
    return (
        f": {subset} states no {variable}"
        if not known
        else f": {subset} states no other {variable}"
    )


def _one_theorem(runs: Sequence[TunedRun]) -> tuple[Theorem | None, list[Floats]]:
    """The theorem that speaks of all runs with what it bounds; else None, and their errors."""
    theorem = runs[0].tuned.theorem
    if theorem is not None and all(one.tuned.theorem is theorem for one in runs):
        series = [measured(one.trace, theorem.metric) for one in runs]
        known = [y for y in series if y is not None]
        if len(known) == len(runs):
            return theorem, known
    return None, [score(one.trace) for one in runs]


def sweep_verdict(
    row: Row, found: Sweep, problem: str, provenance: str = "", alpha: float = TEST_ERROR
) -> Verdict:
    """The fitted exponent against the order that theory states in the variable.

    An order of the theorem that tuned all points is held to (one-sided, two-sided where it is
    attained); one whose constants are not known for certain, that is of another stepsize, or whose
    bound is vacuous at a point, is compared. Where nobody states one, the exponent stands
    alone. ``alpha`` is the error of the interval.
    """
    claim = f"{found.quantity} as a power of {found.variable}"
    try:
        fit = fit_power(found.x, found.samples, alpha)
    except ValueError as error:
        return Verdict(
            subject=row.key, problem=problem, check=f"rate in {found.variable}",
            kind=CheckKind.RATE, claim=claim,
            outcome=Outcome.COMPARED, evidence=f"{error}; {found.description}",
            provenance=provenance,
        )  # fmt: skip
    stated = stated_order(
        row, found.variable, found.x, found.theorem, found.bounds, found.settings, found.vacuous
    )
    if stated is None:
        return Verdict(
            subject=row.key, problem=problem, check=f"rate in {found.variable}",
            kind=CheckKind.RATE, claim=claim,
            outcome=Outcome.NOT_APPLICABLE, statistic=fit.slope, uncertainty=fit.half_width,
            resolution=fit.resolution,
            evidence=f"exponent of {found.variable} {fit.slope:.4f} +- {fit.half_width:.4f}, "
            f"largest distance from a power law {fit.residual:.2g}; no result of this row states "
            f"an order in {found.variable}; {found.description}",
            provenance=provenance,
        )  # fmt: skip
    power, name, asserted, tight, why = stated
    verdict = rate_verdict(
        fit, power, tight, subject=row.key, problem=problem, variable=found.variable,
        claim=f"{claim}: exponent {'=' if tight else '<='} {power:g} ({name})",
        provenance=f"{provenance}, error {alpha:g}",
    )  # fmt: skip
    excused = why and verdict.outcome is Outcome.REFUTED
    outcome = verdict.outcome if asserted and not excused else Outcome.COMPARED
    return replace(
        verdict, outcome=outcome, theorem=name,
        evidence="; ".join(filter(None, (verdict.evidence, why, found.description))),
    )  # fmt: skip


def rate_panel(found: Sweep, verdict: Verdict) -> RatePanel:
    """The points with their band, the fitted power law if there is one, the stated order through
    their middle."""
    fit = None
    with suppress(ValueError):  # the verdict says why there is none
        fit = fit_power(found.x, found.samples, _ANY_ERROR)
    stated = np.full_like(found.x, np.nan)
    if verdict.bound is not None:  # then there was a fit, and means are positive
        level = np.exp(np.log(found.samples.mean(axis=0)).mean())
        centre = np.exp(np.log(found.x).mean())
        stated = level * (found.x / centre) ** verdict.bound
    series = fitted(found.x, found.samples, fit, stated)
    return RatePanel(verdict.claim, found.variable, found.quantity, series)
