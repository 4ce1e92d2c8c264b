"""What a method's models depend on: its parameters, entries of its state, workers, buffers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from proofs_check.audit.reporting import Reporter
from proofs_check.method_audit.instances import AuditInstance
from proofs_check.method_audit.runs import LONG, difference, models_of
from proofs_check.method_audit.subject import AuditedRun, MethodSubject, State, arrays, copied
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats

_WARM, _LONGEST = 3, 400
_FAR = (1.0, 30.0, -30.0)


def _reach(subject: MethodSubject) -> int:
    """Rounds in which a period or a warm-up that its parameters may name has passed twice."""
    counts = (v for v in subject.parameters.values() if type(v) is int)
    return max([LONG, *(2 * count + 2 for count in counts)])


def _rounds(subject: MethodSubject) -> int:
    return min(_reach(subject), _LONGEST)


def _absent(subject: MethodSubject) -> Outcome:
    """The verdict where no effect was seen: none is refuted by fewer rounds than may be needed."""
    return Outcome.REFUTED if _reach(subject) <= _LONGEST else Outcome.COMPARED


def check_parameters(
    subject: MethodSubject, instances: Sequence[AuditInstance], reporter: Reporter
) -> Iterator[Verdict]:
    """Each parameter that is a number changes the models, somewhere."""
    for name, value in subject.parameters.items():
        others = _others(value)
        if not others:
            continue
        moved = any(
            _moved(subject, subject.at(**{name: other}), one)
            for other in others
            for one in instances
        )
        seen = (
            "models differ"
            if moved
            else f"{name} has no effect on any model in {_rounds(subject)} rounds"
        )
        yield reporter.says(
            f"{name} has an effect", "parameter",
            Outcome.SUPPORTED if moved else _absent(subject),
            f"{name} = {value!r} against {', '.join(map(repr, others))}: {seen}",
        )  # fmt: skip


def _moved(subject: MethodSubject, other: MethodSubject, one: AuditInstance) -> bool:
    """Whether models differ; values that a method refuses have an effect."""
    rounds = _rounds(subject)
    try:
        return not difference(_followed(other, one, rounds), _followed(subject, one, rounds)).same
    except Exception:  # a stranger's code may raise anything
        return True


def _followed(subject: MethodSubject, instance: AuditInstance, rounds: int) -> Floats:
    with np.errstate(all="ignore"):
        return models_of(subject, instance, rounds)


def _others(value: Any) -> tuple[Any, ...]:
    """Values to hold a parameter's against."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ()
    if isinstance(value, int):
        return (value + 1, 2 * value + 1)
    return (1.5 * value, 0.5 * value) if value else (0.1, 0.5)


def check_entries(
    subject: MethodSubject, instances: Sequence[AuditInstance], reporter: Reporter
) -> Iterator[Verdict]:
    """Each array of the state moves, and moves the models."""
    run = AuditedRun(subject, instances[0])
    for _ in range(_WARM):
        run.step()
    for name in arrays(run.state):
        if name in subject.reports:
            continue
        fixed = [one for one in instances if _stands(subject, one, name)]
        idle = all(_idle(subject, one, name) for one in instances)
        claim = f"{name} is stored, and used"
        if len(fixed) == len(instances) and _zero(subject, instances, name):
            description = f"{name} is never stored: it is 0 after every round"
            yield reporter.says(claim, "state", _absent(subject), description)
        elif idle:
            description = (
                f"{name} has no effect on any later model: it is never applied (reports=('{name}',)"
                " where it is kept for the reader)"
            )
            yield reporter.says(claim, "state", _absent(subject), description)
        elif len(fixed) == len(instances):
            description = f"{name} never changes after the start"
            yield reporter.says(claim, "state", Outcome.COMPARED, description)
        else:
            yield reporter.holds(claim, "state", True, f"a change of {name} changes later models")


def _stands(subject: MethodSubject, instance: AuditInstance, name: str) -> bool:
    run = AuditedRun(subject, instance)
    values = []
    for _ in range(_rounds(subject)):
        run.step()
        values.append(np.array(run.state[name]))
    return all(np.array_equal(values[0], one) for one in values)


def _zero(subject: MethodSubject, instances: Sequence[AuditInstance], name: str) -> bool:
    runs = [AuditedRun(subject, one) for one in instances]
    return not any(np.any(run.step()[name]) for run in runs)


def _idle(subject: MethodSubject, instance: AuditInstance, name: str) -> bool:
    rng = np.random.default_rng(1)

    def change(state: State) -> State:
        moved = copied(state)
        moved[name] += 0.25 * instance.scale * rng.standard_normal(moved[name].shape)
        return moved

    with np.errstate(all="ignore"):
        plain = models_of(subject, instance, _rounds(subject), change=copied, when=_WARM)
        try:
            moved = models_of(subject, instance, _rounds(subject), change=change, when=_WARM)
        except Exception:  # what a method refuses, it uses
            return False
    return difference(moved[_WARM + 1 :], plain[_WARM + 1 :]).same


def check_workers(
    subject: MethodSubject, instances: Sequence[AuditInstance], reporter: Reporter
) -> Verdict:
    """Each worker's data change the models, where they differ enough for methods of signs."""
    without_effect = [
        (one.name, i)
        for one in instances
        for i in range(one.n)
        if not any(_moved_by(subject, one, i, far * one.scale) for far in _FAR)
    ]
    claim = "each worker's data count"
    if not without_effect:
        return reporter.holds(claim, "workers", True, "other data at any worker change the models")
    name, worker = without_effect[0]
    description = f"other data at worker {worker} change no model on {name}"
    return reporter.says(claim, "workers", _absent(subject), description)


def _moved_by(subject: MethodSubject, one: AuditInstance, worker: int, by: float) -> bool:
    rounds = _rounds(subject)
    there = _followed(subject, one.shifted(worker, by), rounds)
    return not difference(there, _followed(subject, one, rounds)).same


def check_buffers(
    subject: MethodSubject, instances: Sequence[AuditInstance], reporter: Reporter
) -> Verdict:
    """Whether gradients whose memory is used again give the same models.

    It is no fault to keep an array that a function returned; where it is the gradient's buffer of a
    library (``p.grad``), the next ``zero_grad`` clears it.
    """
    claim = "keeps no gradient's own memory"
    for one in instances:
        with np.errstate(all="ignore"):
            found = difference(models_of(subject, one, reuses=True), models_of(subject, one))
        if not found.same:
            description = (
                f"{one.name}: other models where a gradient's memory is used again by the next "
                "call; with a library's gradient buffers a copy has to be kept"
            )
            return reporter.says(claim, "buffers", Outcome.COMPARED, description)
    description = "the same models where a gradient's memory is used again by the next call"
    return reporter.holds(claim, "buffers", True, description)


def check_repeats(subject: MethodSubject, instance: AuditInstance, reporter: Reporter) -> Verdict:
    """Two runs with one seed are one."""
    found = difference(models_of(subject, instance), models_of(subject, instance))
    description = (
        "two runs are equal bit for bit" if found.bits else f"two runs differ: {found.description}"
    )
    return reporter.holds("one seed, one run", "repeats", found.bits, description)
