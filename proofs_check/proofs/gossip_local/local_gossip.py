"""Local SGD over gossip: ages of a step fall into rounds of H."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, settled
from proofs_check.proofs.evaluated import symbol
from proofs_check.proofs.expressions import near
from proofs_check.verdict import Verdict
from theory.theorems.local_gossip import local_gossip

COVERS = ("gossip-local-sgd",)
H, lam = symbol("H"), symbol("lam")
SPREAD = H / (1 - lam)


def prove(spread: Any = SPREAD) -> Verdict:
    """At most H steps have passed j meetings, each of which leaves lam: S <- lam S + H."""
    return settled(
        "local_gossip",
        f"spreads end at {spread}, so O(1/sqrt(nT)) with its constants",
        "derived; setting of Koloskova et al. 2020, arXiv:2003.10422",
        equality("the spread ends at", sp.simplify(lam * spread + H - spread), 0),
        near(local_gossip, spread),
    )
