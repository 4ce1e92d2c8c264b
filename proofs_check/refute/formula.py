"""Theorems from formulas: text or sympy expressions of constants, or functions of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, TypeAlias, final

import numpy as np
import sympy

from theory.arrays import Floats
from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorem import Metric, Order
from theory.theorems.conditions import Condition as Judged
from theory.theorems.conditions import at_most, equal
from theory.theorems.kinds import ConstantStepTheorem

Formula: TypeAlias = str | sympy.Expr | Callable[[Constants, float, Any], Any]
"""In constants, gamma and T."""

Condition: TypeAlias = str | sympy.Basic
"""An inequality in constants."""

UNSTATED = Order({})
"""Order of a bound whose author states none."""

NAMES = tuple(f.name for f in fields(Constants) if f.name != "statements")
_SYMBOLS = {name: sympy.Symbol(name) for name in (*NAMES, "gamma", "T")}


def expression(given: str | sympy.Basic) -> sympy.Basic:
    """Expression of a text, its names those of constants.

    Raises:
        ValueError: it cannot be read, or has a name that no constant has.
    """
    try:
        found = _read(given)
        strange = sorted(s.name for s in found.free_symbols if s.name not in _SYMBOLS)
    except (sympy.SympifyError, AttributeError, TypeError, SyntaxError) as error:
        raise ValueError(f"cannot read the formula {given!r}: {error}") from error
    if strange:
        raise ValueError(
            f"the formula {given!r} has {', '.join(strange)}, which no constant is called; "
            "gamma, T and the names of theory.constants would do"
        )
    return found


@cache
def _read(given: str | sympy.Basic) -> sympy.Basic:
    return sympy.sympify(given, locals=_SYMBOLS)


@cache
def _function(given: str | sympy.Basic) -> tuple[tuple[str, ...], Callable[..., Any]]:
    """Names of a formula and its function, read once: an attack asks ten thousand times."""
    formula = expression(given)
    names = tuple(sorted(s.name for s in formula.free_symbols))
    return names, sympy.lambdify([_SYMBOLS[name] for name in names], formula, "numpy")


def value(formula: Formula, c: Constants, gamma: float, times: Any) -> Any:
    """The number of a formula at constants, a stepsize and times."""
    if callable(formula) and not isinstance(formula, sympy.Basic):
        return formula(c, gamma, times)
    names, function = _function(formula)
    given = {"gamma": gamma, "T": times}
    return function(*(given[name] if name in given else c.need(name) for name in names))


def named(formula: Formula | Condition | None) -> set[str]:
    """The constants that a formula speaks of; of a function none is known."""
    if formula is None or (callable(formula) and not isinstance(formula, sympy.Basic)):
        return set()
    return {s.name for s in expression(formula).free_symbols} - {"gamma", "T"}


@final
@dataclass(frozen=True, eq=False)
class StatedTheorem(ConstantStepTheorem):
    """A theorem that somebody states, about constant stepsizes.

    Attributes:
        name: how it is called.
        metric: what the bound bounds.
        needs: constants that it speaks of.
        bound_formula: the bound, in constants, gamma and T.
        limit: the largest stepsize it allows, in constants and T; None: only ``step`` is allowed.
        step: the stepsize it prescribes, where no other is allowed.
        assumes: inequalities in constants.
        changing_network: whether W may be another in every round, lam the largest of all rounds'.
        order: leading order of the bound, if it is stated.
    """

    name: str
    metric: Metric
    needs: tuple[str, ...]
    bound_formula: Formula
    limit: Formula | None = None
    step: Formula | None = None
    assumes: tuple[Condition, ...] = ()
    changing_network: bool = False
    order: Order = UNSTATED

    statement = ""
    source = Source("the claim's author", 0)
    confidence = Confidence.MEMORY
    tight = False
    example = Constants()

    @staticmethod
    def from_text(
        name: str,
        metric: Metric,
        bound: Formula,
        limit: Formula | None,
        step: Formula | None,
        assumes: tuple[Condition, ...],
        needs: tuple[str, ...],
        changing_network: bool = False,
        order: Order = UNSTATED,
    ) -> StatedTheorem:
        """The theorem, what it needs read off its formulas.

        Raises:
            ValueError: neither or both of limit and stepsize, or a formula that cannot be read.
        """
        if (limit is None) == (step is None):
            raise ValueError("give limit (every stepsize up to it) or stepsize (that one alone)")
        read = set(needs).union(*(named(f) for f in (bound, limit, step, *assumes)))
        wanted = tuple(name for name in NAMES if name in read)
        return StatedTheorem(
            name, metric, wanted, bound, limit, step, assumes, changing_network, order
        )

    @property
    def title(self) -> str:  # type: ignore[override]
        """Its name and what it bounds."""
        return f"{self.name}: {self.metric.value}"

    def by_horizon(self, c: Constants) -> bool:
        """Whether the stepsize hangs on T, so that the bound speaks of the last step alone."""
        return self._gamma(c, 1) != self._gamma(c, 97)

    def premises(self, c: Constants) -> tuple[Judged, ...]:
        return tuple((bool(value(one, c, 1.0, 1.0)), f"{one} must hold") for one in self.assumes)

    def conditions(self, c: Constants, step: ConstantStep) -> tuple[Judged, ...]:
        if self.by_horizon(c):  # judged at the horizon, by whoever takes the step
            return ()
        if self.limit is None:
            return (equal("gamma", step.gamma, self._gamma(c, 1), str(self.step)),)
        return (at_most("gamma", step.gamma, self._gamma(c, 1), str(self.limit)),)

    def prescribed(self, c: Constants, horizon: int) -> ConstantStep:
        return ConstantStep(self._gamma(c, horizon))

    def curve(self, c: Constants, step: ConstantStep, times: Floats) -> Floats:
        found = value(self.bound_formula, c, step.gamma, times)
        return np.broadcast_to(np.asarray(found, dtype=np.float64), times.shape)

    def _gamma(self, c: Constants, horizon: int) -> float:
        rule = self.step if self.limit is None else self.limit
        assert rule is not None
        return float(value(rule, c, 1.0, float(horizon)))
