"""What theory says of each row of the family gossip: results, most specific first, or why none.

As :mod:`theory.survey.row_theory`, which joins these entries.
"""

from __future__ import annotations

from theory.orders.ad_psgd import ad_psgd
from theory.orders.cola import cola
from theory.orders.communication_sliding import communication_sliding
from theory.orders.d2 import d2
from theory.orders.dcd_psgd import dcd_psgd
from theory.orders.dual_accelerated import dual_accelerated
from theory.orders.ecd_psgd import ecd_psgd
from theory.orders.gossip_dual_averaging import gossip_dual_averaging
from theory.orders.local_gossip import local_gossip
from theory.orders.mirror_descent import mirror_descent
from theory.orders.msda import msda
from theory.orders.mspd import mspd
from theory.orders.push_sum import push_sum
from theory.orders.quantimed import quantimed
from theory.orders.quantimed_nonconvex import quantimed_nonconvex
from theory.orders.saps_psgd import saps_psgd
from theory.orders.sgp import sgp
from theory.orders.sliding_strongly_convex import sliding_strongly_convex
from theory.orders.sparq_sgd import sparq_sgd
from theory.orders.ssda import ssda
from theory.orders.subgradient_push import subgradient_push
from theory.theorem import Result
from theory.theorems.choco_gossip import choco_gossip
from theory.theorems.choco_sgd_nonconvex import choco_sgd_nonconvex
from theory.theorems.choco_sgd_strongly_convex import choco_sgd_strongly_convex
from theory.theorems.cooperative_sgd import cooperative_sgd
from theory.theorems.d_psgd import d_psgd
from theory.theorems.dgd import dgd
from theory.theorems.dual_averaging import dual_averaging
from theory.theorems.gossip_averaging import gossip_averaging
from theory.theorems.projected_dgd import projected_dgd
from theory.theorems.quantised_consensus import quantised_consensus
from theory.theorems.randomised_gossip import randomised_gossip

GOSSIP_THEORY: dict[str, tuple[Result, ...] | str] = {
    "choco-gossip": (choco_gossip,),
    "choco-sgd": (choco_sgd_strongly_convex, choco_sgd_nonconvex),
    "cola": (cola,),
    "d-psgd": (d_psgd,),
    "d2": (d2,),
    "dcd-psgd": (dcd_psgd,),
    "ecd-psgd": (ecd_psgd,),
    "quantised-consensus": (quantised_consensus,),
    "quantimed-dsgd": (quantimed, quantimed_nonconvex),
    "fdla": (gossip_averaging,),
    "gossip-local-sgd": (
        cooperative_sgd,
        local_gossip,
        sparq_sgd,
    ),
    "randomised-gossip": (randomised_gossip,),
    "ad-psgd": (ad_psgd,),
    "gossiping-sgd": "no constants of the paper's analysis are known for certain: one-sided "
    "averages keep the mean in expectation only, and the evidence is by experiment",
    "saps-psgd": (saps_psgd,),
    "push-sum": (push_sum,),
    "subgradient-push": (subgradient_push,),
    "sgp": (sgp,),
    "gossipgrad": "the paper states no rate: full diffusion after ceil(log2 n) steps",
    "dgd": (dgd, d_psgd),
    "projected-dgd": (projected_dgd,),
    "gossip-dual-averaging": (gossip_dual_averaging, dual_averaging),
    "mirror-descent": (projected_dgd, mirror_descent),
    "ssda-msda": (msda, ssda),
    "dual-accelerated": (dual_accelerated,),
    "mspd": (mspd,),
    "dcs": (sliding_strongly_convex, communication_sliding),
}
