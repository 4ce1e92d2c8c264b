"""Probed localities: groups are those of the fabric, and what sums within and between them take."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from algorithms.collectives.hierarchical import BlueConnect
from algorithms.collectives.ring import RingAllReduce
from algorithms.fabrics.base import Fabric, program_seconds
from algorithms.fabrics.localities import grouped_hosts, locality_groups, probed_seconds
from algorithms.fabrics.topologies import FatTreeFabric, MachineFabric
from proofs_check.cell import CellResult
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.study import SystemCheck
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats
from theory.seconds.costs import AlphaBeta

ROW = "spanning-tree-packing"
NEAR, FAR = AlphaBeta(5e-6, 2.7e-11), AlphaBeta(9.5e-5, 1.1e-10)
"""Within a machine 37 Gbit/s; between two 9 Gbit/s, as 10GbE of survey 001 has."""
_PROBE, _SEED, _TRIALS, _NOISE = 8e6, 15, 20, 0.2
_VECTOR = 32 * 25_557_032  # ResNet-50

Groups = Callable[[Floats], tuple[tuple[int, ...], ...]]
"""As :func:`locality_groups`."""

_FABRICS: tuple[tuple[Fabric, int], ...] = (
    (MachineFabric(8, 4, NEAR, FAR), 4),
    (FatTreeFabric(4, FAR, 4.0), 4),
)
"""Fabrics, and how many hosts lie near each other, one group behind another."""


def groups_are_found(find: Groups = locality_groups) -> tuple[Verdict, ...]:
    """Random placements, probes that are up to 20% off: the groups of machines or pods."""
    verdicts = []
    for fabric, each in _FABRICS:
        drawn = np.random.default_rng(_SEED)
        wrong = 0
        for _ in range(_TRIALS):
            hosts = drawn.permutation(fabric.hosts)
            probed = probed_seconds(fabric, hosts.tolist(), _PROBE)
            probed = probed * drawn.uniform(1 - _NOISE, 1 + _NOISE, probed.shape)
            wrong += _places(hosts, find(probed), each) is None
        verdicts.append(
            Verdict(
                subject=ROW,
                claim=f"groups that probing finds are those of a {fabric.name}, wherever workers "
                "lie",
                check="probed localities",
                outcome=Outcome.REFUTED if wrong else Outcome.AGREES,
                statistic=float(_TRIALS - wrong),
                bound=float(_TRIALS),
                resolution=0.0,
                evidence=f"right for {_TRIALS - wrong} of {_TRIALS} placements",
                provenance=f"messages of 1 MB, times off by up to {_NOISE:.0%}, seed {_SEED}",
            )
        )
    return tuple(verdicts)


def _places(
    hosts: np.ndarray[tuple[int, ...], np.dtype[np.int64]],
    groups: tuple[tuple[int, ...], ...], each: int,
) -> set[int] | None:  # fmt: skip
    """Machines that the groups are; None if one of them is none."""
    found = {frozenset((hosts[list(group)] // each).tolist()) for group in groups}
    pure = all(len(one) == 1 for one in found) and len(found) * each == hosts.size
    return {next(iter(one)) for one in found} if pure and len(groups) == len(found) else None


def sums_by_locality(find: Groups = locality_groups) -> tuple[Verdict, ...]:
    """Eight machines of four, workers placed at random: two levels beside a ring of all.

    In two levels everybody sums 1/4 of the vector within a machine, then between them: each
    machine's link carries four messages at once.
    """
    fabric, each = MachineFabric(8, 4, NEAR, FAR), 4
    machines, n = fabric.machines, fabric.hosts
    hosts = np.random.default_rng(_SEED).permutation(n)
    groups = find(probed_seconds(fabric, hosts.tolist(), _PROBE))
    two = BlueConnect((n // len(groups), len(groups)))
    ring = RingAllReduce(n)
    got = program_seconds(two.rounds(two.parts), fabric, _VECTOR / two.parts,
                          hosts=grouped_hosts(hosts.tolist(), groups).tolist())  # fmt: skip
    inner = 2 * (each - 1) * NEAR.seconds(_VECTOR / each, 1)
    outer = 2 * (machines - 1) * FAR.seconds(each * _VECTOR / n, 1)
    flat, ordered = (
        program_seconds(ring.rounds(n), fabric, _VECTOR / n, hosts=order)
        for order in (hosts.tolist(), np.sort(hosts).tolist())
    )
    blind = program_seconds(two.rounds(two.parts), fabric, _VECTOR / two.parts,
                            hosts=hosts.tolist())  # fmt: skip
    return (
        identity(
            ROW, "sums within probed groups, then between them, take 2(k - 1)(alpha + beta m/k) "
            "within machines of k, and 2(M - 1)(alpha + beta m/M) between M of them", got,
            inner + outer, check="probed localities", tolerance=1e-9,
            provenance=f"ResNet-50 on {fabric.name}, placement of seed {_SEED}",
            note=f"{got * 1e3:.4g} ms; a ring of all in the order in which they were given "
            f"{flat * 1e3:.4g} ms, machine by machine {ordered * 1e3:.4g} ms; two levels without "
            f"probing {blind * 1e3:.4g} ms",
        ),
        Verdict(
            subject=ROW,
            claim="a ring of all workers, in an order that knows no machines, takes more than "
            "twice as long as sums by probed localities",
            check="probed localities",
            outcome=Outcome.AGREES if flat > 2 * got else Outcome.REFUTED,
            statistic=flat / got,
            bound=2.0,
            resolution=0.0,
            evidence=f"{flat / got:.2f} times; of a ring machine by machine {ordered / got:.2f}, "
            f"of two levels without probing {blind / got:.2f}",
            provenance=f"ResNet-50 on {fabric.name}, placement of seed {_SEED}",
        ),
    )  # fmt: skip


def _given(check: Callable[[], tuple[Verdict, ...]]) -> CellResult:
    return CellResult(check())


SYSTEM_CHECKS = (
    SystemCheck(ROW, "probed localities", partial(_given, groups_are_found)),
    SystemCheck(ROW, "sums by locality", partial(_given, sums_by_locality)),
)
