"""Faults of processes: a small share of what ``python -m tests.faults`` draws."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.bench import Moment, Undisturbed, disturbed, identity, kept, traced, undisturbed
from tests.faults.jobs import JOBS, ROOT

pytestmark = [pytest.mark.processes, pytest.mark.slow]


@pytest.mark.parametrize("kind", ["survey", "checkpointed"])
def test_a_job_that_is_disturbed_ends_as_one_that_is_not(kind: str) -> None:
    calm, drawn = undisturbed(JOBS[kind]), random.Random(f"{kind} test")
    for _ in range(2):
        moment = disturbed(JOBS[kind], calm, drawn)
        assert not moment.wrong, (moment.fault, moment.at, moment.wrong)


def test_jobs_that_are_forked_end_as_those_that_are_not_disturbed() -> None:
    """In a process of its own, which has no streams of pytest's."""
    words = ["--moments", "1", "--seed", "1", "--kind", "ranks", "--kind", "dask", "--warm"]
    ran = subprocess.run(
        [sys.executable, "-m", "tests.faults", *words], cwd=ROOT, capture_output=True, text=True,
        check=False, timeout=600,
    )  # fmt: skip
    assert not ran.returncode and "2 moments" in ran.stdout, ran.stdout + ran.stderr


def test_the_bench_sees_another_result() -> None:
    calm = undisturbed(JOBS["survey"])
    wrong = Undisturbed({**calm.result, "one more.cell": {}}, calm.seconds, calm.begun)
    moment = disturbed(JOBS["survey"], wrong, random.Random(3))
    assert any("another result" in word for word in moment.wrong)


def test_whose_a_traceback_is() -> None:
    trace = 'Traceback (most recent call last):\n  File "{}", line 1, in main\nKeyError: 1\n'
    ours, torch = (str(ROOT / name) for name in ("experiments/launch.py", ".venv/torch/run.py"))
    tracker = "/usr/lib/python3.11/multiprocessing/resource_tracker.py"
    assert traced(trace.format(ours), ours_alone=True)
    assert traced(trace.format(torch), ours_alone=False)
    assert not traced(trace.format(torch), ours_alone=True)
    assert not traced(trace.format(tracker), ours_alone=False)
    assert traced(trace.format(tracker) + trace.format(torch), ours_alone=False)


def test_the_bench_sees_what_is_lost_or_written_again(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("same", "again", "lost")]
    for file in files:
        file.write_text("done")
    before, moment = {file: identity(file) for file in files}, Moment("", "", 0.0)
    files[2].unlink()
    os.utime(files[1])
    kept(before, moment)
    assert moment.wrong == ["computed twice: again", "lost: lost"]
