"""Bounds as expressions: theorems' own code, run on symbols in place of numbers.

``start``, ``floors``, ``parts`` and ``floor`` of the families are plain arithmetic in the constants
and the stepsize, so handed symbols they give the formula that they compute. A derivation that ends
in this formula cannot drift away from the code, and the order in T, n and the others is read off
it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, cast, final

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, truth
from proofs_check.proofs.evaluated import GAMMA, SHIFT, TIME, TOLD, evaluates, named, symbol
from theory.constants import Constants
from theory.theorem import Order, Theorem
from theory.theorems.families import Descent, Neighbourhood, PolyakLojasiewicz, WeightedAverage
from theory.theorems.perturbed_iterate import perturbed_iterate
from theory.theorems.reached import Reached


@final
class SymbolicConstants:
    """Every constant is the positive symbol of its name, but for those that ``known`` gives."""

    def __init__(self, **known: Any) -> None:
        self.known = known

    def need(self, name: str) -> Any:
        """The symbol of the constant, or what is known of it."""
        return self.known.get(name, symbol(name))

    positive = need

    def state(self, _statement: Any = None, **values: Any) -> SymbolicConstants:
        """A copy of which more is known."""
        return SymbolicConstants(**{**self.known, **values})

    def completed(self) -> SymbolicConstants:
        """Nothing follows from symbols."""
        return self

    def __getattr__(self, name: str) -> Any:
        return self.need(name)


def constants(**known: Any) -> Constants:
    """Symbolic constants, as theorems take them."""
    return cast(Constants, SymbolicConstants(**known))


def exact(expression: Any) -> Any:
    """With the fractions that the code's decimals stand for."""
    return sp.nsimplify(expression, rational=True)


def limit_of(theorem: Any, **known: Any) -> Any:
    """The largest stepsize that the theorem covers."""
    return exact(theorem.limit(constants(**known)))


def bound_of(theorem: Theorem, **known: Any) -> Any:
    """The bound after T steps, gamma (or the shift a) left free.

    Raises:
        TypeError: the theorem is of no family whose bound is an expression.
    """
    c, gamma = constants(**known), cast(float, GAMMA)
    if isinstance(theorem, PolyakLojasiewicz):
        left = (1 - GAMMA * c.need("pl")) ** TIME
        rest = sum(theorem.floors(c, gamma)) / (2 * c.need("pl"))
        return exact(left * c.need("initial_gap") + (1 - left) * rest)
    if isinstance(theorem, Descent):
        return exact(theorem.start(c, gamma) / TIME + sum(theorem.floors(c, gamma)))
    if isinstance(theorem, Neighbourhood):
        return exact(theorem.distance(c) / (GAMMA * TIME) + GAMMA * theorem.floor(c))
    if isinstance(theorem, WeightedAverage):
        start, noise, drift = theorem.parts(c, cast(float, SHIFT))
        weights = TIME * (SHIFT**2 + SHIFT * (TIME - 1) + (TIME - 1) * (2 * TIME - 1) / 6)
        top = start + noise * TIME * (TIME + 2 * SHIFT) + drift * TIME
        return exact(top / weights)
    raise TypeError(f"the bound of {theorem.name} is no expression; a member of a family would do")


def computes(theorem: Theorem, claimed: Any) -> DerivationStep:
    """The code of ``theorem`` evaluates ``claimed``: its parts for all constants, gamma and T, and
    its bound in numbers."""
    parts = equality(TOLD, bound_of(theorem), named(claimed, theorem))
    return truth(TOLD, parts.holds and evaluates(theorem, claimed).holds)


