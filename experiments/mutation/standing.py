"""Outcomes of mutants, and what checks say of the one that is there."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, final

from experiments.mutation.judging import GenuineRun, RefutingCheck, silent
from experiments.mutation.processes import TooLong, at_most
from experiments.mutation.sites import Mutant

COMPILING, IMPORTS, SLACK, SLOWER = 120.0, 30.0, 10.0, 5.0
"""Processor time [s] that imports with compilation and imports alone may take, that a judge may
always take, and how many times what it takes on the genuine code."""

_FEW = 2  # checks that a survivor passed are named, if they are no more

Choice = Callable[[], Sequence[RefutingCheck]]
"""Chooses the judges of a subject that is imported."""


class MutantStanding(StrEnum):
    """Outcome of a mutant.

    One that is unknown counts as a fault that was not seen: its process was killed from outside or
    for its memory. The last two are no faults that could be seen: the expression is never computed
    by any judge, or its value is bit for bit the right one wherever it is computed.
    """

    REFUTED = "refuted"
    RAISED = "raised"
    TIMEOUT = "timeout"
    SURVIVED = "survived"
    UNKNOWN = "unknown"
    SAME = "same values"
    DEAD = "not computed by any check"

    @property
    def seen(self) -> bool:
        """Whether a judge tells it from the genuine code."""
        return self in (MutantStanding.REFUTED, MutantStanding.RAISED, MutantStanding.TIMEOUT)

    @property
    def counts(self) -> bool:
        """Whether it is a fault."""
        return self not in (MutantStanding.SAME, MutantStanding.DEAD)


_FAULTS = (signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSEGV)
ENDED: dict[int, MutantStanding] = {
    int(signal.SIGXCPU): MutantStanding.TIMEOUT,
    **{int(one): MutantStanding.RAISED for one in _FAULTS},
}
"""By signal that ended a mutant's process, where that is a sign of it."""


@final
@dataclass(frozen=True)
class JudgedMutant:
    """A mutant and what became of it.

    Attributes:
        mutant: the mutant.
        standing: the outcome.
        by: the judge that saw it, and how; what was run where none did.
        seconds: processor time [s].
    """

    mutant: Mutant
    standing: MutantStanding
    by: str
    seconds: float


@final
class Answer(NamedTuple):
    """What checks say of a mutant.

    Attributes:
        standing: the outcome.
        by: the judge that saw it.
        asked: those that were asked, by number.
    """

    standing: MutantStanding
    by: str
    asked: tuple[int, ...]


def answered(
    load: Callable[[], Choice],
    telling: Sequence[GenuineRun],
    names: Sequence[str],
    most: float,
    extra: float,
) -> Answer:
    """Outcome of the mutant that is there, and the judge that saw it."""
    slower = extra  # of all judges together, for what is compiled anew
    try:
        with silent(), at_most(SLACK + extra):
            judges = {judge.name: judge for judge in load()()}
    except TooLong:
        return Answer(MutantStanding.TIMEOUT, f"at import: over {SLACK + extra:g} s", ())
    except (Exception, SystemExit) as error:
        return Answer(MutantStanding.RAISED, f"at import: {error!r}"[:200], ())
    begin, every = time.process_time(), len(telling)
    asked: tuple[int, ...] = ()
    for one in telling:
        if time.process_time() - begin > most + extra:
            by = f"{len(asked)} of {every} checks in {most:g} s"
            return Answer(MutantStanding.SURVIVED, by, asked)
        judge, start = judges.get(names[one.number]), time.process_time()
        if judge is None:  # the mutant has it not chosen
            continue
        asked = (*asked, one.number)
        try:
            with silent(), at_most(SLACK + SLOWER * one.seconds + slower):
                refuted = judge.run()
        except TooLong:
            by = f"{judge.name}: over {SLOWER:g} times {one.seconds:.1f} s"
            return Answer(MutantStanding.TIMEOUT, by, asked)
        except (Exception, SystemExit) as error:
            return Answer(MutantStanding.RAISED, f"{judge.name}: {error!r}"[:200], asked)
        if refuted:
            return Answer(MutantStanding.REFUTED, f"{judge.name}: {refuted}"[:300], asked)
        slower = max(0.0, slower - max(0.0, time.process_time() - start - one.seconds))
    few = ": " + "; ".join(names[number] for number in asked) if every <= _FEW else ""
    return Answer(MutantStanding.SURVIVED, f"{every} of {every} checks{few}"[:300], asked)
