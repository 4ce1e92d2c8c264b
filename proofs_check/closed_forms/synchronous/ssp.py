"""SSP: nobody runs far ahead, nobody misses an old update, and own updates count once.

Who starts clock c sees every update of clocks below c - s, and nobody is more than s clocks ahead
(Ho et al. 2013). With s = 0 it is BSP bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

from algorithms.engine.run import run
from algorithms.methods.synchronous.parameter_server import ParameterServer, Weighting
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.base import Barrier
from algorithms.synchronisation.compute_times import Constant
from algorithms.synchronisation.schedule import Schedule
from algorithms.synchronisation.stale import SSP
from proofs_check.closed_forms.erratum import erratum
from proofs_check.closed_forms.synchronous.barriers import (
    DRAWN_REPLICAS,
    WORKERS,
    Server,
    drawn,
    promise,
    same_as_bsp,
)
from proofs_check.instruments.evidence import identity
from proofs_check.methods.faulty.methods import OwnTwice
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep


def workers_among(ids: torch.Tensor) -> list[int]:
    """The ``ids`` that name a worker; others fill up the schedule."""
    return [i for i in ids.tolist() if i < WORKERS]


def ahead_and_unseen(schedule: Schedule, replica: int) -> tuple[int, int]:
    """Largest lead of a worker that starts; most clocks that its view lags behind its own."""
    clock, held, stamps = np.zeros(WORKERS, int), np.zeros(WORKERS, int), [0]
    ahead = unseen = 0
    for t in range(schedule.ticks):
        for i in workers_among(schedule.arrivals[t, replica]):
            clock[i] += 1
        stamps.append(int(clock.min()))
        held[workers_among(schedule.fetches[t, replica])] = t + 1
        for i in workers_among(schedule.starts[t, replica]):
            ahead = max(ahead, int(clock[i] - clock.min()))
            unseen = max(unseen, int(clock[i]) - stamps[held[i]])
    return ahead, unseen


def clock_gap(build: Callable[[int], Barrier] = SSP, row: str = "ssp") -> tuple[Verdict, ...]:
    """Nobody starts more than s clocks ahead, nor without an update s + 1 clocks old."""
    verdicts = []
    for s in (0, 1, 3):
        found = [
            ahead_and_unseen(schedule, r)
            for schedule in drawn(build(s))
            for r in range(DRAWN_REPLICAS)
        ]
        ahead, unseen = (max(values) for values in zip(*found, strict=True))
        verdicts += [
            promise(row, f"s={s}: clocks ahead of the slowest <= s", ahead, s, "clock gap"),
            promise(row, f"s={s}: clocks not yet seen <= s", unseen, s, "clock gap"),
        ]
    return tuple(verdicts)


def each_gradient_once(server: Server | None = None) -> Verdict:
    r"""f = x^2/2, two workers, gamma = 1 by shares of 1/2: SSP with s = 0 is at 0 after one step.

    Survey Eq. 7 as printed adds a worker's own update again: the root is then -1 (erratum E1).
    """
    ones = torch.ones((2, 1), dtype=torch.float64)
    problem = Quadratic.from_arrays(ones, 0 * ones, x0=torch.ones(1, dtype=torch.float64))
    trace = run((server or unit_step)(SSP(0)), problem, steps=6)
    return identity(
        "ssp", "own updates are counted once: x_t = 0 from t = 1 on", trace.model.numpy(), 0.0,
        check="own updates", problem=problem.name, provenance="2 workers, gamma = 1, 6 steps",
    )  # fmt: skip


def e1() -> tuple[Verdict, ...]:
    """Counted twice, the root of x_t is -1; once, x is 0 from the first step on."""
    printed = each_gradient_once(lambda barrier: OwnTwice(unit_step(barrier)))
    return (
        erratum(
            "E1", "ssp", "f = x^2/2, two workers, gamma = 1/2 each, s = 0: |x_t|, t >= 1",
            (abs(each_gradient_once().statistic or 0.0), 0.0),
            (abs(printed.statistic or 0.0), 0.0), "printed: a worker's own update is added again",
        ),
    )  # fmt: skip


def unit_step(barrier: Barrier) -> ParameterServer:
    """A parameter server with gamma = 1, divided by n."""
    return ParameterServer(ConstantStep(1.0), 6, Constant(), barrier, Weighting.ALL)


def ssp() -> tuple[Verdict, ...]:
    """Clocks, the limit s = 0, and the worker's own updates."""
    return (*clock_gap(), same_as_bsp(SSP(0), "ssp"), each_gradient_once())


CLOSED_FORMS = (ssp, e1)
DEMONSTRATIONS = (("E1", e1),)
