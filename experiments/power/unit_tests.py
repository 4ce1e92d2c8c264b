"""``python -m experiments.power.unit_tests [ROW ...]``: which survivors of a row's check tests see.

Every fault of a kept score that the row's own check did not see is planted in a process that runs
tests: the files that import its module or name its definition, its function or the row, those that
do so most first, until a test fails or they have taken ``--seconds`` of processor time. A test that
fails of the genuine code too, run alone, sees nothing. So a score says less than the whole suite
would see. Tests that start processes are left out: the fault is not there. Survivors that were
shown to tests before are not shown again, but with ``--again``.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import Any

from experiments.closure.versions import ROOT
from experiments.mutation import scores
from experiments.mutation.coverage import CompiledCode, compiled_functions
from experiments.mutation.drawing import sources
from experiments.mutation.judging import silent
from experiments.mutation.processes import ProcessDied, forked
from experiments.mutation.replanted import mutant_of
from experiments.mutation.schemata import MutantSwitch, MutatedModules, compile_anew, import_anew
from experiments.mutation.sites import Mutant
from proofs_check.audit.own_folders import PACKAGES

_IMPORTS = 60.0  # processor seconds more than the tests may take
_LEFT = "not processes and not sharded"


def files_for(mutant: Mutant, key: str) -> list[str]:
    """Files of tests that have to do with a mutant, those that name more of it first."""
    words = {mutant.definition, mutant.function, key, mutant.module.rpartition(".")[2]} - {""}
    named = {
        path: 4 * (re.search(rf"\b{re.escape(mutant.module)}\b", text) is not None)
        + sum(re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text) is not None
              for word in words)
        for path, text in _tests().items()
    }  # fmt: skip
    found = [path for path in sorted(named, key=lambda p: (-named[p], len(_tests()[p]), p))
             if named[path]]  # fmt: skip
    return found


@cache
def _tests() -> dict[str, str]:
    every = sorted((ROOT / "tests").rglob("test_*.py"))
    return {str(one.relative_to(ROOT)): one.read_text(encoding="utf-8") for one in every}


class _FirstFailure:
    """A plug-in of pytest that keeps the first test, or file, that fails."""

    name = ""

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Hear of a test."""
        self._hear(report)

    def pytest_collectreport(self, report: Any) -> None:
        """Hear of a file."""
        self._hear(report)

    def _hear(self, report: Any) -> None:
        if report.failed and not self.name:
            self.name = str(report.nodeid)


def first_failure(tests: Sequence[str], most: float, plant: Callable[[], None]) -> str:
    """The first of the tests that fails in a copy of this process in which ``plant`` was called;
    "a signal" where that ends it, "" where none fails in ``most`` [s] of processor time."""

    def run() -> str:
        import pytest

        os.chdir(ROOT)
        plant()
        heard = _FirstFailure()
        arguments = ["-x", "-q", "-m", _LEFT, "-p", "no:cacheprovider", "-p", "no:xdist", *tests]
        with silent():
            pytest.main(arguments, plugins=[heard, _Budget(most)])
        return heard.name

    try:
        return forked(run, most + _IMPORTS)
    except ProcessDied as error:
        return "" if error.signal == signal.SIGXCPU else f"signal {error.signal}"


class _Budget:
    """A plug-in of pytest that ends a session between two tests, after they have taken so much
    processor time; what it takes to collect them does not count."""

    def __init__(self, most: float) -> None:
        self._most, self._begin = most, 0.0

    def pytest_collection_finish(self) -> None:
        """Begin to count."""
        self._begin = _spent()

    def pytest_runtest_teardown(self, item: Any) -> None:
        """End the session where the time is over."""
        if _spent() - self._begin > self._most:
            item.session.shouldstop = "the time is over"


def _spent() -> float:
    used = os.times()
    return used.user + used.system


def _children() -> float:
    used = os.times()
    return used.children_user + used.children_system


def seen_by(mutant: Mutant, key: str, most: float) -> str:
    """The test that fails of the mutant and not of the genuine code, "" if none was found."""
    import_module(mutant.module)
    code = CompiledCode(sources())
    changed = [one for one in compiled_functions(used=False) if code.holds(one, mutant)]

    def plant() -> None:
        if changed:
            compile_anew(frozenset(changed))
        import_anew(MutatedModules({0: mutant}, MutantSwitch()), PACKAGES)

    begin = _children()
    for file in files_for(mutant, key):
        left = most - (_children() - begin)
        found = first_failure([file], left, plant) if left > 0 else ""
        if found.startswith("signal") or (found and not first_failure([found], most, lambda: None)):
            return found
    return ""


def main(keys: Sequence[str], most: float, again: bool = False) -> None:
    """Show survivors to tests, and keep beside each what saw it."""
    import_module("proofs_check.suite")  # and with it all kernels
    for key in keys or list(scores.stored()):
        kept = scores.stored()[key]
        for one in scores.survivors(kept):
            if "tests" in one and not again:
                continue
            mutant = replace(mutant_of(one), deferred=False)
            one["tests"] = seen_by(mutant, key, most)
            print(f"{key}: {one['file']}:{one['line']} {one['before']} -> {one['after']}: "
                  f"{one['tests'] or 'survived'}", flush=True)  # fmt: skip
            scores.keep(key, kept)
        print(f"{key}: {scores.share(kept)} by its check, {scores.with_tests(kept)} with tests",
              flush=True)  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m experiments.power.unit_tests")
    parser.add_argument("rows", nargs="*", help="keys of rows with a score; all of them if none")
    parser.add_argument("--seconds", type=float, default=60.0, help="of processor time for a fault")
    parser.add_argument("--again", action="store_true", help="also those that were shown before")
    asked = parser.parse_args()
    main(asked.rows, asked.seconds, asked.again)
