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

OF_COMMAND: dict[tuple[str, str], Sequence[str]] = {
    ("audit", "name"): ("torch:fp16", "mine:half"),
    ("check", "name"): ("scaled sign", "mine:RING", "mine:OPERATOR"),
    ("power", "name"): ("scaled sign", "mine:OPERATOR"),
    ("survey", "row"): ("fdla",), ("survey", "executor"): ("",),
    ("crossval", "row"): ("bsp-sgd", "top-k"),
    ("sweep", "executor"): ("",), ("sweep", "heatmap"): ("n,gamma", "steps,gamma"),
    ("tune", "rows"): ("bsp-sgd", "d-psgd"), ("tune", "problems"): ("quadratic-sc",),
    ("tune", "keep"): ("kept.json",),
    ("calibrate", "model"): (), ("calibrate", "largest"): ("4096", "65536"),
    ("conjecture", "line"): (),
    ("table", "name"): ("I", "II", "III", "IV", "000-2"),
    ("study", "rows"): ("bsp-sgd", "qsgd"), ("study", "problem"): ("quadratic-sc",),
    ("study", "column"): ("3.4",),
}  # fmt: skip
"""The same of arguments of one command that takes minutes of most of what it could be given."""

LACKING = frozenset((("predict", "data"),))
"""Folders that must have files which nobody may pass on: they are there and lack them."""

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
