"""``python -m experiments.findings grace=PATH choco=PATH ...``: the tables of docs/audit.md again.

PATH is a checkout of the library; those that are not given are left out. Every compressor is
audited by the command that its line shows, in a process of its own with the checkout on the import
path, and the table is printed as Markdown.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments.findings.entries import LIBRARIES, Claimed, Library

_SHOWN = 150
_TIMEOUT = 900
_PLAN = ("-d", "200", "--samples", "1000")


def checkouts(arguments: Sequence[str]) -> dict[str, Path]:
    """The folders of ``KEY=PATH`` arguments.

    Raises:
        ValueError: an argument is not of that form, or names no library or no folder.
    """
    found = {}
    for argument in arguments:
        key, _, path = argument.partition("=")
        keys = [library.key for library in LIBRARIES]
        if key not in keys or not path or not Path(path).is_dir():
            raise ValueError(
                f"checkouts must be KEY=PATH with a folder and a key of {', '.join(keys)}, got "
                f"{argument!r}"
            )
        found[key] = Path(path).resolve()
    return found


def commit(checkout: Path) -> str:
    """The commit of a checkout, 12 digits; "unknown" where git does not tell."""
    told = subprocess.run(
        ["git", "-C", str(checkout), "rev-parse", "--short=12", "HEAD"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return told.stdout.strip() or "unknown"


def audited(claimed: Claimed, place: Path) -> str:
    """What the audit says of one compressor, in a cell of the table."""
    home = Path(__file__).resolve().parents[2]
    path = os.pathsep.join((str(home), str(place)))
    done = subprocess.run(
        [sys.executable, str(home / "rateproof.py"), "audit", claimed.subject, *claimed.options,
         *_PLAN, "--json"],
        capture_output=True, text=True, check=False, cwd=place, timeout=_TIMEOUT,
        env=os.environ | {"PYTHONPATH": path},
    )  # fmt: skip
    try:
        return verdict(json.loads(done.stdout))
    except json.JSONDecodeError:
        told = " ".join(done.stderr.split())
        return f"does not run: {_short(told)}"


def verdict(found: dict[str, Any]) -> str:
    """The claims' verdicts, the class that fits, and each behaviour that is refuted."""
    kind = found["class"]
    lines = [f"{one['outcome']}: {_short(one['claim'])}" for one in found["claims"]]
    for one in found["claims"]:
        if one["outcome"] == "refuted":
            lines.append(_short(one["evidence"]))
    lines.append(f"class: {kind['name']}" if kind else "does not run")
    lines += [
        f"{one['check']}: {_short(one['evidence'])}"
        for one in found["behaviour"]
        if one["outcome"] == "refuted"
    ]
    return "<br>".join(line.replace("|", "\\|") for line in dict.fromkeys(lines))


def command(claimed: Claimed) -> str:
    """What to type, with the checkout on the import path."""
    return shlex.join(["rateproof", "audit", claimed.subject, *claimed.options, *_PLAN])


def table(library: Library, checkout: Path) -> str:
    """The findings on one library, as Markdown."""
    lines = [
        f"### {library.repository} at {commit(checkout)}",
        "",
        "| compressor | claim | verdict | command |",
        "|---|---|---|---|",
    ]
    for claimed in library.claimed:
        print(f"{library.key}: {claimed.title}", file=sys.stderr, flush=True)
        cell = audited(claimed, checkout / library.folder)
        source = claimed.source or "none"
        lines.append(f"| {claimed.title} | {source} | {cell} | `{command(claimed)}` |")
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    """Print the tables of the checkouts that are given; 2 if an argument is bad."""
    try:
        found = checkouts(arguments)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    for library in LIBRARIES:
        if library.key in found:
            print(table(library, found[library.key]), end="\n\n", flush=True)
    return 0


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
