"""Links whose sharing is forgotten, and the check that sees it."""

from __future__ import annotations

import numpy as np

from algorithms.fabrics.sharing import Routes
from proofs_check.fabrics.contention import fair_shares
from proofs_check.fabrics.localities import sums_by_locality
from proofs_check.mutants.method_mutant import fault
from theory.arrays import Floats


def unshared(routes: Routes, capacities: Floats) -> Floats:
    """Each flow as if it had its links to itself."""
    return np.array([capacities[list(route)].min() for route in routes])


def blocks(seconds: Floats) -> tuple[tuple[int, ...], ...]:
    """Groups of four in the order in which workers were given."""
    workers = range(len(seconds))
    return tuple(tuple(workers[low : low + 4]) for low in range(0, len(seconds), 4))


METHOD_MUTANTS = (
    fault(
        "localities without probing", "workers that were given one after another count as near",
        sums_by_locality, blocks,
    ),
    fault(
        "flows without contention", "flows that share a link are each as fast as alone",
        fair_shares, unshared,
    ),
)  # fmt: skip
