"""JSON of every command is what its schema says: types of results, the page, the option."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import jsonschema
import pytest
import typer
from pydantic import TypeAdapter

from experiments.cli.command import prints_json
from experiments.cli.main import app
from experiments.commands import console
from experiments.outputs.page import PAGE, page
from experiments.outputs.schema import OutputSchema, PrintedAs, commands, fields_of
from tests.experiments.calls import call
from tests.experiments.schemas import hold, validator

HERE = Path(__file__).parent
SMALL = ("-p", "quadratic-sc", "-n", "4", "-T", "40", "--replicas", "4")

CALLS: dict[str, tuple[tuple[str, ...], ...]] = {
    "list": (("--ready",), ("--forms",)),
    "run": (("qsgd", *SMALL), ("local-sgd", *SMALL)),
    "compare": (("qsgd", "bsp-sgd", *SMALL),),
    "rate": (
        ("bsp-sgd", "-p", "quadratic-sc", "--vary", "T", "-T", "16", "--replicas", "4"),
        ("bsp-sgd", "-p", "quadratic-sc", "--vary", "T,n", "-T", "16", "-n", "4"),
    ),
    "tune": (("bsp-sgd", "-p", "quadratic-sc"),),
    "check": (("allreduce-ring",),),
    "power": ((),),
    "topologies": (("-n", "7"),),
    "audit": (("torch:fp16", "-d", "4", "--samples", "100"),),
    "crossval": (("--ranks", "2", "--row", "bsp-sgd"),),
    "survey": (("--row", "allreduce-ring", "--processes", "1"),),
    "table": (("I",), ("II",), ("III",), ("IV",), ("000-2",)),
    "errata": ((), ("E7", "--run")),
    "theorem": ((), ("bsp_nonconvex",), ("--for", "local-sgd")),
    "refute": (("bsp_nonconvex", "--budget", "1"),),
    "conjecture": (("--list",),),
    "worst-case": ((),),
    "question": ((),),
    "cite": (("qsgd", "logreg-breast-cancer"),),
    "assumptions": (("quadratic-sc", "-n", "4", "-T", "20"),),
    "figure": (("kempe2003-pushsum",),),
    "figures": (("--list",),),
    "timeline": (("alexnet", "--schedule", "wfbp", "-n", "4"),),
    "scaling": (("bsp-sgd", "--cluster", "survey-001-10gbe", "--model", "resnet-50", "-T", "40"),),
}
"""By command, what follows it in calls that are made here."""

ELSEWHERE = {
    "advise": "advice/test_advice.py",
    "calibrate": "calibration/test_calibrate.py",
    "predict": "predictions/test_predict.py",
    "sweep": "sweeps/test_heatmap_command.py",
    "study": "study/test_study.py",
}
"""By command, the tests whose files and ranks its calls need."""

HEAVY = frozenset(("crossval", "check", "survey", "errata", "refute", "figure", "scaling", "audit"))
STARTING = frozenset(("survey", "crossval", "audit", "refute"))
OUT = frozenset(("run", "compare", "rate", "timeline", "scaling", "figure", "survey"))


def commands_with_json(of: typer.Typer = app) -> Iterator[str]:
    for one in of.registered_commands:
        assert one.callback is not None
        if prints_json(one.callback):
            yield one.name or one.callback.__name__
    for group in of.registered_groups:
        assert group.typer_instance is not None
        yield from commands_with_json(group.typer_instance)


def test_every_command_that_prints_json_has_a_schema_and_calls_that_are_held_to_it() -> None:
    assert sorted(commands_with_json()) == sorted(commands()) == sorted([*CALLS, *ELSEWHERE])
    for name, file in ELSEWHERE.items():
        text = (HERE / file).read_text("utf-8")
        assert re.search(rf'"{name}"', text) and re.search(r"--json|hold\(", text)


def of_command(name: str) -> Any:
    marks = [pytest.mark.slow] if name in HEAVY else []
    marks += [pytest.mark.processes] if name in STARTING else []
    marks += [pytest.mark.sharded] if name == "crossval" else []
    return pytest.param(name, marks=marks)


@pytest.mark.parametrize("name", [of_command(name) for name in CALLS])
def test_what_a_command_prints_is_what_its_schema_says(name: str, tmp_path: Path) -> None:
    """The fixture of this folder holds every call to its schema; here it is seen that it did."""
    for words in CALLS[name]:
        out = ("--out", str(tmp_path)) if name in OUT else ()
        code, told, err = call(name, *words, *out, "--json")
        assert code in (0, 1), err
        hold(name, json.loads(told))


def broken(data: Any) -> Iterator[Any]:
    """The data with one field of each object left out, added, or of another type."""
    if isinstance(data, dict) and data:
        first = next(iter(data))
        yield {key: one for key, one in data.items() if key != first}
        yield data | {"no such field": 1}
        yield data | {first: {"no": ["such", "type"]}}
    elif isinstance(data, list) and data:
        for other in broken(data[0]):
            yield [other, *data[1:]]


@pytest.mark.parametrize(
    "words", [("list",), ("theorem",), ("topologies", "-n", "4")], ids=" ".join
)
def test_a_schema_refuses_what_lacks_a_field_or_has_one_more(words: tuple[str, ...]) -> None:
    data = json.loads(call(*words, "--json")[1])
    tried = list(broken(data))
    assert len(tried) == 3
    for other in tried:
        with pytest.raises(AssertionError):
            hold(words[0], other)


@pytest.mark.parametrize("name", sorted({*CALLS, *ELSEWHERE}))
def test_every_command_prints_its_schema_without_its_arguments(name: str) -> None:
    code, told, _ = call(name, "--json-schema")
    assert code == 0 and json.loads(told) == validator(name).schema


class Colour(Enum):
    RED = "red"


@dataclass
class Inner:
    """Inside.

    Attributes:
        at: where it is,
            in words.
    """

    at: tuple[float, ...]


class Outer(NamedTuple):
    """Outside.

    Attributes:
        colour: of it.
        inner: what is inside.
        kept: a number.
    """

    colour: Colour
    inner: Inner
    kept: float | None


def test_schemas_follow_from_the_types_of_results(capsys: pytest.CaptureFixture[str]) -> None:
    """A named tuple as ``_asdict`` prints it, fields beside it, and numbers that are not finite."""
    made = TypeAdapter(list[Annotated[Any, PrintedAs(fields_of(Outer, half=float))]])
    check = jsonschema.Draft202012Validator(made.json_schema(schema_generator=OutputSchema))

    def printed(**instead: Any) -> Any:
        one = {"colour": "red", "inner": {"at": [1.0, math.inf]}, "kept": None, "half": math.nan}
        console.dump([one | instead])
        return json.loads(capsys.readouterr().out)

    assert check.is_valid(printed())
    for wrong in ({"colour": "blue"}, {"inner": {"at": "1"}}, {"half": "0.5"}, {"kept": [1]}):
        assert not check.is_valid(printed(**wrong)), wrong


def test_the_page_is_what_the_schemas_say() -> None:
    assert PAGE.read_text("utf-8") == page(), "python -m experiments.outputs.page"
