"""Steps of a symbolic derivation, each settled by computer algebra, and the verdict on them all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import sympy as sp

from proofs_check.verdict import CheckKind, Outcome, Verdict


@final
@dataclass(frozen=True)
class DerivationStep:
    """One step: what it says and whether algebra found it true.

    Attributes:
        holds: whether algebra found it true.
    """

    what: str
    holds: bool


def equality(what: str, left: Any, right: Any) -> DerivationStep:
    """left = right for all values of their symbols.

    Raises:
        ArithmeticError: algebra settles neither equality nor difference.
    """
    difference = sp.simplify(sp.sympify(left) - sp.sympify(right))
    if difference == 0:
        return DerivationStep(what, True)
    if differs_somewhere(difference):
        return DerivationStep(what, False)
    raise ArithmeticError(f"undecided: {what}: is {difference} zero?")


def differs_somewhere(difference: Any) -> bool:
    """Whether some small whole numbers for its symbols make the expression other than zero."""
    symbols = sorted(difference.free_symbols, key=str)
    for first in range(1, 6):
        values = {s: sp.prime(first + i) for i, s in enumerate(symbols)}
        value = difference.subs(values, simultaneous=True).evalf(40)
        if value.is_number and value.is_finite and abs(value) > sp.Float("1e-20"):
            return True
    return False


def nonnegative(what: str, expression: Any, *symbols: Any) -> DerivationStep:
    """expression >= 0 for all nonnegative ``symbols``: a quotient without negative coefficients.

    The criterion is sufficient; a step that fails it is not shown.
    """
    parts = sp.fraction(sp.together(sp.sympify(expression)))
    coefficients = [c for part in parts for c in sp.Poly(sp.expand(part), *symbols).coeffs()]
    return DerivationStep(what, all(c.is_nonnegative for c in coefficients))


def nonnegative_on_box(what: str, expression: Any, box: Mapping[Any, Any]) -> DerivationStep:
    """expression >= 0 where every symbol of ``box`` lies in (0, its upper end].

    Each symbol is upper/(1 + u), u >= 0; then as in :func:`nonnegative`. Sufficient, not necessary.
    """
    shifted = {s: 1 + sp.Symbol(f"u_{s.name}", nonnegative=True) for s in box}
    parts = []
    for part in sp.fraction(sp.together(expression)):
        polynomial = sp.Poly(part, *box)
        degrees = [polynomial.degree(s) for s in box]
        total = sp.Poly(0, *(one - 1 for one in shifted.values()))
        for powers, coefficient in polynomial.terms():
            term = sp.Poly(coefficient, *total.gens)
            for symbol, power, degree in zip(box, powers, degrees, strict=True):
                factor = sp.Poly(shifted[symbol], *total.gens) ** (degree - power)
                term *= factor * box[symbol] ** power
            total += term
        parts.append(total)
    return DerivationStep(what, all(c.is_nonnegative for total in parts for c in total.coeffs()))


def truth(what: str, value: Any) -> DerivationStep:
    """``value`` is (sympy's or Python's) True."""
    return DerivationStep(what, bool(value == True))  # noqa: E712 - sympy's true is not Python's


def settled(
    subject: str, claim: str, source: str, *steps: DerivationStep, theorem: str = ""
) -> Verdict:
    """PROVED if every step holds, else REFUTED with the first step that fails.

    ``subject`` is the theorem or lemma that is derived, by its name; ``theorem`` its name where
    ``subject`` is its title.
    """
    failed = [step.what for step in steps if not step.holds]
    evidence = f"fails: {failed[0]}" if failed else "; ".join(step.what for step in steps)
    return Verdict(
        subject=subject,
        claim=claim,
        check="symbolic derivation",
        kind=CheckKind.PROOF,
        outcome=Outcome.REFUTED if failed else Outcome.PROVED,
        evidence=evidence,
        provenance=source,
        theorem=theorem or subject,
    )
