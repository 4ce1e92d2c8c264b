"""Answers that are kept: question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, final


@final
@dataclass(frozen=True)
class AnsweredRow:
    """A method in an answer.

    Attributes:
        name: of the method.
        error: at the budget.
        low: lower end of its interval.
        high: upper end of it.
        ratio: error over that of the best; null for the best.
        spent: until the target is reached; null: never.
        verdict: best, worse, not told apart.
        stepsize: that is best there.
    """

    name: str
    error: float
    low: float
    high: float
    ratio: float | None
    spent: float | None
    verdict: str
    stepsize: str


@final
@dataclass(frozen=True)
class AnsweredCurve:
    """The error of a method over what is spent.

    Attributes:
        name: of the method.
        x: what is spent.
        y: the error.
        low: lower end of its band.
        high: upper end of it.
    """

    name: str
    x: list[float]
    y: list[float]
    low: list[float]
    high: list[float]


@final
@dataclass(frozen=True)
class ContestPart:
    """A comparison at an equal budget.

    Attributes:
        title: of the part.
        kind: contest.
        problem: what they ran on.
        n: workers.
        alike: whether the workers' objectives are alike.
        replicas: independent runs.
        seed: of all draws.
        axis: what is equal.
        budget: how much of it.
        quantity: what the error is.
        target: the error that is to be reached.
        rows: the methods, the best first.
        curves: of the methods.
    """

    title: str
    kind: Literal["contest"]
    problem: str
    n: int
    alike: bool
    replicas: int
    seed: int
    axis: str
    budget: float
    quantity: str
    target: float
    rows: list[AnsweredRow]
    curves: list[AnsweredCurve]


@final
@dataclass(frozen=True)
class SweptCurve:
    """What a method leaves over values of a variable.

    Attributes:
        name: of the method.
        x: values of the variable.
        y: the error; null: it diverged.
    """

    name: str
    x: list[float]
    y: list[float]


@final
@dataclass(frozen=True)
class SweepPart:
    """Errors over values of a variable.

    Attributes:
        title: of the part.
        kind: sweep.
        problem: what they ran on.
        n: workers.
        variable: that is varied.
        gamma: the stepsize.
        steps: how many.
        quantity: what the error is.
        curves: of the methods.
    """

    title: str
    kind: Literal["sweep"]
    problem: str
    n: int
    variable: str
    gamma: float
    steps: int
    quantity: str
    curves: list[SweptCurve]


@final
@dataclass(frozen=True)
class KeptNumbers:
    """Numbers that a method keeps for each parameter.

    Attributes:
        name: of the method.
        own: on each worker.
        common: for all.
    """

    name: str
    own: float
    common: float


@final
@dataclass(frozen=True)
class StatePart:
    """What methods keep.

    Attributes:
        title: of the part.
        kind: state.
        problem: what they ran on.
        n: workers.
        rows: the methods.
    """

    title: str
    kind: Literal["state"]
    problem: str
    n: int
    rows: list[KeptNumbers]


@final
@dataclass(frozen=True)
class AnswerOutput:
    """A question that people ask, and its answer.

    Attributes:
        asked: the question.
        why: it can be answered so.
        parts: of the answer.
    """

    asked: str
    why: str
    parts: list[ContestPart | SweepPart | StatePart]


OUTPUTS = (("question", dict[str, AnswerOutput]),)
