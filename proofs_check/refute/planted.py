"""Wrong theorems made of right ones: constants misread, bounds scaled, stepsizes too large."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from proofs_check.mutants.wrong_bounds import AlteredTheorem, MisreadBound
from proofs_check.refute.claim import Claim
from proofs_check.refute.limited import longer
from proofs_check.refute.rounds import RoundReading
from theory.arrays import Floats
from theory.constants import Constants
from theory.stepsizes import Stepsize
from theory.theorem import Theorem
from theory.theorems.families import WholeStep
from theory.theorems.kinds import ConstantStepTheorem

_HORIZON, _LONGER = 100, 1.05
_FACTORS = np.geomspace(1, 1e4, 10**3)

Misread = Callable[[Constants], Constants]


@final
@dataclass(frozen=True)
class Misreading:
    """A constant that a bound reads wrongly.

    Attributes:
        what: the fault in words.
        constant: which one.
        misread: what the bound is given.
    """

    what: str
    constant: str
    misread: Misread


def scaled(name: str, factor: float) -> Misread:
    """A constant times a factor; other constants that follow from it stay."""
    return lambda c: c.state(None, **{name: c.need(name) * factor})


def rooted(name: str) -> Misread:
    """The root of a constant in its place."""
    return lambda c: c.state(None, **{name: math.sqrt(c.need(name))})


def _gap_without_square(c: Constants) -> Constants:
    """1 - lam read as its root: what is divided by its square is divided by it."""
    return c.state(lam=1 - math.sqrt(1 - c.need("lam")))


def less_smooth(name: str) -> Misread:
    """Half of a smoothness constant; strong convexity stays at most that."""

    def misread(c: Constants) -> Constants:
        smooth = c.need(name) / 2
        below = {
            other: min(c.need(other), smooth)
            for other in ("mu", "mu_min", "pl")
            if getattr(c, other) is not None
        }
        return c.state(None, **{name: smooth, **below})

    return misread


def _more_convex(c: Constants) -> Constants:
    """Twice mu, at most L."""
    return c.without("pl").state(mu=min(2 * c.need("mu"), c.L or c.need("L_max")))


def _workers_squared(c: Constants) -> Constants:
    return c.state(n=int(c.need("n")) ** 2)


MISREADINGS: tuple[Misreading, ...] = (
    Misreading("half the noise", "sigma2", scaled("sigma2", 0.5)),
    Misreading("no noise", "sigma2", scaled("sigma2", 0.0)),
    Misreading("divided by n squared", "n", _workers_squared),
    Misreading("zeta2 forgotten", "zeta2", scaled("zeta2", 0.0)),
    Misreading("zeta2 forgotten at x*", "zeta2_star", scaled("zeta2_star", 0.0)),
    Misreading("half the initial gap", "initial_gap", scaled("initial_gap", 0.5)),
    Misreading("half the squared distance", "R2", scaled("R2", 0.5)),
    Misreading("half of L", "L", less_smooth("L")),
    Misreading("half of every L_i", "L_max", less_smooth("L_max")),
    Misreading("no second moment", "G2", scaled("G2", 1e-6)),
    Misreading("the root of tau", "tau", rooted("tau")),
    Misreading("the root of H", "H", rooted("H")),
    Misreading("half of omega", "omega", scaled("omega", 0.5)),
    Misreading("the gap without its square", "lam", _gap_without_square),
    Misreading("twice the curvature", "mu", _more_convex),
)
"""Misprints of single constants."""


@final
@dataclass(frozen=True)
class FalseTheorem(AlteredTheorem):
    """``theorem`` with its bound times ``factor``, at stepsizes up to ``reach`` times its own.

    Attributes:
        rounds: which lam it means where the network changes (a :class:`RoundReading`); None: its
            own.
    """

    factor: float = 1.0
    reach: float = 1.0
    rounds: RoundReading | None = None

    def violations(self, c: Constants, step: Stepsize, horizon: int) -> tuple[str, ...]:
        return self.theorem.violations(c, self._own(step), horizon)

    def stepsize(self, c: Constants, horizon: int) -> Stepsize:
        return longer(self.theorem.stepsize(c, horizon), self.reach)

    def bound(self, c: Constants, step: Stepsize, times: Floats) -> Floats:
        try:
            return self.factor * self.theorem.bound(c, step, times)
        except ValueError:  # its formula has no number at so large a stepsize
            return self.factor * self.theorem.bound(c, self._own(step), times)

    def weight(self, c: Constants, step: Stepsize, t: int) -> float:
        return self.theorem.weight(c, self._own(step), t)

    def _own(self, step: Stepsize) -> Stepsize:
        """The stepsize that the true theorem is asked about."""
        return longer(step, 1 / self.reach)


@final
@dataclass(frozen=True)
class MisreadLimit(AlteredTheorem):
    """``theorem`` whose assumptions and stepsize are asked of ``misread(c)``; the bound is true."""

    misread: Misread

    def violations(self, c: Constants, step: Stepsize, horizon: int) -> tuple[str, ...]:
        return self.theorem.violations(self.misread(c), step, horizon)

    def stepsize(self, c: Constants, horizon: int) -> Stepsize:
        return self.theorem.stepsize(self.misread(c), horizon)


def largest(theorem: Theorem, c: Constants) -> float:
    """The longest first stepsize that a theorem allows at its constants, to a hundredth."""
    step = theorem.stepsize(c, _HORIZON)
    allowed = [f for f in _FACTORS if theorem.applies(c, longer(step, float(f)), _HORIZON)]
    return float(max(allowed, default=1.0)) * step(0)


def _differs(theorem: Theorem, misread: Misread) -> bool:
    """Whether the bound speaks of the constant at all, rather than the stepsize's limit alone."""
    c, times = theorem.example.completed(), np.array([10.0])
    step = theorem.stepsize(c, 10)
    return float(theorem.bound(c, step, times)[0]) != _bound(theorem, misread(c), step, times)


def _bound(theorem: Theorem, c: Constants, step: Stepsize, times: Floats) -> float:
    try:
        return float(theorem.bound(c, step, times)[0])
    except ValueError:
        return math.nan


def _lengthens(theorem: Theorem, wrong: Theorem) -> bool:
    """Whether a wrong theorem allows longer stepsizes at the right one's example."""
    c = theorem.example.completed()
    try:
        return largest(wrong, c) > largest(theorem, c) * _LONGER
    except ValueError:
        return False


def planted(claim: Claim) -> Iterator[tuple[str, Claim]]:
    """The wrong theorems that a claim's makes, each with what is wrong."""
    theorem = claim.theorem
    for one in MISREADINGS:
        if one.constant in theorem.needs:
            wrong: Theorem = MisreadBound(theorem, one.misread)
            if _differs(theorem, one.misread):
                yield one.what, replace(claim, theorem=wrong)
            throughout = MisreadLimit(wrong, one.misread)
            if _lengthens(theorem, throughout):
                yield f"{one.what}, in limit and bound", replace(claim, theorem=throughout)
    for factor, what in ((0.99, "a bound 1% too small"), (0.5, "half the bound")):
        yield what, replace(claim, theorem=FalseTheorem(theorem, factor))
    if theorem.changing_network:
        for reading in (RoundReading.BEST, RoundReading.PERIOD):
            wrong = FalseTheorem(theorem, rounds=reading)
            yield f"lam is {reading.value}", replace(claim, theorem=wrong)
    steps = isinstance(theorem, ConstantStepTheorem) and not isinstance(theorem, WholeStep)
    if steps and not theorem.any_scale:
        yield "stepsizes twice as large", replace(claim, theorem=FalseTheorem(theorem, reach=2.0))
