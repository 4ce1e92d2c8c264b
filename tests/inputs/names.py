"""Values that arguments take and do not take, by name, type and help of the argument."""

from __future__ import annotations

import re
from collections.abc import Sequence

from algorithms.clusters.files import BUILT_IN
from algorithms.topologies.gallery import RULES
from proofs_check.methods.sweep import VARIABLES

ROWS = ("bsp-sgd", "qsgd", "top-k", "d-psgd", "local-sgd", "choco-sgd", "asp")
PROBLEMS = ("quadratic-sc", "quadratic-unequal", "logreg-breast-cancer")
AXES = ("steps", "bits", "messages", "seconds", "gradients")

KNOWN: dict[str, Sequence[str]] = {
    "row": ROWS, "rows": ROWS, "against": ROWS, "of_row": ROWS,
    "problem": PROBLEMS, "problems": PROBLEMS, "axis": AXES, "tuning": ("theorem", "grid"),
    "weights": tuple(RULES), "vary": VARIABLES, "cluster": tuple(BUILT_IN),
    "model": ("resnet-50", "alexnet", "bert-large"), "schedule": ("wfbp", "mg-wfbp", "fifo"),
    "architecture": ("ring", "tree"), "names": (*ROWS, "quadratic-sc", "bsp_nonconvex"),
    "device": ("cpu",), "preset": ("quick",), "cost": ("quick",),
}  # fmt: skip
"""Some of the names that an argument takes, by what arguments of all commands are called. Of an
argument that is not here the examples of its command's help are taken."""

UNKNOWN = ("nosuch", "", "qsgd ", "QSGD\u00d6", "0", "nan", "a,b", "../x", "mine", "x" * 60)
"""Words that no argument takes that asks for a name."""

NO_NUMBER = ("x", "", "1,5", "1e", "0x10", "None", "\u0664x")
NOT_WHOLE = ("4.5", "nan", "1e3", "inf")
TOO_LARGE = ("9223372036854775808", "1" + "0" * 30)
NOT_FINITE = ("nan", "inf", "-inf", "1e999")


def least(told: str, kind: type) -> float | None:
    """The least value by an argument's help: ``at least 2``, ``positive``; None where it says
    neither."""
    found = re.search(r"at least (\d+)", told)
    if found:
        return float(found[1])
    if re.search(r"\b[Pp]ositive\b", told):
        return 1 if kind is int else 0.0
    return None


def any_integer(told: str) -> bool:
    """Whether its help says that any whole number would do."""
    return "any integer" in told.casefold()
