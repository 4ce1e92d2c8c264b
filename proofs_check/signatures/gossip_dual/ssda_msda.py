"""MSDA: accelerated duals reach the optimum in fewer rounds."""

from __future__ import annotations

from proofs_check.mutants.gossip_dual import WithoutMomentum
from proofs_check.signatures.gossip_dual.nesterov_chain_setting import fewer_rounds

SIGNATURE = fewer_rounds(
    "ssda-msda",
    "accelerated duals reach the optimum in fewer rounds",
    "MSDA",
    "Scaman, Bach, Bubeck, Lee, Massoulie 2017, arXiv:1702.08704, Theorems 2 and 4",
    WithoutMomentum,
)
