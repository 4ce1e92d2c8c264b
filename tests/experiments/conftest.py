"""Whatever a test calls with ``--json`` is held to the schema of its command."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.experiments.schemas import hold

DONE = (0, 1)
"""Exit codes with JSON on standard output: done, and something refuted."""


@pytest.fixture(autouse=True)
def held_to_schemas(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every call of the command line in this process, but those of a part of it."""
    plain = CliRunner.invoke

    def invoke(self: CliRunner, app: Any, args: Any = None, *more: Any, **options: Any) -> Any:
        result = plain(self, app, args, *more, **options)
        words = [str(word) for word in args] if isinstance(args, list | tuple) else []
        if "--json" in words and result.exit_code in DONE and result.stdout.strip():
            hold(words[0], json.loads(result.stdout))
        return result

    monkeypatch.setattr(CliRunner, "invoke", invoke)
    yield
