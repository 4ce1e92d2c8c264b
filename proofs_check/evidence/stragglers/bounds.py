"""Ringmaster under its bound, gradients that would be R steps old stopped; batches."""

from __future__ import annotations

from functools import partial

from algorithms.catalogue.stragglers import smoothness
from algorithms.methods.parts.age_rules import DelayAdaptive, Polynomial, Younger
from algorithms.methods.parts.gradient_buffers import (
    BufferPerWorker,
    GradientBuffer,
    SharedBuffer,
)
from algorithms.methods.stragglers.assigned_server import AssignedServer
from algorithms.methods.stragglers.buffered_server import BufferedServer
from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.problems.base import Problem
from algorithms.synchronisation.barriers import Interrupting
from algorithms.synchronisation.base import ComputeTimes
from algorithms.synchronisation.compute_times import Constant, Exponential
from proofs_check.bounds.check import REPLICAS, BoundCheck, Make, nothing_more
from proofs_check.bounds.settings import (
    BOUNDED,
    EQUAL_CURVATURES,
    IID,
    MILD,
    NONCONVEX,
    SC,
    arriving,
    entry,
    equal_curvatures,
    mild,
    one_objective,
    same_shards,
)
from theory.stepsizes import Stepsize
from theory.theorems.asysg_con import asysg_con
from theory.theorems.delay_adaptive_steps import delay_adaptive_steps
from theory.theorems.malenia_arrivals import malenia_arrivals
from theory.theorems.rennala_arrivals import rennala_arrivals
from theory.theorems.ringmaster import ringmaster


def _stopping(times: ComputeTimes, oldest: int) -> Make:
    def made(step: Stepsize, _problem: Problem, steps: int) -> ParameterServer:
        return ParameterServer(step, steps, times, Interrupting(oldest), replicas=REPLICAS)

    return made


def _shuffled(step: Stepsize, _problem: Problem, steps: int) -> AssignedServer:
    return AssignedServer(step, steps, Exponential(), replicas=REPLICAS)


def _collecting(times: ComputeTimes, buffer: GradientBuffer) -> Make:
    return lambda step, _p, steps: BufferedServer(
        step, steps, times, Younger(1), buffer, replicas=REPLICAS
    )


BOUND_CHECKS = (
    BoundCheck(
        "ringmaster", f"{IID}, one worker of twenty seconds", ringmaster, entry(IID, 4),
        _stopping(Exponential((1.0, 1.0, 1.0, 20.0)), 6), 1000, nothing_more,
    ),
    BoundCheck(
        "ringmaster", NONCONVEX, ringmaster, lambda: same_shards(4, BOUNDED),
        _stopping(Exponential(), 4), 1000, one_objective,
    ),
    BoundCheck("asgrad", IID, asysg_con, entry(IID, 4), _shuffled, 2000),
    BoundCheck(
        "delay-adaptive-asgd", f"{EQUAL_CURVATURES}, one worker of twenty seconds",
        delay_adaptive_steps, partial(equal_curvatures, 4, 100.0, d=400),
        lambda step, p, steps: BufferedServer(
            step, steps, Exponential((1.0, 1.0, 1.0, 20.0)), DelayAdaptive(smoothness(p)),
            replicas=REPLICAS,
        ),
        600,
    ),
    arriving(
        "fedbuff",
        lambda step, _p, steps: BufferedServer(
            step, steps, Constant(), Polynomial(), SharedBuffer(), local_steps=4,
            replicas=REPLICAS,
        ),
        1000, calls=4,
    ),
    BoundCheck(
        "rennala", f"{IID}, one worker of twenty seconds", rennala_arrivals, entry(IID, 4),
        _collecting(Exponential((1.0, 1.0, 1.0, 20.0)), SharedBuffer(8)), 2000, rated=True,
    ),
    BoundCheck(
        "rennala", NONCONVEX, rennala_arrivals, lambda: same_shards(4, BOUNDED),
        _collecting(Exponential(), SharedBuffer(4)), 2000, one_objective,
    ),
    BoundCheck(
        "malenia", MILD, malenia_arrivals, partial(mild, 4, 0.25),
        _collecting(Constant((1.0, 1.0, 1.0, 2.0)), BufferPerWorker(8)), 2000, rated=True,
    ),
    BoundCheck(
        "malenia", SC, malenia_arrivals, entry(SC, 4),
        _collecting(Constant(), BufferPerWorker(4)), 2000,
    ),
)  # fmt: skip
