"""dual accelerated: FISTA on the dual reaches the optimum in fewer rounds."""

from __future__ import annotations

from proofs_check.mutants.gossip_dual import WithoutDualMomentum
from proofs_check.signatures.gossip_dual.nesterov_chain_setting import fewer_rounds

SIGNATURE = fewer_rounds(
    "dual-accelerated",
    "FISTA on the dual reaches the optimum in fewer rounds",
    "dual accelerated",
    "Uribe, Lee, Gasnikov, Nedic 2018, arXiv:1809.00710, Theorem 3",
    WithoutDualMomentum,
)
