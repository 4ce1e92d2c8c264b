"""Servers with a rate or momentum of their own under the bound of perturbed iterates."""

from __future__ import annotations

from proofs_check.bounds.check import BoundCheck
from proofs_check.bounds.settings import near, of_row
from theory.rules.virtual_iterate_deviation import block_momentum

BOUND_CHECKS: tuple[BoundCheck, ...] = (
    near("fedavg", lambda: block_momentum(8, 0.0, 1.5), of_row("fedavg"), 600),
    near("fedavgm", lambda: block_momentum(8, 0.9, 0.5), of_row("fedavgm"), 2400, rated=False),
    near("slowmo", lambda: block_momentum(8, 0.8), of_row("slowmo"), 2400, rated=False),
)
