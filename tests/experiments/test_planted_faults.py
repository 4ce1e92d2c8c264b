"""Faults planted in copies of the tree: each can be planted, and ``check ROW`` sees one."""

from __future__ import annotations

import ast

import pytest

from algorithms.catalogue import ROWS
from experiments.power import planted_row
from experiments.power.planted_edits import FAULTS, PlantedEdit
from experiments.power.planted_faults import edited, main, planted, sighting


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_every_fault_can_be_planted(fault: PlantedEdit) -> None:
    ast.parse(edited(fault))
    assert fault.row in {row.key for row in ROWS}


def test_a_fault_lies_in_the_copy_alone(tmp_path) -> None:
    fault = FAULTS[0]
    folder = planted(fault, tmp_path)
    assert fault.new in (folder / fault.file).read_text()
    assert (folder / "rateproof.py").is_file() and (folder / "experiments").is_dir()
    edited(fault)  # the tree itself still has the old text


def test_a_line_that_is_gone_is_told() -> None:
    with pytest.raises(ValueError, match="must stand once in algorithms"):
        edited(PlantedEdit("gone", "qsgd", "algorithms/core/key.py", "no such line", ""))
    with pytest.raises(ValueError, match="no fault is called 'none'"):
        main("none")


def test_a_cell_that_stops_is_no_verdict(monkeypatch, capsys) -> None:
    """Whatever stops is told apart, and the cells after it are run all the same."""
    monkeypatch.setattr(planted_row, "run_cell", lambda cell: 1 / 0)
    assert planted_row.main("qsgd") == 1
    line = capsys.readouterr().out
    assert line.startswith(planted_row.STOPS) and "ZeroDivisionError" in line
    first, _, all_of_them = line.strip().partition("\t")[2].partition(" of ")
    assert first == all_of_them


@pytest.mark.slow
@pytest.mark.processes
def test_check_sees_a_fault_and_finds_nothing_where_there_is_none() -> None:
    found = sighting(FAULTS[0])
    assert "delays" in found.seen and found.cells.startswith("1 of")
