"""A counterexample in the fewest and simplest numbers that still break the bound."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from proofs_check.refute.attacker import Attacker
from proofs_check.refute.claim import Claim
from proofs_check.refute.instance import Instance
from proofs_check.refute.measured import BoundTrial, Unfit

_KEPT = 0.02
_SHORT = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 30, 40, 60, 80, 120)


def shrunk(
    attacker: Attacker, claim: Claim, trial: BoundTrial, until: float,
    clock: Callable[[], float] = time.monotonic,
) -> BoundTrial:  # fmt: skip
    """The simplest instance found until that time of the clock; its ratio stays above 1 by half of
    what the given one's was, or by 2%."""
    least = 1 + min(_KEPT, (trial.ratio - 1) / 2)
    best, going, seen = trial, True, {trial.instance}
    while going and clock() < until:
        going = False
        for simpler in _candidates(best):
            if clock() > until:
                break
            if simpler in seen:
                continue
            seen.add(simpler)
            try:
                found = attacker.measure(claim, simpler)
            except Unfit:
                continue
            if found.ratio > least:
                best, going = found, True
                break
    return best


def _candidates(trial: BoundTrial) -> Iterator[Instance]:
    instance: Any = trial.instance
    for steps in (*(s for s in _SHORT if s < trial.t), trial.t):
        if steps < instance.steps:
            yield replace(instance, steps=steps)
    yield from instance.simpler()
