"""Findings of an attack: typed data, from which pages and records are written."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import Any, final

import numpy as np
import scipy

from proofs_check.refute.attacker import Confirmation
from proofs_check.refute.measured import BoundTrial


class Standing(Enum):
    """Standing of a claim after an attack; one that was not attacked never survived."""

    REFUTED = "refuted"
    UNCONFIRMED = "above its bound, not confirmed"
    SURVIVED = "survived"
    NOT_ATTACKED = "not attacked"


@final
@dataclass(frozen=True)
class Counterexample:
    """An instance above the bound, shrunk, and what another computation says of it.

    Attributes:
        found: as it was found.
        trial: as it was shrunk.
        confirmation: None where there was no other computation.
        note: why there was none.
    """

    found: BoundTrial
    trial: BoundTrial
    confirmation: Confirmation | None
    note: str = ""

    @property
    def confirmed(self) -> bool:
        """Whether the other computation finds the bound broken too."""
        return self.confirmation is not None and self.confirmation.holds

    def record(self) -> dict[str, Any]:
        """The same as plain data."""
        told = self.confirmation
        return self.trial.record() | {
            "confirmed": self.confirmed,
            "how": self.note if told is None else told.how,
            "confirmed_measured": None if told is None else told.measured,
            "script": "" if told is None else told.script,
        }


@final
@dataclass(frozen=True)
class ArmReport:
    """Report of one attacker on one claim.

    Attributes:
        claim: its name.
        attacker: who.
        tried: instances that were measured.
        unfit: instances that the claim does not allow.
        best: the largest ratio's; None: nothing was measured.
        reason: why the attacker cannot hold the claim; empty: it can.
        counterexample: the first one that was found.
        seconds: what it took.
    """

    claim: str
    attacker: str
    tried: int = 0
    unfit: int = 0
    best: BoundTrial | None = None
    reason: str = ""
    counterexample: Counterexample | None = None
    seconds: float = 0.0

    def joined(self, other: ArmReport) -> ArmReport:
        """Both slices of an arm as one."""
        pair = [one for one in (self.best, other.best) if one is not None]
        best = max(pair, key=lambda one: one.ratio, default=None)
        first, second = self.counterexample, other.counterexample
        shown = second if first is None or (second is not None and second.confirmed) else first
        return ArmReport(
            self.claim, self.attacker, self.tried + other.tried, self.unfit + other.unfit, best,
            self.reason or other.reason, shown, self.seconds + other.seconds,
        )  # fmt: skip

    def record(self) -> dict[str, Any]:
        """The same as plain data."""
        return {
            "claim": self.claim, "attacker": self.attacker, "tried": self.tried,
            "unfit": self.unfit, "seconds": self.seconds, "refused": self.reason,
            "best": None if self.best is None else self.best.record(),
        }  # fmt: skip


@final
@dataclass(frozen=True)
class Dependence:
    """How the largest ratio depends on a variable while one cause of error is large.

    Attributes:
        variable: its name; the gap is 1 - lam.
        cause: of the error.
        values: of the variable, increasing.
        ratios: the largest ratio of metric and bound that was found at each.
    """

    variable: str
    cause: str
    values: tuple[float, ...]
    ratios: tuple[float, ...]

    @property
    def power(self) -> float | None:
        """The power of the variable by which the bound over-pays (Theil and Sen's slope)."""
        x, y = np.log(self.values), np.log(self.ratios)
        last = max(3, len(x) // 2 + 1)
        if len(x) < 3 or x[-1] - x[-last] < np.log(2) / 2:
            return None
        slope = scipy.stats.theilslopes(y[-last:], x[-last:]).slope
        return float(-slope)

    def record(self) -> dict[str, Any]:
        """The same as plain data."""
        return {
            "variable": self.variable, "cause": self.cause, "values": list(self.values),
            "ratios": list(self.ratios), "over_pays": self.power,
        }  # fmt: skip


@final
@dataclass(frozen=True)
class Attack:
    """All that was found of a theorem.

    Attributes:
        name: the theorem's.
        title: its title.
        arms: what each attacker did to each claim.
        complete: whether it ended by itself.
        untried: what nobody tried, in words.
        again: the command that runs it again.
        certificates: what was proved of it, in words.
        dependences: of a survivor, the constants that its bound over-pays for.
    """

    name: str
    title: str
    arms: tuple[ArmReport, ...]
    complete: bool
    untried: tuple[str, ...]
    again: str
    certificates: tuple[str, ...] = ()
    dependences: tuple[Dependence, ...] = ()

    @property
    def counterexamples(self) -> tuple[Counterexample, ...]:
        """All of them, confirmed ones first."""
        found = [one.counterexample for one in self.arms if one.counterexample is not None]
        return tuple(sorted(found, key=lambda one: not one.confirmed))

    @property
    def standing(self) -> Standing:
        """Standing of the theorem."""
        if any(one.confirmed for one in self.counterexamples):
            return Standing.REFUTED
        if self.counterexamples:
            return Standing.UNCONFIRMED
        return Standing.SURVIVED if self.tried else Standing.NOT_ATTACKED

    @property
    def tried(self) -> int:
        """Number of instances measured."""
        return sum(one.tried for one in self.arms)

    @property
    def best(self) -> BoundTrial | None:
        """The instance with the largest ratio."""
        found = [one.best for one in self.arms if one.best is not None]
        return max(found, key=lambda one: one.ratio, default=None)

    @property
    def slack(self) -> float:
        """The least factor c for which c times the bound survives all that was tried."""
        return math.nan if self.best is None else self.best.ratio

    def record(self) -> dict[str, Any]:
        """The same as plain data."""
        best = self.best
        return {
            "name": self.name, "title": self.title, "standing": self.standing.value,
            "tried": self.tried, "slack": self.slack, "complete": self.complete,
            "best": None if best is None else best.record(),
            "counterexamples": [one.record() for one in self.counterexamples],
            "arms": [one.record() for one in self.arms],
            "not_tried": list(self.untried), "again": self.again,
            "certificates": list(self.certificates),
            "dependences": [one.record() for one in self.dependences],
        }  # fmt: skip
