r"""3LC: delta = 4 s (2 - s)/(4 + (d - 1) s^2), at one largest and the others s/2 of it."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.verdict import Verdict

d, s = sp.symbols("d s", positive=True)
QUALITY = 4 * s * (2 - s) / (4 + (d - 1) * s**2)


def prove(claimed: Any = QUALITY) -> Verdict:
    r"""inf over x of 1 - ||C(x) - x||^2/||x||^2 is ``claimed``, 1 <= s < 2.

    Largest 1, M = s: |v| <= s/2 is sent as 0, more as s, which catches v^2 - (s - v)^2. For each
    other coordinate caught(v) - delta (v^2 - s^2/4) is concave above s/2, so least at its ends.
    """
    v, e, u = sp.symbols("v e u", nonnegative=True)
    caught = sp.expand(v**2 - (s - v) ** 2)
    first = caught.subs(v, 1)
    worst = first / (1 + (d - 1) * s**2 / 4)
    gain = caught - QUALITY * (v**2 - s**2 / 4)
    inside = {s: 2 - 1 / (1 + e), d: 1 + u}  # s in [1, 2), d >= 1
    top = sp.simplify(gain.subs(v, 1).subs(inside))
    bend = sp.simplify((-sp.diff(gain, v, 2) / 2).subs(inside))
    reference = sp.simplify((QUALITY - s * (2 - s) / d).subs(inside))
    return settled(
        "3LC",
        f"delta = {claimed}",
        "Lim, Andersen, Kaminsky 2018, arXiv:1802.07389; constant derived",
        equality("caught by a sent coordinate", caught, s * (2 * v - s)),
        equality("the largest catches 1 - (s - 1)^2", first, 1 - (s - 1) ** 2),
        equality("nothing changes at s/2", sp.simplify(gain.subs(v, s / 2)), 0),
        nonnegative("concave in between", bend, e, u),
        nonnegative("nor is it better to be largest too", top, e, u),
        equality("the value there", worst, claimed),
        nonnegative("at least (1 - (s - 1)^2)/d", reference, e, u),
    )
