"""Orders that theorems state against the exponents of their bounds, read off far out: all theorems,
in T and in every constant of the method, network or schedule that the bound speaks of.

What an order does not name has the exponent 0. Noise, heterogeneity and other constants of the
problem are left out of orders, as the surveys leave them out.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple, final

from proofs_check.instruments.asymptotic_orders import (
    TOLERANCE,
    BoundExponent,
    UnreadExponent,
    read,
)
from proofs_check.verdict import Outcome, Verdict
from theory.theorem import HALF, Order, Theorem
from theory.theorems import PROVED_ONLY, THEOREMS

NAMED = (
    "n", "H", "H_stale", "H_velocity", "gap", "delta", "delta_up", "delta_down", "omega", "tau",
    "tau_coordinate", "tau_rms", "lead", "blocks", "reach", "behind", "carried", "lazy_window",
)  # fmt: skip
"""What an order may name beside T: constants of methods, networks and schedules; gap for lam."""
SHIFTS = (-1, -HALF, HALF, 1)
_LOGARITHM = 0.05


@final
class OrderReading(NamedTuple):
    """One variable of one theorem: what its order states, and what was read off its bound.

    Attributes:
        variable: its symbol.
        stated: the exponent of the order as it is shown, 0 where it is not named.
        found: the exponent of the bound, or why there is none.
        agrees: whether the two are equal; None where nothing could be read.
    """

    variable: str
    stated: Fraction | int
    found: BoundExponent | UnreadExponent
    agrees: bool | None

    def __str__(self) -> str:
        if isinstance(self.found, UnreadExponent):
            return f"{self.variable}: unread, {self.found.why}"
        if self.found.linear:
            return f"{self.variable}: linear"
        log = f" log^{self.found.logarithm:.2f}" if self.found.logarithm > _LOGARITHM else ""
        return f"{self.variable}^{self.found.power:.5f}{log} (stated {self.stated})"


def readings(theorem: Theorem, order: Order) -> tuple[OrderReading, ...]:
    """T first, then all that the order names or that it may name and the theorem needs."""
    has = {"gap" if name == "lam" else name for name in theorem.needs}
    named = [name for name in NAMED if name in has or name in order.exponents]
    others = [name for name in order.exponents if name not in ("T", *named)]
    return tuple(_reading(theorem, order, name) for name in ("T", *named, *others))


def _reading(theorem: Theorem, order: Order, name: str) -> OrderReading:
    stated, found = order.exponents.get(name, 0), read(theorem, name)
    if isinstance(found, UnreadExponent):
        return OrderReading(name, stated, found, False if name in order.exponents else None)
    if name != "T":
        return OrderReading(name, stated, found, abs(found.power - stated) < TOLERANCE)
    if found.linear or order.linear:
        return OrderReading(name, stated, found, found.linear and order.linear and not stated)
    due = 0.0 if theorem.logarithm(theorem.example, 1000) == 1 else 1.0
    same = abs(found.power - stated) < TOLERANCE and abs(found.logarithm - due) < _LOGARITHM
    return OrderReading(name, stated, found, same)


def planted(theorem: Theorem) -> Iterator[Order]:
    """The theorem's order with one exponent changed, in every variable that can be read, by each
    of SHIFTS; that of a linear bound becomes a power of T."""
    own = theorem.order.exponents
    for one in readings(theorem, theorem.order):
        if one.agrees is not None:
            for shift in SHIFTS:
                yield Order({**own, one.variable: own.get(one.variable, 0) + shift})


def order_verdict(theorem: Theorem, order: Order) -> Verdict:
    """AGREES iff nothing that could be read contradicts the order."""
    found = readings(theorem, order)
    right = all(one.agrees is not False for one in found)
    return Verdict(
        subject=theorem.title,
        claim=f"{order} is the asymptotic order of the bound of {theorem.name}",
        check="order of the bound",
        outcome=Outcome.AGREES if right else Outcome.REFUTED,
        evidence="; ".join(str(one) for one in found),
        provenance=f"the theorem's code at e^150 to e^200 steps, to {TOLERANCE:g}",
    )


def counts() -> tuple[int, int]:
    """How many planted exponents are refuted, and how many are planted."""
    faults = [(t, order) for t in (*THEOREMS, *PROVED_ONLY) for order in planted(t)]
    return sum(order_verdict(*one).outcome is Outcome.REFUTED for one in faults), len(faults)


def main() -> None:
    """Print what is read of every theorem, and how many planted exponents are refuted."""
    verdicts = [order_verdict(one, one.order) for one in (*THEOREMS, *PROVED_ONLY)]
    for verdict in verdicts:
        print(f"{verdict.outcome.value:<8} {verdict.claim}: {verdict.evidence}")
    caught, many = counts()
    right = sum(verdict.outcome is Outcome.AGREES for verdict in verdicts)
    print(f"{right} of {len(verdicts)} orders agree; {caught} of {many} planted refuted")


if __name__ == "__main__":
    main()
