"""Setting of an effect: the problem, workers, steps, stepsizes and replicas of all its arms."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import final

import torch

from algorithms.problems.base import Problem
from algorithms.synchronisation.stopwatch import Timing
from proofs_check.instruments.tuned_arm import CHOSEN_ON, MEASURED_ON, require_apart
from proofs_check.instruments.variants import LONGER, Fixed, NoSuchVariant, Variant
from theory.stepsizes import (
    ConstantStep,
    InverseRootStep,
    InverseTimeStep,
    ScaledStep,
    Stepsize,
)

_WIDE = "floats of 64 bits: the target lies below what 32 resolve"

TIMES = (0.5, 1.0, 2.0)
"""Multiples of a stepsize that a tuned side chooses from, where nothing else is said."""


def around(gamma: float) -> tuple[float, ...]:
    """The grid of :data:`TIMES` the stepsize ``gamma``."""
    return tuple(gamma * c for c in TIMES)


@final
@dataclass(frozen=True)
class FromProblem:
    """Stepsizes that follow from the constants of the problem.

    Attributes:
        words: the rule.
        rule: the stepsizes on a problem.
        times: the multiples of the rule that a side chooses from; one: nothing is chosen.
    """

    words: str
    rule: Callable[[Problem], Stepsize]
    times: tuple[float, ...] = TIMES

    def on(self, problem: Problem, factor: float) -> Stepsize:
        """``factor`` times the rule's stepsizes on a problem."""
        return scaled(self.rule(problem), factor)


Stepsizes = Stepsize | tuple[float, ...] | FromProblem | None
"""Stepsizes of an arm: a rule, a grid from which the best is taken on other runs than those that
are measured, or multiples of what follows from the problem; None: the row has none."""


