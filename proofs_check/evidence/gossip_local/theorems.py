"""Local SGD over gossip, plain and compressed: derivations, and runs under bounds."""

from __future__ import annotations

from typing import Any

import sympy as sp

from algorithms.compressors.rand_k import RandK
from algorithms.methods.exchanges.gossip_rounds import PlainRound
from algorithms.methods.gossip.choco import ChocoRound
from algorithms.methods.gossip_local.gossip_local_sgd import GossipLocalSGD
from algorithms.topologies.complete import Complete
from algorithms.topologies.ring import Ring
from proofs_check.bounds.check import BoundCheck
from proofs_check.bounds.settings import by_moments, mild
from proofs_check.proofs.derivation import equality, settled
from proofs_check.proofs.evaluated import GAMMA, TIME
from proofs_check.proofs.expressions import computes, near
from proofs_check.proofs.norms import spread as spreads
from proofs_check.verdict import Verdict
from theory.networks.compressed_gossip import choco_kept
from theory.theorems.local_gossip import local_gossip
from theory.theorems.sparq_sgd import sparq_sgd

H, lam, kept, e0, n, gap = sp.symbols("H lam kept initial_potential n initial_gap", positive=True)
L, sigma2, G2 = sp.symbols("L_max sigma2 G2", positive=True)
# Local SGD over gossip: ages of a step fall into rounds of H.

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


# Local SGD over gossip, plain and compressed, under its bounds.

_N, _H, _CONSENSUS_STEP = 4, 2, 0.5
_MASK = RandK(0.9, scaled=False)


def _compressed() -> dict[str, float]:
    """Public copies start at 0, the models elsewhere."""
    kept = choco_kept(Complete(_N).matrix(0), _MASK.k, _CONSENSUS_STEP)
    start = float(mild(_N, 0.25).start().double().square().sum())
    return {"kept": kept, "initial_potential": _N * start, "H": _H}


BOUND_CHECKS: tuple[BoundCheck, ...] = (
    by_moments(
        "gossip-local-sgd", local_gossip,
        lambda step, p, _t: GossipLocalSGD(step, PlainRound(Ring(p.n)), _H), 600,
    ),
    by_moments(
        "gossip-local-sgd", sparq_sgd,
        lambda step, p, _t: GossipLocalSGD(
            step, ChocoRound(Complete(p.n), _MASK, _CONSENSUS_STEP), _H
        ),
        4000, _compressed,
    ),
)  # fmt: skip
