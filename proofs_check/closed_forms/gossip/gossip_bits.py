"""Erratum T8: what gossip costs a worker, b N n_peers T bits, read off the ledger.

N is the number of coordinates, b the bits of each in a message, n_peers how many hear a worker.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from algorithms.compressors.fixed_point import FixedPoint
from algorithms.methods.base import Method
from algorithms.methods.gossip.choco import ChocoSGD
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_compressed.dcd_psgd import DCDPSGD
from algorithms.problems.quadratic import Quadratic
from algorithms.run import run
from algorithms.topologies.base import Topology
from algorithms.topologies.complete import Complete
from algorithms.topologies.ring import Ring
from algorithms.topologies.torus import Torus
from proofs_check.closed_forms.errata.errata import erratum
from proofs_check.instruments.evidence import identity
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep

_STEP = ConstantStep(0.1)
_PEERS: tuple[tuple[Topology, int], ...] = (
    (Ring(6), 2),
    (Ring(12), 2),
    (Torus(3, 4), 4),
    (Complete(6), 5),
)


def rows(topology: Topology) -> tuple[tuple[str, Method[Any], int], ...]:
    """Row of the survey, method and bits of a coordinate: doubles, then 8 bits in fixed point."""
    eight = FixedPoint(fraction=4, width=8)
    return (
        ("d-psgd", DPSGD(_STEP, topology), 64),
        ("dcd-psgd", DCDPSGD(_STEP, topology, eight), 8),
        ("choco-sgd", ChocoSGD(_STEP, topology, eight, 0.5), 8),
    )


def sent(method: Method[Any], n: int, d: int, steps: int) -> list[float]:
    """Bits that each worker sent."""
    flat = torch.ones((n, d), dtype=torch.float64)
    account = run(method, Quadratic.from_arrays(flat, flat), steps=steps).account
    return account.sent_bits.double().flatten().tolist()


def bits_of_gossip() -> tuple[Verdict, ...]:
    """The ledger of every worker on rings, a torus and the complete graph, N = 16, 64, T = 1, 5."""
    measured: dict[str, list[tuple[float, float]]] = {}
    for topology, peers in _PEERS:
        for row, method, b in rows(topology):
            for d in (16, 64):
                for steps in (1, 5):
                    bill = float(b * d * peers * steps)
                    each = sent(method, topology.n, d, steps)
                    measured.setdefault(row, []).extend((bits, bill) for bits in each)
    return tuple(
        identity(
            row, "a worker sends b N n_peers T bits: rings of 6 and 12, a torus of 12, 6 that all "
            "hear each other, N = 16 and 64, T = 1 and 5", *np.transpose(pairs),
            check="bits of gossip", problem="quadratic", provenance="ledger",
        )
        for row, pairs in measured.items()
    )  # fmt: skip


def t8() -> tuple[Verdict, ...]:
    """Of n b N_peers T nothing grows with N, and all of it grows with n."""
    small, wide, many = (
        sent(DCDPSGD(_STEP, Ring(n), FixedPoint(fraction=4, width=8)), n, d, 5)[0]
        for n, d in ((6, 16), (6, 64), (12, 16))
    )
    note = "n b N_peers T, as printed, with n workers and N_peers = 2, for the same change"
    return (
        erratum(
            "T8", "dcd-psgd", "a worker's bits on a ring grow with N: 16 to 64 coordinates",
            (wide / small, 4.0), (1.0, wide / small), note,
        ),
        erratum(
            "T8", "dcd-psgd", "a worker's bits on a ring do not grow with n: 6 to 12 workers",
            (many / small, 1.0), (2.0, many / small), note,
        ),
    )  # fmt: skip


def gossip_bits() -> tuple[Verdict, ...]:
    """The bill of three rows, and erratum T8."""
    return (*bits_of_gossip(), *t8())


CLOSED_FORMS = (gossip_bits,)
