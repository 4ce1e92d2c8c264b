"""``rateproof cite``: BibTeX of what a result used."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.commands.console import bad_input, dump
from experiments.reporting.citing import cite


def cite_command(names: Sequence[str], *, as_json: bool) -> int:
    """Exit code 0; 2 for a name that nothing has."""
    with bad_input():
        found = cite(names)
    if as_json:
        dump([one.record() for one in found.citations])
    else:
        print(found)
    return 0
