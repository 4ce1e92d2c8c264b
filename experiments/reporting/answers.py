"""The page of questions: ``python -m experiments.reporting.answers`` writes docs/questions.md.

Each question has a command (:mod:`experiments.reporting.answered`). It is run as a user runs it, in
a folder with the files that the page shows, and what it prints stands below it.
``python -m experiments.reporting.answers NUMBER ...`` runs some again and keeps the other outputs.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from experiments.reporting.answered import ANSWERED, FILES, AnsweredQuestion
from experiments.storage.files import write_atomically

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "questions.md"
OPEN, CLOSE = "<!-- answers -->", "<!-- end of answers -->"
_SESSION = re.compile(r"^```\n\$ rateproof ([^\n]*)\n(.*?)^```", flags=re.DOTALL | re.MULTILINE)

_CALLS = """
import json, os, shlex, sys
from typer.testing import CliRunner
from experiments.cli.main import app

sys.path.append(os.getcwd())
ended = []
for line in sys.argv[1:]:
    print(line, file=sys.stderr)
    done = CliRunner().invoke(app, shlex.split(line))
    ended.append((done.exit_code, done.stdout, done.stderr))
print(json.dumps(ended))
"""


def outputs(text: str) -> dict[str, str]:
    """What a page shows of each command's output, by what follows ``rateproof``."""
    return dict(_SESSION.findall(text))


def page(text: str, shown: Mapping[str, str]) -> str:
    """The page with the declared questions and the outputs ``shown``.

    Raises:
        KeyError: there is no output of a question's command.
    """
    start, rest = text.split(OPEN)
    parts = [f"`{name}`:\n\n```{kind}\n{file}```" for name, (kind, file) in FILES.items()]
    for number, one in enumerate(ANSWERED, start=1):
        session = f"```\n$ rateproof {one.line}\n{shown[one.line]}```"
        parts.append(f"## {number}. {one.asked}\n\n{session}\n\n{one.rests_on}")
    body = "\n\n".join(parts)
    return f"{start}{OPEN}\n\n{body}\n\n{CLOSE}{rest.split(CLOSE)[1]}"


def ran(asked: Sequence[AnsweredQuestion]) -> dict[str, str]:
    """What a page shows of the commands' outputs, by line, run now, all in one process.

    Raises:
        ValueError: one ends with another exit code than is declared.
    """
    with tempfile.TemporaryDirectory() as folder:
        for name, (_, text) in FILES.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-c", _CALLS, *(one.line for one in asked)],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100"},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    found = {}
    for one, (code, told, error) in zip(asked, json.loads(done.stdout), strict=True):
        if code != one.code:
            raise ValueError(f"rateproof {one.line} must end with {one.code}, got {code}: {error}")
        found[one.line] = excerpt(told, one)
    return found


def excerpt(told: str, one: AnsweredQuestion) -> str:
    """The lines that a page shows; ``...`` stands for those left out."""
    lines: list[str] = []
    for number, line in enumerate(told.splitlines()):
        if number < one.first or re.search(one.shows, line):
            lines.append(line.rstrip())
        elif lines[-1:] != ["..."]:
            lines.append("...")
    return "\n".join(lines) + "\n"


def write(page_file: Path = PAGE, numbers: Collection[int] = ()) -> None:
    """Write the page; ``numbers``: run these questions alone, none: all."""
    text = page_file.read_text(encoding="utf-8")
    asked = [one for k, one in enumerate(ANSWERED, start=1) if not numbers or k in numbers]
    write_atomically(page_file, page(text, outputs(text) | ran(asked)).encode())


if __name__ == "__main__":
    write(numbers=[int(word) for word in sys.argv[1:]])
