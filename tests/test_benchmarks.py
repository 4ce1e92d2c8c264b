"""Every benchmark of parts runs on tiny sizes, and its table and picture are made of what it tells.

Nothing here is timed against anything.
"""

from __future__ import annotations

import pytest
import torch

from algorithms.core.key import Key
from algorithms.problems.logistic_data import synthetic
from algorithms.problems.regularisers import L2
from benchmarks import (
    bookkeeping,
    commands,
    device,
    memory,
    mlp,
    parts_page,
    randoms,
    scaling,
    scaling_figure,
    sweeping,
)
from benchmarks.jobs import Size
from benchmarks.programs import mlp_loops
from experiments.figures.style import styled

TINY = Size("tiny", 4, 6, 5, 0)


def table(name: str, found: dict) -> str:
    about = {"machine": {"processor": "any", "cores": 1}, "load": 0.0, "day": "2026-01-01"}
    return parts_page.tables({name: {**about, **found}})


def test_perceptrons():
    found = mlp.measured(0.001, 2, workers=(2,), inputs=5)
    assert "| 2 |" in table("mlp", found)


def test_the_loops_take_the_problems_steps():
    """One sample a worker: whatever is drawn, the minibatch is that sample."""
    problem = mlp.synthetic(2, samples=1, inputs=5, hidden=3)
    module = mlp_loops.perceptron(problem)
    draws = Key.seed(0).draws(torch.zeros((), dtype=torch.int64), torch.arange(2))
    wanted = problem.gradient(problem.start()[None], draws)
    for worker in range(2):
        parts = mlp_loops.one_gradient(module, problem, worker)
        found = torch.cat([part.reshape(-1) for part in parts])
        torch.testing.assert_close(found, wanted[worker])


def test_random_numbers():
    found = randoms.measured(0.001, 2, shapes=((2, 3),))
    assert "| 2 x 3 | float64 |" in table("random", found)


def test_bookkeeping():
    found = bookkeeping.measured(TINY, 1, steps=10, records=5)
    for one in found["lines"]:
        assert sum(part.median for part in one["shares"].values()) == pytest.approx(1)
        assert one["shares"]["ledger"].median > 0
        assert one["shares"]["gradients"].median > 0
    assert found["lines"][-1]["shares"]["schedules"].median > 0
    assert "| ASP |" in table("books", found)


def test_nothing_stays_watched():
    before = [vars(watched.owner).get(name) for watched in bookkeeping.WATCHED
              for name in watched.names]  # fmt: skip
    bookkeeping.measured(TINY, 1, steps=5, records=4)
    after = [vars(watched.owner).get(name) for watched in bookkeeping.WATCHED
             for name in watched.names]  # fmt: skip
    assert before == after


@pytest.mark.slow
@pytest.mark.processes
def test_memory():
    found = memory.measured(TINY, ends=(3, 30), methods=("CHOCO top-1%",), records=4)
    small, large = found["trace"]
    assert small["history"] == large["history"]
    assert large["models"] == 10 * small["models"]
    assert "| CHOCO top-1% | float64 |" in table("memory", found)


def test_states_are_counted_once():
    problem = synthetic(4, 5, 6, L2(1e-3), batch=1, dtype=torch.float32)
    assert memory.state_bytes("BSP", problem) == 6 * 4
    assert memory.state_bytes("CHOCO top-1%", problem) == 3 * 4 * 6 * 4


def test_scaling():
    found = scaling.measured(0.001, 2, workers=(1, 4), dimensions=(3, 6), at=(6, 4), bases=(4, 6))
    assert "| CHOCO top-1% |  | 1 (1 to 1) |" in table("scaling", found)
    with styled():
        assert len(scaling_figure.figure(found).axes) == 2


@pytest.mark.slow
@pytest.mark.processes
def test_sweeps():
    found = sweeping.measured(1, seeds=1, steps=3)
    assert "4 runs" in table("sweep", found)


def test_a_device_over_the_cpu():
    """With the CPU in the place of the device."""
    found = device.measured(0.01, 2, "cpu", sizes=((4, 6),), replicas=(1, 2))
    assert [line["over"].least > 0 for line in found["lines"]] == [True] * 6
    assert "| 4 | 6 | 2 | QSGD |" in table("device", found)


@pytest.mark.processes
def test_commands():
    asked = (("--version",),)
    found = commands.measured(asked, asked, calls=2)
    lines = [line for line in table("commands", found).splitlines() if "--version" in line]
    assert [line.count("|") for line in lines] == [5, 5]
    assert lines[1].endswith("| 0 |"), "its exit code"
