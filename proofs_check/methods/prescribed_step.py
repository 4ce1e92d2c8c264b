"""Stepsizes that a method holds against those of its theorem, or of what is stated.

A stepsize that is a little shorter, or that of another number of steps, is under every limit and
breaks no bound.
"""

from __future__ import annotations

import math

from algorithms.catalogue import Row
from algorithms.catalogue.default_stepsize import default_stepsize
from algorithms.methods.parts.scheduled import Scheduled
from algorithms.problems.base import Problem
from algorithms.tuning.grid import Best
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
        cautious = _cautious(row, problem, c)
        asked.append(f"the rule for rows without a theorem for {steps} steps")
        if tuned.theorem is None:
            due: Stepsize = ConstantStep(cautious)
        else:
            due = tuned.theorem.stepsize(c, steps)
            asked.append(f"{tuned.theorem.name} for {steps} steps")
        said, _ = default_stepsize(problem, c, row.ready().relative_move)
        worst, compared = max(worst, abs(said(0) / cautious - 1)), True
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
