"""Two-way error feedback around Nesterov's momentum: velocities and residuals on the way."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.auxiliary.reaches import fixed_points, velocities
from proofs_check.proofs.derivation import equality, settled
from proofs_check.proofs.evaluated import symbol
from proofs_check.proofs.expressions import near
from proofs_check.verdict import Verdict
from theory.theorems.dist_ef_sgdm import dist_ef_sgdm

m = symbol("momentum")
up, down = (sp.sqrt(1 - symbol(name)) for name in ("delta_up", "delta_down"))
BEHIND = m**2 / (1 - m)


def prove(behind: Any = BEHIND) -> Verdict:
    """z is behind by residuals and ``behind`` velocities, of steps of length 1/(1 - m)."""
    lag = sp.Symbol("m", real=True)
    both = up / (1 - up) + (1 + up) / (1 - up) * down / (1 - down)
    longest = 1 / (1 - m)
    return settled(
        "dist_ef_sgdm",
        f"z behind by residuals and {behind} velocities, so O(1/sqrt(nT)) with its constants",
        "derived; setting of Zheng, Huang, Kwok 2019, arXiv:1905.10936",
        *velocities(sp.sympify(behind).subs(m, lag)),
        *fixed_points(),
        equality("velocities stay below 1/(1 - m)", m * longest + 1, longest),
        near(dist_ef_sgdm, (both + behind) * longest, gain=longest),
    )
