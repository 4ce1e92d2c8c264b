"""The stepsize of a run that no theorem tunes and nobody searched: one rule for all methods."""

from __future__ import annotations

from algorithms.problems.base import Problem
from theory.constants import Constants
from theory.stepsizes import ConstantStep, Stepsize

_CAUTION = 4  # 1/(4 L) where the gradients of n workers are taken together
_SHARE = 0.01  # of a layer's length that a step may move


def default_stepsize(
    problem: Problem, c: Constants, relative_move: float = 0.0
) -> tuple[Stepsize, str]:
    """1 / (4 n (1 + omega) L), and it in words; 0.01 / ``relative_move`` where steps are shares of
    a layer's length, which no L bounds.

    With it the gradients of n workers move a model by 1/(4 L) of their mean also where a server
    takes each as it comes; an operator's variance omega adds to theirs. It depends on problem and
    operator, not on the method, so that no ranking comes from it.
    """
    if relative_move:
        gamma = _SHARE / relative_move
        share = f"a step moves a layer by {_SHARE:.0%} of its length in the long run"
        return ConstantStep(gamma), f"{gamma:.3g}: {share}; nobody searched it"
    smoothness = c.L_max or c.L
    known = "the largest L of a worker"
    if not smoothness:
        smoothness, known = problem.curvature_at_start, "the curvature of f at the start"
    damping = _CAUTION * problem.n * (1 + (c.omega or 0.0))
    gamma = 1 / (damping * smoothness)
    operator = f" (1 + {c.omega:.3g})" if c.omega else ""
    return ConstantStep(gamma), (
        f"1 / ({_CAUTION} n{operator} L) = {gamma:.3g}, with L = {smoothness:.3g} {known}: the "
        "same rule for all methods, nobody searched it"
    )
