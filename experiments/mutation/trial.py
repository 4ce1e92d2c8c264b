"""Mutants against checks: which of them a list of judges sees."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import NamedTuple, Protocol, final

import networkx as nx

from experiments.closure.graph import DefinitionGraph
from experiments.closure.versions import ROOT
from experiments.mutation.processes import ProcessDied, TooLong, at_most, forked
from experiments.mutation.schemata import MutantSwitch, MutatedModules, compile_anew, import_anew
from experiments.mutation.sites import Mutant

IMPORTS, SLACK, SLOWER = 120.0, 10.0, 5.0
"""Processor time [s] that imports and compilation may take, that a judge may always take, and how
many times what it takes on the genuine code."""


_NO_LIMIT = 1e6


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
_ENDED: dict[int, MutantStanding] = {
    int(signal.SIGXCPU): MutantStanding.TIMEOUT,
    **{int(one): MutantStanding.RAISED for one in _FAULTS},
}


class NoPassingCheck(ValueError):
    """No check holds of the genuine code, so that none can see a fault in it."""


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


class RefutingCheck(NamedTuple):
    """A check that may refute.

    Attributes:
        name: what reports call it.
        run: gives the first refutation, "" if there is none.
    """

    name: str
    run: Callable[[], str]


class CheckFactory(Protocol):
    """Makes the judges, once modules are imported anew: named by module and function."""

    def __call__(self, subject: str) -> Sequence[RefutingCheck]: ...


@final
@dataclass(frozen=True)
class GenuineRun:
    """What a judge shows of the genuine code.

    Attributes:
        number: its place among the judges.
        refuted: what it says against the genuine code, "" for nothing; it judges if so.
        seconds: processor time [s].
        reached: mutants whose expression it computes.
        told: those whose value differs there.
    """

    number: int
    refuted: str
    seconds: float
    reached: frozenset[int]
    told: frozenset[int]


@final
@dataclass(frozen=True)
class MutationTrial:
    """Mutants of a subject before its judges.

    Attributes:
        subject: what the judges judge.
        judges: module and function that make them, to be imported beside the mutants.
        ours: packages that are imported anew.
        most: processor time [s] after which no further judge is asked about a mutant.
        report: hears of what is done.
    """

    subject: str
    judges: tuple[str, str]
    ours: tuple[str, ...]
    most: float
    report: Callable[[str], None]

    def outcomes(self, mutants: Sequence[Mutant], count: int) -> list[JudgedMutant]:
        """Outcomes of the mutants in their order, until ``count`` of them are faults.

        Raises:
            Died: the genuine code could not be judged.
            NoPassingCheck: no check holds of the genuine code; names them.
        """
        found = forked(lambda: self._served(mutants, count), _NO_LIMIT)
        if isinstance(found, str):
            raise NoPassingCheck(found)
        return found

    def _served(self, mutants: Sequence[Mutant], count: int) -> list[JudgedMutant] | str:
        """In a process of its own: all deferred mutants side by side, then each in a fork.

        Where nothing judges, the sentence that says so.
        """
        probe = MutantSwitch()
        numbered = {i: m for i, m in enumerate(mutants) if m.deferred}
        judges = self._loaded(numbered, probe)
        at_import = frozenset(probe.reached)
        runs = [
            forked(partial(_watched, number, judge, probe), _NO_LIMIT, own=False)
            for number, judge in enumerate(judges)
        ]  # a process for each: what one keeps in memory is not computed for the next
        genuine = sorted((one for one in runs if not one.refuted), key=lambda one: one.seconds)
        if not genuine:
            told = "; ".join(f"{judges[one.number].name}: {one.refuted}" for one in runs)[:1000]
            return (
                f"no check holds of the genuine code of {self.subject}, so that none can see a "
                f"fault in it ({told or 'there is none'}); rateproof check {self.subject} says more"
            )
        for one in runs:
            if one.refuted:
                self.report(f"judges nothing: {judges[one.number].name}: {one.refuted}"[:230])
        spent = sum(one.seconds for one in genuine)
        self.report(f"{len(genuine)} of {len(judges)} checks in {spent:.0f} s on the genuine code")
        probe.watching = False
        found: list[JudgedMutant] = []
        for number, mutant in enumerate(mutants):
            if sum(one.standing.counts for one in found) >= count:
                break
            held = mutant.deferred and number not in at_import
            outcome = (
                self._switched(number, mutant, judges, genuine, probe)
                if held else self._replaced(mutant, genuine)
            )  # fmt: skip
            found.append(outcome)
            self.report(f"{len(found)}: {mutant}: {outcome.standing} {outcome.by}"[:230])
        return found

    def _loaded(
        self, mutants: Mapping[int, Mutant], probe: MutantSwitch
    ) -> Sequence[RefutingCheck]:
        import_anew(MutatedModules(mutants, probe), self.ours)
        module, name = self.judges
        make: CheckFactory = getattr(__import__(module, fromlist=[name]), name)
        return make(self.subject)

    def _switched(
        self, number: int, mutant: Mutant, judges: Sequence[RefutingCheck],
        genuine: Sequence[GenuineRun], probe: MutantSwitch,
    ) -> JudgedMutant:  # fmt: skip
        """A mutant that lies in the modules already."""
        telling = [one for one in genuine if number in one.told]
        if not telling:
            where = sum(number in one.reached for one in genuine)
            standing = MutantStanding.SAME if where else MutantStanding.DEAD
            return JudgedMutant(mutant, standing, f"in {where} of {len(genuine)} checks", 0.0)
        probe.active = number
        outcome = self._judged(mutant, lambda: judges, telling)
        probe.active = -1
        return outcome

    def _replaced(self, mutant: Mutant, genuine: Sequence[GenuineRun]) -> JudgedMutant:
        """A mutant that is there from the import on."""

        def load() -> Sequence[RefutingCheck]:
            compile_anew(_callers(mutant.module))
            return self._loaded({0: replace(mutant, deferred=False)}, MutantSwitch())

        return self._judged(mutant, load, genuine, IMPORTS)

    def _judged(
        self, mutant: Mutant, load: Callable[[], Sequence[RefutingCheck]],
        genuine: Sequence[GenuineRun], extra: float = 0.0,
    ) -> JudgedMutant:  # fmt: skip
        longest = max(SLACK + SLOWER * one.seconds for one in genuine)
        allowed = self.most + 2 * (SLACK + extra) + longest  # import, then judges
        begin = os.times()
        try:
            standing, by = forked(lambda: _verdict(load, genuine, self.most, extra), allowed)
        except ProcessDied as error:
            if error.signal == 0:
                raise
            standing = _ENDED.get(error.signal, MutantStanding.UNKNOWN)
            by = f"the process ended by signal {error.signal}"
        end = os.times()
        spent = end.children_user + end.children_system
        return JudgedMutant(
            mutant, standing, by, spent - begin.children_user - begin.children_system
        )


def _watched(number: int, judge: RefutingCheck, probe: MutantSwitch) -> GenuineRun:
    """What a judge shows of the genuine code; one that fails or refutes there judges nothing."""
    probe.reached, probe.told = set(), set()
    begin = time.process_time()
    try:
        with _silent():
            refuted = judge.run()
    except (Exception, SystemExit) as error:
        refuted = repr(error)
    spent = time.process_time() - begin
    return GenuineRun(number, refuted, spent, frozenset(probe.reached), frozenset(probe.told))


def _verdict(
    load: Callable[[], Sequence[RefutingCheck]],
    genuine: Sequence[GenuineRun],
    most: float,
    extra: float,
) -> tuple[MutantStanding, str]:
    """Outcome of the mutant that is there, and the judge that saw it."""
    slower = extra  # of all judges together, for what is compiled anew
    try:
        with _silent(), at_most(SLACK + extra):
            judges = load()
    except TooLong:
        return MutantStanding.TIMEOUT, f"at import: over {SLACK + extra:g} s"
    except (Exception, SystemExit) as error:
        return MutantStanding.RAISED, f"at import: {error!r}"[:200]
    begin = time.process_time()
    for asked, one in enumerate(genuine):
        if time.process_time() - begin > most + extra:
            return MutantStanding.SURVIVED, f"{asked} of {len(genuine)} checks in {most:g} s"
        judge, start = judges[one.number], time.process_time()
        try:
            with _silent(), at_most(SLACK + SLOWER * one.seconds + slower):
                refuted = judge.run()
        except TooLong:
            return (
                MutantStanding.TIMEOUT,
                f"{judge.name}: over {SLOWER:g} times {one.seconds:.1f} s",
            )
        except (Exception, SystemExit) as error:
            return MutantStanding.RAISED, f"{judge.name}: {error!r}"[:200]
        if refuted:
            return MutantStanding.REFUTED, f"{judge.name}: {refuted}"[:300]
        slower = max(0.0, slower - max(0.0, time.process_time() - start - one.seconds))
    return MutantStanding.SURVIVED, f"{len(genuine)} of {len(genuine)} checks"


@contextmanager
def _silent() -> Iterator[None]:
    """Inside, nothing that is printed is shown."""
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        yield


def _callers(module: str) -> frozenset[str]:
    """Modules that import a kernel's module, by whatever way, and itself; of others itself."""
    if ".kernels" not in module:
        return frozenset({module})
    graph, imports = DefinitionGraph.from_folder(ROOT), nx.DiGraph()
    for name in graph.modules:
        for target, attribute in graph.source(name).bindings.values():
            inner = f"{target}.{attribute}"
            imports.add_edge(name, inner if inner in graph else target)
    return frozenset({module, *(nx.ancestors(imports, module) if module in imports else ())})
