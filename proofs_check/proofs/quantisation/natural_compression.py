"""Natural compression: omega = 1/8, attained at 4/3 of a power of two."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled, truth
from proofs_check.verdict import Verdict

SUP = sp.Rational(1, 8)


def prove(claimed: Any = SUP) -> Verdict:
    """sup over t of E(C(t) - t)^2/t^2 is ``claimed``; by scale, t in [1, 2] is enough."""
    t, e = sp.symbols("t e", positive=True)
    down = 2 - t  # (2^ceil - t)/2^floor at floor = 0
    mean = down * 1 + (1 - down) * 2
    ratio = (down * (1 - t) ** 2 + (1 - down) * (2 - t) ** 2) / t**2
    scaled = (2 * e - t * e) * (t * e - e) / (t * e) ** 2
    (worst,) = sp.solve(sp.numer(sp.together(sp.diff(ratio, t))), t)
    # 1/8 - ratio = (3 t - 4)^2/(8 t^2) shows the bound for every t at once
    gap = sp.factor(claimed - ratio)
    return settled(
        "natural compression",
        f"sup omega = {claimed}",
        "Horvath et al. 2019, arXiv:1905.10988, Theorem 4",
        equality("the mean is t", mean, t),
        equality("the ratio does not depend on the power of two", scaled, ratio),
        equality("the worst mantissa", worst, sp.Rational(4, 3)),
        equality("the ratio there", ratio.subs(t, worst), claimed),
        equality("the bound for all t by a square", gap, (3 * t - 4) ** 2 / (8 * t**2)),
        truth("no variance at the powers", ratio.subs(t, 1) == 0 and ratio.subs(t, 2) == 0),
        nonnegative("down is a probability", down.subs(t, 1 + 1 / (1 + e)), e),
    )
