"""Tables and figures of papers, and answers: table, figure, figures, question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, TypeAlias, final

from pydantic import ConfigDict

from experiments.outputs.listing import EffectLine
from experiments.outputs.schema import PrintedAs, fields_of
from experiments.outputs.verdicts import VerdictRecord
from experiments.tables.convergence import CostColumn, Exponent
from theory.survey.influences import SurveyInfluence


@final
@dataclass(frozen=True)
class ConvergenceCell:
    """A cell of Table IV.

    Attributes:
        architecture: of the line.
        synchronisation: of the line.
        compression: of the line.
        objective: of the column.
        new: whether the survey leaves it blank.
        stated: the survey's order; null: blank.
        references: of the survey.
        errata: of the survey's entry.
        row: the method that was run.
        composition: what it is.
        method: its name with its parts.
        problem: what it ran on.
        result: that states the order.
        source: of the order.
        note: on the trial.
        standing: of the exponent of T.
        exponents: one for each variable.
        costs: the cost columns.
    """

    architecture: str
    synchronisation: str
    compression: str
    objective: str
    new: bool
    stated: str | None
    references: list[int]
    errata: list[str]
    row: str
    composition: str
    method: str
    problem: str
    result: str | None
    source: str
    note: str
    standing: str
    exponents: list[Annotated[Any, PrintedAs(fields_of(Exponent))]]
    costs: list[Annotated[Any, PrintedAs(fields_of(CostColumn, ratio=float))]]


@final
@dataclass(frozen=True)
class TaxonomyLine:
    """A line of Table I.

    Attributes:
        dimension: of the taxonomy.
        method: of the survey.
        rows: state of each row.
        evidence: effect of each row; null: a row that is no run.
    """

    dimension: str
    method: str
    rows: dict[str, str]
    evidence: dict[str, EffectLine | None]


@final
@dataclass(frozen=True)
class AllReduceOutput:
    """A line of Table III.

    Attributes:
        algorithm: of all-reduce.
        row: of the catalogue.
        new: whether the survey does not have it.
        n: nodes.
        latency: as printed.
        bandwidth: as printed.
        printed: multiples of alpha and beta N.
        counted: the same, counted.
        agrees: whether they agree.
        erratum: of the survey.
    """

    algorithm: str
    row: str
    new: bool
    n: int
    latency: str
    bandwidth: str
    printed: tuple[float, float] | None
    counted: tuple[float, float] | None
    agrees: bool | None
    erratum: str


@final
@dataclass(frozen=True)
class RoundsLine:
    """A line of Table 2 of survey 000.

    Attributes:
        row: the method.
        source: the paper.
        T: power of T.
        n: power of n.
        K: power of the period.
        speedup: whether a linear speedup is stated.
        confidence: how surely it is known.
        verdicts: of the studies.
    """

    row: str
    source: str
    T: float
    n: float
    K: float
    speedup: bool | None
    confidence: str
    verdicts: list[VerdictRecord]


@final
@dataclass(frozen=True)
class FigureLine:
    """A published figure.

    Attributes:
        name: of the figure.
        alias: another name.
        title: what it shows.
        source: the paper.
        criterion: when it is reproduced.
        cost: class of its cost.
        options: that it takes.
    """

    name: str
    alias: str
    title: str
    source: str
    criterion: str
    cost: str
    options: list[str]


@final
@dataclass(frozen=True)
class NumberLine:
    """A published number and ours.

    Attributes:
        quantity: what it is.
        relation: how ours must stand to it.
        published: the number.
        tolerance: how far ours may be off.
        ours: measured or computed.
        low: lower end of our interval; null: nothing is random.
        high: upper end of our interval.
        unit: of all of them.
        met: whether ours is where it must be.
        gate: whether the verdict rests on it.
        confidence: how surely it is known.
        source: where it is printed.
    """

    quantity: str
    relation: str
    published: float
    tolerance: float
    ours: float
    low: float
    high: float
    unit: str
    met: bool
    gate: bool
    confidence: str
    source: str


@final
@dataclass(frozen=True)
class FigureOutput:
    """A figure that was made again; further fields are details of that figure.

    Attributes:
        figure: its name.
        name: its name.
        alias: another name.
        title: what it shows.
        source: the paper.
        criterion: when it is reproduced.
        cost: class of its cost.
        options: that it takes.
        verdict: in words.
        reproduced: whether it is; null: nothing decides.
        standing: in a word.
        seconds: that it took.
        numbers: published and ours.
        notes: on it.
        files: what was written.
    """

    __pydantic_config__: ClassVar[ConfigDict] = {"extra": "allow"}

    figure: str
    name: str
    alias: str
    title: str
    source: str
    criterion: str
    cost: str
    options: list[str]
    verdict: str
    reproduced: bool | None
    standing: str
    seconds: float
    numbers: list[NumberLine]
    notes: list[str]
    files: list[str]


@final
@dataclass(frozen=True)
class FailedFigure:
    """A figure whose run raised.

    Attributes:
        figure: its name.
        name: its name.
        alias: another name.
        title: what it shows.
        source: the paper.
        criterion: when it is reproduced.
        cost: class of its cost.
        options: that it takes.
        verdict: what was raised.
        reproduced: false.
        standing: failed.
        seconds: that it took.
    """

    figure: str
    name: str
    alias: str
    title: str
    source: str
    criterion: str
    cost: str
    options: list[str]
    verdict: str
    reproduced: bool
    standing: str
    seconds: float


InfluenceLine: TypeAlias = Annotated[
    Any, PrintedAs(fields_of(SurveyInfluence, measured=dict[str, str] | None))
]
"""A line of Table II, with what was measured."""

TABLE: Any = (
    list[ConvergenceCell]
    | list[TaxonomyLine]
    | list[InfluenceLine]
    | list[AllReduceOutput]
    | list[RoundsLine]
)
"""Lines of Table IV, I, II and III of survey 002, and of Table 2 of survey 000."""

OUTPUTS = (
    ("table", TABLE),
    ("figure", FigureOutput | list[FigureLine]),
    ("figures", list[FigureOutput | FailedFigure] | list[FigureLine]),
)
