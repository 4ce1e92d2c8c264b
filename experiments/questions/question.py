"""Questions: what is asked, and the contests and sweeps that answer it, as data.

A contest is a comparison of rows at an equal budget (:mod:`experiments.compare`), every row at the
best stepsize of one grid. A sweep runs rows at one stepsize over the values of a variable.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple, final

from algorithms.catalogue import Row, row
from algorithms.catalogue.row import Build
from algorithms.methods.base import Method
from algorithms.problems.base import Problem
from algorithms.synchronisation.base import ComputeTimes
from algorithms.synchronisation.conditions import Linked
from algorithms.synchronisation.stopwatch import STANDARD, Timing
from algorithms.tuning.parameters import Value, with_values
from experiments.compare.axes import Axis
from theory.stepsizes import Stepsize


class QuestionArm(NamedTuple):
    """A row under a name of its own.

    Attributes:
        name: in tables and legends.
        key: the row.
        settings: parameters that differ from the row's.
        build: composes the method in place of the row's recipe, where it is a variant of the row.
    """

    name: str
    key: str
    settings: Mapping[str, Value] = {}
    build: Build | None = None

    def row(
        self, changes: Mapping[str, Value] | None = None, times: ComputeTimes | None = None,
        fixed: Stepsize | None = None,
    ) -> Row:  # fmt: skip
        """The row with its settings and ``changes``, under the arm's name.

        Where the method has a schedule of its own, a gradient in it takes ``times`` [s]. With a
        ``fixed`` stepsize it takes no other.
        """
        made = with_values(row(self.key), {**self.settings, **(changes or {})})
        recipe = made.ready()
        composed = self.build or recipe.practice or recipe.build

        def build(step: Stepsize, problem: Problem, steps: int) -> Method[Any]:
            method = composed(fixed or step, problem, steps)
            return method if times is None else _timed(method, times)

        return replace(made, key=self.name, recipe=replace(
            recipe, build=build, practice=None, theorems=(), why="it is compared at its best step",
        ))  # fmt: skip


def _timed(method: Any, times: ComputeTimes) -> Any:
    """The method with a schedule of gradients that take ``times``; messages as before."""
    if "times" not in {field.name for field in fields(method)}:
        return method
    before = method.times
    return replace(
        method, times=replace(before, times=times) if isinstance(before, Linked) else times
    )


@final
@dataclass(frozen=True)
class Contest:
    """Rows at an equal budget of one thing, each at the stepsize of a grid that is best there.

    Attributes:
        title: what differs from the question's other contests.
        problem: builds the objective.
        arms: who takes part.
        axis: what is equal.
        steps: of the first arm; they set the budget.
        replicas: independent runs of each arm.
        seed: of the runs.
        target: the error to reach; None: the worst of the errors at the budget.
        times: how long gradients take [s]; None: the survey's standard times.
    """

    title: str
    problem: Callable[[], Problem]
    arms: tuple[QuestionArm, ...]
    axis: Axis
    steps: int
    replicas: int = 16
    seed: int = 7
    target: float | None = None
    times: ComputeTimes | None = None

    def timing(self, row: Row, problem: Problem) -> Timing:
        """Model of time of every row's run."""
        return STANDARD if self.times is None else replace(STANDARD, times=self.times)


@final
@dataclass(frozen=True)
class FloorSweep:
    """Rows at one stepsize over the values of a variable: the error that is left.

    Attributes:
        title: what is varied.
        variable: label of the axis.
        values: of the variable, increasing.
        problem: builds the objective for a value.
        changes: parameters of the rows for a value, of those that have them.
        arms: who takes part.
        gamma: stepsize of all.
        steps: length of every run.
    """

    title: str
    variable: str
    values: Sequence[float]
    problem: Callable[[float], Problem]
    changes: Callable[[float], Mapping[str, Value]]
    arms: tuple[QuestionArm, ...]
    gamma: float
    steps: int


@final
@dataclass(frozen=True)
class StateCount:
    """Numbers that rows keep between steps, for every parameter of the model.

    Attributes:
        title: what is counted.
        problem: builds the objective.
        arms: who takes part.
    """

    title: str
    problem: Callable[[], Problem]
    arms: tuple[QuestionArm, ...]


@final
@dataclass(frozen=True)
class AskedQuestion:
    """One question.

    Attributes:
        key: on the command line.
        asked: the question in words.
        why: what makes an answer possible: the setting in words.
        parts: contests, sweeps and counts, in the order of the page.
    """

    key: str
    asked: str
    why: str
    parts: tuple[Contest | FloorSweep | StateCount, ...]
