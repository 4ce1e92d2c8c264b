"""Delayed block prox with a KKT filter against scikit-learn's lasso."""

from __future__ import annotations

from algorithms.methods.asynchronous.delayed_proximal import DelayedProximal
from algorithms.methods.parts.gradient_filter import Filter, KKTFilter
from algorithms.optimizers.proximal import SoftThreshold
from proofs_check.closed_forms.asynchronous.lasso import against_lasso, lasso
from proofs_check.closed_forms.asynchronous.replays import WEIGHT
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep


def delayed_proximal_solution(rule: Filter | None = None) -> Verdict:
    """Delayed block prox with a KKT filter against scikit-learn's lasso."""
    problem, x = lasso()
    gamma = 1 / (3 * problem.curvatures[-1].item())
    used = KKTFilter(WEIGHT) if rule is None else rule
    method = DelayedProximal(ConstantStep(gamma), 4, 2, SoftThreshold(WEIGHT), used)
    return against_lasso("delayed-proximal", method, problem, x, 1200)


def delayed_proximal() -> tuple[Verdict, ...]:
    """Where delayed block prox ends: at scikit-learn's lasso."""
    return (delayed_proximal_solution(),)


CLOSED_FORMS = (delayed_proximal,)