@final
@dataclass(frozen=True)
class Setting:
    """Setting of the arms of an effect, unless an arm has its own.

    Attributes:
        title: the problem by its catalogue name or in words.
        problem: the objective of so many workers, and of a dimension where ``d`` is a number.
        n: workers.
        steps: steps of a run; of n where a step is one worker's.
        step: stepsizes [x^2 / f].
        replicas: replicas that are measured; 1 where nothing is drawn.
        seed: of the runs that are measured.
        points: records of a run; None: every step.
        timing: what computing and messages take [s]; None: the network's own, or nothing.
        note: what else makes the runs again.
        chosen_on: seed of the runs that choose from a grid.
        d: dimension that the problem is built with, or why it has one only.
        only_n: why there is no other number of workers; None: there is.
        dtype: number type of the runs, whose floats are as long in messages; None: the problem's.

    Raises:
        ValueError: runs are chosen and measured on one seed, or measured on seed 0.
    """

    title: str
    problem: Callable[..., Problem]
    n: int
    steps: int | Callable[[int], int]
    step: Stepsizes
    replicas: int = 1
    seed: int = MEASURED_ON
    points: int | None = None
    timing: Timing | None = None
    note: str = ""
    chosen_on: int = CHOSEN_ON
    d: int | Fixed = Fixed.NAMED
    only_n: Fixed | None = None
    dtype: torch.dtype | None = None

    def __post_init__(self) -> None:
        require_apart(self.chosen_on, self.seed)

    @property
    def description(self) -> tuple[str, ...]:
        """Recipe to repeat the runs, in words."""
        drawn = f"{self.replicas} replicas of seed {self.seed}"
        drawn = drawn if self.replicas > 1 else f"seed {self.seed}"
        words = {None: "", torch.float32: "floats of 32 bits", torch.float64: _WIDE}
        parts = (
            f"n = {self.n}",
            f"{self.length} steps",
            self.stepsizes,
            self.note,
            words.get(self.dtype, ""),
            drawn,
        )
        return tuple(part for part in parts if part)

    @property
    def length(self) -> int:
        """Steps of a run, for this number of workers."""
        return self.steps if isinstance(self.steps, int) else self.steps(self.n)

    @property
    def stepsizes(self) -> str:
        """The stepsizes in words; empty: there are none."""
        if self.step is None:
            return ""
        if isinstance(self.step, tuple):
            grid = ", ".join(f"{gamma:g}" for gamma in self.step)
            return f"the best gamma {self._searched(grid)}"
        if isinstance(self.step, FromProblem):
            times = ", ".join(f"{c:g}" for c in self.step.times)
            best = f", the best multiple of it {self._searched(times)}"
            return self.step.words + (best if self.chooses else "")
        if isinstance(self.step, ConstantStep):
            return f"gamma = {self.step.gamma:g}"
        return f"{self.step}"

    def _searched(self, grid: str) -> str:
        return f"by a search from {grid}, or from where one ended, on seed {self.chosen_on}"

    @property
    def chooses(self) -> bool:
        """Whether the best of several stepsizes is taken."""
        several = self.step.times if isinstance(self.step, FromProblem) else self.step
        return isinstance(several, tuple) and len(several) > 1

    def scale_of(self, other: Setting) -> float:
        """The dimension in units of another setting's."""
        mine, theirs = self.d, other.d
        return mine / theirs if isinstance(mine, int) and isinstance(theirs, int) else 1.0

    @property
    def sizes(self) -> tuple[float, ...]:
        """The stepsizes, or multiples of a rule's, that a search begins with."""
        if isinstance(self.step, FromProblem):
            return self.step.times
        return self.step if isinstance(self.step, tuple) else (1.0,)

    def stepsize(self, size: float) -> Stepsize | None:
        """The stepsizes of one of the :attr:`sizes`, or of one beyond them."""
        if isinstance(self.step, tuple):
            return ConstantStep(size)
        if isinstance(self.step, FromProblem):
            return self.step.on(self.built, size)
        return self.step

    @property
    def built(self) -> Problem:
        """The problem of the setting's workers."""
        return _built(self.problem, self.n, self.d if isinstance(self.d, int) else None, self.dtype)

    def varied(self, variant: Variant, own: frozenset[str] = frozenset()) -> Setting:
        """The same under a variant; ``own`` fields are an arm's, and have no variant in a size.

        Raises:
            NoSuchVariant: there is no such variant, for the reason that it names.
        """
        n, d = self.n, self.d
        if variant.n != 1 and "n" not in own:
            if self.only_n is not None:
                raise NoSuchVariant(self.only_n)
            n = max(1, round(n * variant.n))
        if variant.d != 1:
            if not isinstance(d, int):
                raise NoSuchVariant(d)
            d = round(d * variant.d)
        step = stretched(self.step, variant.step)
        replicas = self.replicas * variant.replicas if self.replicas > 1 else 1
        there = replace(self, n=n, d=d, step=step, replicas=replicas)
        if variant.seed is None:
            return there
        return replace(there, seed=variant.seed, chosen_on=variant.seed + 1000)

    def lengthened(self, times: float = LONGER) -> Setting:
        """The same with longer runs, recorded as often."""
        points = None if self.points is None else math.ceil(self.points * times)
        return replace(self, steps=math.ceil(self.length * times), points=points)


def stretched(step: Stepsizes, factor: float) -> Stepsizes:
    """``factor`` times the stepsizes."""
    if step is None or factor == 1:
        return step
    if isinstance(step, tuple):
        return tuple(gamma * factor for gamma in step)
    if isinstance(step, FromProblem):
        return replace(step, times=tuple(c * factor for c in step.times))
    return scaled(step, factor)


def scaled(rule: Stepsize, factor: float) -> Stepsize:
    """``factor`` times the stepsizes of a rule, as a rule of its own kind where it has a scale."""
    if factor == 1:
        return rule
    if isinstance(rule, ConstantStep):
        return ConstantStep(rule.gamma * factor)
    if isinstance(rule, InverseTimeStep | InverseRootStep):
        return replace(rule, scale=rule.scale * factor)
    return ScaledStep(rule, factor)


@cache
def _built(
    problem: Callable[..., Problem], n: int, d: int | None, dtype: torch.dtype | None
) -> Problem:  # fmt: skip
    made = problem(n) if d is None else problem(n, d)
    return made if dtype is None else made.computing_in(dtype)
