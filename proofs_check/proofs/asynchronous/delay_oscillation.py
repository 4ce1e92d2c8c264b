r"""Gradient descent with a constant delay on a quadratic: the largest stepsize with real roots."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, settled, truth
from proofs_check.verdict import Verdict

COVERS = ("asp",)

tau = sp.symbols("tau", integer=True, positive=True)
LARGEST = tau**tau / (tau + 1) ** (tau + 1)


def real_roots(delay: int, h: Any) -> int:
    """Positive roots of z^{delay+1} - z^delay + h, with multiplicity (Sturm, exactly)."""
    z = sp.symbols("z")
    polynomial = sp.Poly(z ** (delay + 1) - z**delay + h, z)
    return sum(1 for root in sp.real_roots(polynomial) if root > 0)


def prove(claimed: Any = LARGEST) -> Verdict:
    r"""x+ = x - h x_{t-tau} does not oscillate iff h <= ``claimed``.

    h = z^tau (1 - z) rises from 0 to its only maximum on (0, 1) and falls to 0: two positive real
    roots up to it and none beyond, where the leading pair is complex.
    """
    z = sp.symbols("z", positive=True)
    curve = z**tau * (1 - z)
    top = tau / (tau + 1)
    counts = []
    for delay in (1, 2, 5):
        value = sp.sympify(claimed).subs(tau, delay)
        below, above = (value * (1 + s * sp.Rational(1, 1000)) for s in (-1, 1))
        counts.append((real_roots(delay, below), real_roots(delay, above)) == (2, 0))
    return settled(
        "delay oscillation",
        f"no oscillation iff gamma a <= {claimed}",
        "derived; characteristic polynomial of delayed gradient descent",
        equality("the maximum is at tau/(tau + 1)", sp.diff(curve, z).subs(z, top), 0),
        equality("and is", curve.subs(z, top), claimed),
        truth("two roots below it, none above, tau = 1, 2, 5", all(counts)),
    )
