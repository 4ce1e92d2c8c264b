"""Orders of rows' theorems on exact instances inside their assumptions, at the theorems' stepsizes.

``python -m proofs_check.table_iv.attained`` prints, for every row that has exact moments and comes
again, and every theorem of it that prescribes a constant stepsize and applies to a quadratic: the
slowest instance found with its exponent of T and how it stands to the order, whether the bound's
own slope is the order there, and the wrong orders (1/2 and 1 to either side) that would stand.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from algorithms.catalogue import METHODS
from algorithms.catalogue.row import Row
from algorithms.engine.run import one_thread
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.quadratic_data import unequal
from proofs_check.methods.tuned_run import measured_name
from proofs_check.moments.engine import exact_moments
from proofs_check.moments.reasons import NotLinear
from proofs_check.moments.rows import is_exact
from proofs_check.table_iv.exact import instance_of
from proofs_check.table_iv.planted import PLANTED
from proofs_check.table_iv.standings import RateStanding, in_regime, standing_of
from theory.constants import Inapplicable, MissingConstants
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
        """How it stands to the theorem's order, or to another."""
        stated = float(self.theorem.order.exponents["T"]) if order is None else order
        return standing_of(self.slope, self.half_width, stated, self.bound_slope)

    @property
    def wrong_orders_that_stand(self) -> tuple[float, ...]:
        """Planted orders that no test speaks against."""
        own = float(self.theorem.order.exponents["T"])
        return tuple(own + off for off in PLANTED if self.standing(own + off).agrees)

    def __str__(self) -> str:
        order = float(self.theorem.order.exponents["T"])
        regime = "reached" if in_regime(self.bound_slope, order) else "not reached"
        said = (
            f"{self.standing()}, {self.instance}"
            if self.standing() is RateStanding.ATTAINED
            else f"{self.standing()}; no instance found that is slower than T^{self.slope:.3f}"
        )
        return (
            f"{self.row}, {self.theorem.name}: T^{self.slope:.4f} +- {self.half_width:.4f} "
            f"(order {order:g}, its bound {self.bound_slope:.4f}, regime {regime}); {said}; "
            f"{self.tried} instances"
        )


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
            c = known.completed()
            step = theorem.stepsize(c, steps)
            if not isinstance(step, ConstantStep) or not theorem.applies(c, step, steps):
                return None
            method = row.ready().build(step, problem, steps)
            log = theorem.logarithm(c, steps)  # which the order leaves out
            values.append(float(getattr(exact_moments(method, problem, (steps,)), name)[0]) / log)
            bounds.append(float(theorem.bound(c, step, np.array([float(steps)]))[0]) / log)
        except (NotLinear, MissingConstants, Inapplicable, ValueError, TypeError):
            return None
    if not all(0 < one < math.inf for one in (*values, *bounds)):
        return None
    of_runs, of_bound = (np.diff(np.log(y)) / np.diff(np.log(_HORIZONS)) for y in (values, bounds))
    half = max(_LEAST, abs(float(of_runs[-1] - of_runs[-2])))
    own, told = float(of_bound[-1]), instance_of(problem, c)
    return AttainedExponent(row.key, theorem, float(of_runs[-1]), half, own, told, 1)


def main() -> None:
    """Print a line for each row and theorem, and the counts."""
    found = []
    with one_thread():
        for row in METHODS:
            named = [one for one in row.theorems if "T" in one.order.exponents]
            if not named or "schedule" in dir(row.build(next(instances()), 48)):
                continue
            if is_exact(row):
                for theorem in named:
                    with suppress(NotLinear):
                        if one := slowest(row, theorem):
                            found.append(one)
                            print(one, flush=True)
    stands = [one.standing() for one in found]
    for standing in dict.fromkeys(stands):
        print(f"{stands.count(standing)} of {len(found)} {standing}")
    wrong = len(PLANTED) * len(found)
    kept = sum(len(one.wrong_orders_that_stand) for one in found)
    print(f"{wrong - kept} of {wrong} wrong orders do not stand")


if __name__ == "__main__":
    main()
