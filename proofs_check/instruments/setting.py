"""Setting of an effect: the problem, workers, steps, stepsizes and replicas of all its arms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import final

from algorithms.problems.base import Problem
from algorithms.synchronisation.stopwatch import Timing
from proofs_check.instruments import tuned_arm
from theory.stepsizes import ConstantStep, Stepsize


@final
@dataclass(frozen=True)
class FromProblem:
    """Stepsizes that follow from the constants of the problem.

    Attributes:
        words: the rule.
        rule: the stepsizes on a problem.
    """

    words: str
    rule: Callable[[Problem], Stepsize]


Stepsizes = Stepsize | tuple[float, ...] | FromProblem | None
"""Stepsizes of an arm: a rule, a grid from which the best is taken on other runs than those that
are measured, or what follows from the problem; None: the row has none."""


@final
@dataclass(frozen=True)
class Setting:
    """Where the arms of an effect are measured, unless an arm says otherwise.

    Attributes:
        title: the problem by its catalogue name or in words.
        problem: the objective of so many workers.
        n: workers.
        steps: steps of a run.
        step: stepsizes [x^2 / f].
        replicas: replicas that are measured; 1 where nothing is drawn.
        seed: of the runs; grids are chosen on seed 1 and measured on seed 2 instead.
        points: records of a run; None: every step.
        timing: what computing and messages take [s]; None: the network's own, or nothing.
        note: what else makes the runs again.
        chosen_on: seed that chooses from a grid instead; the best is then measured on ``seed``.
    """

    title: str
    problem: Callable[[int], Problem]
    n: int
    steps: int
    step: Stepsizes
    replicas: int = 1
    seed: int = 0
    points: int | None = None
    timing: Timing | None = None
    note: str = ""
    chosen_on: int | None = None

    @property
    def seeds(self) -> tuple[int, int]:
        """On which the best of a grid is chosen, and measured."""
        if self.chosen_on is None:
            return tuned_arm.CHOSEN_ON, tuned_arm.MEASURED_ON
        return self.chosen_on, self.seed

    @property
    def told(self) -> tuple[str, ...]:
        """What makes the runs again, in words."""
        seed = self.seeds[1] if isinstance(self.step, tuple) else self.seed
        drawn = f"{self.replicas} replicas of seed {seed}" if self.replicas > 1 else f"seed {seed}"
        parts = (f"n = {self.n}", f"{self.steps} steps", self.stepsizes, self.note, drawn)
        return tuple(part for part in parts if part)

    @property
    def stepsizes(self) -> str:
        """The stepsizes in words; empty: there are none."""
        if self.step is None:
            return ""
        if isinstance(self.step, tuple):
            grid = ", ".join(f"{gamma:g}" for gamma in self.step)
            return f"the best gamma of {grid} on seed {self.seeds[0]}"
        if isinstance(self.step, FromProblem):
            return self.step.words
        if isinstance(self.step, ConstantStep):
            return f"gamma = {self.step.gamma:g}"
        return f"{self.step}"

    @property
    def built(self) -> Problem:
        """The problem of the setting's workers."""
        return _built(self.problem, self.n)


@cache
def _built(problem: Callable[[int], Problem], n: int) -> Problem:
    return problem(n)
