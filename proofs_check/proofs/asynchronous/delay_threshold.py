r"""Gradient descent with a constant delay on a quadratic: the largest stable stepsize."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, settled, truth
from proofs_check.verdict import Verdict

COVERS = ("asp", "dc-asgd")

tau = sp.symbols("tau", integer=True, nonnegative=True)
THRESHOLD = 2 * sp.sin(sp.pi / (2 * (2 * tau + 1)))


def crossing(claimed: Any) -> tuple[DerivationStep, ...]:
    """z^{tau+1} - z^tau + h has the root exp(i pi/(2 tau + 1)) at h = ``claimed``."""
    theta = sp.pi / (2 * tau + 1)
    # h = z^tau (1 - z) = 2 sin(theta/2) exp(i (theta (tau + 1/2) - pi/2))
    angle = sp.symbols("angle", real=True)
    half = sp.exp(sp.I * angle / 2)
    factor = half * (-2 * sp.I * sp.sin(angle / 2))
    phase = sp.simplify(theta * (tau + sp.Rational(1, 2)) - sp.pi / 2)
    return (
        equality(
            "1 - z = -2i sin(theta/2) exp(i theta/2)",
            (1 - half**2 - factor.rewrite(sp.exp)).expand(),
            0,
        ),
        equality("z^tau (1 - z) is real and positive there", phase, 0),
        equality("its modulus", 2 * sp.sin(theta / 2), claimed),
    )


def stable_below(claimed: Any, delay: int) -> DerivationStep:
    """All roots lie inside the unit circle just below the claim and not all just above, exactly.

    Jury's criterion in rationals (Bistritz), at h within 1e-6 of the claim.
    """
    value = sp.nsimplify(sp.N(claimed.subs(tau, delay), 40), rational=True)
    small = sp.Rational(1, 10**6)
    below = inside(delay, value * (1 - small))
    above = inside(delay, value * (1 + small))
    return truth(f"stable below and not above, tau = {delay}", below and not above)


def inside(delay: int, h: Any) -> bool:
    """Whether all roots of z^{delay+1} - z^delay + h are in the open unit disc (Schur-Cohn)."""
    row = [sp.Integer(0)] * (delay + 2)
    row[0], row[1] = sp.Integer(1), sp.Integer(-1)
    row[-1] += h
    while len(row) > 1:
        ratio = row[-1] / row[0]
        if abs(ratio) >= 1:
            return False
        row = [x - ratio * y for x, y in zip(row[:-1], row[:0:-1], strict=True)]
    return True


def prove(claimed: Any = THRESHOLD) -> Verdict:
    r"""x+ = x - gamma a x_{t-tau} is stable iff 0 < gamma a < ``claimed``.

    On the unit circle h = z^tau (1 - z) is real and positive only at theta = (4m + 1) pi/(2 tau+1),
    where h = 2 sin(theta/2) grows with theta in (0, pi]: the first crossing is m = 0. For small h
    the roots are near 0 and near 1 - h, so they are inside until then.
    """
    z, h = sp.symbols("z h")
    drift = -1 / sp.diff(z - 1 + h * z**-tau, z).subs({h: 0, z: 1})
    return settled(
        "delay threshold",
        f"stable iff 0 < gamma a < {claimed}",
        "derived; characteristic polynomial of delayed gradient descent",
        equality("the root at 1 moves inside as h grows from 0", drift, -1),
        *crossing(claimed),
        *(stable_below(claimed, delay) for delay in (0, 1, 2, 5, 10)),
    )
