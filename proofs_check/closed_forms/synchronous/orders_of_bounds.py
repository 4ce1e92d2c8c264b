"""Orders that theorems state against the exponents of their own bounds: all theorems."""

from __future__ import annotations

from proofs_check.instruments.stated_orders import order_verdict
from proofs_check.verdict import Verdict
from theory.theorems import PROVED_ONLY, THEOREMS

COVERS = ("bsp-sgd",)


def orders_of_all_bounds() -> tuple[Verdict, ...]:
    """Exponents of T and of what methods, networks and schedules bring, read off far out."""
    return tuple(order_verdict(one, one.order) for one in (*THEOREMS, *PROVED_ONLY))


CLOSED_FORMS = (orders_of_all_bounds,)
