"""Theorems at the edges of their constants' ranges, which are read off the sentences that say them.

An end that counts to the other side (0 noise, a contraction of 1, one worker) breaks no bound
inside.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

import numpy as np

from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.constants import Constants, Inapplicable
from theory.ranges import ORDERED, RANGES
from theory.stepsizes import ConstantStep
from theory.theorem import Theorem

_HORIZON, _TIMES = 100, np.array([0.0, 1.0, 7.0, 100.0])
_BEYOND, _SHORT = 1e-6, ConstantStep(1e-9)


def edges(theorem: Theorem) -> Verdict:
    """What a theorem says at each end of each constant's range, and beyond it, against the interval
    that its sentences print; allowed ends have a stepsize and a bound."""
    faults, looked = list[str](), 0
    for name, c, allowed in _ends(theorem):
        looked += 1
        refused = _refused(theorem, c, name)
        at = f"{name}={getattr(c, name):.6g}"
        if refused is allowed:
            faults.append(f"{at} is {'refused' if refused else 'allowed'}, {RANGES[name]} is told")
        elif allowed and (wrong := _number_at(theorem, c)):
            faults.append(f"{wrong} at {at}")
    return Verdict(
        subject=theorem.name, check="edges of ranges", kind=CheckKind.LIMIT,
        claim="constants are refused outside of the intervals that are told, and have a stepsize "
        "and a bound at their ends",
        outcome=Outcome.REFUTED if faults else Outcome.AGREES if looked else Outcome.NOT_APPLICABLE,
        statistic=float(len(faults)), bound=0.0, resolution=0.0,
        evidence=f"{faults[0]}; {len(faults)} such" if faults
        else f"{looked} constants at ends and beyond" if looked else "no constant has an end",
        provenance=str(theorem.source),
    )  # fmt: skip


def _ends(theorem: Theorem) -> Iterator[tuple[str, Constants, bool]]:
    """Name of a constant, the example with it at an end or beyond, and whether this is allowed."""
    example = theorem.example
    for name in theorem.needs:
        value = getattr(example, name, None)
        if name not in RANGES or isinstance(value, bool) or not isinstance(value, int | float):
            continue
        left, low, high, right = _told(str(RANGES[name]))
        whole = isinstance(value, int)
        for end, closed, out in ((low, left == "[", -1.0), (high, right == "]", 1.0)):
            if math.isfinite(end):
                step = 1.0 if whole else _BEYOND
                yield name, _with(example, name, end, whole), closed
                yield name, _with(example, name, end + out * step, whole), False
    for name in {low: None for low, _ in ORDERED}:
        tops = [getattr(example, high, None) for low, high in ORDERED if low == name]
        top = min((float(one) for one in tops if one is not None), default=None)
        if name in theorem.needs and top is not None:
            yield name, _with(example, name, top), True
            yield name, _with(example, name, top * (1 + _BEYOND)), False


def _told(text: str) -> tuple[str, float, float, str]:
    """Ends of an interval as it is printed."""
    found = re.fullmatch(r"([\[(])(\S+), (\S+)([\])])", text)
    assert found is not None, text
    return found[1], float(found[2]), float(found[3]), found[4]


def _with(c: Constants, name: str, value: float, whole: bool = False) -> Constants:
    return c.state(None, **{name: int(value) if whole else value})


def _refused(theorem: Theorem, c: Constants, name: str) -> bool:
    """Whether the constant's value is named as one that cannot be."""
    step = theorem.stepsize(theorem.example, _HORIZON)
    said = (f"{name} must lie in", *(f"{a} must be at most {b}, got {a}" for a, b in ORDERED))
    return any(one.startswith(said) for one in theorem.violations(c, step, _HORIZON))


def _number_at(theorem: Theorem, c: Constants) -> str:
    """What is no stepsize, or no bound, where the theorem applies."""
    try:
        step = theorem.stepsize(c, _HORIZON)
    except Inapplicable as error:
        return f"no stepsize ({error})" if theorem.applies(c, _SHORT, _HORIZON) else ""
    if not theorem.applies(c, step, _HORIZON):
        return ""
    return "" if (theorem.bound(c, step, _TIMES) >= 0).all() else "the bound is negative"
