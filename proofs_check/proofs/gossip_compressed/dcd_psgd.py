"""Compressed differences over gossip: what mixing and noise leave of the spread."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, settled
from proofs_check.proofs.evaluated import symbol
from proofs_check.proofs.expressions import near
from proofs_check.verdict import Verdict
from theory.theorems.dcd_psgd import dcd_psgd

lam, beta, omega = (symbol(name) for name in ("lam", "beta", "omega"))
KEPT = sp.sqrt(lam**2 + omega * beta**2)


def prove(kept: Any = KEPT) -> Verdict:
    """S <- ``kept`` S + sqrt(1 + omega), in gamma G.

    What is sent is (W - I) X - gamma G, at most beta S + 1 long; the mean of the next models is
    lam S + 1 from theirs, the noise sqrt(omega) (beta S + 1), at right angles in the mean. The
    square of Minkowski's sum has the mixed term at least as large.
    """
    s = sp.Symbol("S", positive=True)
    exact = (lam * s + 1) ** 2 + omega * (beta * s + 1) ** 2
    claimed = (kept * s + sp.sqrt(1 + omega)) ** 2
    mixed = 2 * s * (kept * sp.sqrt(1 + omega) - lam - omega * beta)
    # (lam^2 + omega beta^2)(1 + omega) - (lam + omega beta)^2 = omega (lam - beta)^2
    room = (lam**2 + omega * beta**2) * (1 + omega) - (lam + omega * beta) ** 2
    spread = sp.sqrt(1 + omega) / (1 - kept)
    excess = omega * (beta * spread + 1) ** 2
    return settled(
        "dcd_psgd",
        f"spreads shrink by {kept}, so O(1/sqrt(nT)) with its constants",
        "derived; setting of Tang et al. 2018, arXiv:1803.06443",
        equality("both parts of a step", sp.expand(claimed - exact - mixed), 0),
        equality("the mixed term has room", sp.expand(room), sp.expand(omega * (lam - beta) ** 2)),
        equality("the spread ends at", sp.simplify(kept * spread + sp.sqrt(1 + omega) - spread), 0),
        near(dcd_psgd, spread, excess=excess),
    )
