"""Links whose sharing is forgotten, and the check that sees it."""

from __future__ import annotations

import numpy as np

from algorithms.fabrics.sharing import Routes
from proofs_check.fabrics.contention import fair_shares
from proofs_check.mutants.method_mutant import fault
from theory.arrays import Floats


def unshared(routes: Routes, capacities: Floats) -> Floats:
    """Each flow as if it had its links to itself."""
    return np.array([capacities[list(route)].min() for route in routes])


METHOD_MUTANTS = (
    fault(
        "flows without contention", "flows that share a link are each as fast as alone",
        fair_shares, unshared,
    ),
)  # fmt: skip
