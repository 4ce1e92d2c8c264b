"""Asynchronous SGD under its bound, one arrival an update and three."""

from __future__ import annotations

from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.synchronisation.barriers import PartialBarrier
from algorithms.synchronisation.base import ComputeTimes
from algorithms.synchronisation.compute_times import Constant, Exponential
from proofs_check.bounds.check import REPLICAS, BoundCheck, Make, nothing_more
from proofs_check.bounds.settings import (
    BOUNDED,
    IID,
    NONCONVEX,
    entry,
    one_objective,
    same_shards,
)
from theory.theorems.asysg_con import AsysgCon, asysg_con


def _asp(times: ComputeTimes) -> Make:
    return lambda step, _p, steps: ParameterServer(step, steps, times, replicas=REPLICAS)


_ASYNCHRONOUS = tuple(
    BoundCheck(
        "asp", f"{problem}, {times.name}", asysg_con, setting, _asp(times), 1000, states,
    )
    for problem, setting, times, states in (
        (IID, entry(IID), Constant(), nothing_more),
        (IID, entry(IID, 4), Exponential(), nothing_more),
        (NONCONVEX, lambda: same_shards(4, BOUNDED), Exponential(), one_objective),
    )
)  # fmt: skip
_BATCHED = BoundCheck(  # M = 3 gradients in every update: the barrier waits for three arrivals
    "asp", f"{IID}, M = 3", AsysgCon(M=3), entry(IID, 8),
    lambda step, _p, steps: ParameterServer(step, steps, Exponential(), PartialBarrier(3, steps)),
    1000,
)  # fmt: skip

BOUND_CHECKS: tuple[BoundCheck, ...] = (*_ASYNCHRONOUS, _BATCHED)
