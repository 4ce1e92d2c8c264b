"""Several jobs on one fabric: their messages share its links max-min fairly, whoever sends beside.

:mod:`algorithms.schedules.contention` decides who may send on one link; here everybody sends, over
links of one's own and of others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple, final

import numpy as np

from algorithms.collectives.base import Collective
from algorithms.fabrics.base import Fabric, RoundKind, links_between, round_kinds, wiring
from algorithms.fabrics.sharing import Sharing, max_min_rates
from algorithms.schedules.timeline import Task, TaskKind, Timeline
from theory.arrays import Floats


class PlacedJob(NamedTuple):
    """A job that computes, then sums its gradients by a collective, step after step.

    Attributes:
        name: what timelines call it.
        compute: seconds of computing a step.
        bits: length of its gradient.
        collective: how it is summed.
        hosts: host of each of the collective's nodes.
        steps: how many steps it has.
        start: when it begins [s].
    """

    name: str
    compute: float
    bits: float
    collective: Collective
    hosts: tuple[int, ...]
    steps: int = 1
    start: float = 0.0


@final
@dataclass(frozen=True)
class SharedFabric:
    """Jobs whose messages share the links of a fabric.

    Rounds of a job follow one another; those of one kind are sent in a row. A round that begins
    takes its start-up, and then its messages share links with all others that are under way.

    Attributes:
        fabric: hosts and links.
        sharing: the rule by which messages share links.
    """

    fabric: Fabric
    sharing: Sharing = max_min_rates

    def timeline(self, jobs: tuple[PlacedJob, ...]) -> Timeline:
        """Computing on each job's devices, and its sums.

        Raises:
            ValueError: no job, two of one name, one without steps or bits, or a node without a
                host.
        """
        names = [job.name for job in jobs]
        if not jobs or len(set(names)) < len(names) or any(job.steps < 1 for job in jobs):
            raise ValueError(f"jobs must be named apart and have at least one step, got {names}")
        if any(not job.bits > 0 for job in jobs):
            raise ValueError(f"bits must be positive, got {[job.bits for job in jobs]}")
        for job in jobs:
            if len(job.hosts) != job.collective.nodes:
                raise ValueError(
                    f"hosts must name one for each of {job.collective.nodes} nodes of "
                    f"{job.collective.name}, got {len(job.hosts)}"
                )
        simulated = [_Playing(self.fabric, job) for job in jobs]
        now = 0.0
        while any(one.busy for one in simulated):
            rates = self._rates(simulated)
            then = min(
                one.next_event(now, rate) for one, rate in zip(simulated, rates, strict=True)
            )
            for one, rate in zip(simulated, rates, strict=True):
                one.move(now, then, rate)
            now = then
        return Timeline(
            f"jobs on a {self.fabric.name}", tuple(t for p in simulated for t in p.done)
        )

    def ends(self, jobs: tuple[PlacedJob, ...]) -> tuple[float, ...]:
        """End time of each job [s]."""
        tasks = self.timeline(jobs).tasks
        return tuple(
            max(t.stop for t in tasks if t.resource.endswith(f" of {job.name}")) for job in jobs
        )

    def _rates(self, simulated: list[_Playing]) -> list[Floats]:
        """Rate of each message under way of each job [bit/s]."""
        flows = [one.under_way for one in simulated]
        routes = [route for one in flows for route in one]
        rates = self.sharing(routes, wiring(self.fabric).rates) if routes else np.zeros(0)
        return np.split(rates, np.cumsum([len(one) for one in flows])[:-1])


@final
@dataclass
class _Playing:
    """A job between two events: it computes, or starts a round up, or sends it, or is done."""

    fabric: Fabric
    job: PlacedJob
    done: list[Task] = field(default_factory=list)
    step: int = 0
    busy: bool = True
    computing: bool = False
    wait: float = math.inf  # until the device is done, or a round has started up
    sent_from: float = 0.0
    kind: int = 0
    repeat: int = 0
    left: Floats = field(default_factory=lambda: np.zeros(0))  # bits of the round's messages

    def __post_init__(self) -> None:
        d = self.job.collective.parts
        self.unit = self.job.bits / d
        self.kinds = round_kinds(self.job.collective.rounds(d), self.job.hosts)
        self.routes = [self._routes(kind) for kind in self.kinds]
        self._compute(self.job.start)

    def _routes(self, kind: RoundKind) -> list[tuple[int, ...]]:
        pairs = zip(kind.source.tolist(), kind.target.tolist(), strict=True)
        return [links_between(self.fabric, *pair) for pair in pairs]

    @property
    def under_way(self) -> list[tuple[int, ...]]:
        """Routes of the messages that are being sent."""
        if not self.busy or self.wait < math.inf:
            return []
        return [self.routes[self.kind][i] for i in np.flatnonzero(self.left > 0)]

    def next_event(self, now: float, rates: Floats) -> float:
        """Time of this job's next event at the present rates."""
        if not self.busy:
            return math.inf
        if self.wait < math.inf:
            return self.wait
        return now + float((self.left[self.left > 0] / rates).min())

    def move(self, now: float, then: float, rates: Floats) -> None:
        """Go on until then."""
        if not self.busy:
            return
        if self.wait < math.inf:
            if self.wait <= then:
                self.wait = math.inf
                if self.computing:
                    self.computing, self.sent_from = False, then
                    self._round(then, 0, 0)
            return
        flying = self.left > 0
        ends = self.left[flying] / rates <= (then - now) * (1 + 1e-12)
        self.left[flying] = np.where(ends, 0.0, self.left[flying] - (then - now) * rates)
        if not (self.left > 0).any():
            self._round(then, self.kind, self.repeat + 1)

    def _compute(self, now: float) -> None:
        self.step, self.computing = self.step + 1, True
        self.wait = now + self.job.compute
        self.done.append(
            Task(
                f"step {self.step}", TaskKind.BACKWARD, f"devices of {self.job.name}",
                now, self.wait,
            )
        )  # fmt: skip

    def _round(self, now: float, kind: int, repeat: int) -> None:
        """Begin a round of that kind, or the next kind's first, or the next step."""
        if kind < len(self.kinds) and repeat == self.kinds[kind].repeats:
            kind, repeat = kind + 1, 0
        self.kind, self.repeat = kind, repeat
        if kind < len(self.kinds):
            one = self.kinds[kind]
            self.left = np.asarray(one.lengths * self.unit, dtype=np.float64)
            self.wait = now + self.fabric.start_up(one.source, one.target)
            return
        name = f"link of {self.job.name}"
        self.done.append(
            Task(f"step {self.step}", TaskKind.COMMUNICATION, name, self.sent_from, now)
        )
        if self.step < self.job.steps:
            self._compute(now)
        else:
            self.busy = False
