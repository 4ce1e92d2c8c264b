"""Everything that is stated of a row: theorems, orders, estimates of means, by name."""

from __future__ import annotations

import inspect
import re

from theory.constants import Constants
from theory.estimation import ESTIMATION
from theory.orders import ORDERS
from theory.theorem import MeanEstimation, Result, Theorem
from theory.theorems import PROVED_ONLY, THEOREMS

RESULTS: dict[str, Result] = {
    one.name: one for one in (*THEOREMS, *PROVED_ONLY, *ORDERS, *ESTIMATION)
}
"""Every result that is stated of a row, by name."""


def kind_of(result: Result) -> str:
    """Kind of statement, in a word."""
    if isinstance(result, Theorem):
        return "theorem"
    return "mean estimation" if isinstance(result, MeanEstimation) else "order"


def meanings() -> dict[str, str]:
    """Meaning of each constant, from the attributes of :class:`Constants`."""
    text = inspect.getdoc(Constants) or ""
    told = {m[1]: m[2] for m in re.finditer(r"^ +(\w+): (.+)$", text, flags=re.MULTILINE)}
    names = (name for name in Constants.__dataclass_fields__ if name != "statements")
    return {name: told.get(name, "") for name in names}
