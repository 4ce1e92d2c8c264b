"""Local SGD over gossip, plain and compressed, under its bounds."""

from __future__ import annotations

from algorithms.compressors.rand_k import RandK
from algorithms.methods.exchanges.gossip_rounds import PlainRound
from algorithms.methods.gossip.choco import ChocoRound
from algorithms.methods.gossip_local.gossip_local_sgd import GossipLocalSGD
from algorithms.topologies.complete import Complete
from algorithms.topologies.ring import Ring
from proofs_check.bounds.check import BoundCheck
from proofs_check.bounds.settings import by_moments, mild
from theory.networks.compressed_gossip import choco_kept
from theory.theorems.local_gossip import local_gossip
from theory.theorems.sparq_sgd import sparq_sgd

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
