"""Faults of processes: a small share of what ``python -m tests.faults`` draws."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from tests.faults.bench import Moment, Undisturbed, disturbed, identity, kept, traced, undisturbed
from tests.faults.jobs import JOBS, ROOT

pytestmark = [pytest.mark.processes, pytest.mark.slow]


@pytest.mark.parametrize(("kind", "warm"), [("survey", False), ("ranks", True), ("dask", True)])
def test_a_job_that_is_disturbed_ends_as_one_that_is_not(kind: str, warm: bool) -> None:
    """Forked jobs: pytest's process has imported most of what they need."""
    calm, drawn = undisturbed(JOBS[kind], warm=warm), random.Random(f"{kind} test")
    for _ in range(2):
        moment = disturbed(JOBS[kind], calm, drawn)
        assert not moment.wrong, (moment.fault, moment.at, moment.wrong)


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
