"""``rateproof audit`` of somebody's method: verdicts, one a line."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout

from rich.markup import escape

from experiments.commands.console import (
    SUBJECT_FAULT,
    console,
    dump,
    exit_code,
    print_error,
    tally,
    verdict_list,
)
from proofs_check.audit.faults import SubjectFault
from proofs_check.audit.loading import imported
from proofs_check.audit.reporting import ProgressLine
from proofs_check.method_audit.audit import audit_method
from proofs_check.method_audit.subject import MethodSubject
from proofs_check.verdict import Outcome

_FINDINGS = Outcome.COMPARED, Outcome.REFUTED


def method_called(name: str) -> MethodSubject | None:
    """The method that MODULE:ATTRIBUTE names; None where it names something else, or nothing."""
    try:
        found = imported(name)
    except ValueError:  # told where compressors are looked for
        return None
    return found if isinstance(found, MethodSubject) else None


def audit_method_command(subject: MethodSubject, as_json: bool, whole: bool = False) -> int:
    """Print what was refuted or compared, ``whole``: every check.

    Exit code 1 if anything is refuted, 2 if a claim cannot be read, 3 if the step raised."""
    tell = ProgressLine(sys.stderr)
    try:
        with redirect_stdout(sys.stderr):  # a stranger's code may print
            found = audit_method(subject, tell=tell)
    except SubjectFault as error:
        print_error(error)
        return SUBJECT_FAULT
    finally:
        tell.clear()
    if as_json:
        dump({"subject": subject.name, "verdicts": [one.record() for one in found]})
        return exit_code(found)
    out = console(False)
    out.print(f"[bold]{escape(subject.name)}[/]: a method", highlight=False)
    ordered = sorted(found, key=lambda one: one.outcome is Outcome.REFUTED)
    told = [one for one in ordered if whole or one.outcome in _FINDINGS]
    if told:
        out.print(verdict_list(told), highlight=False)
    rest = "" if len(told) == len(found) else f"; {len(found) - len(told)} not shown, see --all"
    out.print(f"{tally(found)}{rest}", highlight=False)
    return exit_code(found)
