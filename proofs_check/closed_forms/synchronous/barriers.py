"""What barriers promise, on drawn schedules and on runs: schedules, the limit BSP, seconds.

Barriers that wait for all are BSP bit for bit. The k-th of n exponential times has mean
H_n - H_{n-k} (David and Nagaraja 2003, Order Statistics, Section 4.6).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from algorithms.core.key import Key
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.synchronous.parameter_server import ParameterServer, Weighting
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.base import Barrier, ComputeTimes
from algorithms.synchronisation.compute_times import (
    Constant,
    Exponential,
    Pareto,
    ShiftedExponential,
)
from algorithms.synchronisation.schedule import Schedule
from proofs_check.instruments.evidence import identity, mean_value
from proofs_check.verdict import Outcome, Verdict
from theory.stepsizes import ConstantStep

WORKERS, DRAWN_TICKS, DRAWN_REPLICAS, DRAWN_SEED = 6, 150, 8, 61
_TIMES: tuple[ComputeTimes, ...] = (
    Constant((1.0, 0.75, 2.5, 0.25, 1.5, 1.0)), Exponential(), ShiftedExponential(), Pareto(),
)  # fmt: skip
_STEP = ConstantStep(0.05)
Server = Callable[[Barrier], Method[Any]]


def drawn(barrier: Barrier) -> tuple[Schedule, ...]:
    """Its schedules under four models of time."""
    ids = torch.arange(DRAWN_REPLICAS)
    return tuple(
        barrier.schedule(WORKERS, DRAWN_TICKS, t, Key.seed(DRAWN_SEED), ids) for t in _TIMES
    )


def promise(row: str, claim: str, worst: float, bound: float, check: str) -> Verdict:
    """Does the largest value found, ``worst``, stay within the ``bound``?"""
    return Verdict(
        subject=row, claim=claim, check=check,
        outcome=Outcome.SUPPORTED if worst <= bound else Outcome.REFUTED,
        statistic=worst, bound=bound,
        resolution=0.0,
        evidence=f"largest value {worst:g} over {len(_TIMES)} models of time, {DRAWN_REPLICAS} "
        f"replicas, {DRAWN_TICKS} ticks, {WORKERS} workers",
        provenance=f"seed {DRAWN_SEED}",
    )  # fmt: skip


def averaged(barrier: Barrier) -> ParameterServer:
    """A parameter server that divides by n."""
    return ParameterServer(_STEP, 60, Exponential(), barrier, Weighting.ALL)


def same_as_bsp(barrier: Barrier, row: str, server: Server = averaged) -> Verdict:
    """A barrier that waits for all gives the iterates of BSP, bit for bit."""
    problem = Quadratic.strongly_convex(WORKERS, 10, zeta2=1.0)
    bsp = run(BSP(_STEP), problem, steps=60, replicas=4, seed=DRAWN_SEED)
    trace = run(server(barrier), problem, steps=60, replicas=4, seed=DRAWN_SEED)
    return identity(
        row, f"{barrier.name} is BSP bit for bit", trace.model.numpy(), bsp.model.numpy(),
        check="special case", problem=problem.name, tolerance=0.0,
        provenance=f"60 steps, exponential times, seed {DRAWN_SEED}",
    )  # fmt: skip


def harmonic(n: int) -> float:
    """H_n = 1 + 1/2 + ... + 1/n."""
    return float(sum(1 / k for k in range(1, n + 1)))


def step_seconds(barrier: Barrier, row: str, expected: float, times: ComputeTimes) -> Verdict:
    """Mean seconds of a step against the order statistics of ``times``."""
    replicas, ticks = 512, 200
    schedule = barrier.schedule(WORKERS, ticks, times, Key.seed(DRAWN_SEED), torch.arange(replicas))
    return mean_value(
        row, f"{barrier.name}, {times.name}: mean step seconds",
        (schedule.seconds[-1] / ticks).numpy(), expected, check="order statistics",
        provenance=f"{ticks} steps, {WORKERS} workers, seed {DRAWN_SEED}",
    )  # fmt: skip
