"""The search for the largest ratio: slices of differential evolution, side by side."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import final

import joblib
import numpy as np
from scipy.optimize import differential_evolution

from proofs_check.refute.attackers import ATTACKERS
from proofs_check.refute.attackers.base import Attacker
from proofs_check.refute.claim import Claim
from proofs_check.refute.measured import SURE, BoundTrial, Unfit
from proofs_check.refute.outcome import ArmReport, Counterexample
from proofs_check.refute.shrink import shrunk
from theory.arrays import Floats

Clock = Callable[[], float]
"""What seconds are read off."""

SLICE = 8.0
"""Seconds of an attacker on a claim, until the best of all is told."""

_POPULATION = 24
_WORST = 60.0
_SHRINKING = 15.0
_FIRST, _UNITS = 8, 0.2  # instances that are looked at in other units, and of a slice for it


@final
@dataclass(frozen=True)
class SearchSlice:
    """One attacker on one claim for some seconds.

    Attributes:
        claim: what is attacked.
        attacker: its name.
        seed: of the search.
        seconds: how long.
        start: where the largest ratio so far was found; None: nowhere.
        edges: whether a search that starts nowhere looks at the attacker's edges first.
        clock: what seconds are read off; processor time where others use the machine too.
    """

    claim: Claim
    attacker: str
    seed: int
    seconds: float
    start: tuple[float, ...] | None = None
    edges: bool = True
    clock: Clock = time.monotonic


@final
@dataclass(frozen=True)
class SliceFound:
    """Findings of a slice, and their place.

    Attributes:
        report: instances, ratios and reasons.
        place: the point of the cube of the largest ratio.
        arm: which arm it was.
    """

    report: ArmReport
    place: tuple[float, ...] | None
    arm: int = 0


class SearchOver(Exception):
    """The time is over, or a bound is broken."""


def attackers_named(names: Sequence[str]) -> tuple[Attacker, ...]:
    """Attackers by name; all where none is named.

    Raises:
        ValueError: there is no such attacker.
    """
    by_name = {one.name: one for one in ATTACKERS}
    for name in names:
        if name not in by_name:
            raise ValueError(f"attacker must be one of {', '.join(by_name)}, got attacker={name}")
    return tuple(by_name[name] for name in names or by_name)


class SearchObjective:
    """The function of the unit cube that is minimised, with the best so far.

    It ends, by :class:`SearchOver`, at the time ``until`` and at a ratio above ``stop``.
    """

    def __init__(
        self, attacker: Attacker, claim: Claim, until: float, stop: float = 1 + SURE,
        clock: Clock = time.monotonic,
    ) -> None:  # fmt: skip
        self._attacker, self._claim, self._stop, self.until = attacker, claim, stop, until
        self._clock = clock
        self.tried, self.unfit = 0, 0
        self.best: BoundTrial | None = None
        self.first: list[BoundTrial] = []
        self.place: tuple[float, ...] | None = None

    def __call__(self, u: Floats) -> float:
        if self.tried + self.unfit and self._clock() > self.until:  # one in any case
            raise SearchOver
        try:
            found = self._attacker.measure(self._claim, self._attacker.instance(self._claim, u))
        except Unfit:
            self.unfit += 1
            return _WORST
        self.tried += 1
        if len(self.first) < _FIRST:
            self.first.append(found)
        if self.best is None or found.ratio > self.best.ratio:
            self.best, self.place = found, tuple(np.asarray(u).tolist())
        if found.ratio > self._stop:
            raise SearchOver
        return -math.log(max(found.ratio, 1e-25))

    def in_other_units(self, seconds: float) -> None:
        """Look at the first instances, which are the attacker's edges, and at the best in other
        units, for some seconds [s] more; what is found there has no place in the cube."""
        until = self._clock() + seconds
        for told in [*self.first, self.best]:
            for other in () if told is None else told.instance.in_other_units():
                if self._clock() > until or self._broken:
                    return
                with suppress(Unfit):
                    found = self._attacker.measure(self._claim, other)
                    self.tried += 1
                    if self.best is None or found.ratio > self.best.ratio * (1 + SURE):
                        self.best = found

    @property
    def _broken(self) -> bool:
        return self.best is not None and self.best.ratio > self._stop


def sliced(task: SearchSlice, arm: int = 0) -> SliceFound:
    """Search for the seconds of a slice; what breaks the bound is shrunk and confirmed."""
    begun = task.clock()
    attacker = attackers_named((task.attacker,))[0]
    try:
        size = _coordinates(attacker, task.claim)
    except Unfit as error:
        told = ArmReport(task.claim.name, task.attacker, reason=str(error))
        return SliceFound(replace(told, seconds=task.clock() - begun), None, arm)
    others = _UNITS * task.seconds if task.start is None and task.edges else 0.0
    climb = SearchObjective(
        attacker, task.claim, task.clock() + task.seconds - others, clock=task.clock
    )
    rng = np.random.default_rng(task.seed)
    first = rng.random((_POPULATION, size))
    if others:
        edges = attacker.edges(size)
        first[1 : 1 + len(edges)] = edges
    if task.start is not None:
        first[0] = task.start
    with suppress(SearchOver):
        differential_evolution(
            climb, [(0.0, 1.0)] * size, init=first, maxiter=10**6, polish=False,
            rng=rng, updating="immediate", tol=0.0,
        )  # fmt: skip
    if others:
        climb.in_other_units(others)
    report = ArmReport(
        task.claim.name, task.attacker, climb.tried, climb.unfit, climb.best,
        counterexample=_counterexample(attacker, task.claim, climb.best),
        seconds=task.clock() - begun,
    )  # fmt: skip
    return SliceFound(report, climb.place, arm)


def _coordinates(attacker: Attacker, claim: Claim) -> int:
    """Raises Unfit where the attacker makes problems that the claim says nothing of."""
    if attacker.elsewhere and claim.here:
        raise Unfit("what its setting states is of its own problem alone")
    return attacker.coordinates(claim)


def _counterexample(
    attacker: Attacker, claim: Claim, best: BoundTrial | None
) -> Counterexample | None:
    """The best as a counterexample, if it breaks the bound."""
    if best is None or not best.ratio > 1 + SURE:
        return None
    small = shrunk(attacker, claim, best, _SHRINKING)
    try:
        return Counterexample(best, small, attacker.confirm(claim, small))
    except Unfit as error:
        return Counterexample(best, small, None, str(error))


@final
class Arms:
    """Claims times attackers, each with what was found so far; slices go to them in turn.

    An arm that cannot hold its claim gets none after its first; all end where the seconds are over
    or a counterexample is confirmed.
    """

    def __init__(
        self, claims: Sequence[Claim], attackers: Sequence[Attacker], budget: float, seed: int,
        clock: Clock = time.monotonic,
    ) -> None:  # fmt: skip
        self._pairs = [(claim, one.name) for claim in claims for one in attackers]
        self.reports = [ArmReport(claim.name, name) for claim, name in self._pairs]
        self._places: list[tuple[float, ...] | None] = [None] * len(self._pairs)
        self._until, self._budget, self._clock = clock() + budget, budget, clock
        self._seed, self._given = seed, 0
        self._live = list(range(len(self._pairs)))

    def tasks(self) -> Iterator[tuple[SearchSlice, int]]:
        """Slices, until the seconds are over; every arm has one, of a second at least."""
        while self._live and not self.broken:
            for arm in tuple(self._live):
                left = self._until - self._clock()
                if (left <= 0 and self._given >= len(self._pairs)) or self.broken:
                    return
                if arm in self._live:
                    self._given += 1
                    share = max(1.0, min(SLICE, self._budget / len(self._live), left))
                    seed = 1000003 * self._seed + self._given
                    pair, place = self._pairs[arm], self._places[arm]
                    yield SearchSlice(*pair, seed, share, place, clock=self._clock), arm

    def take(self, found: SliceFound) -> None:
        """Take in what a slice found."""
        arm = found.arm
        before = self.reports[arm]
        self.reports[arm] = before.joined(found.report)
        if found.report.reason and arm in self._live:
            self._live.remove(arm)
        now = found.report.best
        if now is not None and (before.best is None or now.ratio > before.best.ratio):
            self._places[arm] = found.place

    def ended(self, complete: bool) -> tuple[tuple[ArmReport, ...], bool]:
        """All reports, and whether the search was let end."""
        return tuple(self.reports), complete

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
) -> tuple[tuple[ArmReport, ...], bool]:
    """Reports of all attackers on all claims in ``budget`` seconds, and whether it was completed.

    ``tell`` is told each slice's report and all reports so far. The seconds are counted from when
    processes have started. Work goes to ``workers`` processes of joblib's (``clock`` is then one
    that they share), or to what ``joblib.parallel_config`` names (dask among others).
    """
    try:
        pool = None
        if workers > 1:
            pool = joblib.Parallel(workers, return_as="generator_unordered", pre_dispatch=workers)
            list(pool(joblib.delayed(len)(claims) for _ in range(workers)))  # imports take seconds
    except KeyboardInterrupt:
        return Arms(claims, attackers, budget, seed).ended(False)
    arms = Arms(claims, attackers, budget, seed, clock)
    try:
        if pool is None:
            for task, arm in arms.tasks():
                found = sliced(task, arm)
                arms.take(found)
                tell(found.report, arms.reports)
        else:
            for found in pool(joblib.delayed(sliced)(*task) for task in arms.tasks()):
                arms.take(found)
                tell(found.report, arms.reports)
    except KeyboardInterrupt:
        return arms.ended(False)
    return arms.ended(True)
