"""Barriers that wait for all, for some, for a moment or for nobody."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
import torch

from algorithms.kernels import barrier_ticks
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.synchronisation.base import Barrier, ComputeTimes
from algorithms.synchronisation.worker_states import Decision, WorkerStates
from theory.constants import Constants, Kind, Statement


@final
@dataclass(frozen=True)
class Bulk(Barrier):
    """BSP: every update waits for all workers (Valiant 1990)."""

    @property
    def name(self) -> str:
        return "BSP"

    def decide(self, now: WorkerStates) -> Decision:
        everyone = ~now.nobody()
        return Decision(now.latest(everyone), everyone, everyone, everyone)

    def row_kernel(self) -> RowPart:
        return RowPart(barrier_ticks.bulk, numbers(torch.float64), draws=False)


@final
@dataclass(frozen=True)
class BackupWorkers(Barrier):
    """Of n workers the first n - b count; the others drop what they compute and start afresh.

    With b = 0 it is BSP. No message is stale. (Chen et al. 2016, arXiv:1604.00981, Section 3.)

    b outside [0, n) is refused when a schedule is drawn.
    """

    b: int

    tolerant: ClassVar[bool] = True

    @property
    def name(self) -> str:
        return f"backup workers(b={self.b})"

    def constants(self, c: Constants, times: ComputeTimes) -> Constants:
        r"""n - b workers, drawn afresh: $\sigma^2 + \frac{b}{n-1}\zeta^2$ in place of sigma2.

        The mean over n - b of n workers without replacement is unbiased for grad f, with variance
        \frac{1}{n-b} (\sigma^2 + \frac{b}{n-1} \zeta^2) if the order of arrival is uniformly
        random and independent of the gradients. Else nothing is stated of n.
        """
        if self.b == 0:
            return c
        if c.n is None or c.sigma2 is None or c.zeta2 is None or not times.shuffles:
            return c.without("n", "sigma2")
        noise = c.sigma2 + self.b / (c.n - 1) * c.zeta2
        why = "sampling workers without replacement: b/(n-1) zeta2 added"
        return c.state(Statement(c.statements["zeta2"].kind, "uniform", why), sigma2=noise).state(
            Statement(Kind.EXACT, "uniform", "gradients that count per update"), n=c.n - self.b
        )

    def parameter_error(self, n: int) -> str:
        fits = 0 <= self.b < n
        return "" if fits else f"b must lie in [0, n), got b={self.b} backup workers of n={n}"

    def decide(self, now: WorkerStates) -> Decision:
        everyone = ~now.nobody()
        arrived = now.first(now.n - self.b)
        return Decision(now.latest(arrived), arrived, everyone, everyone)

    def row_kernel(self) -> RowPart:
        return RowPart(barrier_ticks.backups, numbers(torch.float64, ints=(self.b,)), draws=False)


@final
@dataclass(frozen=True)
class Deadline(Barrier):
    """Whoever arrives within ``seconds`` of the last update counts; the others start afresh.

    If nobody does, the first to arrive is waited for. (A fixed time per step, as in Anytime
    Minibatch: Ferdinand et al. 2019, arXiv:2006.05752, whose workers also send partial batches.)

    Raises:
        ValueError: seconds is not positive.
    """

    seconds: float

    tolerant: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not self.seconds > 0:
            raise ValueError(f"seconds must be positive, got seconds={self.seconds}")

    @property
    def name(self) -> str:
        return f"deadline({self.seconds:g} s)"

    def decide(self, now: WorkerStates) -> Decision:
        everyone = ~now.nobody()
        end = now.now + self.seconds
        in_time = now.finish <= end[:, None]
        some = np.asarray(in_time.any(axis=1))
        arrived = np.where(some[:, None], in_time, now.first(1))
        # all there: nobody to wait for
        moment = np.where(in_time.all(axis=1), now.latest(everyone), end)
        return Decision(np.where(some, moment, now.latest(arrived)), arrived, everyone, everyone)

    def row_kernel(self) -> RowPart:
        return RowPart(
            barrier_ticks.deadline, numbers(torch.float64, reals=(self.seconds,)), draws=False
        )


@final
@dataclass(frozen=True)
class Asynchronous(Barrier):
    """ASP: nobody waits. Who arrives is served at once, reads and starts its next gradient.

    One arrival per tick; ties go to the lowest worker id. (The parameter server of Dean et al.
    2012 with a fetch and a push at every step.)
    """

    tolerant: ClassVar[bool] = True

    @property
    def name(self) -> str:
        return "asynchronous"

    def decide(self, now: WorkerStates) -> Decision:
        subset = now.first(1)
        return Decision(now.latest(subset), subset, subset, subset)

    def row_kernel(self) -> RowPart:
        return RowPart(barrier_ticks.asynchronous, numbers(torch.float64), draws=False)


@final
@dataclass(frozen=True)
class RoundRobin(Barrier):
    """R2SP: workers update the server in a fixed order, each in its turn.

    After the first round every gradient is exactly n - 1 updates old. ``slot`` is how long a push
    has the server's link to itself: no two updates are closer, so that transfers never share it.
    (Chen, Wang, Li 2019, INFOCOM; survey 002, Section III-B.)

    Attributes:
        slot: least time between two updates [seconds].

    Raises:
        ValueError: slot is negative or not finite.
    """

    slot: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.slot < np.inf:
            raise ValueError(f"slot must be finite and at least 0 seconds, got slot={self.slot}")

    @property
    def name(self) -> str:
        return f"round robin(slots of {self.slot:g} s)" if self.slot else "round robin"

    def decide(self, now: WorkerStates) -> Decision:
        subset = now.nobody()
        turn = now.clock.sum(axis=1) % now.n
        subset[np.arange(now.replicas), turn] = True
        return Decision(np.maximum(now.latest(subset), now.now + self.slot), subset, subset, subset)

    def row_kernel(self) -> RowPart:
        return RowPart(
            barrier_ticks.round_robin, numbers(torch.float64, reals=(self.slot,)), draws=False
        )


@final
@dataclass(frozen=True)
class PartialBarrier(Barrier):
    """An update waits for ``least`` arrivals and for all that are ``tau`` updates old.

    Who has arrived waits for the update, then reads and starts; a gradient is at most tau - 1
    updates old. (Zhang and Kwok 2014, ICML, Algorithm 2: partial barrier S, bounded delay tau.)

    Raises:
        ValueError: tau < 1; when a schedule is drawn, least outside [1, n].
    """

    least: int
    tau: int

    def __post_init__(self) -> None:
        if self.tau < 1:
            raise ValueError(f"tau must be at least 1 update, got tau={self.tau}")

    @property
    def name(self) -> str:
        return f"partial barrier(S={self.least}, tau={self.tau})"

    def parameter_error(self, n: int) -> str:
        fits = 1 <= self.least <= n
        return "" if fits else f"least must lie in [1, n], got least={self.least} with n={n}"

    def decide(self, now: WorkerStates) -> Decision:
        age = now.updates - now.version
        needed = now.first(self.least) | (age >= self.tau - 1)
        moment = now.latest(needed)
        arrived = now.finish <= moment[:, None]
        # of several that arrive at this very moment, those beyond ``least`` count too
        return Decision(moment, arrived, arrived, arrived)

    def row_kernel(self) -> RowPart:
        return RowPart(
            barrier_ticks.partial, numbers(torch.float64, ints=(self.least, self.tau)), draws=False
        )


@final
@dataclass(frozen=True)
class Interrupting(Barrier):
    """Nobody waits, and what has become ``oldest`` updates old is stopped where it stands.

    Its worker is given the model anew, so that what arrives is younger than ``oldest`` updates.
    (Maranjyan, Tyurin, Richtarik 2025, arXiv:2501.16168, Ringmaster ASGD with calculation
    stops, Algorithm 5.)

    Attributes:
        oldest: R, the age at which a gradient is stopped [updates].

    Raises:
        ValueError: oldest < 1.
    """

    oldest: int

    tolerant: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.oldest < 1:
            raise ValueError(f"oldest must be at least 1 update, got oldest={self.oldest}")

    @property
    def name(self) -> str:
        return f"asynchronous, stopped at age {self.oldest}"

    def decide(self, now: WorkerStates) -> Decision:
        subset = now.first(1)
        stopped = subset | (now.updates + 1 - now.version >= self.oldest)
        return Decision(now.latest(subset), subset, stopped, stopped)
