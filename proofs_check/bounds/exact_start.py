"""Start of a bound that begins with a constant which is stated exactly."""

from __future__ import annotations

import math

import numpy as np

from proofs_check.instruments.evidence import identity
from proofs_check.verdict import Verdict
from theory.constants import Constants, Kind
from theory.stepsizes import Stepsize
from theory.theorem import Metric, Theorem

_BEGINS_WITH = {
    Metric.SUBOPTIMALITY: "initial_gap",
    Metric.SQUARED_DISTANCE: "R2",
    Metric.CONSENSUS_POTENTIAL: "initial_potential",
    Metric.PUSH_SUM_POTENTIAL: "initial_potential",
}
_CLOSE = 1e-9  # relative


def exact_start(
    theorem: Theorem, c: Constants, step: Stepsize, start: float, *, subject: str, problem: str
) -> tuple[Verdict, ...]:
    """The metric's mean ``start`` before the first step, where the bound after no steps is no more
    than the constant that is exactly that.

    A start that is stated larger than it is breaks no bound.
    """
    name = _BEGINS_WITH.get(theorem.metric, "")
    statement = c.statements.get(name)
    if statement is None or statement.kind is not Kind.EXACT:
        return ()
    stated = float(c.need(name))
    first = float(theorem.bound(c, step, np.zeros(1))[0])
    if not math.isclose(first, stated, rel_tol=_CLOSE):
        return ()
    scale = stated or 1.0
    return (
        identity(
            subject, f"{name} is {theorem.metric.value} before the first step", start / scale,
            stated / scale,
            check="exact start", problem=problem, tolerance=_CLOSE, provenance=str(theorem.source),
            note=f"stated {stated:.6g}, {statement.why}",
        ),
    )  # fmt: skip
