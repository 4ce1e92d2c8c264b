"""One formula, sentence or table cell of a survey that is wrong as printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True)
class Erratum:
    """What stands where, what is right, and how the difference shows.

    Attributes:
        id: its number, as in E7.
        place: where in the survey it stands.
        printed: what is printed there.
        correct: what is right.
        evidence: how the difference shows.
    """

    id: str
    place: str
    printed: str
    correct: str
    evidence: str
