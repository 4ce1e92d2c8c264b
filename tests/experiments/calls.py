"""The command line, called as a user calls it."""

from __future__ import annotations

from typer.testing import CliRunner

from experiments.cli.main import app

HANGS = 1200.0
"""Seconds after which a process counts as hung. A few of work are minutes beside the ranks of other
tests, so a limit that only just allows for them fails sound runs."""


def call(*words: str) -> tuple[int, str, str]:
    """Exit code, standard output, standard error."""
    result = CliRunner().invoke(app, list(words), catch_exceptions=False)
    return result.exit_code, result.stdout, result.stderr


def refuse(words: tuple[str, ...], told: str) -> None:
    """Bad input: exit code 2 and one line that says ``told``, nothing else."""
    code, out, err = call(*words)
    assert (code, out) == (2, "")
    assert told in err
    assert err.startswith("error: ")
    assert len(err.splitlines()) == 1
