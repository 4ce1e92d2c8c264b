"""Reasons for no exact moments: typed facts, each with the part of the state that shows it."""

from __future__ import annotations

from enum import Enum
from typing import final


class Reason(Enum):
    """Part of a method's step outside the linear recursion of moments."""

    PROBLEM = "the method does not run on a quadratic"
    OPERATOR = "its operator is not linear in what it compresses"
    STEP = "its step is not linear in its state"
    OUTPUT = "its models are not linear in its state"
    COURSE = "what decides its steps depends on the models or is drawn anew and kept"
    SHAPE = "a part of its state is there at some steps alone"
    LAW = "the law of its random choices was not enumerated"
    PERIOD = "its steps do not come again within the steps that were looked at"
    STEPSIZE = "its step is no polynomial of the stepsize"
    ROUNDING = "rounding decides its moments after so many steps"


@final
class NotLinear(Exception):
    """A method that the engine does not take: why, the field of the state, what it was.

    Attributes:
        reason: which assumption of the engine fails.
        field: the part of the state in which it shows; empty where none does.
        what: the part of the method, or the size of the deviation, in words.
    """

    def __init__(self, reason: Reason, field: str = "", what: str = "") -> None:
        super().__init__(reason, field, what)
        self.reason, self.field, self.what = reason, field, what

    def __str__(self) -> str:
        where = f" (field {self.field})" if self.field else ""
        return f"{self.reason.value}{where}" + (f": {self.what}" if self.what else "")
