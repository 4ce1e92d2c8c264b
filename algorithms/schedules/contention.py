"""Several training jobs on one network: who sends beside whom, and what that costs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, final

from algorithms.schedules.timeline import Task, TaskKind, Timeline
from theory.seconds.sharing import shared_beta, sharing_pays


class TrainingJob(NamedTuple):
    """A job that computes, then sends, step after step.

    Attributes:
        name: what timelines call it.
        compute: seconds of computing a step.
        bits: what an all-reduce sends a step.
        steps: how many steps it has.
        start: when it begins [s].
    """

    name: str
    compute: float
    bits: float
    steps: int = 1
    start: float = 0.0


Admission = Callable[[float, float, float, float], bool]
"""Whether a transfer may start beside one: bits left of that one, bits of the new one, beta and
penalty of the network."""


def always(old: float, new: float, beta: float, penalty: float) -> bool:
    """Everybody sends at once."""
    return True


def never(old: float, new: float, beta: float, penalty: float) -> bool:
    """One transfer at a time."""
    return False


@final
@dataclass(frozen=True)
class SharedNetwork:
    """Jobs on one network (Wang, Shi et al. 2020, arXiv:2002.10105).

    k transfers at once go at k beta + (k - 1) eta seconds a bit each; a new one that the rule does
    not admit waits until a transfer ends, first come first served. At most two are admitted at once
    unless the rule is to share always (AdaDUAL: two).

    Attributes:
        beta: seconds a bit of a transfer alone.
        penalty: eta, seconds a bit more for each other transfer.
        admits: the rule; by default AdaDUAL's.
        most: transfers at once.

    Raises:
        ValueError: beta is not positive, a negative penalty, or most < 1.
    """

    beta: float
    penalty: float = 0.0
    admits: Admission = sharing_pays
    most: int = 2

    def __post_init__(self) -> None:
        if not (self.beta > 0 and self.penalty >= 0 and self.most >= 1):
            raise ValueError(
                "beta must be positive, penalty at least 0 and most at least 1, got "
                f"beta={self.beta}, penalty={self.penalty}, most={self.most}"
            )

    @property
    def name(self) -> str:
        """Name in tables and figures."""
        return f"network shared by the rule {self.admits.__name__.replace('_', ' ')}"

    def timeline(self, jobs: tuple[TrainingJob, ...]) -> Timeline:
        """Computing on each job's devices, and transfers on its part of the network.

        Raises:
            ValueError: no job, two of one name, or a job without steps.
        """
        names = [job.name for job in jobs]
        if not jobs or len(set(names)) < len(names) or any(job.steps < 1 for job in jobs):
            raise ValueError(f"jobs must be named apart and have at least one step, got {jobs}")
        return Timeline(self.name, tuple(_Play(self, jobs).tasks()))

    def ends(self, jobs: tuple[TrainingJob, ...]) -> tuple[float, ...]:
        """End time of each job [s]."""
        tasks = self.timeline(jobs).tasks
        return tuple(
            max(t.stop for t in tasks if t.resource.endswith(f" of {job.name}")) for job in jobs
        )


@final
@dataclass
class _Play:
    """The state of the network between two events."""

    network: SharedNetwork
    jobs: tuple[TrainingJob, ...]
    left: dict[int, float] = field(default_factory=dict)  # bits of the transfers under way
    begun: dict[int, float] = field(default_factory=dict)
    queue: list[int] = field(default_factory=list)

    def tasks(self) -> list[Task]:
        """All tasks in the order in which they end."""
        done: list[Task] = []
        steps = [job.steps for job in self.jobs]
        computing = {i: job.start + job.compute for i, job in enumerate(self.jobs)}
        done += [
            Task("step 1", TaskKind.BACKWARD, f"devices of {j.name}", j.start, j.start + j.compute)
            for j in self.jobs
        ]
        now = 0.0
        while computing or self.left or self.queue:
            rate = self._rate()
            ends = {i: now + bits * rate for i, bits in self.left.items()}
            then = min((*computing.values(), *ends.values()), default=math.inf)
            for i in self.left:
                self.left[i] = 0.0 if ends[i] <= then else self.left[i] - (then - now) / rate
            now = then
            for i in [i for i, bits in self.left.items() if bits == 0.0]:
                del self.left[i]
                job, taken = self.jobs[i], self.begun.pop(i)
                number = job.steps - steps[i] + 1
                done.append(
                    Task(
                        f"step {number}", TaskKind.COMMUNICATION, f"link of {job.name}", taken, now
                    )
                )
                steps[i] -= 1
                if steps[i]:
                    computing[i] = now + job.compute
                    done.append(
                        Task(
                            f"step {number + 1}", TaskKind.BACKWARD, f"devices of {job.name}",
                            now, computing[i],
                        )
                    )  # fmt: skip
            for i in [i for i, end in computing.items() if end <= now]:
                del computing[i]
                self.queue.append(i)
            self._admit(now)
        return done

    def _rate(self) -> float:
        """Seconds a bit of each transfer under way."""
        return shared_beta(self.network.beta, self.network.penalty, max(1, len(self.left)))

    def _admit(self, now: float) -> None:
        """Start what may start, in the order of arrival."""
        net = self.network
        for i in list(self.queue):
            new = self.jobs[i].bits
            room = len(self.left) < net.most
            fits = all(net.admits(old, new, net.beta, net.penalty) for old in self.left.values())
            if not self.left or (room and fits):
                self.queue.remove(i)
                self.left[i], self.begun[i] = new, now
