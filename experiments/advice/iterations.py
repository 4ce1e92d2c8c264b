"""Number of steps that a row needs, and its traffic in them: counted in a simulated run."""

from __future__ import annotations

import math
from typing import NamedTuple, final

from algorithms.catalogue import row
from algorithms.engine.run import Diverged, run
from algorithms.problems.base import Problem
from algorithms.synchronisation.stopwatch import STANDARD
from algorithms.tuning.grid import score
from experiments.compare.clustered import mean_seconds
from experiments.compare.tuned_rows import Chosen, Tuning, chosen
from proofs_check.instruments.reaching import reached_at
from theory.stepsizes import ConstantStep

ROWS = (
    "bsp-sgd", "local-sgd", "post-local-sgd", "ef-signsgd", "qsgd", "natural-compression", "top-k",
    "powersgd", "d-psgd", "choco-sgd", "asp",
)  # fmt: skip
"""What is advised among: synchronous, periodic, compressed, gossiping, asynchronous training."""

SEED, REPLICAS, _RECORDS = 1, 8, 400
_OTHER_SEED = 2  # on which a multiple is decided: what it is then counted on has no part in it
_MULTIPLES, _AS_LONG = (2.0, 4.0, 8.0, 16.0, 32.0), 2  # of the grid's step; times its way's length


@final
class RowSteps(NamedTuple):
    """A row's way to the target, in the mean over replicas.

    Attributes:
        key: the row's key.
        description: its method and stepsize, as reports call them.
        steps: until the mean error is at most the target; infinite if it never is in the run.
        gradients: that a worker computes until then.
        rounds: sums of all workers' messages until then, or exchanges between neighbours.
        degree: neighbours in an exchange; 0: sums.
        bits: length of one of its messages in the run.
        trips: round trips of a gradient until then, of a method without rounds; 0: it has rounds.
    """

    key: str
    description: str
    steps: float
    gradients: float
    rounds: float
    degree: int
    bits: float
    trips: float = 0.0


def steps_to_target(key: str, on: Problem, target: float, most: int) -> RowSteps:
    """Run a row until the error is ``target`` of the start's, at the step that is there soonest.

    A grid's best has the least error at its end. A target is reached sooner with longer steps, and
    by how much differs from row to row: multiples of the grid's are tried on another seed.

    Raises:
        ValueError: the row does not run on the problem.
    """
    mine = row(key)
    mine.require_fit(on)
    best = chosen(mine, on, Tuning.GRID, seed=SEED)
    found = _counted(best, on, target, most, SEED)
    longer = _soonest(best, on, target, found.steps, most)
    if longer is None:
        return found
    other = _counted(longer, on, target, most, SEED)
    return other if other.steps < found.steps else found


def _soonest(best: Chosen, on: Problem, target: float, steps: float, most: int) -> Chosen | None:
    """Of the multiples of the grid's step the one that is there in the fewest steps, if in fewer
    than its ``steps``; none of a method without a stepsize, or with one that changes."""
    if not isinstance(best.step, ConstantStep) or best.tuned(on, most).stepless:
        return None
    enough = int(min(most, _AS_LONG * steps))
    tried: list[tuple[float, Chosen]] = []
    for factor in _MULTIPLES:
        longer = best._replace(step=ConstantStep(factor * best.step.gamma))
        tried.append((_counted(longer, on, target, enough, _OTHER_SEED).steps, longer))
    fewest, way = min(tried, key=lambda one: one[0])
    return way if fewest < steps else None


def _counted(way: Chosen, on: Problem, target: float, most: int, seed: int) -> RowSteps:
    """One way to the target, in at most so many steps."""
    key, family = way.row.key, way.row.family
    tuned = way.tuned(on, most)
    description = f"{tuned.method.name}; {tuned.step_text}"
    try:
        trace = run(
            tuned.method, on, steps=most, seed=seed, replicas=REPLICAS, points=_RECORDS,
            timing=STANDARD,
        )  # fmt: skip
    except Diverged:
        return RowSteps(key, description, math.inf, 0.0, 0.0, 0, 0.0)
    mean = score(trace).mean(axis=0)
    at = int(reached_at(mean, target * float(mean[0])))
    steps = float(trace.steps[at]) if at >= 0 else math.inf
    sent, messages = (float(series[:, at].mean()) for series in (trace.sent_bits, trace.messages))
    unit = mean_seconds(tuned.method, on.n)
    if unit is not None:
        trips = float(trace.seconds[:, at].mean()) / unit
        return RowSteps(
            key, description, steps, float(trace.gradients[:, at].mean()), 0.0, 0, 0.0, trips
        )
    each = messages / 2  # sent, and as many received
    degree = round(each / float(trace.steps[at])) if family == "gossip" else 0
    rounds = each / degree if degree else each
    gradients = float(trace.gradients[:, at].mean())
    if each == 0 and steps > 0:  # the mean model is made by one sum, also before the first is due
        sent, messages = float(trace.sent_bits[:, -1].mean()), float(trace.messages[:, -1].mean())
        each, rounds = messages / 2, 1.0
    return RowSteps(
        key, description, steps, gradients, rounds, degree, sent / each if each else 0.0
    )
