"""Checks as judges of mutants: what each shows of the genuine code, and in which order they are
asked."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import NamedTuple, Protocol, final

from experiments.closure.graph import Name
from experiments.mutation.coverage import compilations, compiled_functions
from experiments.mutation.schemata import MutantSwitch


class RefutingCheck(NamedTuple):
    """A check that may refute.

    Attributes:
        name: what reports call it.
        run: gives the first refutation, "" if there is none.
    """

    name: str
    run: Callable[[], str]


class CheckFactory(Protocol):
    """Imports a subject, once modules are imported anew, and gives what chooses its judges: named
    by module and function."""

    def __call__(self, subject: str) -> Callable[[], Sequence[RefutingCheck]]: ...


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
        compiled: compiled functions that it uses.
        compiling: whether some of them were not in numba's store; they are now, as far as they are
            kept, so that its seconds are not those of another run.
    """

    number: int
    refuted: str
    seconds: float
    reached: frozenset[int]
    told: frozenset[int]
    compiled: frozenset[Name]
    compiling: bool = False


def watched(
    number: int, choose: Callable[[], Sequence[RefutingCheck]], probe: MutantSwitch
) -> GenuineRun:
    """What a judge shows of the genuine code; one that fails or refutes there judges nothing."""
    judge = choose()[number]
    probe.reached, probe.told = set(), set()
    begin = time.process_time()
    with compilations() as heard:
        try:
            with silent():
                refuted = judge.run()
        except (Exception, SystemExit) as error:
            refuted = repr(error)
    spent = time.process_time() - begin
    reached, told = frozenset(probe.reached), frozenset(probe.told)
    used = compiled_functions(used=True)
    return GenuineRun(number, refuted, spent, reached, told, used, bool(heard))


@final
class JudgeOrder:
    """Order in which judges are asked: by the seconds that one takes for each fault that it sees.

    How many it sees is learnt from the mutants before; one that was not asked counts as one that
    sees every other fault (Laplace's rule of succession).
    """

    def __init__(self) -> None:
        self._asked: dict[int, int] = {}
        self._saw: dict[int, int] = {}

    def sort(self, judges: Sequence[GenuineRun]) -> list[GenuineRun]:
        """The judges, the one that is worth its seconds most first."""
        return sorted(judges, key=lambda one: (self._price(one), one.number))

    def learn(self, asked: Sequence[int], saw: bool) -> None:
        """Note the judges that were asked about a mutant, the last of which saw it or did not."""
        for number in asked:
            self._asked[number] = self._asked.get(number, 0) + 1
        if saw and asked:
            self._saw[asked[-1]] = self._saw.get(asked[-1], 0) + 1

    def _price(self, one: GenuineRun) -> float:
        chance = (self._saw.get(one.number, 0) + 1) / (self._asked.get(one.number, 0) + 2)
        return one.seconds / chance


@contextmanager
def silent() -> Iterator[None]:
    """Inside, nothing that is printed is shown."""
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        yield
