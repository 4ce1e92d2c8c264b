"""Shared theorem parts: sentences for failed assumptions, and averages over the steps so far."""

from __future__ import annotations

import math

import numpy as np

from theory.arrays import Floats
from theory.constants import Constants
from theory.ranges import ROUNDING
from theory.stepsizes import ConstantStep

Condition = tuple[bool, str]
"""Whether it holds, and the sentence for those where it does not."""


def failures(*conditions: Condition) -> tuple[str, ...]:
    """Sentences of the conditions that do not hold."""
    return tuple(sentence for holds, sentence in conditions if not holds)


def at_most(name: str, value: float, limit: float, formula: str) -> Condition:
    """The condition ``value <= limit``, with a sentence that names both."""
    return (
        value <= limit * (1 + ROUNDING),
        f"{name} must be at most {formula} = {limit:.6g}, got {name}={value:.6g}",
    )


def at_least(name: str, value: float, limit: float, formula: str) -> Condition:
    """The condition ``value >= limit``, with a sentence that names both."""
    return (
        value >= limit * (1 - ROUNDING),
        f"{name} must be at least {formula} = {limit:.6g}, got {name}={value:.6g}",
    )


def equal(name: str, value: float, wanted: float, formula: str) -> Condition:
    """The condition ``value = wanted``, with a sentence that names both."""
    return (
        math.isclose(value, wanted, rel_tol=ROUNDING),
        f"{name} must be {formula} = {wanted:.6g}, got {name}={value:.6g}",
    )


def positive(c: Constants, name: str) -> Condition:
    """The condition that a constant is above 0."""
    value = c.need(name)
    return (value > 0, f"{name} must be positive, got {name}={value:.6g}")


def below_one(c: Constants, name: str) -> Condition:
    """The condition that a constant lies below 1."""
    value = c.need(name)
    return (value < 1, f"{name} must be below 1, got {name}={value:.6g}")


def one_objective(c: Constants) -> Condition:
    """The condition that all workers draw gradients of the same f."""
    zeta2 = c.need("zeta2")
    return (zeta2 == 0, f"all workers must share one objective (zeta2 = 0), got zeta2={zeta2:.6g}")


def convex(c: Constants, part: str) -> Condition:
    """The condition that every ``part`` of f is convex."""
    return (c.convex is True, f"every {part} must be convex, got convex={c.convex}")


def connected(c: Constants) -> Condition:
    """The condition lam < 1."""
    return (c.need("lam") < 1, f"lam must be below 1 (a connected network), got lam={c.lam:.6g}")


def symmetric(c: Constants) -> Condition:
    """The condition W = W^T; a network that states nothing of it is taken at its word."""
    return (c.symmetric is not False, "W must be symmetric, got one that is not")


def tuned(limit: float, numerator: float, denominator: float) -> ConstantStep:
    """min(limit, sqrt(numerator / denominator)), or the limit where the root says nothing."""
    if numerator <= 0 or denominator <= 0:
        return ConstantStep(limit)
    return ConstantStep(min(limit, math.sqrt(numerator / denominator)))


def per_step(amount: float, times: Floats) -> Floats:
    """amount / t, infinite at t = 0 where there is nothing to average."""
    t = np.asarray(times, dtype=np.float64)
    out: Floats = np.full(t.shape, np.inf)
    np.divide(amount, t, out=out, where=t > 0)
    return out


def decay(rate: float, times: Floats) -> Floats:
    """(1 - rate)^t, exact for rates down to the smallest float."""
    t = np.asarray(times, dtype=np.float64)
    return np.asarray(np.exp(t * math.log1p(-rate)) if rate < 0.5 else (1 - rate) ** t)


def weight_sum(shift: float, times: Floats) -> Floats:
    r"""S_T = \sum_{t<T} (a + t)^2 = T (a^2 + a (T-1) + (T-1)(2T-1)/6), for shift a."""
    t = np.asarray(times, dtype=np.float64)
    return t * (shift**2 + shift * (t - 1) + (t - 1) * (2 * t - 1) / 6)


def weighted_bound(start: float, noise: float, drift: float, shift: float, times: Floats) -> Floats:
    r"""(start + noise T (T + 2a) + drift T) / S_T, infinite at T = 0.

    The form of every bound that the weights w_t = (a + t)^2 give (Stich 2018, arXiv:1805.09767,
    Lemma 3.4).
    """
    t = np.asarray(times, dtype=np.float64)
    top = start + noise * t * (t + 2 * shift) + drift * t
    out: Floats = np.full(t.shape, np.inf)
    np.divide(top, weight_sum(shift, t), out=out, where=t > 0)
    return out


def shift_step(c: Constants) -> tuple[Condition, ...]:
    """The conditions 0 < alpha <= 1/(1 + omega) on the step of the shifts."""
    limit = 1 / (1 + c.need("omega"))
    return positive(c, "alpha"), at_most("alpha", c.need("alpha"), limit, "1/(1 + omega)")
