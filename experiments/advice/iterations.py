"""Number of steps that a row needs, and its traffic in them: counted in a simulated run."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, final

import numpy as np

from algorithms.catalogue import METHODS, row
from algorithms.engine.run import Diverged, run
from algorithms.methods.base import Method
from algorithms.methods.parts.gradients import Full
from algorithms.problems.base import Problem
from algorithms.synchronisation.stopwatch import STANDARD
from algorithms.topologies.base import Topology
from algorithms.tuning.grid import score
from experiments.compare.clustered import mean_seconds
from experiments.compare.tuned_rows import Chosen, Tuning, chosen
from proofs_check.instruments.reaching import reached_at
from theory.stepsizes import ConstantStep

PLAIN = "bsp-sgd"
"""Row whose steps the others' are told as a share of."""

ROWS = (PLAIN, *(one.key for one in METHODS if one.advised and one.key != PLAIN))
"""Rows that are weighed against one another, the plain one first: those that their entries in the
catalogue say are."""

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
        gradients: that a worker computes until then, exact ones as so many of the others.
        rounds: sums of all workers' messages until then, or exchanges between neighbours.
        degree: neighbours in an exchange; 0: sums.
        bits: length of one of its messages in the run; all that a neighbour is sent in a step.
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


@final
class Candidates(NamedTuple):
    """Rows of an answer.

    Attributes:
        keys: those that are run.
        left_out: why the others are not, by key.
    """

    keys: tuple[str, ...]
    left_out: dict[str, str]


def candidates(on: Problem) -> Candidates:
    """Which of the rows run on a problem, at a price that can be told."""
    keys, left_out = [], {}
    for key in ROWS:
        try:
            row(key).require_fit(on)
        except ValueError as error:
            left_out[key] = str(error)
            continue
        if math.isinf(_gradient_cost(row(key).build(on, 1), on)):
            left_out[key] = f"takes exact gradients, and the noise of {on.name} is not of samples"
        else:
            keys.append(key)
    return Candidates(tuple(keys), left_out)


def _gradient_cost(method: Method[Any], on: Problem) -> float:
    """Stochastic gradients that one of the method's is worth."""
    return on.exact_cost if isinstance(getattr(method, "gradients", None), Full) else 1.0


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
    key = way.row.key
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
    degree = _degree(tuned.method)
    rounds = min(each / degree, steps) if degree else each  # several vectors go as one message
    gradients = float(trace.gradients[:, at].mean()) * _gradient_cost(tuned.method, on)
    if each == 0 and steps > 0:  # the mean model is made by one sum, also before the first is due
        sent, messages = float(trace.sent_bits[:, -1].mean()), float(trace.messages[:, -1].mean())
        each, rounds = messages / 2, 1.0
    messages = rounds * degree if degree else each
    bits = sent / messages if messages else 0.0
    return RowSteps(key, description, steps, gradients, rounds, degree, bits)


def _degree(method: Method[Any]) -> int:
    """Most neighbours of a worker on the method's topology; 0: it has none, and sums."""
    topology = getattr(method, "topology", None)
    if not isinstance(topology, Topology):
        return 0
    w = topology.matrix(0)
    return int(((w != 0) & ~np.eye(len(w), dtype=bool)).sum(1).max())
