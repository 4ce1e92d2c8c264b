"""How many steps a row needs, and what it sends in them: counted in a simulated run."""

from __future__ import annotations

import math
from typing import NamedTuple, final

from algorithms.catalogue import row
from algorithms.problems.base import Problem
from algorithms.run import Diverged, run
from algorithms.synchronisation.stopwatch import STANDARD
from algorithms.tuning.grid import score
from experiments.clustered import mean_seconds
from experiments.tuned_rows import Tuning, chosen
from proofs_check.instruments.reaching import reached_at

ROWS = (
    "bsp-sgd", "local-sgd", "post-local-sgd", "ef-signsgd", "qsgd", "natural-compression", "top-k",
    "powersgd", "d-psgd", "choco-sgd", "asp",
)  # fmt: skip
"""What is advised among: synchronous, periodic, compressed, gossiping, asynchronous training."""

SEED, REPLICAS, _RECORDS = 1, 8, 400


@final
class RowSteps(NamedTuple):
    """A row's way to the target, in the mean over replicas.

    Attributes:
        key: the row's key.
        told: its method and stepsize, as reports call them.
        steps: until the mean error is at most the target; infinite if it never is in the run.
        gradients: that a worker computes until then.
        rounds: sums of all workers' messages until then, or exchanges between neighbours.
        degree: neighbours in an exchange; 0: sums.
        bits: length of one of its messages in the run.
        trips: round trips of a gradient until then, of a method without rounds; 0: it has rounds.
    """

    key: str
    told: str
    steps: float
    gradients: float
    rounds: float
    degree: int
    bits: float
    trips: float = 0.0


def steps_to_target(key: str, on: Problem, target: float, most: int) -> RowSteps:
    """Run a row at the best of its grid until the error is ``target`` of the start's.

    Raises:
        ValueError: the row does not run on the problem.
    """
    mine = row(key)
    mine.require_fit(on)
    ready = chosen(mine, on, Tuning.GRID, seed=SEED)
    tuned = ready.tuned(on, most)
    told = f"{tuned.method.name}; {tuned.step_text}"
    try:
        trace = run(
            tuned.method, on, steps=most, seed=SEED, replicas=REPLICAS, points=_RECORDS,
            timing=STANDARD,
        )  # fmt: skip
    except Diverged:
        return RowSteps(key, told, math.inf, 0.0, 0.0, 0, 0.0)
    mean = score(trace).mean(axis=0)
    at = int(reached_at(mean, target * float(mean[0])))
    steps = float(trace.steps[at]) if at >= 0 else math.inf
    sent, messages = (float(series[:, at].mean()) for series in (trace.sent_bits, trace.messages))
    unit = mean_seconds(tuned.method, on.n)
    if unit is not None:
        trips = float(trace.seconds[:, at].mean()) / unit
        return RowSteps(key, told, steps, float(trace.gradients[:, at].mean()), 0.0, 0, 0.0, trips)
    each = messages / 2  # sent, and as many received
    degree = round(each / float(trace.steps[at])) if mine.family == "gossip" else 0
    rounds = each / degree if degree else each
    gradients = float(trace.gradients[:, at].mean())
    return RowSteps(key, told, steps, gradients, rounds, degree, sent / each if each else 0.0)
