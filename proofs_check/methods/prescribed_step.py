"""Stepsizes and periods that a method holds against those of its theorem, or of what is stated.

A stepsize that is a little shorter, or that of another number of steps, is under every limit and
breaks no bound.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from algorithms.catalogue import Row
from algorithms.catalogue.default_stepsize import default_stepsize
from algorithms.methods.base import Method
from algorithms.methods.parts.scheduled import Scheduled
from algorithms.problems.base import Problem
from algorithms.tuning.grid import Best
from proofs_check.methods.instrumented_run import RunObservations
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.constants import Constants
from theory.stepsizes import ConstantStep, Stepsize

ROUNDING = 1e-12
_POWERS = -4, 1  # of places of a search
_FIRST, _SHORT, _LONG = 12, 1000, 10**6  # steps; a schedule is drawn for no more than the second


def prescribed_step(row: Row, problem: Problem, provenance: str) -> Verdict:
    """The first theorem that applies is asked at the constants of the method that was made; so is
    the rule that this method holds, at each of its first steps. Stepsizes that a search finds, 2^p
    over the largest smoothness, are held to that, and to the stated rule that of a problem on which
    no theorem applies, whether this is one or not."""
    worst, asked, compared = 0.0, list[str](), False
    drawn = isinstance(row.build(problem, _FIRST), Scheduled)
    for steps in (_FIRST, _SHORT if drawn else _LONG):
        tuned = row.tune(problem, steps)
        held = getattr(tuned.method, "step_rule", None)
        c = tuned.method.constants(problem).completed()
        if tuned.stepless:
            continue
        if tuned.theorem is None:
            due: Stepsize = ConstantStep(_cautious(row, problem, c))
            asked.append(f"the rule for rows without a theorem for {steps} steps")
        else:
            due = tuned.theorem.stepsize(c, steps)
            asked.append(f"{tuned.theorem.name} for {steps} steps")
        said, _ = default_stepsize(problem, c, row.ready().relative_move)
        worst = max(worst, abs(said(0) / _cautious(row, problem, c) - 1))
        for rule in (tuned.step, held):
            if type(rule) is type(due):  # a warm-up holds another
                worst = max(worst, *(abs(rule(t) / due(t) - 1) for t in range(_FIRST)))
                compared = True
    off = _searched(row, problem)
    if off is not None:
        worst, compared = max(worst, off), True
        asked.append("a search")
    return Verdict(
        subject=row.key, problem=problem.name, check="prescribed stepsize",
        kind=CheckKind.INVARIANT,
        claim="the method's stepsizes are those of its theorem for so many steps, or of the "
        "stated rule, or what a search found",
        outcome=Outcome.NOT_APPLICABLE if not compared
        else Outcome.AGREES if worst <= ROUNDING else Outcome.REFUTED,
        statistic=worst if compared else None, bound=ROUNDING if compared else None,
        resolution=ROUNDING,
        evidence=f"{worst:.2g} off what is prescribed by {' and '.join(asked)}" if compared
        else "it has no stepsize, or a rule of another kind",
        provenance=provenance,
    )  # fmt: skip


def _searched(row: Row, problem: Problem) -> float | None:
    """How far stepsizes of places that a search may find are off 2^p / L; None where the method
    holds none."""
    if row.tune(problem, _FIRST).stepless:
        return None
    c, worst = problem.constants(), list[float]()
    longest = c.L_max or c.L or 1.0
    for power in _POWERS:
        tuned = Best("", power, {}, 0.0, 1).tuned(row, problem, _FIRST)
        for rule in (tuned.step, getattr(tuned.method, "step_rule", None)):
            if isinstance(rule, ConstantStep):  # a warm-up holds another
                worst.append(abs(rule(_FIRST) * longest / math.ldexp(1.0, power) - 1))
    return max(worst, default=None)


def _cautious(row: Row, problem: Problem, c: Constants) -> float:
    """1/(4 n (1 + omega) L), or a hundredth over the move of a step that is a share of a length."""
    if move := row.ready().relative_move:
        return 0.01 / move
    longest = c.L_max or c.L or problem.curvature_at_start
    return 1 / (4 * problem.n * (1 + (c.omega or 0.0)) * longest)


# The period that a method states against the gradients that workers take between exchanges.

PERIODS = ("H", "H_stale", "H_velocity")
"""Constants that say after how many steps of its own a worker hears of the others."""


def periods(
    subject: str, problem: Problem, method: Method[Any], seen: RunObservations, provenance: str
) -> Verdict:
    """Steps with a gradient that a worker takes till it sends or hears, against what is stated.

    Fewer are no fault: a period may be a limit. None but steps that end in an exchange within the
    run count.
    """
    stated = {
        name: value
        for name in PERIODS
        if (value := getattr(method.constants(problem), name)) is not None
    }
    most = int(_between(problem.n, seen).max())
    wrong = {name: value for name, value in stated.items() if value < most}
    least = min(stated.values(), default=0)
    told = ", ".join(f"{name} = {value:g}" for name, value in stated.items())
    return Verdict(
        subject=subject, problem=problem.name, check="periods", kind=CheckKind.INVARIANT,
        claim=f"workers meet after {told} steps of their own, or before" if stated
        else "no period is stated",
        outcome=Outcome.REFUTED if wrong
        else Outcome.NOT_APPLICABLE if not stated or not most
        else Outcome.AGREES if most == least else Outcome.SUPPORTED,
        statistic=float(most), bound=float(least) if stated else None,
        evidence=f"at most {most} steps of a worker between exchanges"
        + (f"; {', '.join(wrong)} is too short" if wrong else "") if most
        else "no worker that takes gradients sends or hears",
        provenance=provenance,
    )  # fmt: skip


def _between(n: int, seen: RunObservations) -> Tensor:
    """Steps with a gradient that a worker took till it sent or heard, at most ``[R, n]``."""
    totals = [
        one.sent_bits.double() + one.received_bits.double() + one.sent_messages.double()
        + one.received_messages.double()
        for one in seen.charged
    ]  # fmt: skip
    since = torch.zeros((len(seen.models[0]), n), dtype=torch.int64)
    most = since.clone()
    for t in range(len(totals) - 1):
        since += _took(since, seen, t)
        met = (totals[t + 1] > totals[t]).expand(since.shape)
        most = torch.where(met, torch.maximum(most, since), most)
        since = torch.where(met, 0, since)
    return most


def _took(like: Tensor, seen: RunObservations, t: int) -> Tensor:
    """1 for each worker that took a gradient at step t ``[R, n]``."""
    found = torch.zeros_like(like)
    for one in seen.gradients:
        if one.t == t:
            workers = one.workers.expand(len(like), one.workers.shape[-1])
            for r, w in (workers < like.shape[1]).nonzero().tolist():
                found[r, workers[r, w]] = 1
    return found
