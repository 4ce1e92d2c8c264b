"""What a worker sends to its neighbours: b bits for each of N coordinates, n_peers times a step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.base import Topology
from algorithms.topologies.complete import Complete
from algorithms.topologies.ring import Ring
from algorithms.topologies.torus import Torus
from proofs_check.instruments.evidence import identity
from proofs_check.verdict import Verdict

_PEERS: tuple[tuple[Topology, int], ...] = (
    (Ring(6), 2),
    (Ring(12), 2),
    (Torus(3, 4), 4),
    (Complete(6), 5),
)


def sent(method: Method[Any], n: int, d: int, steps: int) -> list[float]:
    """Bits that each worker sent."""
    flat = torch.ones((n, d), dtype=torch.float64)
    account = run(method, Quadratic.from_arrays(flat, flat), steps=steps).account
    return account.sent_bits.double().flatten().tolist()


def bits_of_gossip(row: str, build: Callable[[Topology], Method[Any]], width: int) -> Verdict:
    """Every worker's ledger for coordinates of ``width`` bits: four graphs, N = 16, 64, T = 1, 5.

    The graphs are rings of 6 and 12, a torus of 12 and the complete graph of 6.
    """
    pairs = [
        (bits, float(width * d * peers * steps))
        for topology, peers in _PEERS
        for d in (16, 64)
        for steps in (1, 5)
        for bits in sent(build(topology), topology.n, d, steps)
    ]
    return identity(
        row, "a worker sends b N n_peers T bits: rings of 6 and 12, a torus of 12, 6 that all "
        "hear each other, N = 16 and 64, T = 1 and 5", *np.transpose(pairs),
        check="bits of gossip", problem="quadratic", provenance="ledger",
    )  # fmt: skip
