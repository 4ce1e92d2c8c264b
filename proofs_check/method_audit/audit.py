"""The whole audit of a method."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from proofs_check.audit.faults import SubjectFault
from proofs_check.audit.reporting import Reporter
from proofs_check.method_audit.dependence import (
    check_buffers,
    check_entries,
    check_parameters,
    check_repeats,
    check_workers,
)
from proofs_check.method_audit.equality import check_equalities, check_plain
from proofs_check.method_audit.fixed_points import check_fixed_points
from proofs_check.method_audit.instances import INSTANCES, AuditInstance
from proofs_check.method_audit.laws import check_laws
from proofs_check.method_audit.runs import LONG, frames_outside, models_of, subject_fault
from proofs_check.method_audit.stability import check_stability
from proofs_check.method_audit.subject import MethodSubject, UnreadableClaim
from proofs_check.verdict import Verdict

Check = Callable[[MethodSubject, Sequence[AuditInstance], Reporter], Iterable[Verdict]]

CHECKS: dict[str, Check] = {
    "repeats": lambda one, places, reporter: [check_repeats(one, places[-1], reporter)],
    "parameter": check_parameters,
    "state": check_entries,
    "workers": lambda *given: [check_workers(*given)],
    "buffers": lambda *given: [check_buffers(*given)],
    "plainer": lambda *given: [check_plain(*given)],
    "equality": check_equalities,
    "conservation": check_laws,
    "fixed point": check_fixed_points,
    "stability": lambda one, _, reporter: check_stability(one, reporter),
}
"""What is looked at, cheapest first but for the last two; verdicts carry these names."""


def audit_method(
    subject: MethodSubject,
    instances: Sequence[AuditInstance] = INSTANCES,
    only: Sequence[str] = (),
    tell: Callable[[str], None] = lambda _: None,
) -> tuple[Verdict, ...]:
    """Verdicts on a method: what its models depend on, what is conserved, where it ends, how far
    its stepsize goes, and which settings are other methods; ``only`` names some of :data:`CHECKS`.

    Raises:
        SubjectFault: its step raised on an instance; names the line.
        UnreadableClaim: what is claimed cannot be read.
    """
    try:
        with np.errstate(all="ignore"):
            for one in instances:
                models_of(subject, one, LONG)
    except Exception as error:  # a stranger's code may raise anything
        raise subject_fault(subject, error) from error
    return tuple(verdicts_on(subject, instances, only, tell))


def verdicts_on(
    subject: MethodSubject,
    instances: Sequence[AuditInstance] = INSTANCES,
    only: Sequence[str] = (),
    tell: Callable[[str], None] = lambda _: None,
) -> Iterator[Verdict]:
    """The verdicts of :func:`audit_method` one by one.

    Raises:
        SubjectFault: its step raised in a longer run; names the line.
        UnreadableClaim: what is claimed cannot be read.
    """
    description = ", ".join(
        f"{name}={value!r}" for name, value in subject.parameters.items()
        if isinstance(value, int | float)
    )  # fmt: skip
    reporter = Reporter(
        subject.name, f"exact gradients; {description}" if description else "exact gradients"
    )
    for name, check in CHECKS.items():
        if not only or name in only:
            tell(name)
            try:
                with np.errstate(over="ignore", invalid="ignore"):
                    yield from check(subject, instances, reporter)
            except (SubjectFault, UnreadableClaim):
                raise
            except Exception as error:  # a stranger's code may raise anything, at any round
                if not frames_outside(error):
                    raise
                raise subject_fault(subject, error) from error
