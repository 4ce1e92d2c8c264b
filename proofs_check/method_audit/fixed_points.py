"""Where a method ends on instances whose minimiser is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from proofs_check.audit.reporting import Reporter
from proofs_check.method_audit.instances import AuditInstance
from proofs_check.method_audit.runs import Limit, limit_of
from proofs_check.method_audit.subject import MethodSubject
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats

_EXACT = 1e-6


def check_fixed_points(
    subject: MethodSubject, instances: Sequence[AuditInstance], reporter: Reporter
) -> Iterator[Verdict]:
    """Without noise, at its own parameters: whether it reaches x* where that is claimed."""
    for one in instances:
        end = limit_of(subject, one)
        claim = f"reaches x* on {one.name}" if subject.exact else f"where it ends on {one.name}"
        yield reporter.says(
            claim, "fixed point", _outcome(subject, one, end), _description(one, end),
            statistic=end.error, bound=_EXACT * one.scale if subject.exact else None,
        )  # fmt: skip


def _outcome(subject: MethodSubject, instance: AuditInstance, end: Limit) -> Outcome:
    if not subject.exact:
        return Outcome.COMPARED
    if end.error <= _EXACT * instance.scale:
        return Outcome.SUPPORTED
    return Outcome.NOT_APPLICABLE if end.falling else Outcome.REFUTED


def _description(instance: AuditInstance, end: Limit) -> str:
    where = f"x* = {_shown(instance.x_star)}"
    if end.lost:
        return f"diverges: {end.rounds} rounds lead beyond every range; {where}"
    last = "; ".join(_shown(row) for row in end.models)
    moving = end.falling and end.error > _EXACT * instance.scale
    state = "still on its way" if moving else "stands at"
    return f"after {end.rounds} rounds {state} {last}; {where}, distance {end.error:.6g}"


def _shown(x: Floats) -> str:
    return f"({', '.join(f'{v:.10g}' for v in np.ravel(x))})"
