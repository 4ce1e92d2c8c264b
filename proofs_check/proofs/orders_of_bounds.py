"""Orders of theorems: read off the leading terms of the bounds that their code evaluates."""

from __future__ import annotations

from collections.abc import Mapping

from proofs_check.proofs.derivation import settled
from proofs_check.proofs.expressions import bound_of, orders
from proofs_check.verdict import Verdict
from theory.theorem import Order, Theorem
from theory.theorems import PROVED_ONLY, THEOREMS

COVERS = {"prove_orders_of_bounds": ("bsp-sgd",)}


def with_expression() -> tuple[Theorem, ...]:
    """Theorems whose bounds are arithmetic in constants, stepsize and steps."""
    found = []
    for theorem in (*THEOREMS, *PROVED_ONLY):
        try:
            bound_of(theorem)
        except TypeError:
            continue
        found.append(theorem)
    return tuple(found)


def prove_orders_of_bounds(claimed: Mapping[str, Order] | None = None) -> Verdict:
    """Exponents of T, n and what else the order names; ``claimed`` orders stand in for stated."""
    steps = [
        orders(theorem, (claimed or {}).get(theorem.name, theorem.order))
        for theorem in with_expression()
    ]
    return settled(
        "orders of bounds",
        f"the stated orders of {len(steps)} theorems are those of their bounds",
        "limits of logarithmic derivatives of the bounds in the code",
        *steps,
    )


PROOFS = (prove_orders_of_bounds,)
