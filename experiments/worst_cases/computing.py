"""What ``python -m experiments.worst_cases`` computes: rates over ranges, best constants."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator
from itertools import product
from typing import Any

from experiments.worst_cases.formulas import formula_of
from proofs_check.refute.best_constants import best_constant
from proofs_check.refute.certified import CertifiedSetting
from proofs_check.worst_case.decentralised import STEPS, local_descent, slowest_mode, step_search
from proofs_check.worst_case.feedback import ef21, error_feedback, feedback_optimum
from proofs_check.worst_case.lyapunov import LyapunovSearch
from proofs_check.worst_case.programme import Unsolved
from theory.theorems import PROVED_ONLY, THEOREMS

Notify = Callable[[str], None]

PARTS = ("spectral", "feedback", "local", "constants")
"""What is computed."""

MU = 0.1
"""The least curvature, L being 1."""

STEPSIZES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.4)
LAMBDAS = (0.2, 0.4, 0.6, 0.8, 0.9, 0.95)
DELTAS = (0.1, 0.25, 0.5, 0.75, 0.9)
CURVATURES = (0.5, 0.1, 0.02, 0.004)
PERIODS = (1, 2, 4, 8)
_LEAST = -0.3  # of W for D2, which is unstable below -1/3
_PRECISION = 1e-5
_FEEDBACK = {"EF": error_feedback, "EF21": ef21}


def computed(
    notify: Notify, parts: Collection[str] = PARTS
) -> tuple[dict[str, list[dict[str, Any]]], list[CertifiedSetting]]:
    """Those of ``parts``, and the certificates of best constants; ``notify`` hears a line for each
    number.

    Raises:
        ImportError: cvxpy is not installed.
    """
    certificates: list[CertifiedSetting] = []
    made: dict[str, Callable[[], Iterator[dict[str, Any]]]] = {
        "spectral": _spectral, "feedback": _feedback, "local": _local,
        "constants": lambda: _constants(certificates),
    }  # fmt: skip
    found = {part: list(_listened(made[part](), notify)) for part in PARTS if part in parts}
    return found, certificates


def _listened(records: Iterator[dict[str, Any]], notify: Notify) -> Iterator[dict[str, Any]]:
    for record in records:
        notify(" ".join(str(value) for value in record.values() if isinstance(value, str | float)))
        yield record


def certified_rate(search: LyapunovSearch, least: float) -> float | None:
    """The factor by which the best Lyapunov function that is found falls at every step, by the
    programme of that step; None: no function of the family falls. No rate is below ``least``."""
    if least >= 1:
        return None
    near = min(least * (1 + _PRECISION), 1.0)
    found = search.least(least, near, _PRECISION) or search.least(near, 1.0, _PRECISION)
    if found is None:
        return None
    try:
        worst = search.worst(found)
    except Unsolved:
        return None
    value = max(worst.value, worst.above)
    return value if value < 1 else None


def _spectral() -> Iterator[dict[str, Any]]:
    for name, lam, alpha in product(STEPS, LAMBDAS, STEPSIZES):
        lo = max(-lam, _LEAST) if name == "D2" else -lam
        below = slowest_mode(name, lo, lam, alpha, MU, 1.0)
        rate = certified_rate(step_search(name, lo, lam, alpha, MU, 1.0), below**2)
        yield {
            "method": name, "lo": lo, "hi": lam, "alpha": alpha,
            "above": None if rate is None else math.sqrt(rate),
            "below": below,
        }  # fmt: skip


def _feedback() -> Iterator[dict[str, Any]]:
    """Squared factors, as the Lyapunov functions are squares."""
    for (name, search), delta, mu in product(_FEEDBACK.items(), DELTAS, CURVATURES):
        best = feedback_optimum(1 - delta, mu, 1.0)
        yield {
            "method": name, "delta": delta, "mu": mu, "eta": best.eta, "formula": best.rate,
            "above": certified_rate(search(1 - delta, mu, 1.0, best.eta), best.rate - _PRECISION),
        }  # fmt: skip


def _local() -> Iterator[dict[str, Any]]:
    for periods, alpha in product(PERIODS, (*STEPSIZES, 1.8)):
        worst = max(abs(1 - MU * alpha), abs(1 - alpha))
        yield {
            "method": "local GD", "H": periods, "alpha": alpha,
            "above": math.sqrt(max(local_descent(periods, alpha, MU, 1.0).above, 0.0)),
            "below": worst**periods,
        }  # fmt: skip


def _constants(certificates: list[CertifiedSetting]) -> Iterator[dict[str, Any]]:
    for theorem in (*THEOREMS, *PROVED_ONLY):
        found = best_constant(theorem.name)
        if found is not None:
            certificates.append(found.certified)
            record = found.record()
            yield record | formula_of(record)
