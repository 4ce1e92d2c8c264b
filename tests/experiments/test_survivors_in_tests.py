"""Survivors of a row's check that are shown to unit tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from experiments.closure.versions import ROOT
from experiments.mutation.replanted import mutant_of
from experiments.mutation.sites import mutants
from experiments.power.unit_tests import files_for, first_failure, seen_by

FILE = "theory/bits.py"


def told_of(before: str, after: str) -> dict[str, Any]:
    """What a score tells of a fault in the bits of an index."""
    keys = ("line", "function", "kind", "before", "after")
    every = mutants("theory.bits", ROOT / FILE)
    fault = next(one for one in every if (one.function, one.before, one.after)
                 == ("index_bits", before, after))  # fmt: skip
    return {key: getattr(fault, key) for key in keys} | {"file": FILE}


FAULT = told_of("1", "2")


def test_files_of_tests_that_name_more_of_a_fault_come_first() -> None:
    found = files_for(mutant_of(FAULT), "top-k")
    own = str(Path(__file__).relative_to(ROOT))  # names the fault, too
    assert next(one for one in found if one != own) == "tests/theory/test_bits.py"


def test_a_fault_is_found_again_by_what_a_score_tells_of_it() -> None:
    found = mutant_of(FAULT)
    assert found.after == "2" and mutant_of(FAULT | {"line": 1}) == found
    with pytest.raises(ValueError, match="has no 3 in index_bits any more; score the row again"):
        mutant_of(FAULT | {"before": "3"})


@pytest.mark.processes
@pytest.mark.slow
def test_the_first_test_that_fails_is_told_and_none_where_all_pass(tmp_path: Path) -> None:
    tests = tmp_path / "test_made.py"
    tests.write_text("import os\n\ndef test_one(): pass\n\n"
                     "def test_two(): assert 'SPOILT' not in os.environ\n")  # fmt: skip

    def spoil() -> None:
        import os

        os.environ["SPOILT"] = "yes"

    def die() -> None:
        import os
        import signal

        os.kill(os.getpid(), signal.SIGTERM)

    def told(plant: Callable[[], None]) -> str:
        return first_failure([str(tests)], 10.0, plant)

    assert told(lambda: None) == ""
    assert told(spoil).endswith("test_made.py::test_two")
    assert told(die) == "signal 15"


@pytest.mark.processes
@pytest.mark.slow
def test_lengths_of_messages_are_held_by_a_unit_test() -> None:
    assert seen_by(replace(mutant_of(FAULT), deferred=False), "top-k", 20.0).startswith("tests/")
