"""The public path: ``run`` on a row's method, with ledger and metrics."""

from __future__ import annotations

from algorithms.problems.logistic import Logistic
from algorithms.run import run
from benchmarks.jobs import method


def seconds(name: str, problem: Logistic, steps: int, replicas: int = 1) -> float:
    """Time [s] of ``steps`` steps of a run that records its start and its end; the time of looking
    at those is not the steps'."""
    trace = run(method(name, problem.n), problem, steps=steps, points=2, replicas=replicas)
    return float(trace.wall_seconds[-1])
