"""Answers computed: contests by ``compare``, sweeps by runs, as plain data."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import torch

from algorithms.core.key import Key
from algorithms.engine.run import Diverged, run
from algorithms.methods.base import RunContext
from algorithms.network.simulated import Simulated
from algorithms.problems.base import Problem
from algorithms.tuning.grid import POWERS, SEED, score
from algorithms.tuning.parameters import parameters
from experiments.compare.axes import AXES, spending
from experiments.compare.comparing import compare_rows
from experiments.compare.tuned_rows import Tuning
from experiments.questions.question import (
    AskedQuestion,
    Contest,
    FloorSweep,
    QuestionArm,
    StateCount,
)
from proofs_check.curves import typical
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

_POINTS = 60  # of a curve that are kept
_DIGITS = 6  # of a number that is kept
_PILOT = 256  # steps from which the price of one is read
_CAUTIOUS = 1e-6  # stepsize of such a run
_TRIALS = 4  # replicas of a run of the grid
_MOST_PLACES = 22  # of the grid
_TAIL = 0.1  # of a run whose mean error is what is left


def answered(question: AskedQuestion, announce: Callable[[str], object] = str) -> dict[str, Any]:
    """The question and a record for each part; ``announce`` hears of each before it begins."""
    found = []
    for part in question.parts:
        announce(f"{question.key}: {part.title}")
        found.append(_answer(part))
    return {"asked": question.asked, "why": question.why, "parts": found}


def _answer(part: Contest | FloorSweep | StateCount) -> dict[str, Any]:
    if isinstance(part, StateCount):
        return counted(part)
    return contested(part) if isinstance(part, Contest) else swept(part)


def contested(contest: Contest) -> dict[str, Any]:
    """Standings and curves of a contest.

    Raises:
        ValueError: as :func:`~experiments.compare.comparing.compare_rows`.
    """
    problem = contest.problem()
    price = _price(contest, contest.arms[0], problem)
    steps = {arm.name: best_step(contest, arm, problem, price * contest.steps)
             for arm in contest.arms}  # fmt: skip
    found = compare_rows(
        [arm.row(times=contest.times, fixed=steps[arm.name]) for arm in contest.arms], problem,
        axis=contest.axis, tuning=Tuning.THEOREM, steps=contest.steps, replicas=contest.replicas,
        seed=contest.seed, target=contest.target, place=contest,
    )  # fmt: skip
    rows = [
        {
            "name": one.key, "error": _kept(one.error), "low": _kept(one.low),
            "high": _kept(one.high), "ratio": _kept(one.ratio), "spent": _kept(one.spent),
            "verdict": one.verdict, "stepsize": str(steps[one.key]),
        }
        for one in found.standings
    ]  # fmt: skip
    curves = [
        _curve(one.key, one.x.mean(0), *typical(one.error, found.heavy)) for one in found.entrants
    ]
    return {
        "title": contest.title, "kind": "contest", "problem": found.problem, "n": found.n,
        "alike": alike(problem),
        "replicas": contest.replicas, "seed": contest.seed, "axis": AXES[contest.axis],
        "budget": _kept(found.budget), "quantity": found.quantity, "target": _kept(found.target),
        "rows": rows, "curves": curves,
    }  # fmt: skip


def best_step(contest: Contest, arm: QuestionArm, problem: Problem, budget: float) -> ConstantStep:
    """The stepsize 2^p / L that leaves the least error at the budget, on runs of another seed.

    p runs over the grid of :mod:`algorithms.tuning.grid` and on, where an end of it is the best.
    """
    smoothness = problem.constants().L_max or problem.constants().L or 1.0
    length = max(1, round(budget / _price(contest, arm, problem)))
    errors: dict[int, float] = {}

    def tried(power: int) -> float:
        if power not in errors:
            step = ConstantStep(2.0**power / smoothness)
            errors[power] = _error(contest, arm, problem, step, length)
        return errors[power]

    for power in POWERS:
        tried(power)
    best = min(errors, key=tried)
    while best in (min(errors), max(errors)) and len(errors) < _MOST_PLACES:
        tried(best - 1)
        tried(best + 1)
        best = min(errors, key=tried)
    return ConstantStep(2.0**best / smoothness)


def _error(
    contest: Contest, arm: QuestionArm, problem: Problem, step: ConstantStep, length: int
) -> float:
    """Mean error at the end; infinite where the run diverged."""
    row = arm.row(times=contest.times, fixed=step)
    try:
        trace = run(
            row.tune(problem, length).method, problem, steps=length, seed=SEED,
            replicas=_TRIALS, points=2, timing=contest.timing(row, problem),
        )  # fmt: skip
    except Diverged:
        return math.inf
    end = float(score(trace)[:, -1].mean())
    return end if math.isfinite(end) else math.inf


def _price(contest: Contest, arm: QuestionArm, problem: Problem) -> float:
    """Cost of a step, in the mean over a short run."""
    row = arm.row(times=contest.times, fixed=ConstantStep(_CAUTIOUS))
    trace = run(
        row.tune(problem, _PILOT).method, problem, steps=_PILOT, seed=SEED, replicas=2, points=2,
        timing=contest.timing(row, problem),
    )  # fmt: skip
    return float(spending(trace, contest.axis)[:, -1].mean()) / _PILOT


def swept(sweep: FloorSweep) -> dict[str, Any]:
    """The error that is left, by arm and value; infinite where the run diverged."""
    left: dict[str, list[float]] = {arm.name: [] for arm in sweep.arms}
    problem = sweep.problem(sweep.values[0])
    for value in sweep.values:
        problem, changes = sweep.problem(value), sweep.changes(value)
        for arm in sweep.arms:
            left[arm.name].append(_left(sweep, arm, problem, changes))
    x = np.array(sweep.values)
    return {
        "title": sweep.title, "kind": "sweep", "problem": problem.name, "n": problem.n,
        "variable": sweep.variable, "gamma": sweep.gamma, "steps": sweep.steps,
        "quantity": "f - f* of the mean model and distance of the workers from it, at the end",
        "curves": [_curve(name, x, np.array(y)) for name, y in left.items()],
    }  # fmt: skip


def alike(problem: Problem) -> bool | None:
    """Whether all workers have one objective, by the heterogeneity that the problem states; None
    where it states none."""
    stated = problem.constants()
    known = [zeta2 for zeta2 in (stated.zeta2, stated.zeta2_star) if zeta2 is not None]
    return max(known) == 0 if known else None


def counted(part: StateCount) -> dict[str, Any]:
    """Numbers that each arm's state holds, for every parameter: a worker's own, and those that are
    one for all.

    A tensor ``[..., n, d]`` is a number for every parameter in each worker, ``[..., 1, d]`` or
    ``[..., d]`` one for all. What several neighbours keep of one worker counts once.
    """
    problem = part.problem()
    context = RunContext(problem, Simulated(problem.n), Key.seed(0), torch.arange(1))
    start = torch.zeros(problem.d, dtype=torch.float64)
    rows: list[dict[str, Any]] = []
    for arm in part.arms:
        method = arm.row(fixed=ConstantStep(_CAUTIOUS)).tune(problem, _PILOT).method
        state = method.step(method.init(start, context), 0, context)
        own, common = _held(state, problem)
        rows.append({"name": arm.name, "own": _kept(own), "common": _kept(common)})
    rows.sort(key=lambda one: one["own"] + one["common"])
    return {"title": part.title, "kind": "state", "problem": problem.name, "n": problem.n,
            "rows": rows}  # fmt: skip


def _held(state: Any, problem: Problem) -> tuple[float, float]:
    """Numbers a parameter in a state: of every worker, and of all together."""
    own = common = 0.0
    for leaf in _tensors(state):
        if leaf.is_floating_point() and leaf.ndim and leaf.shape[-1] == problem.d:
            vectors = leaf.numel() // problem.d
            if vectors % problem.n == 0:
                own += vectors / problem.n
            else:
                common += vectors
    return own, common


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    """All tensors in a state: a tensor, or whatever holds some."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _tensors(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _tensors(one)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from _tensors(getattr(value, field.name))


