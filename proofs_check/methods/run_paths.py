"""One run by several ways: as it is recorded, and as it is interrupted and resumed.

Each way leads to the models of the method's own steps, bit for bit, or to numbers that are computed
again here from these models, so that nothing is statistics.
"""

from __future__ import annotations

import math
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from algorithms.core.key import Key
from algorithms.engine.run import run
from algorithms.methods.base import Method, RunContext
from algorithms.network.simulated import Simulated
from algorithms.problems.base import Problem
from algorithms.runner.checkpointed_run import Checkpoints, checkpointed_run, worker_axes
from algorithms.synchronisation.schedule import Schedule
from proofs_check.methods.instrumented_run import RunObservations
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.arrays import Floats

ROUNDING = 1e-9
"""Relative difference of a recorded number from the same computed here in another order."""

_SQUARED = 1e-16  # of squares: where nothing is larger, all of it is rounding
_ASKED_FOR = "workers_suboptimality", "weighted_suboptimality"  # which a plain run has not
_RARE = 4  # records of a run that is recorded at some of its steps
BROKEN = 5
"""Steps before a run is interrupted."""

_KEPT = 4  # steps between two checkpoints


def recorded(
    subject: str, problem: Problem, method: Method[Any], seen: RunObservations, seed: int,
    provenance: str, schedule: Schedule | None,
) -> Verdict:  # fmt: skip
    """Series of a run against the same computed from the models, the charges and the gradients of
    the method's own steps, at every record."""
    steps, replicas = len(seen.models) - 1, seen.models[0].shape[0]
    taken = partial(
        run, method, problem, steps=steps, seed=seed, replicas=replicas, every=1, weight=_weight,
        of_workers=True,
    )  # fmt: skip
    begin = time.perf_counter()
    trace = taken(points=steps + 1)
    walls = (0.0, *trace.wall_seconds, time.perf_counter() - begin)
    plain = run(method, problem, steps=steps, seed=seed, replicas=replicas, points=steps + 1)
    begin = time.perf_counter()
    rare = taken(points=_RARE)
    rare_walls = (0.0, *rare.wall_seconds, time.perf_counter() - begin)
    expected, floor = _series(problem, seen, schedule)
    apart = {
        name: _difference(getattr(trace, name)[:, -values.shape[1] :], values, floor)
        for name, values in expected.items()
    }
    for name, values in expected.items():
        first = steps + 1 - values.shape[1]
        at = rare.steps[rare.steps >= first]
        found = getattr(rare, name)[:, -len(at) :]
        apart[f"rare {name}"] = _difference(found, values[:, at - first], floor)
        if name not in _ASKED_FOR:
            at_all = getattr(plain, name)[:, -values.shape[1] :]
            apart[f"plain {name}"] = _difference(at_all, values, floor)
    for name, told in (("wall_seconds", walls), ("rare wall_seconds", rare_walls)):
        apart[name] = 0.0 if list(told) == sorted(told) else math.inf
    apart["steps"] = float((trace.steps != np.arange(steps + 1)).sum())
    for name, charges in _charged(seen).items():
        apart[name] = _difference(getattr(trace, name), charges, 0.0)
        apart[f"plain {name}"] = _difference(getattr(plain, name), charges, 0.0)
    if schedule is not None:
        arrived = (schedule.arrivals < problem.n).sum(-1).cumsum(0).double()
        due = _sampled(problem.n, seen)
        due = _after_steps(arrived / problem.n, steps) if due is None else due
        apart["gradients"] = _difference(trace.gradients, due, 0.0)
    worst = max(apart, key=lambda name: apart[name])
    return Verdict(
        subject=subject, problem=problem.name, check="records", kind=CheckKind.INVARIANT,
        claim="every record of a run is that of the models after so many steps, and of what was "
        "sent till then",
        outcome=Outcome.REFUTED if apart[worst] > ROUNDING else Outcome.AGREES,
        statistic=apart[worst], bound=ROUNDING, resolution=ROUNDING,
        evidence=f"{len(apart)} series of {steps + 1} records, {worst} is "
        f"{apart[worst]:.2g} off",
        provenance=provenance,
    )  # fmt: skip


def _weight(t: int) -> float:
    """Weight of x_t in the weighted average."""
    return t + 1.0


def _charged(seen: RunObservations) -> dict[str, Floats]:
    """Bits and messages of a worker in the mean ``[R, K]``, as the steps were charged for them."""
    sums = {
        "sent_bits": [one.sent_bits for one in seen.charged],
        "received_bits": [one.received_bits for one in seen.charged],
        "messages": [one.sent_messages + one.received_messages for one in seen.charged],
    }
    return {name: torch.stack(of, 1).double().mean(-1).numpy() for name, of in sums.items()}


