"""AD-PSGD: averages of pairs, one worker's gradient a tick, models of some ticks ago."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.auxiliary.reaches import pairs
from proofs_check.proofs.derivation import equality, settled
from proofs_check.proofs.evaluated import symbol
from proofs_check.proofs.expressions import near
from proofs_check.verdict import Verdict
from theory.theorems.ad_psgd import ad_psgd

n, tau, kept = (symbol(name) for name in ("n", "tau", "kept"))
LEFT = sp.sqrt(kept)


def prove(left: Any = LEFT) -> Verdict:
    """S <- ``left`` S + sqrt(1 - 1/n): an average, and one row that moves by a gradient.

    The mean moves by 1/n of it, and tau of such moves may lie between model and gradient.
    """
    rows = sp.symbols("n_rows", integer=True, positive=True)
    one_row = (1 - 1 / rows) ** 2 + (rows - 1) / rows**2
    spread = sp.sqrt(1 - 1 / n) / (1 - left)
    return settled(
        "ad_psgd",
        f"an average leaves {left} of the spread's root, so O(1/sqrt(T)) with its constants",
        "derived; setting of Lian et al. 2018, arXiv:1710.06952",
        *pairs(),
        equality("one row's move, from the mean", sp.simplify(one_row), 1 - 1 / rows),
        equality("the spread ends at", sp.simplify(LEFT * spread + sp.sqrt(1 - 1 / n) - spread), 0),
        near(ad_psgd, spread + tau / n, gain=1 / n, excess=n - 1),
    )
