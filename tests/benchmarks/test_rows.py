"""Rows are measured on tiny problems; tables and picture are made of what is told. No times."""

import cProfile
import pstats
import time
from unittest import mock

import pytest
import torch

from algorithms.catalogue import METHODS, row
from algorithms.problems.logistic_data import synthetic
from algorithms.problems.regularisers import L2
from benchmarks import row_turns, rows, rows_figure, rows_page
from benchmarks.row_jobs import BASE, JOBS, PROBLEMS, entrant
from benchmarks.row_reasons import Reason, reason, shares
from benchmarks.row_turns import Turns, measured, ready
from experiments.figures.style import styled

TURNS = Turns(0.001, 2)
ASKED = ("bsp-sgd", "qsgd", "asp", "random-admm", "push-sum", "cola")


def tiny():
    return synthetic(4, 5, 6, L2(1e-2), batch=2, dtype=torch.float32)


def lines(keys=ASKED):
    return {line.key: line for line in measured(tiny(), rows.rows(keys), TURNS)}


def without_blocks(monkeypatch, key):
    """The class of a row's method, whose steps are taken one by one from now on."""
    found = type(entrant(row(key), tiny()).method(1))
    monkeypatch.setattr(found, "compiled_block", lambda *_: None)
    return found


def told(found):
    about = {"title": "tiny: n = 4, d = 6", "load": 0.0, "day": "2026-01-01", "busy": True,
             "machine": {"processor": "any", "cores": 1}}  # fmt: skip
    return {**about, "lines": [line._asdict() for line in found.values()], "reasons": {}}


@pytest.mark.parametrize(
    ("key", "work"),
    [("bsp-sgd", 4), ("local-sgd", 4), ("lag", 4), ("d-admm", 4), ("asp", 1), ("ad-psgd", 1),
     ("random-admm", 2), ("fdla", 4)],
)  # fmt: skip
def test_worker_steps_of_a_step(key, work):
    """All workers; where they arrive one at a time, one; where an edge wakes, its two ends."""
    assert ready(entrant(row(key), tiny()), 0.001).work == work


def test_every_program_has_its_turns():
    found = lines()
    assert set(found) == set(ASKED)
    assert found[BASE].over == (1.0, 1.0, 1.0)
    for key in ("bsp-sgd", "qsgd", "asp"):
        assert found[key].speed.least > 0 and found[key].over_loop.least > 0
        assert not found[key].on
    assert found["random-admm"].loop is None


def test_a_row_that_does_not_run_there_is_measured_where_it_does():
    found = lines()
    assert (found["push-sum"].on, found["cola"].on) == ("consensus", "lasso-diabetes-products")
    assert found["push-sum"].over.least > 0, "over the base on that problem"


def test_a_row_that_fails_is_told_with_its_reason(monkeypatch):
    def broken(self, state, t, context):
        raise ArithmeticError("out of range")

    monkeypatch.setattr(without_blocks(monkeypatch, "aasgd"), "step", broken)
    found = lines(("aasgd", "asp"))
    assert found["aasgd"].speed is None
    assert found["aasgd"].note == "ArithmeticError: out of range"
    assert "aasgd (ArithmeticError: out of range)" in rows_page.tables({"tiny": told(found)})


def test_a_slow_row_is_timed_once(monkeypatch):
    monkeypatch.setattr(row_turns, "SLOW", 0.0)
    found = lines(("qsgd",))["qsgd"]
    assert found.note.endswith("timed once")
    assert found.speed.least == found.speed.most > 0
    assert found.over.median > 0 and found.loop.median > 0 and found.over_loop.median > 0


@pytest.mark.processes
def test_a_row_beyond_the_budget_is_told_and_stopped(monkeypatch):
    monkeypatch.setattr(row_turns, "HEAVY", 0)
    assert ready(entrant(row("asp"), tiny()), 0.001).work == 1
    monkeypatch.setattr(row_turns, "LONG", 0.0)
    assert ready(entrant(row("qsgd"), tiny()), 0.001).steps == 1
    monkeypatch.setattr(row_turns, "BUDGET", 0.0)
    found = row_turns._prepared(entrant(row("qsgd"), tiny()), None, None, tiny(), 0.001)
    assert found.note == "TimeoutError: two steps take more than 0 s"


def test_the_profile_counts_a_built_in_for_who_calls_it():
    matrix = torch.ones(60, 60)

    def decomposed():
        torch.linalg.svd(matrix)

    profile = cProfile.Profile(time.thread_time)
    for _ in range(3):
        profile.runcall(decomposed)
    found = shares(pstats.Stats(profile), 3)
    assert sum(share for _, share in found.modules) <= 1 + 1e-9
    assert "tests/benchmarks/test_rows" in dict(found.modules), "which calls the decomposition"
    assert found.operation[0] == "torch._C._linalg.linalg_svd" and found.calls >= 1


def test_the_profiler_s_own_end_is_no_operation():
    """A thread that is stopped just there, beside other work, has its pause counted for it."""
    ends = ("~", 0, "<method 'disable' of '_lsprof.Profiler' objects>")
    work = ("~", 0, "<built-in method torch.add>")
    stats = mock.Mock(stats={ends: (1, 1, 9.0, 9.0, {}), work: (4, 4, 1.0, 1.0, {})})
    assert shares(stats, 2) == Reason((), ("torch.add", 1.0), 2.5)


def test_reasons_name_modules_of_the_project(monkeypatch):
    without_blocks(monkeypatch, "aasgd")
    one = entrant(row("aasgd"), tiny())
    one.trace(5)
    found = reason(one, 5)
    assert found.modules[0][1] > 0
    assert found.modules[0][0].startswith("algorithms/")
    assert f"{found.modules[0][0]} " in found.text


def test_steps_that_are_compiled_as_a_whole_have_no_profile():
    assert Reason((), ("", 0.0), 0.0).text == "its steps are compiled as a whole"


def test_tables_and_picture():
    found = lines()
    slow = rows.reasons(tiny(), [*found.values()], 1)
    jobs = {name: {**told(found), "reasons": slow} for name in ("small", "large")}
    text = rows_page.tables(jobs)
    assert text.count("| qsgd |") == 3, "beside its loop, and twice among the slowest"
    assert next(iter(slow.values())) in text
    with styled():
        drawn = rows_figure.figure(jobs)
    labels = [label.get_text() for ax in drawn.axes for label in ax.get_yticklabels()]
    assert sorted(labels) == sorted(ASKED)


def test_jobs_are_both_sizes_and_problems_of_the_catalogue():
    assert [job.name for job in JOBS] == ["small", "large", *PROBLEMS]
    assert [(job.make().n, job.make().d) for job in JOBS[:1]] == [(8, 50)]
    assert next(row.key for row in rows.rows()) == BASE
    assert len(rows.rows()) == len(METHODS)


def test_jobs_are_named_by_group_or_by_any_problem_of_the_catalogue():
    assert [one.name for one in rows.jobs(["small", "skewed-noise"])] == ["small", "skewed-noise"]
    assert len(rows.jobs(["problems"])) > 4
    with pytest.raises(ValueError, match="unknown problem 'nowhere'"):
        rows.jobs(["nowhere"])
