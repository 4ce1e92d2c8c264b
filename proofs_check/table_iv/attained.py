"""Orders of rows' theorems on exact instances inside their assumptions, at the theorems' stepsizes.

``python -m proofs_check.table_iv.attained [ROW ...]`` prints, for every row that has exact moments
and comes again, and every theorem of it that prescribes a constant stepsize and applies to a
quadratic: the slowest instance found with its exponent of T and how it stands to the order, whether
the bound's own slope is the order there, and the counts, with how many wrong orders (1/2 and 1 to
either side) would stand. ``--keep`` keeps what is found
(:mod:`proofs_check.table_iv.attained_results`).
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from algorithms.catalogue import METHODS
from algorithms.catalogue.row import Row
from algorithms.engine.run import one_thread
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.quadratic_data import unequal
from proofs_check.instruments.standings import RateStanding, standing_of
from proofs_check.methods.tuned_run import measured_name
from proofs_check.moments.engine import exact_moments
from proofs_check.moments.reasons import NotLinear
from proofs_check.moments.rows import is_exact, standard_problem
from proofs_check.table_iv.attained_results import KeptExponent, keep, kept_exponents, summary
from proofs_check.table_iv.exact import instance_of
from proofs_check.table_iv.planted import PLANTED
from theory.constants import MissingConstants
from theory.stepsizes import ConstantStep
from theory.theorem import Metric, Theorem

_HORIZONS = (2**22, 2**26, 2**30)
_LEAST = 0.002


class AttainedExponent(NamedTuple):
    """The slowest fall of a theorem's metric among the instances tried.

    Attributes:
        row: the row's key.
        theorem: the theorem, at whose own stepsizes the row ran.
        slope: the exponent of T between the last two horizons.
        half_width: by how much that before it differs.
        bound_slope: the exponent of the bound there.
        instance: the problem and what it states.
        tried: how many instances are inside the assumptions.
    """

    row: str
    theorem: Theorem
    slope: float
    half_width: float
    bound_slope: float
    instance: str
    tried: int

    def standing(self, order: float | None = None) -> RateStanding:
        """Standing relative to the theorem's order, or to another."""
        stated = float(self.theorem.order.exponents["T"]) if order is None else order
        return standing_of(self.slope, self.half_width, stated, self.bound_slope)

    @property
    def wrong_orders_that_stand(self) -> tuple[float, ...]:
        """Planted orders that no test speaks against."""
        own = float(self.theorem.order.exponents["T"])
        return tuple(own + off for off in PLANTED if self.standing(own + off).agrees)

    def kept(self) -> KeptExponent:
        """Kept record of the exponent."""
        return KeptExponent(
            self.row, self.theorem.name, float(self.theorem.order.exponents["T"]),
            round(self.slope, 5), round(self.half_width, 5), round(self.bound_slope, 5),
            str(self.standing()), self.instance, self.tried, self.wrong_orders_that_stand,
        )  # fmt: skip


def instances() -> Iterator[Quadratic]:
    """Small quadratics: well and badly conditioned, alike and not, with and without a flat side."""
    for mu in (1.0, 0.01):
        for zeta2 in (0.0, 1.0):
            yield Quadratic.strongly_convex(4, 2 if mu < 1 else 1, mu=mu, zeta2=zeta2)
    yield Quadratic.pl(4, 3, rank=2)
    yield unequal(4, 2)


def slowest(row: Row, theorem: Theorem) -> AttainedExponent | None:
    """The instance on which a row's error falls most slowly; None where none is inside the
    assumptions, or the theorem is about other stepsizes or what is not measured."""
    name = measured_name(theorem.metric)
    if name is None or theorem.metric is Metric.WEIGHTED_SUBOPTIMALITY or theorem.order.linear:
        return None
    if "T" not in theorem.order.exponents:
        return None
    found = [one for problem in instances()
             if (one := _on(row, theorem, problem, name)) is not None]  # fmt: skip
    if not found:
        return None
    return max(found, key=lambda one: one.slope)._replace(tried=len(found))


def _on(row: Row, theorem: Theorem, problem: Quadratic, name: str) -> AttainedExponent | None:
    values, bounds = [], []
    for steps in _HORIZONS:
        try:
            known = row.ready().build(ConstantStep(1.0), problem, steps).constants(problem)
        except ValueError:  # the row has more parts than the problem
            return None
        try:
            c = known.completed()
            step = theorem.stepsize(c, steps)
            if not isinstance(step, ConstantStep) or not theorem.applies(c, step, steps):
                return None
            method = row.ready().build(step, problem, steps)
            log = theorem.logarithm(c, steps)  # which the order leaves out
            values.append(float(exact_moments(method, problem, (steps,)).metric(name)[0]) / log)
            bounds.append(float(theorem.bound(c, step, np.array([float(steps)]))[0]) / log)
        except (NotLinear, MissingConstants):
            return None
    if not all(0 < one < math.inf for one in (*values, *bounds)):
        return None
    of_runs, of_bound = (np.diff(np.log(y)) / np.diff(np.log(_HORIZONS)) for y in (values, bounds))
    half = max(_LEAST, abs(float(of_runs[-1] - of_runs[-2])))
    own, told = float(of_bound[-1]), instance_of(problem, c)
    return AttainedExponent(row.key, theorem, float(of_runs[-1]), half, own, told, 1)


def _scheduled(row: Row) -> bool:
    return "schedule" in dir(row.build(standard_problem(), 48))


def main(names: Sequence[str], *, keeps: bool) -> None:
    """Print a line for each row and theorem, and the counts; keep them if asked to, in place of all
    that was kept of these rows."""
    found: list[KeptExponent] = []
    chosen = [row for row in METHODS if row.key in names or not names]
    with one_thread():
        for row in chosen:
            named = [one for one in (*row.theorems, *row.results)
                     if isinstance(one, Theorem) and "T" in one.order.exponents]  # fmt: skip
            if named and is_exact(row) and not _scheduled(row):
                for theorem in named:
                    if one := slowest(row, theorem):
                        found.append(one.kept())
                        print(found[-1], flush=True)
    if keeps:
        others = [one for one in kept_exponents() if one.row not in {row.key for row in chosen}]
        keep([*others, *found])
    print(summary(found, len(PLANTED)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m proofs_check.table_iv.attained")
    parser.add_argument("rows", nargs="*", metavar="ROW")
    parser.add_argument("--keep", action="store_true", help="keep what is found for the pages")
    asked = parser.parse_args()
    main(asked.rows, keeps=asked.keep)
