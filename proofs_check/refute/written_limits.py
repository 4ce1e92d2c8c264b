"""Stepsizes as they are stated: the formula of a theorem's limit, and what its rule weighs.

A limit that is too long, or that reads another constant, breaks no bound unless it is tight; but it
is told to readers as a formula, which computer algebra reads here independently of the code.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import fields

import numpy as np

from proofs_check.instruments.written_formulas import FUNCTIONS, formula_value
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.constants import Constants
from theory.ranges import RANGES
from theory.theorem import Theorem
from theory.theorems.families import Descent, Limited

_FACTORS, _NEXT = (0.01, 0.3, 3.0, 100.0), 1e-3  # of constants; next to an end of a range
_ROUNDING = 1e-12
_MANY, _BALANCE = 10**30, 1e-6  # steps, and what terms of higher order leave there
_HALF = 0.5  # of the start, floors of order gamma^2
_FOR_EVER = 1e45  # steps after which nothing is left of the start
_LETTERS = {"m": "momentum", "p": "refresh", "c": "compensation", "D": "lazy_window"}
_WORDS = ("sum of the weights", "lazy")
_OF_CODE = {"gain", "behind"}  # taken from the theorem itself
_OR_HALF = ", or half of that where the model is behind a virtual iterate,"


def written_limit(theorem: Theorem) -> Verdict:
    """The formula of a theorem's limit against the limit, at its example and around it.

    No more than compared where the formula has words, or names that are no constants, or where its
    gain and behind are taken from the theorem's own code.
    """
    text = str(getattr(theorem, "formula", ""))
    values = [(limit, _value(text, theorem, c)) for c, limit in _limits(theorem)] if text else []
    read = [(limit, value) for limit, value in values if value is not None]
    worst = float(np.max([abs(value / limit - 1) for limit, value in read], initial=0.0))
    refuted, own = not worst <= _ROUNDING, sorted(_names(text) & _OF_CODE)
    evidence = f"{text}: {worst:.2g} off at {len(read)} sets of constants"
    return Verdict(
        subject=theorem.name, check="written limit", kind=CheckKind.LIMIT,
        claim="the limit of the stepsizes is the formula that is told of it",
        outcome=Outcome.NOT_APPLICABLE if not text
        else Outcome.REFUTED if refuted
        else Outcome.AGREES if read and not own else Outcome.COMPARED,
        statistic=worst if read else None, bound=_ROUNDING if read else None,
        evidence="it has no formula" if not text
        else _unread(text, theorem) if not read
        else f"{evidence}; {' and '.join(own)} as the theorem's own code has it" if own
        else evidence,
        provenance=str(theorem.source),
    )  # fmt: skip


def _unread(text: str, theorem: Theorem) -> str:
    """Reason why a formula gives no number."""
    numbers = _numbers(theorem, theorem.example)
    unknown = sorted(_names(text) - set(numbers) - set(FUNCTIONS))
    if unknown:
        return f"{text!r} is not computed: no constant is stated for {', '.join(unknown)}"
    return f"{text!r} is no formula of constants alone"


def balanced_step(theorem: Theorem) -> Verdict:
    """Start over noise floor at the stepsize that is prescribed for very many steps.

    gamma = sqrt(signal/(noise T)) makes both of a descent equal where it is the best stepsize,
    gamma = log(T signal/noise)/(mu T) the derivatives of a geometric start and of its floor, and
    where nothing is drawn, floors of order gamma^2 are half of the start if they limit gamma; so
    that a factor that is lost shows, though every stepsize below the limit has a true bound.
    """
    ratio, stated = None, getattr(theorem, "balanced", 1.0)
    if isinstance(theorem, Descent):
        c = theorem.example
        gamma = theorem.prescribed(c, _MANY).gamma
        floor = next(iter(theorem.floors(c, gamma)), 0.0)
        ratio = theorem.start(c, gamma) / _MANY / floor if floor > 0 else None
    elif isinstance(theorem, Limited):
        ratio = _geometric(theorem)
    off = 0.0 if ratio is None else abs(ratio / stated - 1)
    drift = _drift(theorem) if isinstance(theorem, Descent) else None
    if drift is not None and off <= _BALANCE < abs(drift / _HALF - 1):
        ratio, stated, off = drift, _HALF, abs(drift / _HALF - 1)
    return Verdict(
        subject=theorem.name, check="balanced stepsize", kind=CheckKind.LIMIT,
        claim="the prescribed stepsize weighs start and noise as it is stated",
        outcome=Outcome.NOT_APPLICABLE if ratio is None
        else Outcome.AGREES if off <= _BALANCE else Outcome.REFUTED,
        statistic=ratio, bound=None if ratio is None else stated,
        evidence="it weighs no start against noise" if ratio is None
        else f"after {_MANY:.0e} steps the start is {ratio:.9g} times the noise"
        + (f", the drift without noise {drift:.9g} times the start" if drift is not None else ""),
        provenance=str(theorem.source),
    )  # fmt: skip


def _drift(theorem: Descent) -> float | None:
    """Floors of order gamma^2 over the start where nothing is drawn; None where they do not limit
    the stepsize, which is then no cube root of the number of steps."""
    if theorem.example.sigma2 is None:
        return None
    c = theorem.example.state(None, sigma2=0.0)
    gamma, shorter = (theorem.prescribed(c, steps).gamma for steps in (_MANY, 8 * _MANY))
    if abs(2 * shorter / gamma - 1) > _BALANCE:
        return None
    return sum(theorem.floors(c, gamma)) * _MANY / theorem.start(c, gamma)


def _geometric(theorem: Limited) -> float | None:
    """What is left of the start times its logarithm, over the floor, read off the bound alone.

    None where the bound is no sum of a geometric start and a floor.
    """
    c = theorem.example
    times = np.array([0.0, _MANY / 2, _MANY, _FOR_EVER])
    start, *later, floor = theorem.curve(c, theorem.prescribed(c, _MANY), times).tolist()
    if not floor > 0 or start == floor:
        return None
    halfway, left = ((one - floor) / (start - floor) for one in later)
    if not left > 0 or abs(halfway**2 / left - 1) > _BALANCE:
        return None
    return float(-left * math.log(left) * start / floor)


def _limits(theorem: Theorem) -> Iterator[tuple[Constants, float]]:
    """Constants, and the longest stepsize allowed there (:func:`changed_one_by_one`)."""
    for c in changed_one_by_one(theorem.example):
        try:
            limit = float(getattr(theorem, "limit")(c))  # noqa: B009
        except (ArithmeticError, AttributeError, ValueError):
            continue
        if math.isfinite(limit) and limit > 0:
            yield c, limit


def changed_one_by_one(example: Constants) -> Iterator[Constants]:
    """An example's constants, and these with one of them changed: by a tenth, to small ones, to
    large ones and next to the ends of its range, so that a formula's other branches are taken."""
    yield example
    for name in example.stated():
        value = getattr(example, name)
        if not isinstance(value, bool | int | float):
            continue
        if isinstance(value, bool | int):
            yield example.state(None, **{name: value + 1})
            if value > 1:
                yield example.state(None, **{name: 1})
            continue
        held = RANGES.get(name)
        others = [0.9 * value, *(value * factor for factor in _FACTORS)]
        if held is not None and math.isfinite(held.high):
            others += [held.high - _NEXT * (held.high - held.low)]
        for other in others:
            if held is None or held.holds(other):
                yield example.state(None, **{name: other})


