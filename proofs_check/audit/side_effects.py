"""Side effects of a call beside its outcome: global random generators, and the input itself."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import torch
from torch import Tensor

from proofs_check.audit.arrays import tensor_of
from proofs_check.audit.history import shown
from proofs_check.audit.randomness import (
    GENERATORS,
    STATES,
    Generator,
    GeneratorEffect,
    seed_all,
    touched,
)
from proofs_check.audit.runner import Runner
from proofs_check.audit.shrink import shrink
from proofs_check.audit.traits import ordinary
from proofs_check.audit.trial import Trial
from proofs_check.verdict import Outcome, Verdict

_CALLS = 3
_DRAWN = 3


def check_side_effects(trial: Trial) -> list[Verdict]:
    """One verdict on the global generators, one on the input."""
    return [check_generators(trial), check_in_place(trial)]


def check_generators(trial: Trial) -> Verdict:
    """Whether the global generators are left alone: dropout and shuffling draw from them.

    Seeding one is worse than drawing from it: the same numbers follow every call.
    """
    claim = "the user's random numbers (dropout, shuffling) are left alone"
    check = "global generators"
    drawn: list[str] = []
    for what, act in _acts(trial):
        for generator in GENERATORS:
            touch = touched(generator, act)
            if touch is GeneratorEffect.SET:
                return trial.speaker.holds(claim, check, False, _told_set(generator, what, act))
            if touch is GeneratorEffect.DRAWN and generator.name not in drawn:
                drawn.append(generator.name)
    if drawn:
        description = (
            f"it draws from the generator {', '.join(drawn)}, never seeds it: dropout and shuffles "
            "differ from those without compression; a generator of its own would do"
        )
        return trial.speaker.says(claim, check, Outcome.COMPARED, description)
    return trial.speaker.holds(claim, check, True, "neither seeded nor drawn from")


def _acts(trial: Trial) -> list[tuple[str, Callable[[], object]]]:
    """Making one, and the first and a later call of it in the smallest and largest dimension."""
    subject = trial.bench.subject
    acts: list[tuple[str, Callable[[], object]]] = []
    if subject.renewable:
        acts.append(("making one", subject.fresh))
    for d in dict.fromkeys((trial.dims()[-1], trial.dims()[0])):
        x = ordinary(d).to(trial.bench.dtype)

        def calls(x: Tensor = x) -> None:
            function = subject.fresh()
            for _ in range(_CALLS):
                function(subject.arrays.give(x), 1)

        acts.append((f"a call, d = {d},", calls))
    return acts


def _told_set(generator: Generator, what: str, act: Callable[[], object]) -> str:
    rows = []
    for state in STATES:
        seed_all(state)
        with suppress(Exception):
            act()
        rows.append([generator.uniform() for _ in range(_DRAWN)])
    numbers = ", ".join(f"{value:.3g}" for value in rows[0])
    description = f"{what} seeds the generator {generator.name}"
    if rows[0] == rows[1]:
        description += (
            f": whatever its state was, the next numbers are {numbers}, and so a dropout mask is "
            "the same after every call"
        )
    return f"{description}, which is worse than drawing from it; a generator of its own would do"


def check_in_place(trial: Trial) -> Verdict:
    """Whether inputs are as they were, after the call and after those that follow it."""
    claim, check = "the input is left as it was", "in-place"
    for d in trial.dims():
        for x in (ordinary(d), torch.ones(d, dtype=torch.float64)):
            if _written(trial, x) is not None:
                x = shrink(x, lambda y: _written(trial, y) is not None).to(trial.bench.dtype)
                calls, after = _written(trial, x) or (1, x)
                when = "the call" if calls == 1 else f"{calls} calls"
                description = f"d = {len(x)}: x = {shown(x)} is {shown(after)} after {when}"
                return trial.speaker.holds(claim, check, False, description)
    dims = ", ".join(map(str, trial.dims()))
    return trial.speaker.holds(claim, check, True, f"bytes unchanged, d = {dims}")


def _written(trial: Trial, x: Tensor) -> tuple[int, Tensor] | None:
    """After how many calls one of the inputs is another, and what it is; None where none is."""
    arrays = trial.bench.subject.arrays
    bench = Runner(trial.bench.subject, trial.traits.dtype, trial.traits.generators)
    bench.renew()
    x = x.to(trial.bench.dtype)
    given = []
    for call in range(1, _CALLS + 1):
        given.append(arrays.give(x))
        before = arrays.raw(given[-1])
        with suppress(Exception):  # a stranger's code may write and then fail
            bench.answer(given[-1], call)
        changed = next((one for one in given if arrays.raw(one) != before), None)
        if changed is not None:
            return call, tensor_of(changed)
    return None
