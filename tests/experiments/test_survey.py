"""The survey's promises, on the real runner in real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest
from rich.console import Console

from experiments.reporting.survey_job import survey_job
from experiments.storage.folders import cells_folder
from experiments.storage.store import Store
from experiments.survey import expected_seconds, in_order
from proofs_check.cell import CellKind
from proofs_check.suite import cells
from tests.experiments import fake_survey
from tests.experiments.calls import HANGS

pytestmark = pytest.mark.processes

SCRIPT = Path(__file__).with_name("fake_survey.py")
HOUSE = Path(__file__).absolute().parents[2]


def start(out: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(SCRIPT), str(out), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"PYTHONPATH": str(HOUSE)},
        cwd=HOUSE,
    )


def finish(out: Path, *words: str, live: bool = False) -> tuple[int, str]:
    """The same job in this process: its workers are processes all the same."""
    told, todo = StringIO(), fake_survey.cells([*words])
    console = Console(file=told, force_terminal=live, width=120)
    versions = dict.fromkeys(todo, "fake")
    code = survey_job("fake", todo, fake_survey.run_cell, out, console, versions)
    return code, told.getvalue()


def family(pid: int) -> set[int]:
    """The process and all its descendants, zombies left out."""
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] != "Z":
            parents[int(stat.parent.name)] = int(fields[1])
    found = {pid}
    while grown := {child for child, parent in parents.items() if parent in found} - found:
        found |= grown
    return found & parents.keys()


def alive(pids: set[int]) -> set[int]:
    return {pid for pid in pids if family(pid)}


def wait_until(what: str, condition: object, seconds: float) -> None:
    assert callable(condition)
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"after {seconds} s: not {what}"
        time.sleep(0.05)


def interrupted_after(out: Path, finished: int, signum: int, *words: str) -> tuple[int, str, float]:
    """Start, wait until so many cells are kept, signal; exit code, text, seconds to the end."""
    process = start(out, *words)
    wait_until(
        "enough cells kept", lambda: len(list(cells_folder(out).glob("*.cell"))) >= finished, HANGS
    )
    time.sleep(0.5)  # the next cells are under way
    pids = family(process.pid)
    assert len(pids) >= 3, "the survey and its two workers"
    begin = time.monotonic()
    process.send_signal(signum)
    text, _ = process.communicate(timeout=HANGS)
    seconds = time.monotonic() - begin
    wait_until("all processes gone", lambda: not alive(pids), 60)
    return process.returncode, text, seconds


@pytest.mark.slow
@pytest.mark.parametrize(("signum", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_stop_signals_keep_what_is_finished(tmp_path: Path, signum: int, code: int) -> None:
    words = ("a:10", "b:10", "child:0", "c:100000")
    returned, text, seconds = interrupted_after(tmp_path, 2, signum, *words)
    assert returned == code, text
    assert f"interrupted by {signal.Signals(signum).name}: 2 of 4 cells are kept" in text
    assert "Traceback" not in text
    assert seconds < 60, "far sooner than the cell under way, which takes 100 s"
    returned, text = finish(tmp_path, "a:10", "b:10", "d:10")
    assert returned == 0
    assert "reused 2 of 3 cells, 1 to run" in text


@pytest.mark.slow
def test_kill_loses_nothing_finished_and_orphans_nobody(tmp_path: Path) -> None:
    words = ("a:10", "b:10", "child:0", "c:100000")
    returned, _, _ = interrupted_after(tmp_path, 2, signal.SIGKILL, *words)
    assert returned == -signal.SIGKILL
    returned, text = finish(tmp_path, "a:10", "b:10")
    assert returned == 0, text
    assert "reused 2 of 2 cells, 0 to run" in text


@pytest.mark.slow
@pytest.mark.parametrize("live", [False, True])
def test_failures_are_named_and_the_survey_goes_on(tmp_path: Path, live: bool) -> None:
    returned, text = finish(tmp_path, "raise:1", "a:10", "die:1", "b:10", live=live)
    assert returned == 1, text
    assert "error: raise on bed: study nap: ArithmeticError: the model is not finite" in text, text
    assert "error: die on bed: study nap: the worker process died (exit code 7)" in text, text
    assert len(list(cells_folder(tmp_path).glob("*.cell"))) == 2
    assert len(list(cells_folder(tmp_path).glob("*.error.txt"))) == 2
    table = pd.read_parquet(tmp_path / "results.parquet")
    assert sorted(table["verdict"]) == ["error", "error", "supported", "supported"]
    assert (tmp_path / "index.html").exists()


@pytest.mark.slow
def test_plain_log_counts_and_says_the_time_left(tmp_path: Path) -> None:
    returned, text = finish(tmp_path, "a:600", "b:600", "c:600", "d:600")
    assert returned == 0, text
    lines = [line for line in text.splitlines() if line.startswith("[")]
    assert [line[:5] for line in lines] == ["[1/4]", "[2/4]", "[3/4]", "[4/4]"]
    assert "left" in lines[0] and "all done" in lines[-1]
    assert "\x1b" not in text


@pytest.mark.slow
def test_untrusted_files_are_named_and_recomputed(tmp_path: Path) -> None:
    finish(tmp_path, "a:10", "b:10", "c:10")
    first, second, third = sorted(cells_folder(tmp_path).glob("*.cell"))
    first.write_bytes(first.read_bytes()[:-40])
    second.write_bytes(third.read_bytes())
    (cells_folder(tmp_path) / f".{'0' * 32}.999999999.part").write_bytes(b"rateproof")
    (cells_folder(tmp_path) / "notes.txt").write_text("mine")
    returned, text = finish(tmp_path, "a:10", "b:10", "c:10")
    flat = " ".join(text.split())
    assert returned == 0, text
    assert f"{first}: half-written or changed" in flat
    assert f"{second}: holds another cell" in flat
    assert "999999999.part: half-written by a run that was cut off; removed" in flat
    assert "notes.txt: not a result of this program; left alone" in flat
    assert "reused 1 of 3 cells, 2 to run" in flat


def test_cells_of_which_nothing_is_known_are_expected_to_take_what_their_kind_does(tmp_path):
    """So that from an empty store too the long ones come early, but after one short cell a row."""
    todo = cells("quick")
    costs = expected_seconds(todo, Store(tmp_path, dict.fromkeys(todo, "v")))
    assert {cell.kind for cell in todo} == set(CellKind)
    order = in_order(costs)
    rows = {cell.row for cell in todo}
    assert {cell.row for cell in order[: len(rows)]} == rows
    rest = [costs[cell] for cell in order[len(rows) :]]
    assert rest == sorted(rest, reverse=True)
    assert order[len(rows)].kind is CellKind.MUTANTS
