"""One formula, sentence or table cell of a survey that is wrong as printed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import final


class Nature(Enum):
    """Kind of evidence for an erratum.

    CITATION is what no number shows: who wrote what, or a word without a measure. Every other
    erratum has a demonstration, a verdict called ``erratum`` and its number.
    """

    NUMERICAL = "numerical"
    ALGEBRAIC = "algebraic"
    CITATION = "citation"


@final
@dataclass(frozen=True)
class Erratum:
    """Error of a survey: its place, what is right, how the difference shows.

    Attributes:
        id: its number, as in E7.
        place: where in the survey it stands.
        printed: what is printed there.
        correct: what is right.
        evidence: how the difference shows.
        nature: whether a run or a computed number shows it, the formulas and assumptions alone
            do, or only the paper that is cited.
    """

    id: str
    place: str
    printed: str
    correct: str
    evidence: str
    nature: Nature
