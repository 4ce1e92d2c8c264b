"""Worst cases and what breaks bounds: refute, conjecture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final


@final
@dataclass(frozen=True)
class TriedInstance:
    """An instance on which a bound was tried: the largest ratio, and where.

    Attributes:
        attacker: who tried.
        t: after how many steps the ratio is largest.
        measured: the metric there.
        bound: the bound there.
        ratio: of the two.
        stepsize: the rule.
        constants: what the theorem was told.
        instance: its numbers, by name.
        error: chance that what was measured is above the truth; 0: it is exact.
    """

    attacker: str
    t: int
    measured: float
    bound: float
    ratio: float
    stepsize: str
    constants: dict[str, float]
    instance: dict[str, Any]
    error: float


@final
@dataclass(frozen=True)
class CounterexampleRecord:
    """An instance above the bound, shrunk, and what another computation says.

    Attributes:
        attacker: who found it.
        t: after how many steps the ratio is largest.
        measured: the metric there.
        bound: the bound there.
        ratio: of the two.
        stepsize: the rule.
        constants: what the theorem was told.
        instance: its numbers, by name.
        error: chance that what was measured is above the truth; 0: it is exact.
        confirmed: whether the other computation finds the bound broken too.
        how: it was confirmed, or why not.
        confirmed_measured: the metric by that computation.
        script: a Python file that shows it.
    """

    attacker: str
    t: int
    measured: float
    bound: float
    ratio: float
    stepsize: str
    constants: dict[str, float]
    instance: dict[str, Any]
    error: float
    confirmed: bool
    how: str
    confirmed_measured: float | None
    script: str


@final
@dataclass(frozen=True)
class AttackerReport:
    """What one attacker did to one claim.

    Attributes:
        claim: its name.
        attacker: who.
        tried: instances that were measured.
        unfit: instances that the claim does not allow.
        seconds: what it took.
        refused: why the attacker cannot hold the claim; empty: it can.
        best: the largest ratio's; null: nothing was measured.
    """

    claim: str
    attacker: str
    tried: int
    unfit: int
    seconds: float
    refused: str
    best: TriedInstance | None


@final
@dataclass(frozen=True)
class RatioDependence:
    """How the largest ratio depends on a variable.

    Attributes:
        variable: its name.
        cause: of the error.
        values: of the variable.
        ratios: of metric and bound.
        over_pays: the power by which the bound over-pays.
    """

    variable: str
    cause: str
    values: list[float]
    ratios: list[float]
    over_pays: float | None


@final
@dataclass(frozen=True)
class AttackOutput:
    """All that was found of a theorem.

    Attributes:
        name: the theorem's.
        title: its title.
        standing: of the theorem.
        tried: instances that were measured.
        slack: the least factor c for which c times the bound survives all that was tried.
        complete: whether it ended by itself.
        best: the instance with the largest ratio.
        counterexamples: that were found, confirmed ones first.
        arms: what each attacker did.
        not_tried: what nobody tried.
        again: the command that runs it again.
        certificates: what was proved of it.
        dependences: what the bound over-pays for.
    """

    name: str
    title: str
    standing: str
    tried: int
    slack: float
    complete: bool
    best: TriedInstance | None
    counterexamples: list[CounterexampleRecord]
    arms: list[AttackerReport]
    not_tried: list[str]
    again: str
    certificates: list[str]
    dependences: list[RatioDependence]


@final
@dataclass(frozen=True)
class BrokenLaw:
    """A bound of a conjecture's search that an instance broke.

    Attributes:
        constant: of the bound.
        exponents: of the bound.
        values: the setting.
        attacker: who tried.
        t: after how many steps the ratio is largest.
        measured: the metric there.
        bound: the bound there.
        ratio: of the two.
        stepsize: the rule.
        constants: what the bound was told.
        instance: its numbers, by name.
        error: chance that what was measured is above the truth; 0: it is exact.
    """

    constant: float
    exponents: list[float]
    values: dict[str, float]
    attacker: str
    t: int
    measured: float
    bound: float
    ratio: float
    stepsize: str
    constants: dict[str, float]
    instance: dict[str, Any]
    error: float


@final
@dataclass(frozen=True)
class ConjectureOutput:
    """What the search ended with; nothing of it is proved.

    Attributes:
        line: the method.
        what: it is.
        standing: conjecture.
        statement: the bound in words.
        limit: of the stepsizes.
        reason: why none was found.
        constant: of the bound; null: none was found.
        exponents: by variable.
        measured_exponents: by variable, before they were rounded.
        tried: instances that were measured.
        settings: that were searched.
        held_out: of these, attacked and not fitted.
        closest: the largest ratio that the last law stood.
        broken: laws that were broken on the way.
        not_tried: what nobody tried.
    """

    line: str
    what: str
    standing: str
    statement: str
    limit: float
    reason: str
    constant: float | None
    exponents: dict[str, float]
    measured_exponents: dict[str, float]
    tried: int
    settings: int
    held_out: int
    closest: float
    broken: list[BrokenLaw]
    not_tried: list[str]


@final
@dataclass(frozen=True)
class ConjectureLines:
    """Methods for which a bound can be guessed.

    Attributes:
        lines: name of the cell, by its key.
        refused: by cell, why none is guessed.
    """

    lines: dict[str, str]
    refused: dict[str, str]


OUTPUTS: tuple[tuple[str, Any], ...] = (
    ("refute", AttackOutput),
    ("conjecture", ConjectureOutput | ConjectureLines),
)
