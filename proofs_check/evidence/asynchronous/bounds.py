"""Asynchronous SGD under its bound, one arrival an update and three."""

from __future__ import annotations

from functools import partial

import torch

from algorithms.compressors.qsgd import QSGD
from algorithms.methods.asynchronous.downpour import Downpour
from algorithms.methods.asynchronous.hogwild import Hogwild
from algorithms.methods.parts.delay_compensation import DiagonalCompensation
from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.problems.base import Problem
from algorithms.problems.logistic import Logistic
from algorithms.problems.regularisers import BoundedNonconvex
from algorithms.synchronisation.barriers import PartialBarrier
from algorithms.synchronisation.base import ComputeTimes
from algorithms.synchronisation.compute_times import Constant, Exponential
from proofs_check.bounds.check import REPLICAS, BoundCheck, Make, nothing_more
from proofs_check.bounds.settings import (
    BALL,
    BOUNDED,
    IID,
    MILD,
    NONCONVEX,
    arriving,
    by_moments,
    entry,
    mild,
    moment_in_ball,
    one_objective,
    same_shards,
)
from theory.stepsizes import ConstantStep, Stepsize
from theory.theorems.asynchronous_moments import asynchronous_moments
from theory.theorems.asynchronous_pl import asynchronous_pl
from theory.theorems.asysg_con import AsysgCon, asysg_con
from theory.theorems.asysg_incon import asysg_incon
from theory.theorems.dc_asgd_bounded import dc_asgd_bounded
from theory.theorems.unbounded_delays import unbounded_delays


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


def _hogwild(step: Stepsize, _problem: Problem, steps: int) -> Hogwild:
    return Hogwild(step, steps, Exponential(), replicas=REPLICAS)


_READS = (
    BoundCheck("hogwild", IID, asysg_incon, entry(IID), _hogwild, 1000, rated=True),
    BoundCheck(
        "hogwild", MILD, asynchronous_moments, partial(mild, 4, 0.0), _hogwild, 4000,
        moment_in_ball, BALL,
    ),
    BoundCheck(
        "hogwild", MILD, asynchronous_pl, partial(mild, 4, 0.0), _hogwild, 4000,
        moment_in_ball, BALL,
    ),
)  # fmt: skip


def _compressed(step: Stepsize, _problem: Problem, steps: int) -> ParameterServer:
    return ParameterServer(step, steps, Exponential(), compressor=_LEVELS, replicas=REPLICAS)


def _tau_rms() -> dict[str, float]:
    """The largest mean of squared delays up to a tick, over the replicas' schedules."""
    late = _compressed(ConstantStep(1.0), mild(_LATE, 0.0), _TICKS).schedule(_LATE).staleness
    squares = late.double().square().reshape(_TICKS, -1).mean(-1)
    means = squares.cumsum(0) / torch.arange(1, _TICKS + 1)
    return {"tau_rms": float(means.max().sqrt())}


_LEVELS, _LATE, _TICKS = QSGD(4), 3, 3000
_DELAYED = by_moments(
    "asp", unbounded_delays, _compressed, _TICKS, _tau_rms, n=_LATE, zeta2=0.0, rated=False
)


def _same_direction() -> Problem:
    """Three workers with the same eight samples, almost of one direction and one label: gradients
    of components at the start are little longer than their mean."""
    tilt = torch.linspace(-0.2, 0.2, 8, dtype=torch.float64)
    rows = torch.stack((torch.ones_like(tilt), tilt), dim=-1).expand(3, -1, -1)
    return Logistic(_ALIGNED, rows, BoundedNonconvex(0.01), 1, "all of it on every worker")


_ALIGNED = "logistic, samples of one direction"
_COMPENSATED = tuple(
    BoundCheck(
        "dc-asgd", f"{_ALIGNED}, {correction.name}", dc_asgd_bounded, _same_direction,
        lambda step, _p, steps, correction=correction: ParameterServer(  # type: ignore[misc]
            step, steps, Exponential(), correction=correction, replicas=REPLICAS
        ),
        2000, one_objective,
    )
    for correction in (DiagonalCompensation(0.5), DiagonalCompensation(0.2, adaptive=True))
)  # fmt: skip

_PUSHED = arriving(
    "downpour",
    lambda step, _p, steps: Downpour(
        step, steps, Constant((1.0, 1.0, 1.0, 2.0)), 4, 2, replicas=REPLICAS
    ),
    2000,
)

BOUND_CHECKS: tuple[BoundCheck, ...] = (
    *_ASYNCHRONOUS, _BATCHED, *_READS, _DELAYED, *_COMPENSATED, _PUSHED,
)  # fmt: skip
