"""``rateproof refute``: a theorem attacked, its counterexample or how far it is from one."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path

from experiments.commands.console import (
    INTERRUPTED,
    REFUTED,
    bad_input,
    console,
    dump,
    print_note,
    writable_file,
)


def refute_command(
    name: str,
    *,
    budget: float,
    attackers: Sequence[str],
    seed: int,
    workers: int,
    script: Path | None,
    as_json: bool,
) -> int:
    """Exit code 1 if the theorem is refuted, 130 if it was interrupted before that."""
    if script is not None:
        with bad_input():
            writable_file("script", script)
    print_note(f"refute {name}: up to {budget:g} s")
    sys.stderr.flush()
    # the attackers import the catalogue, which takes seconds: something is said before
    from experiments.commands.attacks import attacked, show_attack, write_script

    with bad_input(), redirect_stdout(sys.stderr):  # a stranger's module may print
        found = attacked(name, budget=budget, attackers=attackers, seed=seed, workers=workers)
    if script is not None:
        write_script(script, found)
    if as_json:
        dump(found.record())
    else:
        show_attack(found, console(False))
    if found.standing.value == "refuted":
        return REFUTED
    if not found.complete:
        print("interrupted: above is the best so far", file=sys.stderr)
        return INTERRUPTED
    return 0
