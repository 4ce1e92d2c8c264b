"""Worker processes: one that dies costs its own task at most."""

from __future__ import annotations

import errno
import os
import signal
import time
from concurrent.futures import Executor
from functools import partial
from pathlib import Path

import pytest

from experiments.cli import main
from experiments.processes.executors import pool_of
from experiments.processes.memory import first_line, lacks_memory
from experiments.processes.pool import PATIENCE, Ended, ExecutorLost, FuturesPool, Started
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


def starved(task: str) -> None:
    """Python says nothing of memory that it lacks."""
    raise MemoryError


def test_a_task_that_lacks_memory_is_told_of_in_words() -> None:
    with pool_of("", starved, 1) as pool:
        (ended,) = [event for event in pool.run(["a"]) if isinstance(event, Ended)]
    assert ended.error == "MemoryError: no memory was left"


def test_a_process_that_cannot_be_started_is_not_waited_for_as_a_scheduler_is() -> None:
    """A starved survey was waited for 60 s, until nobody heard of it in time."""
    assert pool_of("", starved, 1)._patience < PATIENCE / 2
    opened: list[int] = []

    def never() -> Executor:
        opened.append(1)
        raise RuntimeError("can't start new thread")

    with pytest.raises(ExecutorLost, match=r"within 0.3 s \(RuntimeError: can't start new thread"):
        list(FuturesPool(never, starved, 1, 0.3).run(["a"]))
    assert len(opened) > 1


@pytest.mark.parametrize(
    ("error", "lacking"),
    [
        (MemoryError(), True),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), True),
        (RuntimeError("can't start new thread"), True),
        (RuntimeError("[enforce fail] can't allocate memory: you tried 8 bytes"), True),
        (ImportError("libtorch_cpu.so: failed to map segment from shared object"), True),
        (OSError(errno.ENOSPC, "No space left on device"), False),
        (ValueError("n must be at least 2, got n=1"), False),
    ],
)
def test_what_lacks_memory_is_told_from_what_does_not(error: Exception, lacking: bool) -> None:
    assert lacks_memory(error) is lacking
    try:
        raise KeyError("x") from error
    except KeyError as later:
        assert lacks_memory(later) is lacking
    assert first_line(error)


def test_the_command_tells_of_memory_that_python_lacks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def lacking() -> None:
        raise MemoryError

    monkeypatch.setattr(main, "app", lacking)
    with pytest.raises(SystemExit, match=r"error: not enough memory, .*: no memory was left$"):
        main.main()
    assert "Traceback" not in capsys.readouterr().err
