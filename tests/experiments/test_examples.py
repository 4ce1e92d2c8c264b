"""Examples in the help of commands: each command has two, and their words are what it takes."""

from __future__ import annotations

import shlex

import click
import pytest
import typer
from typer.testing import CliRunner

from experiments.cli.examples import EXAMPLES
from experiments.cli.main import app

COMMANDS: dict[str, click.Command] = vars(typer.main.get_command(app))["commands"]


def test_every_command_has_two_examples_and_every_example_a_command() -> None:
    assert EXAMPLES.keys() == COMMANDS.keys()
    assert [name for name, lines in EXAMPLES.items() if len(lines) < 2] == []


@pytest.mark.parametrize("line", [line for lines in EXAMPLES.values() for line in lines])
def test_an_examples_words_are_taken_by_its_command(line: str) -> None:
    name, *words = shlex.split(line)
    with COMMANDS[name].make_context(name, words) as context:
        assert context.params


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_help_shows_the_examples_a_line_each_within_80_columns(name: str) -> None:
    shown = CliRunner().invoke(app, [name, "--help"], terminal_width=80)
    assert shown.exit_code == 0
    lines = [line.strip() for line in shown.stdout.splitlines()]
    assert max(map(len, shown.stdout.splitlines())) <= 80
    assert all(f"rateproof {line}" in lines for line in EXAMPLES[name])
