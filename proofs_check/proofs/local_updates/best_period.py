r"""The averaging period with the least error after a given time."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.verdict import Verdict

COVERS = ("adacomm", "local-sgd")

gap, gamma, L, sigma2, n, S, Y, D, H = sp.symbols("Delta gamma L sigma2 n S Y D H", positive=True)
BEST = sp.sqrt(2 * gap * D / (gamma**3 * L**2 * sigma2 * S))


def prove(claimed: Any = BEST) -> Verdict:
    r"""The bound of local SGD at K = S/(Y + D/H) steps is least at H = ``claimed``.

    S is the whole time of the run; the seconds Y of a local step drop out.
    """
    floor = gamma * L * sigma2 / n + gamma**2 * L**2 * sigma2 * (H - 1)
    bound = 2 * gap / (gamma * S) * (Y + D / H) + floor
    symbols = (gap, gamma, L, sigma2, S, D, H)
    return settled(
        "best period",
        f"the best period is {claimed}",
        "derived from Wang, Joshi 2018, arXiv:1810.08313",
        equality("the slope there", sp.diff(bound, H).subs(H, claimed), 0),
        nonnegative("the bound is convex in H", sp.diff(bound, H, 2), *symbols),
    )
