"""Steps that derivations of descent along tracked estimates share (theory/theorems/tracked.py)."""

from __future__ import annotations

import math
from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, truth
from proofs_check.proofs.evaluated import GAMMA, numbers, symbol
from theory.theorems.families import Limited

HALF = sp.Rational(1, 2)
SHARE, DRIFT = sp.symbols("share drift", positive=True)
WEIGHT = GAMMA / (2 * SHARE)
move2, squared, error, v = sp.symbols("move2 squared_gradient error v", nonnegative=True)


def descends(weight: Any = WEIGHT, limit: Any = 1) -> DerivationStep:
    r"""f + ``weight`` G falls by gamma/2 ||grad f||^2 for gamma up to 1/(L + r).

    -gamma <g, grad f> = -(gamma/2)(||grad f||^2 + ||g||^2 - ||g - grad f||^2), the last at most G,
    and ||move||^2 = gamma^2 ||g||^2; G+ <= (1 - share) G + drift ||move||^2, drift = ``limit``
    share r^2. gamma = 1/((L + r)(1 + v)), L = u r.
    """
    L, r = symbol("L"), sp.Symbol("r", positive=True)
    u = sp.Symbol("u", nonnegative=True)
    after = -GAMMA / 2 * squared - move2 / (2 * GAMMA) + L * move2 / 2 + GAMMA / 2 * error
    after += weight * ((1 - SHARE) * error + DRIFT * move2 - error)
    slack = sp.simplify((-GAMMA / 2 * squared - after) * 2 * GAMMA)
    at = {DRIFT: limit * SHARE * r**2}
    inside = slack.subs(at).subs({L: u * r, GAMMA: 1 / ((1 + u) * r * (1 + v))})
    return nonnegative("f + c G falls", sp.simplify(inside), u, v, move2, squared, error, SHARE, r)


def contracts(pl: Any, limit: Any = HALF) -> tuple[DerivationStep, ...]:
    """f - f* + gamma/share G falls by the factor 1 - gamma pl where gamma pl <= share/2."""
    paid = GAMMA / SHARE * (1 - SHARE / 2) * error
    kept = GAMMA / SHARE * (1 - GAMMA * pl) * error - paid
    slack = sp.simplify(kept.subs(GAMMA, SHARE / (2 * pl * (1 + v))))
    both = GAMMA / 2 * error + GAMMA / SHARE * (1 - SHARE) * error
    return (
        descends(GAMMA / SHARE, limit),
        equality("G pays for the descent", both, paid),
        nonnegative("G keeps less than 1 - gamma pl", slack, v, error, SHARE),
    )


def limit_at_example(theorem: Limited, *limits: Any) -> DerivationStep:
    """The theorem's limit at its example is the smallest of ``limits``."""
    at = {symbol(name): value for name, value in numbers(theorem.example).items()}
    least = min(float(sp.N(limit.subs(at))) for limit in limits)
    return truth("the limit", math.isclose(theorem.limit(theorem.example), least))