def near(
    theorem: Theorem, reach: Any = 0, behind: Any = 0, gain: Any = 1, excess: Any = 0
) -> DerivationStep:
    """The code of ``theorem`` evaluates the bound of perturbed iterates at these four."""
    names = ("initial_gap", "L_max", "sigma2", "G2", "n")
    gap, L, sigma2, G2, n = (symbol(name) for name in names)
    noise = GAMMA * gain * L * (sigma2 + excess * G2) / n
    drift = (GAMMA * L) ** 2 * (reach**2 + 2 * behind**2) * G2
    return computes(theorem, 2 * gap / (GAMMA * gain * TIME) + noise + drift)


def descends(theorem: Descent, weight: int, floor: Any) -> DerivationStep:
    """The code of ``theorem`` evaluates weight Delta/(gamma T) + ``floor``."""
    return computes(theorem, weight * symbol("initial_gap") / (GAMMA * TIME) + floor)


def leading(theorem: Theorem, **known: Any) -> Any:
    """The bound's leading term for large T at the best stepsize, without logarithms.

    Where gamma is constant, it is the one at which the parts that fall and that grow with gamma are
    equal to first order; for PL functions gamma = 1/(pl T) up to the logarithm.

    Raises:
        TypeError: as :func:`bound_of`.
    """
    bound = bound_of(theorem, **known)
    if isinstance(theorem, WeightedAverage):
        power, lead = -1, sp.limit(bound * TIME, TIME, sp.oo)
    elif isinstance(theorem, PolyakLojasiewicz):
        rest = sum(theorem.floors(constants(**known), cast(float, GAMMA))) / 2
        power, lead = -1, exact(sp.diff(rest, GAMMA).subs(GAMMA, 0)) / symbol("pl") ** 2
    else:
        falls = sp.limit(bound * GAMMA, GAMMA, 0) * TIME
        slope = sp.limit(sp.diff(bound - falls / (GAMMA * TIME), GAMMA), GAMMA, 0)
        grows = sp.limit(slope, TIME, sp.oo)
        if grows == 0:  # no noise: the stepsize stays at its limit
            power, lead = -1, TIME * bound.subs(GAMMA, limit_of(theorem, **known))
        else:
            power, lead = sp.Rational(-1, 2), 2 * sp.sqrt(falls * grows)
    return sp.powsimp(sp.simplify(lead)) * TIME**power


@cache
def exponent(expression: Any, name: str) -> Any:
    """The power of the constant where it is large; of ``gap`` = 1 - lam and of contractions'
    delta, where they are small."""
    if name == "gap":
        gap = symbol("gap")
        rewritten = expression.subs(symbol("lam"), 1 - gap)
        return sp.limit(sp.simplify(gap * sp.diff(rewritten, gap) / rewritten), gap, 0)
    x = TIME if name == "T" else symbol(name)
    far = 0 if name.startswith("delta") else sp.oo
    return sp.limit(sp.simplify(x * sp.diff(expression, x) / expression), x, far)


def near_leading(theorem: Reached, names: Sequence[str]) -> Any:
    """Take :func:`leading` with symbols for gain and excess but where they depend on ``names``."""
    own = theorem.separation(constants())
    lead = leading(perturbed_iterate)
    for name, formula in (("gain", own.gain), ("excess", own.excess)):
        told = exact(formula)
        if told.free_symbols & {symbol(one) for one in names} or told.is_number:
            lead = lead.subs(symbol(name), told)
    return sp.simplify(lead)


def orders(theorem: Theorem, order: Order, **known: Any) -> DerivationStep:
    """``order`` is that of the leading term of the theorem's bound, in all that it names, and in n
    where the theorem speaks of n."""
    stated = dict(order.exponents)
    names = [*stated, *(name for name in ("n",) if name in theorem.needs and name not in stated)]
    if isinstance(theorem, Reached) and type(theorem).noise is Reached.noise:
        lead = near_leading(theorem, names)
    else:
        lead = leading(theorem, **known)
    same = all(sp.simplify(exponent(lead, name) - stated.get(name, 0)) == 0 for name in names)
    return truth(f"{theorem.name}: {order} is the order of {lead}", same)
