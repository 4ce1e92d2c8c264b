"""What a round of the medium job spends on books: ledger, schedules, hearing, recording.

On the composed path, a method's own ``step``: blocks keep their books once a block. The run is the
command's: 2,000 rounds with at most 200 records. What a record asks of the problem, f and its
gradient over all samples, is told apart as metrics: arithmetic that the run was asked for.
"""

from __future__ import annotations

import itertools
import time
from functools import partial
from typing import Any
from unittest import mock

import torch

from algorithms.catalogue.synchronous import round_trip
from algorithms.compressors.identity import Identity
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.top_k import TopK
from algorithms.core.key import Key, PhiloxDraws
from algorithms.engine import run as running
from algorithms.engine.trace import Recorder, record_steps
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods import base
from algorithms.methods.base import Method, RunContext
from algorithms.methods.parts.scheduled import Scheduled
from algorithms.methods.synchronous import parameter_server
from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.network import simulated
from algorithms.network.base import Network, Packet
from algorithms.network.ledger import Ledger
from algorithms.network.simulated import Simulated
from algorithms.problems.logistic import Logistic
from algorithms.problems.logistic_data import synthetic
from algorithms.problems.regularisers import L2
from algorithms.synchronisation.periods import FixedPeriod
from algorithms.synchronisation.schedule import Schedule
from benchmarks.alternating import Rounds, Spread
from benchmarks.jobs import BATCH, LAM, METHODS, Size, method
from benchmarks.probe import REST, Probe, Watched
from theory.stepsizes import ConstantStep

STEPS, RECORDS = 2000, 200
ASYNCHRONOUS, MANY = "ASP", "ASP, 32 replicas"
REPLICAS = 32  # of the last; the command's default
BOOKS = ("ledger", "schedules", "hearing")
METRICS, RECORDING = "metrics", "recording"

_SEEDS = itertools.count()
_CODEC = ("encode", "decode")
WATCHED = (
    Watched("gradients", Logistic, ("gradient",)),
    Watched("gradients", base, ("finite_rows",)),
    Watched("random numbers", Key, ("fold", "draws_of")),
    Watched("random numbers", PhiloxDraws, ("integers", "uniform")),
    *(Watched("compression", operator, _CODEC) for operator in (Identity, QSGD, TopK)),
    Watched("compression", ErrorFeedback, ("before", "after")),
    Watched("averages", simulated, ("mean_rows", "mix")),
    Watched("averages", parameter_server, ("sum_rows",)),
    Watched("ledger", Ledger, ("send", "upload", "receive", "upload_from", "receive_at")),
    Watched("ledger", Ledger, ("account",)),
    Watched("ledger", Packet, ("bits",)),
    Watched("ledger", Network, ("_charge_active", "_charge_answers")),
    Watched("ledger", Simulated, ("charge_mixing", "_edges_of")),
    Watched("schedules", Schedule, ("tick", "for_replicas", "__post_init__")),
    Watched("schedules", Scheduled, ("schedule", "seconds", "computed")),
    Watched("schedules", FixedPeriod, ("meets",)),
    Watched("schedules", ConstantStep, ("__call__",)),
    Watched("hearing", RunContext, ("published", "answered")),
    Watched("hearing", Network, ("position", "is_local")),
    Watched("hearing", parameter_server, ("places",)),
    Watched("hearing", ParameterServer, ("_give",)),
    Watched(METRICS, Logistic, ("value_and_gradient", "value", "mean_gradient")),
    Watched(RECORDING, Recorder, ("see", "trace")),
)


def made(name: str, problem: Logistic, steps: int) -> Method[Any]:
    """One of the jobs' methods, or the asynchronous row as the catalogue builds it, with a schedule
    that was not drawn before."""
    if name not in (ASYNCHRONOUS, MANY):
        return method(name, problem.n)
    return ParameterServer(
        ConstantStep(1e-3), steps, round_trip(problem), schedule_seed=next(_SEEDS)
    )


class OneByOne:
    """In place of compiled blocks: every step is the method's own."""

    def __init__(self, *_: Any) -> None:
        pass

    def advance(self, state: Any, t: int, until: int, observer: Any = None) -> tuple[Any, int]:
        """The state as it is: no step is taken."""
        return state, 0


def composed(name: str, problem: Logistic, records: int, steps: int) -> float:
    """Time [s] of a whole run of ``steps`` steps by the method's own ``step``, looks included."""
    start = time.perf_counter()
    with mock.patch.object(running, "Blocks", OneByOne):
        running.run(
            made(name, problem, steps), problem, steps=steps, points=records,
            replicas=REPLICAS if name == MANY else 1,
        )  # fmt: skip
    return time.perf_counter() - start


def line(name: str, problem: Logistic, steps: int, records: int, rounds: int) -> dict[str, Any]:
    """Shares of one method, and a record's time in rounds; ``probed`` is the time with the profile
    over that without."""
    composed(name, problem, 2, 2)
    profiles: list[Probe] = []
    plain = partial(composed, name, problem, records)

    def probed(count: int) -> float:
        profiles.append(Probe())
        with profiles[-1].on(WATCHED):
            return plain(count)

    found = Rounds({"plain": plain, "probed": probed}, 0.0, rounds, steps)
    metrics = [probe.share(METRICS) for probe in profiles]
    recording = [probe.share(METRICS, RECORDING) for probe in profiles]
    many = len(record_steps(steps, records))
    parts = [part for part in profiles[0].seconds if part != REST]
    return {
        "method": name,
        "books": Spread.from_values([probe.share(*BOOKS) for probe in profiles]),
        "books_of_rounds": Spread.from_values(
            [p.share(*BOOKS) / (1 - one) for p, one in zip(profiles, recording, strict=True)]
        ),
        "with_recording": Spread.from_values(
            [
                p.share(*BOOKS, RECORDING) / (1 - one)
                for p, one in zip(profiles, metrics, strict=True)
            ]
        ),
        "with_metrics": Spread.from_values([p.share(*BOOKS, RECORDING, METRICS) for p in profiles]),
        "shares": {
            part: Spread.from_values([p.share(part) for p in profiles]) for part in (*parts, REST)
        },
        "record_in_rounds": Spread.from_values(
            [one / (1 - one) * steps / many for one in recording]
        ),
        "probed": found.ratio("probed", "plain"),
    }


def measured(size: Size, rounds: int, steps: int = STEPS, records: int = RECORDS) -> dict[str, Any]:
    """A line for each method."""
    problem = synthetic(size.n, size.samples, size.d, L2(LAM), batch=BATCH, dtype=torch.float32)
    _ = problem.f_star
    names = (*METHODS, ASYNCHRONOUS, MANY)
    return {
        "n": size.n, "d": size.d, "steps": steps, "records": len(record_steps(steps, records)),
        "lines": [line(name, problem, steps, records, rounds) for name in names],
    }  # fmt: skip
