"""Entries of tables: a fault in one that no check reads is none of a row."""

from __future__ import annotations

import pytest

from experiments.mutation.noted_tables import NotedTable
from experiments.mutation.sites import entry_keys, mutants
from experiments.mutation.standing import MutantStanding
from tests.experiments.test_mutation import trial

SOURCE = """
TABLE: dict[str, int] = {"one": 3, **dict.fromkeys(("two", "three"), 40 + 1), "four": 5}


def value(x):
    return x + TABLE["one"]
"""


def test_entries_that_are_read_are_noted_and_keys_are_not():
    seen = []
    table = NotedTable({"a": 1, "b": 2}, {7: ("a",), 8: ("b",)}, lambda n, _: seen.append(n))
    assert "a" in table and list(table) == ["a", "b"] and len(table) == 2 and not seen
    assert table["a"] == 1 and seen == [7]
    assert table.get("b") == 2 and table.get("c", 3) == 3 and seen == [7, 8]
    for copied in (dict(table), {**table}, table.copy(), dict(table.items()), table | {}):
        assert copied == {"a": 1, "b": 2}
    assert seen[2:] == [7, 8] * 5


def test_a_mutant_knows_the_keys_of_its_entry(tmp_path):
    file = tmp_path / "tables.py"
    file.write_text(SOURCE)
    keys = {m.before: entry_keys(m) for m in mutants("tables", file) if not m.function}
    assert keys["3"] == ("one",) and keys["5"] == ("four",)
    assert keys["40"] == keys["40 + 1"] == ("two", "three")


@pytest.mark.processes
def test_a_fault_in_an_entry_that_no_check_reads_is_not_computed(tmp_path, monkeypatch):
    tried, every = trial(tmp_path, monkeypatch, SOURCE, 5, "mutable_table")
    some = [m for m in every if m.kind == "constant" and m.before in ("3", "5", "40")]
    found = {one.mutant.before: one.standing for one in tried.outcomes(some, 9)}
    assert found == {
        "3": MutantStanding.REFUTED, "5": MutantStanding.DEAD, "40": MutantStanding.DEAD,
    }  # fmt: skip
