"""Derivations: local gossip, sparq sgd."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, settled
from proofs_check.proofs.evaluated import GAMMA, TIME, symbol
from proofs_check.proofs.expressions import computes, near
from proofs_check.proofs.norms import spread as spreads
from proofs_check.verdict import Verdict
from theory.theorems.local_gossip import local_gossip
from theory.theorems.sparq_sgd import sparq_sgd

# Local SGD over gossip: ages of a step fall into rounds of H.

H, lam = symbol("H"), symbol("lam")
SPREAD = H / (1 - lam)


def prove_local_gossip(spread: Any = SPREAD) -> Verdict:
    """S <- S + 1 at a step, S <- lam S at a meeting: S <- lam S + H from one to the next.

    S is the root of the mean square about the workers' mean, in gamma G.
    """
    return settled(
        "local_gossip",
        f"spreads end at {spread}, so O(1/sqrt(nT)) with its constants",
        "derived; setting of Koloskova et al. 2020, arXiv:2003.10422",
        *spreads(),
        equality("the spread ends at", sp.simplify(lam * spread + H - spread), 0),
        near(local_gossip, spread),
    )


# Local SGD over compressed gossip: the root of the potential, and what is left of its start.


kept, e0, n = (symbol(name) for name in ("kept", "initial_potential", "n"))
gap, L, sigma2, G2 = (symbol(name) for name in ("initial_gap", "L_max", "sigma2", "G2"))
DRIFT = 4 * GAMMA**2 * L**2 * H**2 * G2 / (1 - sp.sqrt(kept)) ** 2


def prove_sparq_sgd(drift: Any = DRIFT) -> Verdict:
    """Both parts grow by a step: S <- S + sqrt(2), since (p + q)^2 <= 2 p^2 + 2 q^2.

    The root of the potential is at most S gamma G + kept^{j/2} sqrt(e_0/n) after j rounds.

    Squares are at most doubled, and H steps a round sum to H e_0/(n (1 - kept)); L^2 times the
    mean square is what perturbed iterates pay.
    """
    p, q = sp.symbols("p q", real=True)
    spread = sp.sqrt(2) * H / (1 - sp.sqrt(kept))
    k = sp.Symbol("k", positive=True)
    early = sp.simplify(H * 1 / (1 - k) - k * H / (1 - k))
    fixed = sp.simplify(sp.sqrt(kept) * spread + sp.sqrt(2) * H - spread)
    lead = 2 * gap / (GAMMA * TIME) + 2 * L**2 * H * e0 / (n * (1 - kept) * TIME)
    return settled(
        "sparq_sgd",
        f"average squared gradient <= {lead} + gamma L sigma^2/n + {drift}",
        "derived; setting of Singh et al. 2019, arXiv:1910.14280",
        *spreads(),
        equality("the root ends at", fixed, 0),
        equality("a round takes its share of the start", early, H),
        equality("(p + q)^2 <= 2 p^2 + 2 q^2", 2 * p**2 + 2 * q**2 - (p + q) ** 2, (p - q) ** 2),
        equality("L^2 times the mean square", L**2 * 2 * (GAMMA * spread) ** 2 * G2, drift),
        computes(sparq_sgd, lead + GAMMA * L * sigma2 / n + drift),
    )  # fmt: skip


PROOFS = (prove_local_gossip, prove_sparq_sgd)
