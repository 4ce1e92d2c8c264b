"""Scaffnew: the derivation of its theorem; it and SCAFFOLD under bounds."""

from __future__ import annotations

from functools import partial
from typing import Any

import sympy as sp

from algorithms.methods.base import Method
from algorithms.methods.drift.scaffnew import Scaffnew
from algorithms.problems.base import Problem
from proofs_check.bounds.check import BoundCheck
from proofs_check.bounds.settings import (
    EQUAL_CURVATURES,
    LOGREG,
    SC,
    entry,
    equal_curvatures,
    linear,
    logreg,
)
from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, TIME, evaluates, symbol
from proofs_check.verdict import Verdict
from theory.stepsizes import Stepsize
from theory.theorems.scaffnew import scaffnew

mu, L, p = sp.symbols("mu_min L_max meeting_chance", positive=True)
KEPT = 1 - p**2
WEIGHT = GAMMA**2 / p**2


def meeting(workers: int) -> DerivationStep:
    """At a meeting the mean of all t_i is kept in x and what is left of each in h: Pythagoras."""
    t = sp.symbols(f"t_0:{workers}", real=True)
    mean = sp.Rational(1, workers) * sum(t)
    after = sum(mean**2 + (mean - one) ** 2 for one in t)
    return equality(f"a meeting of {workers} keeps the sum of squares", after, sum(x**2 for x in t))


def prove_scaffnew(claimed: Any = KEPT, weight: Any = WEIGHT) -> Verdict:
    r"""E Psi+ <= max((1 - gamma mu)^2, ``claimed``) Psi + n gamma^2 sigma2.

    Psi = sum |x_i - x*|^2 + ``weight`` |h_i - h_i*|^2;

    a = \hat x_i - x*, b = (gamma/p)(h_i - h_i*), t = a - b; one coordinate of one worker.
    """
    x, star, g, h, own = sp.symbols("x x_star g h h_star", real=True)
    ahead = x - GAMMA * (g - h) - star
    shift = sp.sqrt(weight) * (h - own)
    coin = p * (ahead - shift) ** 2 + (1 - p) * (ahead**2 + shift**2)
    descended = (x - star) - GAMMA * (g - own)
    d2, r, s, v, w = sp.symbols("d2 r s v w", nonnegative=True)
    top = mu + w  # L_max
    squared = mu**2 * d2 + r  # ||g - g*||^2, at least mu^2 d2
    inner = (mu * top * d2 + squared) / (mu + top) + s  # Nesterov 2004, Theorem 2.1.12
    step = 1 / (top * (1 + v))
    slack = (1 - step * mu) ** 2 * d2 - (d2 - 2 * step * inner + step**2 * squared)
    fast = GAMMA * mu * (2 - GAMMA * mu)
    rate = sp.Min(fast, 1 - claimed)
    left = (1 - rate) ** TIME
    start = symbol("R2") + weight * symbol("zeta2_star")
    return settled(
        "scaffnew",
        f"a step leaves (1 - gamma mu)^2 of models and {claimed} of shifts, weight {weight}",
        "Mishchenko et al. 2022, arXiv:2202.09357, Theorem 3.6",
        meeting(2),
        meeting(3),
        equality("the mean over the coin", coin, descended**2 + claimed * weight * (h - own) ** 2),
        nonnegative("a gradient step contracts", sp.simplify(slack), d2, r, s, v, w, mu),
        equality("1 - q of the models", 1 - (1 - GAMMA * mu) ** 2, fast),
        evaluates(
            scaffnew, left * start + (1 - left) / rate * GAMMA**2 * symbol("sigma2")
        ),
    )  # fmt: skip


PROOFS = (prove_scaffnew,)


# Scaffnew under its bound, SCAFFOLD under that of perturbed iterates.


def _half(step: Stepsize, _problem: Problem, _steps: int) -> Method[Any]:
    return Scaffnew(step, 0.5)


BOUND_CHECKS: tuple[BoundCheck, ...] = (
    BoundCheck("scaffnew", SC, scaffnew, entry(SC), _half, 500),
    BoundCheck(
        "scaffnew", EQUAL_CURVATURES, scaffnew, partial(equal_curvatures, 4, 1.0, 1.0), _half, 500
    ),
    BoundCheck("scaffnew", LOGREG, scaffnew, logreg(8), _half, 500),
    BoundCheck("scaffnew", "quadratic-unequal", scaffnew, entry("quadratic-unequal"), _half, 800),
    linear("scaffold", 1000),
)  # fmt: skip
