"""Asynchronous coordinate prox against scikit-learn's lasso."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from algorithms.methods.asynchronous.coordinate_prox import CoordinateProx
from algorithms.methods.base import Method
from algorithms.methods.parts.coordinate_selection import Selection
from algorithms.optimizers.proximal import SoftThreshold
from algorithms.synchronisation.compute_times import Exponential
from proofs_check.closed_forms.asynchronous.lasso import against_lasso, lasso
from proofs_check.closed_forms.asynchronous.replays import WEIGHT
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep

Build = Callable[[Any], Method[Any]]


def coordinate_prox_solution(build: Build = lambda prox: prox, q: float = 0.3) -> Verdict:
    """Asynchronous coordinate prox, masks on the support, against scikit-learn's lasso."""
    problem, x = lasso()
    gamma, ticks = 1 / max(problem.smoothness), 2000
    method = CoordinateProx(
        ConstantStep(gamma), ticks, Exponential(), Selection(q, support=True), SoftThreshold(WEIGHT)
    )
    return against_lasso("async-coordinate-prox", build(method), problem, x, ticks)


def async_coordinate_prox() -> tuple[Verdict, ...]:
    """Where asynchronous coordinate prox ends: at scikit-learn's lasso."""
    return (coordinate_prox_solution(),)


CLOSED_FORMS = (async_coordinate_prox,)
