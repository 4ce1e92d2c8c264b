"""The page of questions says what is declared, and its commands print what it shows."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
import typer.main

from experiments.cli.main import app
from experiments.reporting import answers
from experiments.reporting.answered import ANSWERED, FILES, AnsweredQuestion

CHEAP = ("topologies --matrix my_weights.csv", "topologies --matrix column.csv", "cite choco-sgd",
         "question meetings", "theorem bsp_nonconvex --set n=8 --set L=1 --set sigma2=1 "
         "--set initial_gap=2", "run qsgd -p quadratic-sc -n 8 -T 500 --replicas 32")  # fmt: skip
"""Commands that the slow test runs again; all are run when the page is written."""


def text() -> str:
    return answers.PAGE.read_text(encoding="utf-8")


def test_the_page_is_what_the_questions_say() -> None:
    shown = answers.outputs(text())
    assert answers.page(text(), shown) == text(), "python -m experiments.reporting.answers"
    assert list(shown) == [one.line for one in ANSWERED]
    assert len(ANSWERED) == len({one.asked for one in ANSWERED}) == 30


@pytest.mark.parametrize("one", ANSWERED, ids=lambda one: one.line)
def test_a_command_is_understood_and_its_output_is_short(
    one: AnsweredQuestion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in FILES:
        (tmp_path / name).touch()
    name, *options = shlex.split(one.line)
    command = typer.main.get_command(app).commands[name]  # type: ignore[attr-defined]
    with command.make_context(name, options):
        pass
    shown = answers.outputs(text())[one.line].splitlines()
    assert len(shown) <= 45 and all(len(line) <= 200 for line in shown)
    assert shown != ["..."] or one.code == 2, "nothing is shown"
    assert one.asked.endswith("?") and one.rests_on.rstrip("`").endswith(".")


def test_lines_left_out_are_marked_once() -> None:
    one = AnsweredQuestion("", "", "", shows="^a", first=1)
    assert answers.excerpt("x\nb\nc\na\nb  \na  \n", one) == "x\n...\na\n...\na\n"


@pytest.mark.slow
@pytest.mark.processes
def test_commands_print_what_the_page_shows() -> None:
    asked = [one for one in ANSWERED if one.line in CHEAP]
    assert len(asked) == len(CHEAP)
    shown = answers.outputs(text())
    assert answers.ran(asked) == {line: shown[line] for line in CHEAP}


@pytest.mark.slow
@pytest.mark.processes
def test_another_end_than_is_declared_is_told() -> None:
    with pytest.raises(ValueError, match="must end with 0, got 2"):
        answers.ran([AnsweredQuestion("", "topologies --matrix column.csv", "")])