def _sampled(n: int, seen: RunObservations) -> Floats | None:
    """Samples of a worker in the mean ``[R, K]``, one for what is taken of it at several models;
    None where nothing is sampled: a task that arrives is one there."""
    found = torch.zeros((seen.models[0].shape[0], len(seen.models)), dtype=torch.float64)
    drawn = {id(one.draws): one for one in seen.gradients if one.draws is not None}
    for one in drawn.values():
        if one.t >= 0:
            found[:, one.t + 1] += (one.workers < n).sum(-1) / n
    return found.cumsum(1).numpy() if drawn else None


def _series(
    problem: Problem, seen: RunObservations, schedule: Schedule | None
) -> tuple[dict[str, Floats], float]:
    """Series ``[R, K]`` from the models, and the seconds of a schedule; and what is rounding of
    squares, where all of them vanish."""
    rows = torch.stack(seen.models, 1).double()  # [R, K, n or 1, d]
    mean = rows.mean(-2)
    squared = torch.stack(
        [problem.mean_gradient(m.to(problem.dtype)).square().sum(-1) for m in mean.unbind(1)], 1
    )
    values, weights = _values(problem, mean), torch.arange(1, rows.shape[1])
    averages = (weights[:, None] * mean[:, :-1]).cumsum(1) / weights.cumsum(0)[:, None]
    sofar = squared[:, :-1].cumsum(1) / torch.arange(1, rows.shape[1])
    found = {
        "suboptimality": values - (problem.f_star or 0.0),
        "squared_gradient": squared,
        "average_squared_gradient": torch.cat((squared[:, :1], sofar), 1),
        "workers_suboptimality": _values(problem, rows).mean(-1) - (problem.f_star or 0.0),
        "weighted_suboptimality": _values(problem, averages) - (problem.f_star or 0.0),
        "consensus": (rows - mean[..., None, :]).square().sum(-1).mean(-1),
    }
    if problem.x_star is not None:
        found["squared_distance"] = (mean - problem.x_star).square().sum(-1)
    if schedule is not None:
        found["seconds"] = torch.from_numpy(_after_steps(schedule.seconds, rows.shape[1] - 1))
    largest = float(rows.square().sum(-1).max()) * max(1.0, problem.constants().L or 1.0) ** 2
    return {name: value.double().numpy() for name, value in found.items()}, _SQUARED * largest


def _values(problem: Problem, models: Tensor) -> Tensor:
    """f at models ``[R, K, ..., d]``, step by step."""
    return torch.stack([problem.value(m.to(problem.dtype)) for m in models.unbind(1)], 1).double()


def _after_steps(of_ticks: Tensor, steps: int) -> Floats:
    """What a schedule tells of ticks ``[T, R]`` after 0, ..., ``steps`` steps ``[R, K]``; it may
    end before the run."""
    begun = torch.cat((torch.zeros_like(of_ticks[:1]), of_ticks))
    found: Floats = begun[torch.arange(steps + 1).clamp_max(len(of_ticks))].T.double().numpy()
    return found


def _difference(one: Floats, other: Floats, floor: float) -> float:
    gap = float(np.abs(one - other).max())
    return float("inf") if np.isnan(gap) else gap / max(float(np.abs(other).max()), floor, 1e-300)


def resumed(
    subject: str, problem: Problem, method: Method[Any], seen: RunObservations, seed: int,
    provenance: str,
) -> Verdict:  # fmt: skip
    """A run that is interrupted and goes on from its last step ends at the models of one that is
    not."""
    steps, replicas = len(seen.models) - 1, seen.models[0].shape[0]
    context = RunContext(problem, Simulated(problem.n), Key.seed(seed), torch.arange(replicas))
    why, apart, count, late = "", 0, 0, 0
    try:
        worker_axes(method, context)
    except ValueError as error:  # its state is none that can be kept
        why = str(error)
    with tempfile.TemporaryDirectory() as folder:
        for begun, until in () if why else ((0, BROKEN), (BROKEN, steps), (steps, steps)):
            kept = Checkpoints(Path(folder), _KEPT)
            ended = checkpointed_run(
                method, problem, steps=until, kept=kept, seed=seed, replicas=replicas
            )
            late += ended.began != begun
            apart += numbers_apart(ended.models, seen.models[until])
            count += ended.models.numel()
    return Verdict(
        subject=subject, problem=problem.name, check="resumed", kind=CheckKind.INVARIANT,
        claim="a run goes on from its checkpoint as if it had not ended",
        outcome=Outcome.NOT_APPLICABLE if why
        else Outcome.REFUTED if apart or late else Outcome.AGREES,
        statistic=None if why else float(apart), bound=0.0, resolution=0.0,
        evidence=why or f"{apart} of {count} numbers differ, after {BROKEN} steps, where it "
        f"is interrupted, or after {steps}"
        + (f"; {late} of 3 runs do not begin where one ended" if late else ""),
        provenance=provenance,
    )  # fmt: skip


def numbers_apart(one: Tensor, other: Tensor) -> int:
    """How many numbers differ."""
    return int((one != other.reshape(one.shape)).sum())
