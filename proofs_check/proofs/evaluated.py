"""The number that a theorem's ``bound`` returns, held to what its derivation ends in.

The bound is asked at the theorem's example and where one constant, the stepsize or its shift is
another: a formula that forgets one of them, has it to another power or has another constant in
front is off at one of these places.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, truth
from theory.constants import Constants
from theory.stepsizes import ConstantStep, InverseRootStep, InverseTimeStep, Stepsize
from theory.theorem import Theorem

GAMMA, TIME = sp.symbols("gamma T", positive=True)
SHIFT, SCALE = sp.symbols("a scale", positive=True)
TOLD = "the theorem's code evaluates this"

_HORIZON = 10**4
_TIMES = np.array([1.0, 7.0, 50.0])
_FAR = 3.0
_PART = 15 / 16  # which keeps what lies below 1 there
_LIFTED = 1 / 16


def symbol(name: str) -> Any:
    """The positive symbol of a constant."""
    return sp.Symbol(name, positive=True)


def named(expression: Any, theorem: Theorem) -> Any:
    """A derivation's symbols under the names that the theorem's constants have."""
    names = {
        "Delta": "initial_gap", "lambda": "lam", "l": "lipschitz", "D2": "absolute_error",
        "e0": "initial_potential",
    }  # fmt: skip
    for short, long in (("L", "L_max"), ("mu", "mu_min")):
        if long in theorem.needs and short not in theorem.needs:
            names[short] = long
    free = sp.sympify(expression).free_symbols
    return sp.sympify(expression).subs({s: symbol(names.get(s.name, s.name)) for s in free})


def evaluates(theorem: Theorem, claimed: Any, **more: float) -> DerivationStep:
    """``theorem.bound`` returns ``claimed`` at its example, with ``more`` stated, and beside it.

    ``claimed`` speaks of the constants by their names, of T and of the stepsize: gamma, or scale
    and a where it is scale/(a + t), or scale where it is scale/sqrt(t + 1).

    Raises:
        ArithmeticError: ``claimed`` speaks of something that the example does not state.
    """
    wanted = named(claimed, theorem)
    names = sorted(one.name for one in wanted.free_symbols)
    formula = sp.lambdify([symbol(name) for name in names], wanted, "numpy")
    example = theorem.example.completed().state(None, **more)
    same = []
    for c, step in places(theorem, example):
        values = numbers(c) | parameters(step) | {"T": _TIMES}
        unknown = [name for name in names if name not in values]
        if unknown:
            raise ArithmeticError(f"{theorem.name}: its example states no {', '.join(unknown)}")
        told = formula(*(values[name] for name in names))
        same.append(np.allclose(theorem.bound(c, step, _TIMES), told, rtol=1e-11, atol=0.0))
    return truth(TOLD, all(same))


def numbers(c: Constants) -> dict[str, Any]:
    """Constants stated in numbers."""
    stated = {name: getattr(c, name) for name in c.stated()}
    return {name: value for name, value in stated.items() if not isinstance(value, bool)}


def parameters(step: Stepsize) -> dict[str, Any]:
    """The numbers of a stepsize by their symbols' names.

    Raises:
        TypeError: it is a stepsize of another kind.
    """
    if isinstance(step, ConstantStep):
        return {"gamma": step.gamma}
    if isinstance(step, InverseTimeStep):
        return {"scale": step.scale, "a": step.shift}
    if isinstance(step, InverseRootStep):
        return {"scale": step.scale}
    raise TypeError(f"a stepsize with numbers would do, got {step}")


def places(theorem: Theorem, c: Constants) -> Iterator[tuple[Constants, Stepsize]]:
    """The setting at the stepsize for many steps; with all that is 0 there lifted, and one number
    after the other changed; and longer stepsizes: bounds are formulas beyond those allowed, too."""
    step = theorem.stepsize(c, _HORIZON)
    yield c, step
    if isinstance(step, ConstantStep):
        longest = theorem.stepsize(c, 1)(0)
        yield c, ConstantStep(longest)
        far = ConstantStep(_FAR * longest)
        if (theorem.bound(c, far, _TIMES) > 0).all():  # D-PSGD's says nothing there
            yield c, far
    c = c.state(None, **{name: _LIFTED for name, value in numbers(c).items() if value == 0})
    for name, value in numbers(c).items():
        yield c.state(None, **{name: elsewhere(value)}), step
    for name, value in vars(step).items():
        yield c, replace(step, **{name: elsewhere(value)})  # type: ignore[type-var]


def elsewhere(value: float) -> float:
    """One more of what is counted, a part of what is measured."""
    return value + 1 if isinstance(value, int) else value * _PART
