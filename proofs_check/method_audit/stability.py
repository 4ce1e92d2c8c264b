"""The largest stepsize at which a method stands still on one curvature, beside what is claimed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from proofs_check.audit.expression import evaluate
from proofs_check.audit.reporting import Reporter
from proofs_check.method_audit.instances import W2, AuditInstance, one_curvature
from proofs_check.method_audit.subject import AuditedRun, MethodSubject, UnreadableClaim
from proofs_check.verdict import Outcome, Verdict

_SWAPS = np.array([[0.25, 0.75], [0.75, 0.25]])
"""Eigenvalues 1 and -1/2."""

_ROUNDS, _ASIDE = 600, 0.02
_LEAST, _MOST, _HALVINGS = 1e-2, 16.0, 10
_GROWN, _STILL, _SHRINKS = 1e9, 1e-12, 0.9


def settings(subject: MethodSubject) -> Iterator[AuditInstance]:
    """One curvature, minimisers on both sides, so that all of a graph's modes are moved."""
    named = ((W2, "eigenvalues 1, 1/2"), (_SWAPS, "eigenvalues 1, -1/2"))
    for W, description in named if subject.gossips else named[:1]:
        one = one_curvature(1.0, W)
        name = f"one curvature L = 1{f', {description}' if subject.gossips else ''}"
        yield replace(one, name=name, b=np.array([[1.0], [-1.0]]))


def stable(subject: MethodSubject, instance: AuditInstance, stepsize: float) -> bool:
    """Whether its moves die out; code that refuses what has grown beyond every range grew."""
    moves: list[float] = []
    try:
        with np.errstate(all="ignore"):
            run = AuditedRun(subject.at(**{subject.stepsize: stepsize}), instance)
            before = run.models
            for _ in range(_ROUNDS):
                run.step()
                now = run.models
                moves.append(float(np.abs(now - before).max()))
                before = now
                if not moves[-1] < _GROWN:
                    return False
    except Exception:  # a stranger's code may raise anything
        return False
    early, late = max(moves[_ROUNDS // 4 : _ROUNDS // 2]), max(moves[-_ROUNDS // 4 :])
    return late <= _STILL or late < _SHRINKS * early


def check_stability(subject: MethodSubject, reporter: Reporter) -> Iterator[Verdict]:
    """The claimed limit from both sides, or the limit that is found."""
    if not subject.stepsize:
        return
    for one in settings(subject):
        if subject.limit:
            yield _claimed(subject, one, reporter)
        else:
            yield _found(subject, one, reporter)


def _claimed(subject: MethodSubject, one: AuditInstance, reporter: Reporter) -> Verdict:
    name, eigenvalues = subject.stepsize, np.linalg.eigvalsh(one.W)
    numbers = {k: float(v) for k, v in subject.parameters.items() if isinstance(v, int | float)}
    values = {**numbers, "L": 1.0, "l_n": float(eigenvalues[0]), "n": float(one.n)}
    try:
        limit = evaluate(subject.limit, values)
    except ValueError as error:
        raise UnreadableClaim(str(error)) from error
    below = stable(subject, one, (1 - _ASIDE) * limit)
    above = stable(subject, one, (1 + _ASIDE) * limit)
    description = (
        f"{one.name}, {name} {_ASIDE:.0%} below {limit:.6g} {'dies out' if below else 'grows'}, "
        f"{_ASIDE:.0%} above {'dies out' if above else 'grows'}"
    )
    claim = f"stable up to {name} = {subject.limit}"
    return reporter.holds(claim, "stability", below and not above, description)


def _found(subject: MethodSubject, one: AuditInstance, reporter: Reporter) -> Verdict:
    name = subject.stepsize
    claim = f"largest stable {name}"
    low, high = math.log(_LEAST), math.log(_MOST)
    if not stable(subject, one, _LEAST) or stable(subject, one, _MOST):
        description = f"{one.name}: none between {_LEAST:g} and {_MOST:g}"
        return reporter.says(claim, "stability", Outcome.COMPARED, description)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if stable(subject, one, math.exp(middle)) else (low, middle)
    description = f"{one.name}: {math.exp(low):.4g} to {math.exp(high):.4g}"
    return reporter.says(claim, "stability", Outcome.COMPARED, description)
