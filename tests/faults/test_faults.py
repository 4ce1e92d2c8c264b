"""Faults of processes: a small share of what ``python -m tests.faults`` draws."""

from __future__ import annotations

import random

import pytest

from tests.faults.bench import Undisturbed, disturbed, undisturbed
from tests.faults.jobs import JOBS

pytestmark = [pytest.mark.processes, pytest.mark.slow]


@pytest.mark.parametrize("kind", ["survey", "checkpointed"])
def test_a_job_that_is_disturbed_ends_as_one_that_is_not(kind: str) -> None:
    calm, drawn = undisturbed(JOBS[kind]), random.Random(f"{kind} test")
    for _ in range(2):
        moment = disturbed(JOBS[kind], calm, drawn)
        assert not moment.wrong, (moment.fault, moment.at, moment.wrong)


def test_the_bench_sees_another_result() -> None:
    calm = undisturbed(JOBS["survey"])
    wrong = Undisturbed({**calm.result, "one more.cell": {}}, calm.seconds, calm.begun)
    moment = disturbed(JOBS["survey"], wrong, random.Random(3))
    assert any("another result" in word for word in moment.wrong)
