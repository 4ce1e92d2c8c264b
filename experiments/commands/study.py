"""``rateproof study``: rows, one's own or built in, to a paper's evidence section in one folder."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from experiments.commands.console import (
    INTERRUPTED,
    SUBJECT_FAULT,
    bad_input,
    console,
    dump,
    exit_code,
    print_error,
    print_note,
    tally,
    writable,
)


def study_command(
    rows: Sequence[str], on: str | None, *, against: Sequence[str], vary: Sequence[str], out: Path,
    as_json: bool, **sizes: Any,
) -> int:  # fmt: skip
    """Exit code 1 if something was refuted, 3 if a user's own code raised, 130 if it was
    interrupted: what was finished is kept, and the same command goes on."""
    print_note(f"study of {', '.join(rows)} into {out}")
    sys.stderr.flush()
    try:
        return _conducted(rows, on, against, vary, out, sizes, as_json=as_json)
    except KeyboardInterrupt:
        print_error(f"interrupted: what was finished is kept in {out}; the same command goes on")
        return INTERRUPTED


def _conducted(
    rows: Sequence[str], on: str | None, against: Sequence[str], vary: Sequence[str], out: Path,
    sizes: Mapping[str, Any], *, as_json: bool,
) -> int:  # fmt: skip
    # everything is imported now, which takes seconds: something was said before
    from experiments.ranks.user_objects import UserCodeError
    from experiments.study.plan import planned
    from experiments.study.studying import PAGE, studied

    try:
        with bad_input(), redirect_stdout(sys.stderr):  # a stranger's module may print
            writable(out)
            plan = planned(rows, problem_name=on, against=against or None, vary=vary, **sizes)
            found = studied(plan, out, print_note)
    except UserCodeError as error:
        print_error(error)
        return SUBJECT_FAULT
    if as_json:
        dump(found.record())
    else:
        screen = console(False)
        screen.print(tally(found.verdicts), highlight=False, soft_wrap=True)
        screen.print(f"written: {out / PAGE} and {len(found.files) - 1} files beside it",
                     markup=False, highlight=False, soft_wrap=True)  # fmt: skip
    return exit_code(found.verdicts)
