"""The search for the largest ratio: slices of differential evolution, side by side."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from proofs_check.refute.attacker import Attacker
from proofs_check.refute.attackers import ATTACKERS
from proofs_check.refute.claim import Claim
from proofs_check.refute.measured import SURE, BoundTrial, Unfit
from proofs_check.refute.outcome import ArmReport, Counterexample
from proofs_check.refute.shrink import shrunk
from proofs_check.refute.units import by_causes, in_other_units
from theory.arrays import Floats

Clock = Callable[[], float]
"""What seconds are read off."""

SLICE = 8.0
"""Seconds of an attacker on a claim, until the best of all is told."""

_POPULATION, _DRAWN = 24, 8
_WORST = 60.0
_SHRINKING = 15.0
_FIRST, _UNITS = 16, 0.4  # instances that are looked at in other units, and of a slice for it


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
        edges: whether a search looks at the attacker's edges first.
        looked: at how many of them slices before have looked.
        clock: what seconds are read off; processor time where others use the machine too.
        until: when shrinking ends as well.
        climbs: whether the search goes on from the instances that it begins with.
    """

    claim: Claim
    attacker: str
    seed: int
    seconds: float
    start: tuple[float, ...] | None = None
    edges: bool = True
    looked: int = 0
    clock: Clock = time.monotonic
    until: float = math.inf
    climbs: bool = True


@final
@dataclass(frozen=True)
class SliceFound:
    """Findings of a slice, and their place.

    Attributes:
        report: instances, ratios and reasons.
        place: the point of the cube of the largest ratio.
        arm: which arm it was.
        looked: at how many of the attacker's edges this slice and those before have looked.
    """

    report: ArmReport
    place: tuple[float, ...] | None
    arm: int = 0
    looked: int = 0


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

    def in_other_units(self, until: float) -> None:
        """Look at the best and at the first instances, which are the attacker's edges, in other
        units, up to a time of the clock; what is found there has no place in the cube."""
        if self._clock() > until:
            return
        trials = [*([] if self.best is None else [self.best]), *by_causes(self.first)]
        for found in in_other_units(trials, lambda one: self._attacker.measure(self._claim, one)):
            self.tried += 1
            if self.best is None or found.ratio > self.best.ratio * (1 + SURE):
                self.best = found
            if self._clock() > until or self._broken:
                return

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
    left = attacker.edges(size)[task.looked :] if task.edges else np.zeros((0, size))
    others = _UNITS * task.seconds if len(left) else 0.0
    ends = task.clock() + task.seconds
    climb = SearchObjective(attacker, task.claim, ends - others, clock=task.clock)
    rng = np.random.default_rng(task.seed)
    first = rng.random((max(_POPULATION, len(left) + _DRAWN), size))
    first[1 : 1 + len(left)] = left
    if task.start is not None:
        first[0] = task.start
    with suppress(SearchOver):
        if task.climbs:
            _climbed(climb, first, rng)
        else:
            for u in first:
                climb(u)
    looked = task.looked + max(0, min(len(left), climb.tried + climb.unfit - 1))
    if others:
        climb.in_other_units(ends)
    report = ArmReport(
        task.claim.name, task.attacker, climb.tried, climb.unfit, climb.best,
        counterexample=_counterexample(attacker, task, climb.best),
        seconds=task.clock() - begun,
    )  # fmt: skip
    return SliceFound(report, climb.place, arm, looked)


def _climbed(climb: SearchObjective, first: Floats, rng: np.random.Generator) -> None:
    """Search until the objective ends it."""
    from scipy.optimize import differential_evolution  # 0.3 s, which a first look need not wait for

    differential_evolution(
        climb, [(0.0, 1.0)] * first.shape[1], init=first, maxiter=10**6, polish=False,
        rng=rng, updating="immediate", tol=0.0,
    )  # fmt: skip


def _coordinates(attacker: Attacker, claim: Claim) -> int:
    """Raises Unfit where the attacker makes problems that the claim says nothing of."""
    if attacker.elsewhere and claim.here:
        raise Unfit("what its setting states is of its own problem alone")
    return attacker.coordinates(claim)


def _counterexample(
    attacker: Attacker, task: SearchSlice, best: BoundTrial | None
) -> Counterexample | None:
    """The best as a counterexample, if it breaks the bound."""
    if best is None or not best.ratio > 1 + SURE:
        return None
    until = min(task.until, task.clock() + _SHRINKING)
    small = shrunk(attacker, task.claim, best, until, task.clock)
    try:
        return Counterexample(best, small, attacker.confirm(task.claim, small))
    except Unfit as error:
        return Counterexample(best, small, None, str(error))
