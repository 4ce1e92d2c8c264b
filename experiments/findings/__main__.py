"""``python -m experiments.findings [grace=PATH choco=PATH ...]``: the tables of docs/audit.md.

PATH is a checkout of the library. Every compressor of those that are given is audited by the
command that its line shows, in a process of its own with the checkout on the import path, and what
was found is stored beside this file. Then the tables of all libraries are printed from what is
stored, as Markdown, to the letter as they stand in docs/audit.md: a test holds that.
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

STORED = Path(__file__).with_name("found.json")
"""What the audits found: by library its commit, and by command what the table shows."""

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


def audited(claimed: Claimed, place: Path) -> dict[str, Any]:
    """Audit of one compressor: claims, class, and refuted behaviour."""
    home = Path(__file__).resolve().parents[2]
    path = os.pathsep.join((str(home), str(place)))
    done = subprocess.run(
        [sys.executable, str(home / "rateproof.py"), "audit", claimed.subject, *claimed.options,
         *_PLAN, "--json"],
        capture_output=True, text=True, check=False, cwd=place, timeout=_TIMEOUT,
        env=os.environ | {"PYTHONPATH": path},
    )  # fmt: skip
    try:
        return kept(json.loads(done.stdout))
    except json.JSONDecodeError:
        return {"failed": " ".join(done.stderr.split())}


def kept(found: dict[str, Any]) -> dict[str, Any]:
    """The part of an audit's record that the table shows."""
    names = ("outcome", "check", "claim", "evidence")
    refuted = [one for one in found["behaviour"] if one["outcome"] == "refuted"]
    return {
        "class": found["class"] and found["class"]["name"],
        "claims": [{name: one[name] for name in names} for one in found["claims"]],
        "refuted": [{name: one[name] for name in names} for one in refuted],
    }


def verdict(found: dict[str, Any]) -> str:
    """Stored text of one audit, in a cell of the table."""
    if "failed" in found:
        return f"does not run: {_cell(found['failed'])}"
    lines = [f"{one['outcome']}: {_cell(one['claim'])}" for one in found["claims"]]
    lines += [_cell(one["evidence"]) for one in found["claims"] if one["outcome"] == "refuted"]
    lines.append(f"class: {found['class']}" if found["class"] else "does not run")
    lines += [f"{one['check']}: {_cell(one['evidence'])}" for one in found["refuted"]]
    return "<br>".join(dict.fromkeys(lines))


def command(claimed: Claimed) -> str:
    """Command to type, with the checkout on the import path."""
    return shlex.join(["rateproof", "audit", claimed.subject, *claimed.options, *_PLAN])


def look_at(library: Library, checkout: Path) -> dict[str, Any]:
    """Audits of a library's compressors, as they are stored."""
    found = {}
    for claimed in library.claimed:
        print(f"{library.key}: {claimed.title}", file=sys.stderr, flush=True)
        found[command(claimed)] = audited(claimed, checkout / library.folder)
    return {"commit": commit(checkout), "found": found}


def table(library: Library, stored: dict[str, Any]) -> str:
    """The findings on one library, as Markdown.

    Raises:
        ValueError: there is a compressor of which nothing is stored.
    """
    lines = [
        f"### {library.repository} at {stored['commit']}",
        "",
        "| compressor | claim | verdict | command |",
        "|---|---|---|---|",
    ]
    for claimed in library.claimed:
        asked = command(claimed)
        if asked not in stored["found"]:
            raise ValueError(
                f"nothing is stored of `{asked}`; python -m experiments.findings "
                f"{library.key}=PATH with a checkout of {library.repository} would do"
            )
        cell = verdict(stored["found"][asked])
        lines.append(f"| {claimed.title} | {claimed.source or 'none'} | {cell} | `{asked}` |")
    return "\n".join(lines)


def tables() -> str:
    """The tables of all libraries from what is stored.

    Raises:
        ValueError: as :func:`table`.
    """
    stored = json.loads(STORED.read_text())
    found = [table(each, stored[each.key]) for each in LIBRARIES if each.key in stored]
    return "\n\n".join(found)


def main(arguments: Sequence[str]) -> int:
    """Audit the checkouts that are given, print all tables; 2 if an argument is bad."""
    try:
        found = checkouts(arguments)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    for library in LIBRARIES:
        if library.key in found:
            stored = json.loads(STORED.read_text()) if STORED.exists() else {}
            stored[library.key] = look_at(library, found[library.key])
            STORED.write_text(json.dumps(stored, indent=1, sort_keys=True) + "\n")
    print(tables())
    return 0


def _cell(text: str) -> str:
    short = text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
    return short.replace("|", "\\|")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
