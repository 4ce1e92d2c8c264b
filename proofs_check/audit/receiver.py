"""Whether a message is enough to read it: what else the receiver would need is no part of it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from enum import Enum
from typing import Any

import torch
from torch import Tensor

from proofs_check.audit.arrays import tensor_of
from proofs_check.audit.calls import Form
from proofs_check.audit.history import shown
from proofs_check.audit.randomness import seed_all
from proofs_check.audit.runner import Runner
from proofs_check.audit.traits import CallMemory, ordinary
from proofs_check.audit.trial import Trial
from proofs_check.verdict import Outcome, Verdict

_SEED = 7


class Missing(Enum):
    """Data that a receiver would need beside the message."""

    NOTHING = "nothing"
    CONTEXT = "the context of that very vector"
    OBJECT = "what the sending object has kept"


def missing(runner: Runner, d: int) -> tuple[Missing, str]:
    """Data missing for messages of a vector ``[d]``, and an example.

    The receiver is another one, with the context of another vector of the same size; seeds are the
    same, since both ends may draw alike. One that has sent something is tried as well, for some
    make what they need at their first call.
    """
    make = runner.subject.form
    assert make is not None
    x, other = (ordinary(d, place).to(torch.float32) for place in (0, 1))
    sender = make()
    message, context = _written(runner, sender, x)
    own = _read(runner, sender, message, context)
    if own is None:
        return Missing.NOTHING, ""
    used = make()
    _, theirs = _written(runner, used, other)
    readers = (used, make()) if runner.subject.renewable else (used,)

    def agrees(given: Any) -> bool:
        return any(_same(own, _read(runner, reader, message, given)) for reader in readers)

    if agrees(theirs):
        return Missing.NOTHING, ""
    got = _read(runner, used, message, theirs)
    description = (
        f"d = {d}: C(x) = {shown(own)} for x = {shown(x)}; the same message read elsewhere, after "
        f"x = {shown(other)}, gives {'nothing' if got is None else shown(got)}"
    )
    return (Missing.CONTEXT if agrees(context) else Missing.OBJECT), description


def check_receiver(trial: Trial) -> Verdict:
    """Whether a message can be read where nothing is known of x but its dimension."""
    claim, check = "a message is enough to read it", "receiver"
    make: Callable[[], Form] | None = trial.bench.subject.form
    if make is None or make().ends is None:
        return trial.speaker.says(
            claim, check, Outcome.NOT_APPLICABLE, "sender and receiver are not told apart"
        )
    d = max((d for d in trial.traits.dims if d <= 100), default=trial.traits.dims[0])
    found, description = missing(trial.single, d)
    if found is Missing.NOTHING:
        description = f"another one reads the same, with the context of another vector, d = {d}"
        return trial.speaker.holds(claim, check, True, description)
    description = f"{description}: the receiver needs {found.value}, which is not in the message"
    if trial.traits.memory is CallMemory.GENERATOR:
        description += ", or the same draws of a generator that both own"
        return trial.speaker.says(claim, check, Outcome.COMPARED, description)
    return trial.speaker.holds(claim, check, False, description)


def _written(runner: Runner, form: Form, x: Tensor) -> tuple[Any, Any]:
    assert form.ends is not None
    seed_all(_SEED, runner.generators)
    return form.ends.write(runner.subject.arrays.give(x))


def _read(runner: Runner, form: Form, message: Any, context: Any) -> Tensor | None:
    """Output from copies of message and context; None where it raises."""
    assert form.ends is not None
    try:
        given = copy.deepcopy((message, context))
    except Exception:  # whatever a stranger's __deepcopy__ raises
        given = message, context
    seed_all(_SEED, runner.generators)
    try:
        return tensor_of(form.ends.read(*given))
    except Exception:  # a stranger's code may raise anything
        return None


def _same(own: Tensor, other: Tensor | None) -> bool:
    return other is not None and torch.equal(own.nan_to_num(), other.nan_to_num())
