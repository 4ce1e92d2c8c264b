"""Worker processes: one that dies costs its own task at most."""

from __future__ import annotations

import os
import signal
import time
from functools import partial
from pathlib import Path

import pytest

from experiments.processes.executors import pool_of
from experiments.processes.pool import Ended, Started
from experiments.reporting.early import EarlyReport

pytestmark = pytest.mark.processes


def work(folder: Path, task: str) -> None:
    """Leave the worker's id; ``raise`` raises."""
    if task == "raise":
        raise ArithmeticError("no")
    (folder / task).write_text(str(os.getpid()))


def test_a_worker_that_dies_while_idle_is_replaced(tmp_path: Path) -> None:
    with pool_of("", partial(work, tmp_path), 1) as pool:
        events = list(pool.run(["first"]))
        assert any(isinstance(event, Started) for event in events)
        os.kill(int((tmp_path / "first").read_text()), signal.SIGKILL)
        ended = [event for event in pool.run(["second", "raise"]) if isinstance(event, Ended)]
    assert [event.task for event in ended] == ["second", "raise"]
    assert ended[0].error == ""
    assert ended[1].error == "ArithmeticError: no"
    assert "Traceback" in ended[1].detail
    assert (tmp_path / "second").read_text() != (tmp_path / "first").read_text()


def test_nobody_is_left_behind(tmp_path: Path) -> None:
    with pool_of("", partial(work, tmp_path), 2) as pool:
        for _ in pool.run(["a", "b", "c"]):
            pass
        pids = {int(path.read_text()) for path in tmp_path.iterdir()}
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_beats_come_while_nothing_happens(tmp_path: Path) -> None:
    """The task ends after the fifth beat, and not before."""
    with pool_of("", _until_there, 1) as pool:
        beats = 0
        for event in pool.run([tmp_path / "fifth"], heartbeat=0.01):
            beats += event is None
            if beats == 5:
                (tmp_path / "fifth").touch()
    assert beats >= 5


def _until_there(path: Path) -> None:
    """Return when the file is there, or when nobody will make it any more."""
    for _ in range(10_000):
        if path.exists():
            return
        time.sleep(0.01)


def test_a_pool_has_workers() -> None:
    with pytest.raises(ValueError, match="width must be at least 1 task, got width=0"):
        pool_of("", partial(work, Path()), 0)


def test_the_early_report_is_written_beside_the_work_and_never_waited_for(tmp_path: Path) -> None:
    with EarlyReport(partial(number, tmp_path), every=0.05) as early:
        end = time.monotonic() + 120
        while not (tmp_path / "2").exists() and time.monotonic() < end:
            early.tick()
            time.sleep(0.01)
        pid = int((tmp_path / "2").read_text())
    assert not early.faults
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def number(folder: Path, task: int) -> None:
    """Leave the worker's id in a file named by the number of the writing."""
    work(folder, str(task))
