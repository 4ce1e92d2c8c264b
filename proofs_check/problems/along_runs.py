"""Stated constants against what is found along runs: a smaller L than a slope found is refuted.

What is found gives one side of each constant (:mod:`proofs_check.problems.estimates`): a statement
on the wrong side is refuted with the point as its counterexample. A statement on the right side is
supported, and its verdict says by what factor it lies beyond what was found. Noise and second
moments are held twice: by the problem's own noise(x), and by gradients that were drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch

from algorithms.problems.base import Problem
from proofs_check.instruments.evidence import ALPHA
from proofs_check.problems.estimates import ConstantEstimate, estimates
from proofs_check.problems.trajectory import Trajectory, sampled_trajectory
from proofs_check.verdict import Outcome, Verdict
from theory.constants import Constants, Kind, Statement

_TIGHT = 1e-9  # relative tolerance of a statement


def check_along_runs(
    problem: Problem, *, seed: int, stated: Constants | None = None, tolerance: float = _TIGHT
) -> tuple[Verdict, ...]:
    """Verdicts on every stated constant that runs speak of, and on convexity.

    ``stated`` is what is held against the problem, by default what it states itself; ``tolerance``
    is relative.
    """
    wide = problem if problem.dtype == torch.float64 else problem.double()
    c = problem.constants() if stated is None else stated
    wanted = {*c.stated(), *(("mu_min",) if c.convex else ())}
    trajectory = sampled_trajectory(wide, seed=seed)
    found = estimates(wide, trajectory, wanted)
    return tuple(hold(problem.name, c, one, trajectory, tolerance) for one in spoken_of(c, found))


def spoken_of(c: Constants, found: tuple[ConstantEstimate, ...]) -> Iterator[ConstantEstimate]:
    """The estimates whose constants are stated, and the convexity of all f_i as mu_min >= 0."""
    for one in found:
        if getattr(c, one.name) is not None and one.side is not Kind.MEASURED:
            yield one
        if one.name == "mu_min" and c.convex:
            yield ConstantEstimate(
                "convex", Kind.UPPER, one.value, one.slack, one.along, one.method, one.where
            )


def hold(
    subject: str, c: Constants, one: ConstantEstimate, trajectory: Trajectory, tolerance: float
) -> Verdict:
    """One statement against what was found.

    ``f_star``, ``initial_gap`` and ``R2`` are sides or values as they are stated; ``convex`` means
    that no curvature of any f_i is below 0.
    """
    value = 0.0 if one.name == "convex" else float(getattr(c, one.name))
    statement = c.statements.get(one.name, Statement(Kind.EXACT, "uniform", "set by construction"))
    slack = tolerance * max(abs(value), abs(one.value), 1e-12) + one.slack
    over = one.value > value + slack and statement.kind is not Kind.LOWER
    under = one.value < value - slack and statement.kind is not Kind.UPPER
    wrong = {Kind.LOWER: over, Kind.UPPER: under}.get(one.side, over or under)
    low, high = one.interval or (-math.inf, math.inf)
    drawn = statement.kind is not Kind.LOWER and low > value + slack
    claim = "every f_i is convex" if one.name == "convex" else f"{one.name} = {value:.6g}"
    return Verdict(
        subject=subject, problem=subject, check=f"{one.name} along runs",
        claim=f"{claim} ({statement.kind.value}, {statement.where})",
        outcome=Outcome.REFUTED if wrong or drawn or math.isnan(value) else Outcome.SUPPORTED,
        statistic=one.value, bound=value, uncertainty=slack, resolution=slack,
        tightness=one.value / value if value else None,
        evidence=f"{_sentence(one, value)}"
        + (f"; by draws there in [{low:.6g}, {high:.6g}], error {ALPHA:g}" if one.interval else ""),
        provenance=f"{statement.why}; runs of {trajectory.steps} steps, gamma "
        f"{' and '.join(f'{gamma:.3g}' for gamma in trajectory.gammas)}, seed {trajectory.seed}",
    )  # fmt: skip


def _sentence(one: ConstantEstimate, value: float) -> str:
    factor = f", {value / one.value:.3g} times this is stated" if one.value * value > 0 else ""
    side = {Kind.LOWER: "at least ", Kind.UPPER: "at most "}.get(one.side, "")
    return f"it is {side}{one.value:.8g} at {one.where} ({one.method}){factor}"
