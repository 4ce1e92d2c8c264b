"""Theorems that limit their stepsizes, and stepsizes longer than they allow."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from theory.stepsizes import (
    ConstantStep,
    GradualWarmUpStep,
    InverseTimeStep,
    Stepsize,
    WarmUpStep,
)
from theory.theorem import Theorem
from theory.theorems import PROVED_ONLY, THEOREMS

LENGTHENED = (ConstantStep, InverseTimeStep, WarmUpStep, GradualWarmUpStep)
"""Rules that theorems limit."""

_SHORTER, _FAR, _HORIZON = 0.99, 1e6, 100


def longer(step: Stepsize, factor: float) -> Stepsize:
    """The rule with first (of warm-ups: all) stepsizes so many times as long; one that falls as
    scale/(shift + t) keeps its scale. Rules of another kind stay as they are."""
    if factor == 1:
        return step
    if isinstance(step, ConstantStep):
        return ConstantStep(factor * step.gamma)
    if isinstance(step, InverseTimeStep):
        return InverseTimeStep(step.scale, step.shift / factor)
    if isinstance(step, WarmUpStep | GradualWarmUpStep):
        return replace(step, rule=longer(step.rule, factor))
    return step


def has_limit(theorem: Theorem) -> bool:
    """Whether it allows stepsizes up to a longest one, and shorter ones."""
    c = theorem.example
    step = theorem.stepsize(c, _HORIZON)
    if theorem.any_scale or not isinstance(step, LENGTHENED):
        return False
    shorter = theorem.applies(c, longer(step, _SHORTER), _HORIZON)
    return shorter and not theorem.applies(c, longer(step, _FAR), _HORIZON)


@cache
def limited_theorems() -> tuple[Theorem, ...]:
    """Our theorems with a limit."""
    return tuple(one for one in (*THEOREMS, *PROVED_ONLY) if has_limit(one))
