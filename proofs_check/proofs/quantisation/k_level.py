"""k levels: (d - 2)/(2 (k-1)^2) over the range, (d - 1)/(2 (k-1)^2) over sqrt(2) ||x||."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, settled, truth
from proofs_check.verdict import Verdict

d, k = sp.symbols("d k", positive=True)
RANGE = (d - 2) / (2 * (k - 1) ** 2)
NORM = (d - 1) / (2 * (k - 1) ** 2)


def prove(claimed: Any = RANGE, norm: Any = NORM) -> Verdict:
    r"""omega = ``claimed`` where the levels span max - min (attained for even k), ``norm`` where
    they span sqrt(2) ||x|| from the minimum on (attained for every k >= 2, d >= 2).

    A coordinate varies by (hi - x)(x - lo) <= (step/2)^2, those on a level not at all: both ends
    in the first case, the minimum in the second. (a + b)^2 <= 2 (a^2 + b^2) <= 2 ||x||^2.
    """
    a, b, x, lo, step = sp.symbols("a b x lo step", real=True)
    cell = (step / 2) ** 2 - (lo + step - x) * (x - lo)
    half = ((a + b) / (k - 1) / 2) ** 2
    bound = (d - 2) * half - RANGE * (a**2 + b**2)
    # attained at (1, -1, 0, ..., 0), 0 being the middle of a cell for even k
    width = 2 / (k - 1)
    place = sp.simplify((sp.Integer(1) / width - sp.Rational(1, 2)).subs(k, 2 * k))
    # attained at (-b, z, ..., z) with z + b = c = step/2 and norm 1: d b^2 - 2 (d-1) c b + ... = 0
    c = 1 / (sp.sqrt(2) * (k - 1))
    roots = sp.discriminant(b**2 + (d - 1) * (c - b) ** 2 - 1, b)
    free = sp.simplify(roots - 4 * (d - (d - 1) * c**2))
    return settled(
        "k-level quantisation",
        f"sup omega = {claimed} (range), {norm} (sqrt(2) norm)",
        "Suresh et al. 2017, arXiv:1611.00429, Theorem 2; tight constants derived",
        equality("half a cell is the worst place", cell, (x - lo - step / 2) ** 2),
        equality("the range by a square", -bound, RANGE * (a - b) ** 2 / 2),
        equality("0 is the middle of a cell for even k", place, k - 1),
        equality("the value at (1, -1, 0, ..., 0)", (d - 2) * (width / 2) ** 2 / 2, claimed),
        truth("a row of norm 1 with all others in the middle", free == 0),
        equality("the value there", (d - 1) * c**2, norm),
        theorem="k_level",
    )
