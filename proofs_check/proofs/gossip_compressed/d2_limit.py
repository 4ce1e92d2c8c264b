r"""D-squared: which modes of W it keeps stable, by the criterion of Jury."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled, truth
from proofs_check.verdict import Verdict

COVERS = ("d2",)

lam, c, z = sp.symbols("lambda c z", real=True)
LIMIT = -1 / (3 - 2 * c)


def characteristic() -> Any:
    """x^{t+1} = lam (2 x^t - x^{t-1} - c x^t + c x^{t-1}), c = gamma a."""
    return z**2 - (2 - c) * lam * z + (1 - c) * lam


def at_minus_one(claimed: Any) -> DerivationStep:
    """z = -1 is a root exactly at the limit."""
    value = characteristic().subs(z, -1).subs(lam, claimed)
    return equality("at the limit -1 is a root", value, 0)


def above(claimed: Any) -> DerivationStep:
    """p(-1) has the sign of lam - limit: it grows with lam for c < 1."""
    slope = sp.diff(characteristic().subs(z, -1), lam)
    rest = sp.simplify(characteristic().subs(z, -1) - slope * (lam - claimed))
    return equality("p(-1) = (3 - 2c)(lambda - limit)", rest, 0)


def other_conditions() -> tuple[DerivationStep, ...]:
    """p(1) = 1 - lam > 0, and |p(0)| = (1 - c)|lam| < 1 for 0 <= c < 1, |lam| < 1."""
    one = sp.expand(characteristic().subs(z, 1))
    u, v = sp.symbols("u v", nonnegative=True)
    inside = (1 - (1 - c) ** 2 * lam**2).subs({c: u / (1 + u), lam: v / (1 + v)})
    return (
        equality("p(1) = 1 - lambda", one, 1 - lam),
        nonnegative("the product of the roots is inside the circle", inside, u, v),
    )


def prove(claimed: Any = LIMIT) -> Verdict:
    r"""Modes lambda in (``claimed``, 1) have both roots inside the unit circle; -1/3 as gamma -> 0.

    Jury: z^2 + p z + q is stable iff p(1) > 0, p(-1) > 0 and |q| < 1.
    """
    return settled(
        "d2_limit",
        "a mode of D-squared is stable for lambda in (-1/(3 - 2 gamma a), 1), unstable below; the "
        "limit is -1/3 as gamma -> 0",
        "Tang, Lian, Yan, Zhang, Liu 2018, arXiv:1803.07068; necessity derived",
        at_minus_one(claimed),
        above(claimed),
        *other_conditions(),
        equality("the limit as gamma -> 0", claimed.subs(c, 0), sp.Rational(-1, 3)),
        truth("it falls as gamma grows", sp.diff(claimed, c).subs(c, sp.Rational(1, 2)) < 0),
    )
