"""Fabrics: closed forms where nothing is shared, fair sharing against linear programs, incast."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import scipy

from algorithms.catalogue import ROWS
from algorithms.collectives.base import Collective, counted
from algorithms.collectives.grids import BCubeAllReduce, MeshAllReduce
from algorithms.collectives.ring import RingAllReduce
from algorithms.collectives.servers import ServerShards
from algorithms.fabrics.base import Fabric, links_between, program_seconds, wiring
from algorithms.fabrics.sharing import Routes, Sharing, max_min_rates
from algorithms.fabrics.topologies import (
    BCubeFabric,
    FatTreeFabric,
    MachineFabric,
    StarFabric,
    TorusFabric,
)
from proofs_check.cell import CellResult
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.study import SystemCheck
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.seconds.costs import AlphaBeta
from theory.seconds.servers import burst_seconds

LINK = AlphaBeta(2.0**-17, 2.0**-30)
"""Powers of two, so that sums of seconds are exact: 7.6 us, 1.07 Gbit/s."""
_ELEMENT = 2.0**15  # bits, a message's start-up weighs about a quarter of one
_SIZES = (1, 2, 4, 8, 16, 32, 64)
_SEED, _TRIALS, _FLOWS = 15, 6, 9


def uncontended(row: str, collective: Collective) -> CellResult:
    """Seconds at one switch are those of the closed form, for n = 2^k."""
    got, want, left = [], [], 0
    for n in _SIZES:
        try:
            one = collective.with_workers(n)
        except ValueError:
            left += 1
            continue
        cost, d = one.cost(), one.parts
        if cost is not None:
            fabric = StarFabric(one.nodes, LINK)
            got.append(program_seconds(one.rounds(d), fabric, _ELEMENT) / LINK.alpha)
            want.append(cost.seconds(LINK, d * _ELEMENT) / LINK.alpha)
    return CellResult(
        (
            identity(
                row, "seconds at one switch, where no two messages share a link, are those of the "
                "closed form", got, want, check="seconds on a fabric",
                provenance=f"{collective.name} with n = 2^k up to 64 workers",
                note="in units of alpha" + (f"; {left} sizes have no form" if left else ""),
            ),
        )
    )  # fmt: skip


def incast(
    sharing: Sharing = max_min_rates, row: str = "ps-single", servers: int = 1
) -> tuple[Verdict, ...]:
    """All workers push at once: the servers' links are shared, and set the pace."""
    one = ServerShards(8, servers)
    d, fabric = 4 * servers, StarFabric(one.nodes, LINK)
    return (
        identity(
            row, "push and pull of all workers at once take 2 alpha + 2 n/S beta m",
            program_seconds(one.rounds(d), fabric, _ELEMENT, sharing) / LINK.alpha,
            burst_seconds(LINK, one.n, d * _ELEMENT, servers) / LINK.alpha, check="incast",
            provenance=f"{one.name} on {fabric.name}, in units of alpha",
        ),
    )  # fmt: skip


def fair_shares(sharing: Sharing = max_min_rates) -> tuple[Verdict, ...]:
    """Rates of flows between random hosts against linear programs, fabric by fabric."""
    fabrics: tuple[Fabric, ...] = (
        StarFabric(6, LINK), FatTreeFabric(4, LINK, 2.0), BCubeFabric(3, 2, LINK),
        TorusFabric(3, 3, LINK), MachineFabric(3, 3, AlphaBeta(0.0, LINK.beta / 4), LINK),
    )  # fmt: skip
    drawn = np.random.default_rng(_SEED)
    verdicts = []
    for fabric in fabrics:
        got, want = [], []
        for _ in range(_TRIALS):
            pairs = [drawn.choice(fabric.hosts, 2, replace=False) for _ in range(_FLOWS)]
            routes = [links_between(fabric, int(a), int(b)) for a, b in pairs]
            unit = wiring(fabric).rates * LINK.beta
            got += list(sharing(routes, unit))
            want += list(programmed_rates(routes, unit))
        verdicts.append(
            identity(
                "protocol-model", f"rates on a {fabric.name} are the largest of the least, and so "
                "on, by linear programs", got, want, check="max-min fair sharing", tolerance=1e-6,
                provenance=f"{_TRIALS} draws of {_FLOWS} flows, seed {_SEED}; scipy's HiGHS",
            )
        )  # fmt: skip
    return tuple(verdicts)


