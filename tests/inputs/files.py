"""Files and objects: studies (TOML), mixing matrices, members of the catalogue; half spoilt."""

from __future__ import annotations

import dataclasses
import json
from functools import partial
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

import rateproof
from algorithms.catalogue import OPERATORS
from algorithms.topologies.gallery import gallery
from tests.experiments.calls import call
from tests.inputs.drawn import Drawn

STUDY: dict[str, Any] = {
    "grid.row": ["qsgd"], "grid.problem": ["quadratic-sc"], "grid.n": [2], "grid.steps": [5],
    "grid.seed": [1, 2], "grid.gamma": [0.1], "replicas": 2, "records": 2, "block": 2,
}  # fmt: skip
BAD: dict[str, tuple[Any, ...]] = {
    "grid.row": (["nosuch"], [], 5, [1]), "grid.problem": (["nosuch"], [], 3),
    "grid.n": ([1], ["4"], [2.5], [], [True]), "grid.steps": ([0], [1.5], ["x"], []),
    "grid.seed": (["x"], [0.5], []), "grid.gamma": ([0], [-1], ["x"], [float("nan")]),
    "replicas": (0, "2", 1.5, True), "records": (1, "x"), "block": (0, 2.5),
}  # fmt: skip
"""What each entry of a study does not take."""


@st.composite
def studies(draw: st.DrawFn, room: Path) -> Drawn:
    """A sweep of a study's file: read and refused; sound ones are planned no further here."""
    bad = draw(st.sampled_from(tuple(BAD)))
    value = draw(st.sampled_from(BAD[bad]))
    told = STUDY | {bad: value}
    text = toml(told)
    first = value[0] if isinstance(value, list) and value else value
    shown = "" if value == [] else str(first)
    run = partial(_study, room, text)
    return Drawn("file", f"study {bad} = {value!r}", run, (bad, bad.rpartition(".")[2]), shown)


def nested(told: dict[str, Any]) -> dict[str, Any]:
    """The entries as Python's door takes them."""
    grid = {k[5:]: v for k, v in told.items() if k.startswith("grid.")}
    return {**{k: v for k, v in told.items() if "." not in k}, "grid": grid}


def toml(told: dict[str, Any]) -> str:
    """The entries as TOML."""
    top = [f"{k} = {json.dumps(v)}" for k, v in told.items() if "." not in k]
    grid = [f"{k[5:]} = {_toml(v)}" for k, v in told.items() if k.startswith("grid.")]
    return "\n".join((*top, "[grid]", *grid)) + "\n"


def _toml(value: Any) -> str:
    return json.dumps(value).replace("NaN", "nan").replace("Infinity", "inf")


def _study(room: Path, text: str) -> tuple[int, str, str]:
    (room / "drawn.toml").write_text(text)  # commands read study.toml
    return call("sweep", str(room / "drawn.toml"), "--out", str(room / "swept"))


WORDS = ("x", "nan", "inf", "-0.5", "1.5", "", "1e400")


@st.composite
def matrices(draw: st.DrawFn, room: Path) -> Drawn:
    """A mixing matrix as text; one entry spoilt, so that it is no doubly stochastic one."""
    n = draw(st.integers(1, 5))
    rows = [[f"{1 / n!r}"] * n for _ in range(n)]
    spoil = draw(st.booleans())
    if spoil:
        i, j = draw(st.integers(0, n - 1)), draw(st.integers(0, n - 1))
        rows[i][j] = draw(st.sampled_from(WORDS))
    text = "\n".join(" ".join(row) for row in rows)
    return (
        Drawn("matrix", text, partial(_matrix, room, text), ("matrix", "line", "W"), "")
        if (spoil)
        else Drawn("matrix", text, partial(_matrix, room, text))
    )


def _matrix(room: Path, text: str) -> tuple[int, str, str]:
    (room / "matrix.txt").write_text(text)
    code, out, err = call("topologies", "--matrix", str(room / "matrix.txt"))
    return (2, "", "error: matrix: refuted") if code == 1 else (code, out, err)


@st.composite
def objects(draw: st.DrawFn) -> Drawn:
    """A member of the catalogue with a number of another kind, given to ``rateproof.check``."""
    members = [m for m in (*OPERATORS.values(), *gallery(4)) if _numbers(m)]
    member = draw(st.sampled_from(members))
    name = draw(st.sampled_from(_numbers(member)))
    values = (4.5, True, "4", None, float("nan"))
    kind = next(str(f.type) for f in dataclasses.fields(member) if f.name == name)
    value = draw(st.sampled_from([v for v in values if v is not None or "None" not in kind]))
    if isinstance(getattr(member, name), float) and value == 4.5:
        value = "4"
    return Drawn("object", f"check({type(member).__name__}(..., {name}={value!r}))",
                 partial(_checked, member, name, value), (name,), repr(value))  # fmt: skip


def _numbers(member: Any) -> list[str]:
    fields = dataclasses.fields(member) if dataclasses.is_dataclass(member) else ()
    return [f.name for f in fields if f.init and type(getattr(member, f.name)) in (int, float)]


def _checked(member: Any, name: str, value: Any) -> tuple[int, str, str]:
    try:
        changed = dataclasses.replace(member, **{name: value})
    except (TypeError, ValueError, AttributeError, ArithmeticError):
        return 2, "", f"error: {name}={value!r}"  # the class itself refuses it
    try:
        rateproof.check(changed, d=8)
    except ValueError as error:
        return 2, "", f"error: {error}"
    return 0, "", ""
