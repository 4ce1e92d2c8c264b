"""What is stated of theorems and of rows: theorem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True)
class ResultLine:
    """A result in a list.

    Attributes:
        name: of the result.
        kind: theorem, order, mean estimation.
        title: in words.
        order: in T, n and the rest; null: no power of T.
        source: the paper.
        confidence: how surely it is known.
    """

    name: str
    kind: str
    title: str
    order: str | None
    source: str
    confidence: str


@final
@dataclass(frozen=True)
class TheoremNumbers:
    """A theorem's numbers for given constants.

    Attributes:
        constants: what it is told.
        T: steps.
        stepsize: the prescribed rule; null: constants are missing.
        bound: after T steps; null: it does not apply.
        missing: constants that it needs.
        violations: assumptions that fail.
        example: whether the constants are its own example.
    """

    constants: dict[str, float | bool | str]
    T: int
    stepsize: str | None
    bound: float | None
    missing: list[str]
    violations: list[str]
    example: bool


@final
@dataclass(frozen=True)
class ResultOutput:
    """All that is stated of a mean estimation result.

    Attributes:
        name: of the result.
        kind: theorem, order, mean estimation.
        title: in words.
        order: null: no power of T.
        source: the paper.
        confidence: how surely it is known.
        statement: in LaTeX.
        rows: methods that it speaks of.
    """

    name: str
    kind: str
    title: str
    order: str | None
    source: str
    confidence: str
    statement: str
    rows: list[str]


@final
@dataclass(frozen=True)
class OrderOutput:
    """All that is stated of a rate without constants.

    Attributes:
        name: of the result.
        kind: order.
        title: in words.
        order: null: no power of T.
        source: the paper.
        confidence: how surely it is known.
        statement: in LaTeX.
        rows: methods that it speaks of.
        metric: what is bounded.
        assumes: in words.
    """

    name: str
    kind: str
    title: str
    order: str | None
    source: str
    confidence: str
    statement: str
    rows: list[str]
    metric: str | None
    assumes: str


@final
@dataclass(frozen=True)
class TheoremOutput:
    """All that is stated of a theorem, and its numbers.

    Attributes:
        name: of the theorem.
        kind: theorem.
        title: in words.
        order: in T, n and the rest.
        source: the paper.
        confidence: how surely it is known.
        statement: in LaTeX.
        rows: methods that it speaks of.
        metric: what is bounded.
        tight: whether the order is attained.
        needs: constants, with what they mean.
        unmeasured: why it is held against no run.
        at: its numbers.
    """

    name: str
    kind: str
    title: str
    order: str | None
    source: str
    confidence: str
    statement: str
    rows: list[str]
    metric: str
    tight: bool
    needs: dict[str, str]
    unmeasured: str
    at: TheoremNumbers


@final
@dataclass(frozen=True)
class RowBound:
    """A bound that covers a row.

    Attributes:
        name: of the theorem.
        order: of the bound.
        speed_up: in n, in words.
    """

    name: str
    order: str | None
    speed_up: str


@final
@dataclass(frozen=True)
class KindAnswer:
    """What is known of a row on one kind of problem.

    Attributes:
        kind: strongly convex, and so on.
        problems: of that kind.
        covered: those of them that a theorem covers.
        bounds: that do.
    """

    kind: str
    problems: list[str]
    covered: list[str]
    bounds: list[RowBound]


@final
@dataclass(frozen=True)
class LackingAssumption:
    """An assumption that fails.

    Attributes:
        what: in words.
        results: that want it.
        problems: where it fails.
    """

    what: str
    results: list[str]
    problems: list[str]


@final
@dataclass(frozen=True)
class AssumingLine:
    """A result in a list, with what it assumes.

    Attributes:
        name: of the result.
        kind: theorem, order, mean estimation.
        title: in words.
        order: null: no power of T.
        source: the paper.
        confidence: how surely it is known.
        assumes: in words.
    """

    name: str
    kind: str
    title: str
    order: str | None
    source: str
    confidence: str
    assumes: str


@final
@dataclass(frozen=True)
class CoveredProblem:
    """A problem, and the theorems of a row there.

    Attributes:
        problem: its name.
        kind: strongly convex, and so on.
        covered_by: theorems that apply.
        violated: by theorem that does not, why.
    """

    problem: str
    kind: str
    covered_by: list[str]
    violated: dict[str, list[str]]


@final
@dataclass(frozen=True)
class CoverageOutput:
    """What is stated of a row.

    Attributes:
        row: its key.
        n: workers.
        T: steps.
        answers: by kind of problem.
        missing: assumptions that fail.
        theorems: of the row.
        results: of the row, without a bound.
        why: why no rate is stated.
        problems: that the row runs on.
    """

    row: str
    n: int
    T: int
    answers: list[KindAnswer]
    missing: list[LackingAssumption]
    theorems: list[ResultLine]
    results: list[AssumingLine]
    why: str
    problems: list[CoveredProblem]


OUTPUTS = (
    ("theorem", TheoremOutput | OrderOutput | ResultOutput | CoverageOutput | list[ResultLine]),
)
