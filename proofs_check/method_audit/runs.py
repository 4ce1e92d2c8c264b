"""Runs of a method on instances: models round by round, two runs beside each other, limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from traceback import FrameSummary, extract_tb
from typing import final

import numpy as np

from proofs_check.audit.faults import SubjectFault, first_line
from proofs_check.method_audit.instances import AuditInstance
from proofs_check.method_audit.subject import AuditedRun, MethodSubject, State
from theory.arrays import Floats

ROUNDS, LONG = 8, 16
ROUNDING = 1e-11
"""Of the size of what is compared: other orders of the same sums."""

_MOST, _WINDOW = 6000, 40
_SETTLED, _GROWN, _LOST = 1e-14, 1e3, 1e6
_ROOM = str(Path(__file__).parent)


def frames_outside(error: Exception) -> list[FrameSummary]:
    """What an error passed through beside this room; nothing: it is a fault of the audit."""
    return [f for f in extract_tb(error.__traceback__) if not f.filename.startswith(_ROOM)]


def subject_fault(subject: MethodSubject, error: Exception) -> SubjectFault:
    """The error of somebody's step with its place."""
    frames = frames_outside(error)
    theirs = [f for f in frames if "site-packages" not in f.filename] or frames
    place = f" ({Path(theirs[-1].filename).name}, line {theirs[-1].lineno})" if theirs else ""
    return SubjectFault(f"{subject.name} raised {first_line(error)}{place}")


def models_of(
    subject: MethodSubject,
    instance: AuditInstance,
    rounds: int = ROUNDS,
    *,
    reuses: bool = False,
    change: Callable[[State], State] | None = None,
    when: int = 0,
) -> Floats:
    """Models ``[rounds + 1, n or 1, d]``; ``change`` is made to the state after ``when`` rounds."""
    run = AuditedRun(subject, instance, reuses=reuses)
    found = [run.models]
    for t in range(rounds):
        if change is not None and t == when:
            run.state = change(run.state)
        run.step()
        found.append(run.models)
    return np.stack(found)


@final
@dataclass(frozen=True)
class Difference:
    """Two courses of models beside each other.

    Attributes:
        bits: whether they are equal bit for bit.
        largest: the largest difference, as a share of the largest number.
        first: the first round that shows one beyond rounding; -1: none.
        description: the models there, in words.
    """

    bits: bool
    largest: float
    first: int
    description: str

    @property
    def same(self) -> bool:
        """Whether they are equal, up to rounding."""
        return self.first < 0


def difference(one: Floats, other: Floats) -> Difference:
    """Of two courses; a common model stands for all rows."""
    rows = max(one.shape[1], other.shape[1])
    a, b = (np.broadcast_to(x, (x.shape[0], rows, x.shape[2])) for x in (one, other))
    with np.errstate(all="ignore"):
        scale = max(float(np.abs(x[np.isfinite(x)]).max(initial=1.0)) for x in (a, b))
        gaps = np.abs(a - b)
        gaps = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, gaps)
    apart = ~(gaps <= ROUNDING * scale)
    first = int(np.flatnonzero(apart.any((1, 2)))[0]) if apart.any() else -1
    description = ""
    if first >= 0:
        i, j = np.argwhere(apart[first])[0]
        description = f"after {first} rounds {a[first, i, j]:.10g} against {b[first, i, j]:.10g}"
    return Difference(bool((gaps == 0).all()), float(gaps.max() / scale), first, description)


@final
@dataclass(frozen=True)
class Limit:
    """Where a run ended.

    Attributes:
        models: the last ``[n or 1, d]``.
        error: their largest distance from x*, coordinate by coordinate; of a cycle its largest.
        before: that distance half as many rounds before.
        rounds: how many were taken.
        lost: whether it left every range.
    """

    models: Floats
    error: float
    before: float
    rounds: int
    lost: bool

    @property
    def falling(self) -> bool:
        """Whether it was still on its way."""
        return not self.lost and self.error < 0.6 * self.before


def limit_of(subject: MethodSubject, instance: AuditInstance, most: int = _MOST) -> Limit:
    """Run until it stands still, is lost (or refuses what has grown so), or has taken ``most``
    rounds.

    Raises:
        SubjectFault: its step raised before anything had grown.
    """
    run = AuditedRun(subject, instance)
    errors, still, models = [float(np.abs(run.models - instance.x_star).max())], 0, run.models
    for _ in range(most):
        try:
            with np.errstate(all="ignore"):
                run.step()
                now = run.models
        except Exception as error:  # a stranger's code may raise anything
            if not errors[-1] > _GROWN * instance.scale:
                raise subject_fault(subject, error) from error
            return Limit(models, errors[-1], errors[0], len(errors), True)
        still = still + 1 if np.abs(now - models).max() <= _SETTLED * instance.scale else 0
        models = now
        errors.append(float(np.abs(models - instance.x_star).max()))
        if not errors[-1] < _LOST * instance.scale:
            return Limit(models, errors[-1], errors[0], len(errors), True)
        if still >= _WINDOW:
            return Limit(models, errors[-1], errors[len(errors) // 2], len(errors) - 1, False)
    worst = max(errors[-_WINDOW:])  # of a cycle
    return Limit(models, worst, errors[len(errors) // 2], len(errors) - 1, False)
