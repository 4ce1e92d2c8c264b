"""Ringmaster under its bound: gradients that would be R steps old are stopped."""

from __future__ import annotations

from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.problems.base import Problem
from algorithms.synchronisation.barriers import Interrupting
from algorithms.synchronisation.base import ComputeTimes
from algorithms.synchronisation.compute_times import Exponential
from proofs_check.bounds.check import REPLICAS, BoundCheck, Make, nothing_more
from proofs_check.bounds.settings import BOUNDED, IID, NONCONVEX, entry, one_objective, same_shards
from theory.stepsizes import Stepsize
from theory.theorems.ringmaster import ringmaster


def _stopping(times: ComputeTimes, oldest: int) -> Make:
    def made(step: Stepsize, _problem: Problem, steps: int) -> ParameterServer:
        return ParameterServer(step, steps, times, Interrupting(oldest), replicas=REPLICAS)

    return made


BOUND_CHECKS = (
    BoundCheck(
        "ringmaster", f"{IID}, one worker of twenty seconds", ringmaster, entry(IID, 4),
        _stopping(Exponential((1.0, 1.0, 1.0, 20.0)), 6), 1000, nothing_more,
    ),
    BoundCheck(
        "ringmaster", NONCONVEX, ringmaster, lambda: same_shards(4, BOUNDED),
        _stopping(Exponential(), 4), 1000, one_objective,
    ),
)  # fmt: skip