def _plain(text: str) -> tuple[str, bool]:
    """The formula without its words, and whether half of it is meant behind a virtual iterate."""
    short = text.replace(*_WORDS).removesuffix(_OR_HALF)
    return short, text.endswith(_OR_HALF)


def _names(text: str) -> set[str]:
    """The names in a formula."""
    plain, half = _plain(text)
    return {*re.findall(r"[A-Za-z_]\w*", plain), *(("behind",) if half else ())}


def _numbers(theorem: Theorem, c: Constants) -> dict[str, float]:
    """Numbers by the names that formulas have for them: constants and the theorem's own."""
    known = {one.name: getattr(c, one.name) for one in fields(c)}
    known |= {letter: known[name] for letter, name in _LETTERS.items()}
    known["M"] = getattr(theorem, "M", None)
    if hasattr(theorem, "separation"):
        own = theorem.separation(c)
        known |= {"gain": own.gain, "behind": own.behind}
    return {name: value for name, value in known.items() if isinstance(value, int | float)}


def _value(text: str, theorem: Theorem, c: Constants) -> float | None:
    """The formula at constants and the theorem's own numbers; None where it cannot be read."""
    (plain, half), numbers = _plain(text), _numbers(theorem, c)
    found = formula_value(plain, numbers)
    return found / 2 if found is not None and half and numbers.get("behind") else found
