"""All attackers on all claims of a theorem: slices of their searches in turn, side by side."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple, final

import joblib

from proofs_check.refute.attacker import Attacker
from proofs_check.refute.claim import Claim
from proofs_check.refute.outcome import ArmReport
from proofs_check.refute.search import SLICE, Clock, SearchSlice, SliceFound, sliced

_LOOK = 1.0  # seconds of a look at instances that a search would begin with


class SearchFound(NamedTuple):
    """Findings of all slices.

    Attributes:
        reports: what each attacker did to each claim.
        complete: whether the search was let end.
        until: when the seconds of the whole attack are over, by its clock.
    """

    reports: tuple[ArmReport, ...]
    complete: bool
    until: float


@final
class Arms:
    """Claims times attackers, each with what was found so far; slices go to them in turn.

    An arm that cannot hold its claim gets none after its first; all end where the time ``until`` is
    reached or a counterexample is confirmed. In every turn the arms share what is left.
    """

    def __init__(
        self, claims: Sequence[Claim], attackers: Sequence[Attacker], until: float, seed: int,
        *, whole: float = math.inf, workers: int = 1, clock: Clock = time.monotonic,
    ) -> None:  # fmt: skip
        self._pairs = [(claim, one.name) for claim in claims for one in attackers]
        self.reports = [ArmReport(claim.name, name) for claim, name in self._pairs]
        self._places: list[tuple[float, ...] | None] = [None] * len(self._pairs)
        self._looked = [0] * len(self._pairs)
        self._until, self._whole, self._clock = until, whole, clock
        self._seed, self._given, self._workers = seed, 0, workers
        self._live = list(range(len(self._pairs)))

    def tasks(self) -> Iterator[tuple[SearchSlice, int]]:
        """Slices, until the time is over."""
        longest = SLICE / 2
        while self._live and not self.broken:
            turn, longest = tuple(self._live), 2 * longest
            for k, arm in enumerate(turn):
                left = self._until - self._clock()
                if left <= 0 or self.broken:
                    return
                if arm in self._live:
                    self._given += 1
                    share = min(longest, left, left * self._workers / (len(turn) - k))
                    seed = 1000003 * self._seed + self._given
                    pair, place = self._pairs[arm], self._places[arm]
                    yield (
                        SearchSlice(
                            *pair, seed, share, place, looked=self._looked[arm],
                            clock=self._clock, until=self._whole,
                        ),
                        arm,
                    )  # fmt: skip

    def first(self) -> Iterator[tuple[SearchSlice, int]]:
        """A short slice for the arms in turn, until one of them holds its claim."""
        for arm, pair in enumerate(self._pairs):
            if any(one.tried for one in self.reports):
                return
            self._given += 1
            seed = 1000003 * self._seed + self._given
            yield SearchSlice(*pair, seed, _LOOK, clock=self._clock, climbs=False), arm

    def end_at(self, until: float, whole: float) -> None:
        """Slices end by ``until``, shrinking by ``whole``."""
        self._until, self._whole = until, whole

    def take(self, found: SliceFound) -> None:
        """Take in what a slice found."""
        arm = found.arm
        before = self.reports[arm]
        self.reports[arm] = before.joined(found.report)
        if found.report.reason and arm in self._live:
            self._live.remove(arm)
        self._looked[arm] = found.looked
        now = found.report.best
        if now is not None and (before.best is None or now.ratio > before.best.ratio):
            self._places[arm] = found.place

    def ended(self, complete: bool) -> SearchFound:
        """All reports, and whether the search was let end."""
        return SearchFound(tuple(self.reports), complete, self._whole)

    @property
    def broken(self) -> bool:
        """Whether a counterexample is confirmed."""
        shown = [one.counterexample for one in self.reports]
        return any(one is not None and one.confirmed for one in shown)


def searched(
    claims: Sequence[Claim],
    attackers: Sequence[Attacker],
    *,
    budget: float,
    seed: int,
    workers: int,
    tell: Callable[[ArmReport, Sequence[ArmReport]], None],
    clock: Clock = time.monotonic,
    share: float = 1.0,
) -> SearchFound:
    """Reports of all attackers on all claims in a ``share`` of ``budget`` seconds.

    ``tell`` is told each slice's report and all reports so far. The seconds are counted from when
    processes have started; until then the first arm's first instances are looked at here. Work goes
    to ``workers`` processes of joblib's (``clock`` is then one that they share), or to what
    ``joblib.parallel_config`` names (dask among others).
    """
    begun = clock()
    arms = Arms(
        claims, attackers, begun + share * budget, seed, whole=begun + budget, workers=workers,
        clock=clock,
    )  # fmt: skip

    def done(found: SliceFound) -> None:
        arms.take(found)
        tell(found.report, arms.reports)

    try:
        if workers == 1:
            for task, arm in arms.tasks():
                done(sliced(task, arm))
            return arms.ended(True)
        pool = joblib.Parallel(workers, return_as="generator_unordered", pre_dispatch=workers)
        starting = pool(joblib.delayed(len)(claims) for _ in range(workers))  # imports take seconds
        for task, arm in arms.first():
            found = sliced(task, arm)
            # its edges are looked at again, in other units too
            done(replace(found, place=None, looked=0))
        list(starting)
        begun = clock()
        arms.end_at(begun + share * budget, begun + budget)
        for found in pool(joblib.delayed(sliced)(*task) for task in arms.tasks()):
            done(found)
    except KeyboardInterrupt:
        return arms.ended(False)
    return arms.ended(True)
