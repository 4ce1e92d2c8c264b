"""Verdicts, and what is made of them: check, crossval, audit, rate, survey, study."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias, final

from pydantic import Field

from experiments.outputs.schema import PrintedAs, fields_of
from experiments.study.plan import StudyPlan
from proofs_check.verdict import Verdict

VerdictRecord: TypeAlias = Annotated[Any, PrintedAs(fields_of(Verdict, exponent=str | None))]
"""A verdict, as every command prints it."""

RATE = fields_of(
    Verdict, exponent=str | None, variable=str, x=list[float], mean=list[float], quantity=str,
    files=list[str],
)  # fmt: skip
"""The verdict on an exponent, with the points that it was fitted to."""


@final
@dataclass(frozen=True)
class HeatMapOutput:
    """The error over two variables.

    Attributes:
        title: what was run.
        quantity: what the numbers are.
        x: the variable along the first axis.
        y: the variable along the second axis.
        x_values: its values, as text.
        y_values: its values, as text.
        error: the numbers, a list for each value of y.
        files: pictures that were written.
    """

    title: str
    quantity: str
    x: str
    y: str
    x_values: list[str]
    y_values: list[str]
    error: list[list[float]]
    files: list[str]


@final
@dataclass(frozen=True)
class SurveyOutput:
    """What a survey found.

    Attributes:
        verdicts: how many there are of each outcome.
        failed_cells: how many cells failed.
        refuted: lines of the table that are refuted.
        report: the first page.
        table: the table of all results.
    """

    verdicts: dict[str, int]
    failed_cells: int
    refuted: list[dict[str, Any]]
    report: str
    table: str


@final
@dataclass(frozen=True)
class StudyOutput:
    """A study: its plan and what was found.

    Attributes:
        plan: its arguments, all decided.
        verdicts: all of them.
        files: what was written.
    """

    plan: Annotated[Any, PrintedAs(fields_of(StudyPlan))]
    verdicts: list[VerdictRecord]
    files: list[str]


@final
@dataclass(frozen=True)
class AuditErrors:
    """Probabilities of a false verdict.

    Attributes:
        test: of one test.
        audit: of the whole audit.
    """

    test: float
    audit: float


@final
@dataclass(frozen=True)
class OperatorClass:
    """The class of operators that a subject belongs to.

    Attributes:
        name: of the class.
        text: the same in words.
        factor: by which the subject is to be scaled for it.
    """

    name: str
    text: str
    factor: float


@final
@dataclass(frozen=True)
class DimensionMeasure:
    """What was measured at one dimension.

    Attributes:
        d: the dimension.
        biased: whether the mean differs from the vector.
        bias: the largest relative bias.
        bias_half_width: half of its interval's length.
        bias_at: the vector where it was found.
        ratio: the largest E||C(x) - x||^2 / ||x||^2 found.
        ratio_half_width: half of its interval's length.
        omega: the variance constant that follows.
        delta: the contraction constant that follows.
        worst_vector: the first numbers of the worst vector.
        worst_found_by: who found it.
    """

    d: int
    biased: bool
    bias: float
    bias_half_width: float
    bias_at: str
    ratio: float
    ratio_half_width: float
    omega: float
    delta: float
    worst_vector: list[float]
    worst_found_by: str


@final
@dataclass(frozen=True)
class AuditOutput:
    """The audit of a compressor.

    Attributes:
        headline: what must be known first, empty for most.
        complete: whether it ended by itself.
        subject: what was audited.
        kind: what kind of thing it is.
        arrays: what arrays it takes.
        random: whether its outcomes are random.
        error: probabilities of a false verdict.
        class_: the class that fits; null: nothing could be measured.
        dimensions: what was measured, one a dimension.
        claims: verdicts on what was stated.
        behaviour: verdicts on all else.
        crashes: what it raised.
        refuted: whether a claim is refuted, or it does not run.
        faulty: whether anything at all is refuted.
    """

    headline: str
    complete: bool
    subject: str
    kind: str
    arrays: str
    random: bool
    error: AuditErrors
    class_: Annotated[OperatorClass | None, Field(alias="class")]
    dimensions: list[DimensionMeasure]
    claims: list[VerdictRecord]
    behaviour: list[VerdictRecord]
    crashes: list[str]
    refuted: bool
    faulty: bool


@final
@dataclass(frozen=True)
class MethodAuditOutput:
    """The audit of a method.

    Attributes:
        subject: what was audited.
        verdicts: all of them.
    """

    subject: str
    verdicts: list[VerdictRecord]


OUTPUTS = (
    ("check", list[VerdictRecord]),
    ("crossval", list[VerdictRecord]),
    ("rate", RATE | HeatMapOutput),
    ("survey", SurveyOutput),
    ("study", StudyOutput),
    ("audit", AuditOutput | MethodAuditOutput),
)
