"""Gossip that tracks gradients or corrects its bias under the bound of perturbed iterates."""

from __future__ import annotations

from algorithms.methods.gossip_tracking.quasi_global import QuasiGlobalMomentum
from algorithms.topologies.ring import Ring
from proofs_check.bounds.check import BoundCheck
from proofs_check.bounds.settings import linear

_M = 0.5

BOUND_CHECKS: tuple[BoundCheck, ...] = (
    linear("gradient-tracking", 600),
    linear("atc-tracking", 600),
    linear("extra", 600, look=200),
    linear("nids", 600, look=200),
    linear("exact-diffusion", 600, look=200),
    linear("relay-sgd", 600),
    linear(
        "qg-momentum", 600, make=lambda step, p, _t: QuasiGlobalMomentum(step, Ring(p.n), _M)
    ),
    linear("push-pull", 600),
    linear("push-diging", 600),
    linear("k-gt", 1000, look=200),
    linear("led", 1000, look=480),
)  # fmt: skip
