"""Worst cases by formula: the derived constants beside what a programme finds at one setting."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from proofs_check.evidence.synchronous import proofs_best_constants as derived

TOLERANCE = 1e-5
"""Programmes are solved to about this, relative to their value."""


def formula_of(record: dict[str, Any]) -> dict[str, Any]:
    """Name and value of the derivation that meets a kept setting from above, as ``formula`` and
    ``formula_value``; both None where none does, as the class has more conditions.

    ``record`` is that of a best constant.
    """
    found = _derived(record)
    if found is None or not math.isclose(found[1], record["above"], rel_tol=TOLERANCE):
        return {"formula": None, "formula_value": None}
    return {"formula": found[0], "formula_value": found[1]}


def _derived(record: dict[str, Any]) -> tuple[str, float] | None:
    """Derivation for the metric, whether or not its conditions hold; None: there is none."""
    c, steps, gamma = record["constants"], record["T"], record["instance"]["gamma"]
    if gamma is None:
        return None
    smooth, mu = c.get("L", c.get("L_max")), float(Fraction(record["instance"]["mu"]))
    if smooth is None:
        return None
    values = {derived.gamma: float(Fraction(gamma)), derived.mu: mu}
    if record["metric"] == "E||x_T - x*||^2":
        factor = derived.DISTANCE.subs(values | {derived.kappa: 1 + c.get("omega", 0) / c["n"]})
        return "best distance factor", c["R2"] * float(factor) ** steps
    if record["metric"] == "E f(x_T) - f*":
        return "best gap factor", c["initial_gap"] * float(derived.GAP.subs(values)) ** steps
    if record["metric"].startswith("(1/T) sum_{t<T} E||grad f(x_t)||^2"):
        lost = math.sqrt(1 - c.get("delta", 1.0))
        left = (1 - float(Fraction(gamma)) * smooth * (1 - lost)) ** 2
        total = derived.SUM_OF_GRADIENTS.subs({
            derived.L: smooth, derived.gap: c["initial_gap"], derived.s: 0, derived.T: steps,
            derived.kept: left,
        })  # fmt: skip
        return "best gradient average", float(total) / steps
    return None
