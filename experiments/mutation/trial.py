"""Mutants against checks: which of them a list of judges sees."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, final

from experiments.closure.graph import Name
from experiments.mutation.coverage import CompiledCode, compiled_functions
from experiments.mutation.drawing import sources
from experiments.mutation.judging import (
    CheckFactory,
    GenuineRun,
    JudgeOrder,
    silent,
    watched,
)
from experiments.mutation.marks import MemoryMark
from experiments.mutation.processes import ProcessDied, forked
from experiments.mutation.schemata import MutantSwitch, MutatedModules, compile_anew, import_anew
from experiments.mutation.sites import Mutant, entry_keys, read_by_functions_alone
from experiments.mutation.standing import (
    COMPILING,
    ENDED,
    IMPORTS,
    SLACK,
    SLOWER,
    Answer,
    Choice,
    JudgedMutant,
    MutantStanding,
    answered,
)

_NO_LIMIT = 1e6


class NoPassingCheck(ValueError):
    """No check holds of the genuine code, so that none can see a fault in it."""


@final
@dataclass(frozen=True)
class MutationTrial:
    """Mutants of a subject before its judges.

    Attributes:
        subject: what the judges judge.
        judges: module and function that make them, to be imported beside the mutants.
        ours: packages that are imported anew.
        most: processor time [s] after which no further judge is asked about a mutant; those that
            would come later than that with the genuine code are asked about none.
        report: hears of what is done.
        content: module and function that give the definitions which the subject's checks rest on,
            and its values as a text; None: what modules compute while they load may be for it.
    """

    subject: str
    judges: tuple[str, str]
    ours: tuple[str, ...]
    most: float
    report: Callable[[str], None]
    content: tuple[str, str] | None = None

    def outcomes(self, mutants: Sequence[Mutant], count: int) -> list[JudgedMutant]:
        """Outcomes of the mutants in their order, until ``count`` of them are faults.

        Raises:
            Died: the genuine code could not be judged.
            NoPassingCheck: no check holds of the genuine code; names them.
        """
        found = forked(lambda: _Served(self, mutants).outcomes(count), _NO_LIMIT)
        if isinstance(found, str):
            raise NoPassingCheck(found)
        return found


class _Served:
    """A trial in a process of its own: all deferred mutants side by side, then each in a fork."""

    def __init__(self, trial: MutationTrial, mutants: Sequence[Mutant]) -> None:
        self._trial, self._mutants, self._probe = trial, mutants, MutantSwitch()
        self._read = frozenset(
            i for i, m in enumerate(mutants) if read_by_functions_alone(m) or entry_keys(m)
        )
        before = compiled_functions(used=False)
        lying = {i: m for i, m in enumerate(mutants) if m.deferred or i in self._read}
        self._choose = self._loaded(lying, self._probe, self._read)
        self._at_import = frozenset(self._probe.reached)
        self._names, self._choosing = forked(self._chosen, _NO_LIMIT, own=False)
        self._code = CompiledCode(sources())
        elsewhere = {one for one in before if one[0].partition(".")[0] not in trial.ours}
        self._compiled = compiled_functions(used=False) - elsewhere
        self._order = JudgeOrder()
        self._genuine: list[GenuineRun] = []

    def outcomes(self, count: int) -> list[JudgedMutant] | str:
        """Outcomes until ``count`` are faults; where nothing judges, the sentence that says so."""
        report, subject = self._trial.report, self._trial.subject
        runs = self._genuine_runs()
        self._genuine = [one for one in runs if not one.refuted]
        if not self._genuine:
            told = "; ".join(f"{self._name(one)}: {one.refuted}" for one in runs)[:1000]
            return (
                f"no check holds of the genuine code of {subject}, so that none can see a "
                f"fault in it ({told or 'there is none'}); rateproof check {subject} says more"
            )
        for one in runs:
            if one.refuted:
                report(f"judges nothing: {self._name(one)}: {one.refuted}"[:230])
        spent, every = sum(one.seconds for one in self._genuine), len(self._names)
        report(f"{len(self._genuine)} of {every} checks in {spent:.0f} s; now the faults")
        self._probe.watching = False
        found: list[JudgedMutant] = []
        for number, mutant in enumerate(self._mutants):
            if sum(one.standing.counts for one in found) >= count:
                break
            held = mutant.deferred and (
                number not in self._at_import or self._elsewhere(number, mutant)
            )
            found.append(self._switched(number, mutant) if held else self._replaced(number, mutant))
            report(f"{len(found)}: {mutant}: {found[-1].standing} {found[-1].by}"[:230])
        return found

    def _genuine_runs(self) -> list[GenuineRun]:
        """What the judges show of the genuine code, in their order, as long as a mutant is judged.

        Each is run in a process of its own: what one keeps in memory is not computed for the next.
        One that compiles is run again, or an empty store would take the seconds of other checks.
        """
        runs: list[GenuineRun] = []
        for number in range(len(self._names)):
            passing = [one.seconds for one in runs if not one.refuted]
            if passing and sum(passing) > self._trial.most:
                break
            run = partial(watched, number, self._choose, self._probe)
            found = forked(run, _NO_LIMIT, own=False)
            runs.append(forked(run, _NO_LIMIT, own=False) if found.compiling else found)
            if not runs[-1].refuted:
                held = f"holds of the code as it is ({runs[-1].seconds:.1f} s)"
                self._trial.report(f"{held}: {self._name(runs[-1])}"[:230])
        return runs

    def _name(self, one: GenuineRun) -> str:
        return self._names[one.number]

    def _chosen(self) -> tuple[tuple[str, ...], frozenset[int]]:
        """Names of the judges, and the mutants whose value differs while they are chosen.

        It runs in a process of its own: what is kept in memory then is not kept for the judges.
        """
        self._probe.told = set()
        names = tuple(judge.name for judge in self._choose())
        return names, frozenset(self._probe.told)

    def _loaded(
        self, mutants: Mapping[int, Mutant], probe: MutantSwitch,
        noted: frozenset[int] = frozenset(), mark: MemoryMark | None = None,
    ) -> Choice:  # fmt: skip
        import_anew(MutatedModules(mutants, probe, noted, mark), self._trial.ours)
        probe.loading = True
        try:
            make: CheckFactory = _named(self._trial.judges)
            return make(self._trial.subject)
        finally:
            probe.loading = False

    def _elsewhere(self, number: int, mutant: Mutant) -> bool:
        """Whether modules that load compute the mutant's expression for other subjects alone: for
        definitions that the subject's checks do not rest on, and its values are as without it."""
        origins = self._probe.origins.get(number, {None})
        if self._trial.content is None or None in origins:
            return False
        names, text = self._content
        if origins & names:
            return False

        def other() -> str | None:
            try:
                with silent():
                    self._loaded({0: replace(mutant, deferred=False)}, MutantSwitch())
                    return self._rests_on()[1]
            except Exception:  # a wrong expression may raise anything
                return None

        try:
            return forked(other, COMPILING) == text
        except ProcessDied:
            return False

    @cached_property
    def _content(self) -> tuple[frozenset[Name], str]:
        """Of the genuine code; it watches nothing and keeps nothing."""
        return forked(self._rests_on, _NO_LIMIT, own=False)

    def _rests_on(self) -> tuple[frozenset[Name], str]:
        assert self._trial.content is not None
        found: tuple[frozenset[Name], str] = _named(self._trial.content)(self._trial.subject)
        return found

    def _switched(self, number: int, mutant: Mutant) -> JudgedMutant:
        """A mutant that lies in the modules already."""
        telling = [one for one in self._genuine if number in one.told]
        self._probe.active = number
        try:
            if number in self._choosing and not self._chooses_alike():
                telling = self._genuine
            if telling:
                return self._judged(mutant, lambda: self._choose, telling)
        finally:
            self._probe.active = -1
        where = sum(number in one.reached for one in self._genuine)
        standing = MutantStanding.SAME if where else MutantStanding.DEAD
        return JudgedMutant(mutant, standing, f"in {where} of {len(self._genuine)} checks", 0.0)

    def _chooses_alike(self) -> bool:
        """Whether the same judges are chosen as by the genuine code."""

        def names() -> tuple[str, ...]:
            try:
                return self._chosen()[0]
            except Exception:  # a wrong expression may raise anything
                return ()

        try:
            return forked(names, COMPILING) == self._names
        except ProcessDied:
            return False

    def _replaced(self, number: int, mutant: Mutant) -> JudgedMutant:
        """A mutant that is there from the import on."""
        changed = frozenset(one for one in self._compiled if self._code.holds(one, mutant))
        telling = self._genuine
        if (mutant.module, mutant.definition) in self._compiled:  # nothing else computes it
            telling = [one for one in self._genuine if one.compiled & changed]
        elif number in self._read and number not in self._at_import | self._choosing:
            telling = [one for one in self._genuine if number in one.told]
        if not telling:
            where = f"in 0 of {len(self._genuine)} checks"
            return JudgedMutant(mutant, MutantStanding.DEAD, where, 0.0)

        def load() -> Choice:
            if changed:
                compile_anew(changed)
            return self._loaded({0: replace(mutant, deferred=False)}, MutantSwitch())

        judged = self._judged(mutant, load, telling, COMPILING if changed else IMPORTS)
        if changed and judged.standing is MutantStanding.SURVIVED:
            return self._marked(judged, changed, telling)
        return judged

    def _marked(
        self, judged: JudgedMutant, changed: frozenset[Name], telling: Sequence[GenuineRun]
    ) -> JudgedMutant:
        """A survivor of compiled code, which is none if the genuine code, run with a mark in its
        place, computes it in no check that uses it, or never another value."""

        def seen() -> tuple[bool, bool]:
            mark = MemoryMark()
            compile_anew(changed)
            mutant = replace(judged.mutant, deferred=False)
            own = {one.name: one for one in self._loaded({0: mutant}, MutantSwitch(), mark=mark)()}
            for one in telling:
                with silent():
                    own[self._names[one.number]].run()
                if mark.told:
                    break
            return mark.reached, mark.told

        longest = sum(SLOWER * one.seconds for one in telling)
        try:
            reached, told = forked(seen, COMPILING + SLACK + longest)
        except ProcessDied:  # it cannot be marked
            return judged
        if told:
            return judged
        standing = MutantStanding.SAME if reached else MutantStanding.DEAD
        where = f"in {len(telling) if reached else 0} of {len(telling)} checks, by a mark"
        return replace(judged, standing=standing, by=where)

    def _judged(
        self, mutant: Mutant, load: Callable[[], Choice],
        telling: Sequence[GenuineRun], extra: float = 0.0,
    ) -> JudgedMutant:  # fmt: skip
        judges, most = self._order.sort(telling), self._trial.most
        longest = max(SLACK + SLOWER * one.seconds for one in judges)
        allowed = most + 2 * (SLACK + extra) + longest  # import, then judges
        begin = os.times()
        try:
            answer = forked(lambda: answered(load, judges, self._names, most, extra), allowed)
        except ProcessDied as error:
            if error.signal == 0:
                raise
            standing = ENDED.get(error.signal, MutantStanding.UNKNOWN)
            answer = Answer(standing, f"the process ended by signal {error.signal}", ())
        self._order.learn(answer.asked, answer.standing.seen)
        end = os.times()
        spent = end.children_user + end.children_system
        spent -= begin.children_user + begin.children_system
        return JudgedMutant(mutant, answer.standing, answer.by, spent)


def _named(place: tuple[str, str]) -> Any:
    """The function of a module, which is imported."""
    module, name = place
    return getattr(__import__(module, fromlist=[name]), name)