def programmed_rates(routes: Routes, capacities: Floats) -> Floats:
    """Max-min fair rates by their definition: raise the least, fix who cannot have more, again."""
    use = np.zeros((len(capacities), len(routes)))
    for flow, route in enumerate(routes):
        use[list(route), flow] = 1
    use, room = use[use.any(1)], capacities[use.any(1)]
    low, fixed = np.zeros(len(routes)), np.zeros(len(routes), dtype=bool)
    while not fixed.all():
        level = _most(use, room, low, fixed, None)
        low[~fixed] = level
        for flow in map(int, np.flatnonzero(~fixed)):
            if _most(use, room, low, fixed, flow) <= level * (1 + 1e-7):
                fixed[flow] = True
    return low


def _most(
    use: Floats, room: Floats, low: Floats, fixed: np.ndarray[tuple[int], np.dtype[np.bool_]],
    flow: int | None,
) -> float:  # fmt: skip
    """The largest least rate of flows that are not fixed, or the largest rate of one flow."""
    flows = use.shape[1]
    rising = np.zeros((flows, flows + 1))  # level - rate <= 0 of each that is not fixed
    rising[range(flows), range(flows)] = -1.0
    rising[:, -1] = 1.0
    objective = np.zeros(flows + 1)
    objective[flows if flow is None else flow] = -1.0
    done = scipy.optimize.linprog(
        objective,
        A_ub=np.vstack([np.hstack([use, np.zeros((len(use), 1))]), rising[~fixed]]),
        b_ub=np.append(room, np.zeros((~fixed).sum())),
        bounds=[(r, r) if stays else (r, None) for r, stays in zip(low, fixed, strict=True)]
        + [(0, None)],
    )
    return float(-done.fun)


_PORTS: tuple[tuple[str, BCubeAllReduce | MeshAllReduce, Fabric, int], ...] = (
    ("bcube-bml", BCubeAllReduce.with_levels(4, 2), BCubeFabric(4, 2, LINK), 2),
    ("bcube-bml", BCubeAllReduce.with_levels(2, 3), BCubeFabric(2, 3, LINK), 3),
    ("allreduce-2d-torus", MeshAllReduce(4, 4), TorusFabric(4, 4, LINK), 2),
)


def many_ports(
    row: str, one: BCubeAllReduce | MeshAllReduce, fabric: Fabric, ports: int
) -> tuple[Verdict, ...]:
    """A collective for several ports on a fabric that has them, against a ring at one switch.

    Raises:
        ValueError: it has no closed form for several ports.
    """
    d, cost, ring = one.parts, one.port_cost(), RingAllReduce(one.n).cost()
    if cost is None:
        raise ValueError(f"one must have a closed form for several ports, got {one.name}")
    seconds = program_seconds(one.rounds(d), fabric, _ELEMENT)
    stated = cost.seconds(LINK, d * _ELEMENT) / LINK.alpha
    return (
        identity(
            row, f"seconds on a {fabric.name} are those of the closed form for {ports} ports, "
            f"whose bits are 1/{ports} of a ring's",
            [seconds / LINK.alpha, float(cost.sent * ports)], [stated, float(ring.sent)],
            check="seconds on a fabric",
            provenance=one.name,
            note=f"{seconds * 1e3:.3g} ms, {ring.seconds(LINK, d * _ELEMENT) * 1e3:.3g} ms of a "
            "ring at one switch",
        ),
    )  # fmt: skip


def _given(check: Callable[[], tuple[Verdict, ...]]) -> CellResult:
    return CellResult(check())


def _alone(one: Collective) -> bool:
    """Whether nodes send and receive one message a round, so that nothing is shared at a switch."""
    seen = counted(one.rounds(one.parts), one.nodes)
    return seen.steps == seen.rounds and one.cost() is not None


def _checks() -> Iterator[SystemCheck]:
    for row in ROWS:
        for part in row.subject.parts if row.subject else ():
            if isinstance(part, Collective) and _alone(part):
                name = f"{part.name} at a switch"
                yield SystemCheck(row.key, name, partial(uncontended, row.key, part))
    for row_key, servers in (("ps-single", 1), ("ps-sharded", 4)):
        check = partial(incast, max_min_rates, row_key, servers)
        yield SystemCheck(row_key, f"incast at {servers} servers", partial(_given, check))
    for case in _PORTS:
        name = f"{case[1].name} on its fabric"
        yield SystemCheck(case[0], name, partial(_given, partial(many_ports, *case)))
    yield SystemCheck("protocol-model", "fair sharing", partial(_given, fair_shares))


SYSTEM_CHECKS = tuple(_checks())
