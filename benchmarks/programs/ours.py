"""The public path: ``run`` on a row's method, with ledger and metrics."""

from __future__ import annotations

import torch

from algorithms.engine.run import run
from algorithms.problems.logistic import Logistic
from benchmarks.jobs import method


def seconds(name: str, problem: Logistic, steps: int, replicas: int = 1, threads: int = 1) -> float:
    """Time [s] of ``steps`` steps of a run that records its start and its end, where torch is set
    to so many threads; the time of looking at those is not the steps'."""
    torch.set_num_threads(threads)
    try:
        trace = run(method(name, problem.n), problem, steps=steps, points=2, replicas=replicas)
    finally:
        torch.set_num_threads(1)
    return float(trace.wall_seconds[-1])