def _left(
    sweep: FloorSweep, arm: QuestionArm, problem: Problem, changes: Mapping[str, Any]
) -> float:
    step = ConstantStep(sweep.gamma)
    known = parameters(arm.row(fixed=step).tune(problem, sweep.steps).method)
    fitting = {
        name: value for name, value in changes.items() if name in known and name not in arm.settings
    }
    try:
        method = arm.row(fitting).tune(problem, sweep.steps, step).method
        trace = run(method, problem, steps=sweep.steps, points=200)
    except Diverged:
        return math.inf
    late = trace.steps >= (1 - _TAIL) * sweep.steps
    return float((trace.suboptimality + trace.consensus)[0, late].mean())


def _curve(name: str, x: Floats, *ys: Floats) -> dict[str, Any]:
    chosen = np.unique(np.linspace(0, len(x) - 1, min(_POINTS, len(x))).round().astype(int))
    series = dict(zip(("y", "low", "high"), ys, strict=False))
    return {
        "name": name,
        "x": _all_kept(x[chosen]),
        **{label: _all_kept(values[chosen]) for label, values in series.items()},
    }


def _all_kept(values: Sequence[float] | Floats) -> list[float | None]:
    return [_kept(float(value)) for value in values]


def _kept(value: float) -> float | None:
    """The number to the digits that are kept; None where it is not finite."""
    return float(f"{value:.{_DIGITS}g}") if math.isfinite(value) else None
