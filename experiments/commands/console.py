"""Output of commands: results on standard output, errors on standard error."""

from __future__ import annotations

import json
import math
import os
import shutil
import sys
import tempfile
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from experiments.commands.grid import LAYOUT, print_table
from experiments.processes.loading import begun
from proofs_check.verdict import Outcome, Verdict, standing

COLOURS = {
    Outcome.PROVED: "green",
    Outcome.AGREES: "blue",
    Outcome.SUPPORTED: "cyan",
    Outcome.CAUGHT: "magenta",
    Outcome.REFUTED: "bold red",
    Outcome.COMPARED: "yellow",
    Outcome.NOT_APPLICABLE: "dim",
}


REFUTED, BAD_INPUT, SUBJECT_FAULT, INTERRUPTED = 1, 2, 3, 130
"""Exit codes: a claim refuted or work failed; what was typed; a user's own code raised; Ctrl-C."""


@contextmanager
def bad_input() -> Iterator[None]:
    """Inside, a ValueError is the user's: its message goes to standard error, exit code 2."""
    try:
        yield
    except ValueError as error:
        print_error(error)
        raise typer.Exit(BAD_INPUT) from error


def print_error(error: object) -> None:
    """One line on standard error."""
    begun()
    print(_folded(f"error: {error}"), file=sys.stderr)


def print_note(note: object) -> None:
    """One line on standard error that is no error: what a command is about to spend time on."""
    begun()
    print(_folded(f"note: {note}"), file=sys.stderr, flush=True)


def _folded(line: str) -> str:
    """A line broken between words where a terminal would break it within one."""
    if not sys.stderr.isatty():
        return line
    width = shutil.get_terminal_size().columns
    return textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False)


def at_least(name: str, value: int, least: int) -> None:
    """Refuse values below ``least``.

    Raises:
        ValueError: names argument and value.
    """
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {name}={value}")


def writable(out: Path) -> None:
    """See whether the folder can be made and something written into it.

    What was not there before is taken away again: a command that is refused later leaves nothing.

    Raises:
        ValueError: nothing can; says why.
    """
    missing = [folder for folder in (out, *out.parents) if not folder.exists()]
    try:
        out.mkdir(parents=True, exist_ok=True)
        handle, probe = tempfile.mkstemp(prefix=".probe-", dir=out)
        os.close(handle)
        os.unlink(probe)
        for folder in missing:
            folder.rmdir()
    except OSError as error:
        raise ValueError(
            f"out must be a folder that can be written to, got out={out} ({error.strerror}); "
            "give another with --out"
        ) from error


def writable_file(name: str, file: Path) -> None:
    """See whether the file of an argument can be written, without making it.

    Raises:
        ValueError: it cannot; says why.
    """
    try:
        writable(file.parent)
        reason = "it is a folder" if file.is_dir() else ""
    except ValueError:
        reason = "its folder cannot be written to"
    if reason:
        raise ValueError(f"{name} must be a file that can be written, got {name}={file}: {reason}")


def dump(data: Any) -> None:
    """Pure JSON on standard output: numbers that are not finite become null."""
    begun()
    print(json.dumps(_finite(data), indent=2, ensure_ascii=False))


def number(value: float | None, digits: int = 4) -> str:
    """A number for a table; a dash where there is none."""
    return "-" if value is None or math.isnan(value) else f"{value:.{digits}g}"


def interval_text(low: float, high: float, heavy: bool) -> str:
    """An interval for a table: half of its length about a mean; both ends about a median, a dash
    where replicas are too few for one."""
    if not heavy:
        return number((high - low) / 2, 2)
    return f"{number(low, 2)} to {number(high, 2)}" if math.isfinite(high - low) else "-"


def verdict_list(verdicts: Sequence[Verdict]) -> Table:
    """Verdicts for a terminal of any width: outcome, claim, numbers, evidence."""
    grid = Table.grid(padding=(0, 2, 1, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for v in verdicts:
        subject = f"{v.subject} on {v.problem}" if v.problem not in ("", v.subject) else v.subject
        told = [f"[bold]{escape(v.claim)}[/]", escape(f"{subject}, {v.check}{_numbers(v)}")]
        told += [f"[dim]{escape(text)}[/]" for text in (v.evidence, v.provenance) if text]
        grid.add_row(f"[{COLOURS[v.outcome]}]{standing(v)}[/]", "\n".join(told))
    return grid


def tally(verdicts: Sequence[Verdict]) -> str:
    """``"12 proved, 3 supported"``."""
    counts = Counter(verdict.outcome.value for verdict in verdicts)
    return ", ".join(f"{count} {outcome}" for outcome, count in counts.items()) or "no verdicts"


def show_verdicts(verdicts: Sequence[Verdict], as_json: bool) -> int:
    """Print them, what is refuted last; the exit code is 1 if a claim is refuted, else 0."""
    if as_json:
        dump([verdict.record() for verdict in verdicts])
    elif LAYOUT.tsv:
        print_verdicts(verdicts)
    else:
        out = console(False)
        ordered = sorted(verdicts, key=lambda verdict: verdict.outcome is Outcome.REFUTED)
        out.print(verdict_list(ordered), highlight=False)
        out.print(tally(verdicts), highlight=False)
    return exit_code(verdicts)


_FIELDS = (
    "outcome", "subject", "problem", "claim", "check", "statistic", "uncertainty", "bound",
    "resolution", "tightness", "evidence", "provenance",
)  # fmt: skip


def print_verdicts(verdicts: Sequence[Verdict]) -> None:
    """A line of fields for each verdict, for ``--tsv``."""
    records = (verdict.record() for verdict in verdicts)
    lines = ([_field(record[name]) for name in _FIELDS] for record in records)
    print_table(console(False), _FIELDS, lines)


def _field(value: object) -> str:
    return number(value, 6) if isinstance(value, float) else escape(str(value or ""))


def exit_code(verdicts: Sequence[Verdict]) -> int:
    """1 if a claim is refuted, else 0."""
    return REFUTED if any(verdict.outcome is Outcome.REFUTED for verdict in verdicts) else 0


class WordConsole(Console):
    """Console that wraps running text between words; a line that ends in a path, or has a word that
    is longer than the terminal, is left whole."""

    def print(self, *objects: Any, soft_wrap: bool | None = None, **options: Any) -> None:
        """Print as :class:`rich.console.Console` does; ``soft_wrap`` marks running text."""
        words = [word for one in objects if isinstance(one, str) for word in one.split()]
        path = len(words) == 2 and "/" in words[1]
        whole = soft_wrap and (path or max(map(len, words), default=0) > self.width)
        super().print(*objects, soft_wrap=whole or None, **options)


def console(as_json: bool) -> Console:
    """Console on standard output, or on standard error while JSON or lines with tabs are written
    to the former."""
    begun()
    return WordConsole(stderr=as_json or LAYOUT.tsv)


def _numbers(v: Verdict) -> str:
    names = ("statistic", "uncertainty", "bound", "resolution", "tightness")
    told = [f"{name} {number(value)}" for name in names if (value := getattr(v, name)) is not None]
    return ": " + ", ".join(told) if told else ""


def _finite(data: Any) -> Any:
    if isinstance(data, float):
        return data if math.isfinite(data) else None
    if isinstance(data, dict):
        return {str(key): _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(item) for item in data]
    return data


def files_written(out: Console, files: tuple[Path, ...]) -> None:
    """Print the paths of the figures."""
    for path in files:
        out.print(f"plot: {escape(str(path))}", highlight=False, soft_wrap=True)
