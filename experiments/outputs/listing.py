"""Lists of what there is: list, topologies, cite, errata, question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

from pydantic import ConfigDict

from experiments.outputs.verdicts import VerdictRecord


@final
@dataclass(frozen=True)
class EffectLine:
    """The effect of a method.

    Attributes:
        sentence: the effect, with its figures where it was measured.
        number: the method's share of the baseline's quantity.
        verdict: on it; null: this folder has no survey.
    """

    sentence: str
    number: float | None
    verdict: str | None


@final
@dataclass(frozen=True)
class NamedResult:
    """A theorem, order or estimate of a row.

    Attributes:
        name: of the result.
        title: in words.
        source: the paper.
    """

    name: str
    title: str
    source: str


@final
@dataclass(frozen=True)
class FormLine:
    """A form of a row.

    Attributes:
        name: after the colon.
        what: in words.
        problems: that it runs on.
    """

    name: str
    what: str
    problems: list[str]


@final
@dataclass(frozen=True)
class RowLine:
    """A method of the catalogue.

    Attributes:
        key: of the row.
        family: to which it belongs.
        what: it is.
        source: the paper.
        surveyed: whether the surveys name it.
        state: ready or planned.
        kind: of the row's parts.
        parts: of a row that is no run.
        effect: what it is for; null: a row that is no run.
        claims: of its operator.
        theorems: with bounds.
        results: without bounds.
        why: no rate is stated.
        problems: that it runs on.
        forms: that it has.
    """

    key: str
    family: str
    what: str
    source: str
    surveyed: bool
    state: str
    kind: str
    parts: list[str]
    effect: EffectLine | None
    claims: list[str]
    theorems: list[NamedResult]
    results: list[NamedResult]
    why: str
    problems: list[str]
    forms: list[FormLine]


@final
@dataclass(frozen=True)
class TopologyLine:
    """A topology and its spectrum.

    Attributes:
        name: with its weights.
        n: workers.
        period: steps after which it repeats.
        lam: ||W - J||, the second largest singular value.
        gap: 1 - lam.
        lam_n: the least eigenvalue.
        beta: ||I - W||.
        symmetric: whether W is.
        stated_lam: by a closed form; null: there is none.
        rounds: 1/log(1/lam).
        messages: a worker sends in a round.
    """

    name: str
    n: int
    period: int
    lam: float
    gap: float
    lam_n: float | None
    beta: float | None
    symmetric: bool
    stated_lam: float | None
    rounds: float
    messages: float


@final
@dataclass(frozen=True)
class RefusedTopology:
    """A topology that cannot be made for so many workers.

    Attributes:
        name: of it.
        refused: why.
    """

    name: str
    refused: str


@final
@dataclass(frozen=True)
class MatrixOutput:
    """A mixing matrix of one's own.

    Attributes:
        spectrum: its numbers.
        verdicts: on it.
    """

    spectrum: TopologyLine
    verdicts: list[VerdictRecord]


@final
@dataclass(frozen=True)
class CitedPaper:
    """A paper, and what it is cited for; further fields are those of its BibTeX entry.

    Attributes:
        key: of the entry.
        kind: of the entry.
        author: all of them.
        year: of publication.
        why: what it is cited for.
        bibtex: the entry.
    """

    __pydantic_config__: ClassVar[ConfigDict] = {"extra": "allow"}

    key: str
    kind: str
    author: list[str]
    year: int
    why: list[str]
    bibtex: str


@final
@dataclass(frozen=True)
class DemonstratedErratum:
    """What the demonstration of an erratum found.

    Attributes:
        subject: of the verdict.
        claim: of the verdict.
        outcome: of the verdict.
        evidence: in words.
    """

    subject: str
    claim: str
    outcome: str
    evidence: str


@final
@dataclass(frozen=True)
class ErratumLine:
    """What a survey prints that is wrong.

    Attributes:
        name: of the erratum.
        place: in the survey.
        printed: there.
        correct: in its place.
        evidence: in words.
        nature: a misprint, or wrong.
        demonstration: what it does; null: there is none.
        code: where it is.
        found: what it found when it ran.
    """

    name: str
    place: str
    printed: str
    correct: str
    evidence: str
    nature: str
    demonstration: str | None
    code: str | None
    found: list[DemonstratedErratum]


OUTPUTS: tuple[tuple[str, Any], ...] = (
    ("list", list[RowLine]),
    ("topologies", list[TopologyLine | RefusedTopology] | MatrixOutput),
    ("cite", list[CitedPaper]),
    ("errata", list[ErratumLine]),
)
