"""Theorems of one's own: a claim from its bound, metric and stepsizes, in a call."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from algorithms.catalogue import row
from algorithms.core.names import look_up
from proofs_check.bounds.check import Make
from proofs_check.refute.claim import DIMENSIONS, WORKERS, Claim
from proofs_check.refute.formula import Condition, Formula, StatedTheorem
from theory.theorem import Metric, Order


def claim(
    name: str,
    *,
    method: str | Make,
    bound: Formula,
    metric: Metric | str = Metric.AVERAGE_SQUARED_GRADIENT,
    limit: Formula | None = None,
    stepsize: Formula | None = None,
    assumes: tuple[Condition, ...] = (),
    needs: tuple[str, ...] = (),
    workers: tuple[int, ...] = WORKERS,
    dimensions: tuple[int, ...] = DIMENSIONS,
    one_objective: bool = False,
    changing_network: bool = False,
    order: Mapping[str, float] | None = None,
) -> Claim:
    """A theorem of one's own: E ``metric`` <= ``bound`` after each T, for every constant stepsize
    gamma up to ``limit``, or for ``stepsize`` alone.

    ``metric`` may be its name in small letters. ``method`` is a row's key, or a function (step,
    problem, steps) that makes one. Formulas are text or sympy expressions in the names of
    ``theory.constants``, gamma and T, or functions (constants, gamma, T), whose constants are named
    in ``needs``. ``assumes`` are inequalities. ``changing_network``: W may be another in every
    round, lam being the largest of all rounds'. ``order`` has the exponents of the bound's leading
    term, as ``{"T": -0.5, "n": -0.5}``: measured rates are set beside them.

    Raises:
        ValueError: neither or both of limit and stepsize, an unknown row or metric, or a formula
            that cannot be read.
    """
    if isinstance(metric, str):
        metric = look_up("metric", metric, {one.name.lower(): one for one in Metric})
    theorem = StatedTheorem.from_text(
        name, metric, bound, limit, stepsize, assumes, needs, changing_network,
        Order({one: Fraction(power).limit_denominator(60) for one, power in (order or {}).items()}),
    )  # fmt: skip
    make = row(method).ready().build if isinstance(method, str) else method
    key = method if isinstance(method, str) else ""
    return Claim(
        name, theorem, make, workers=workers, dimensions=dimensions, row=key,
        one_objective=one_objective,
    )  # fmt: skip
