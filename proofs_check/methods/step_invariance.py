"""Whether a row's steps are made by one rule, or by one cycle of rules.

From one state, with the same random numbers at every step, the step is made as step t = 3, 4, ...;
where it leads must not depend on t but for the cycle that the row states. A fault that comes every
so many steps (a memory that is dropped, an old model that is read) has nowhere to hide.
"""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor

from algorithms.catalogue import Row
from algorithms.core.key import Key
from algorithms.engine.run import one_thread
from algorithms.methods.base import Method, RunContext
from algorithms.methods.parts.scheduled import Scheduled
from algorithms.network.simulated import Simulated
from algorithms.problems.base import Problem
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.stepsizes import ConstantStep

FIRST, STEPS = 3, 120


def step_invariance_verdict(row: Row, problem: Problem, provenance: str) -> Verdict:
    """Steps 3 to 122 of a row at a constant stepsize, from one state: its cycle against the stated.

    What a row says of its steps stands in its recipe (``cycle``); a row that says nothing has a
    cycle of the H steps between two averagings, else of one.
    """
    recipe = row.ready()
    step = ConstantStep(1e-3 / (problem.constants().L or 1.0))
    method = recipe.build(step, problem, FIRST + STEPS)
    own = recipe.cycle(problem.n) if callable(recipe.cycle) else recipe.cycle
    stated = own or int(method.constants(problem).H or 1)
    return cycle(row.key, method, problem, stated, provenance)


def cycle(
    subject: str, method: Method[Any], problem: Problem, stated: int | str, provenance: str
) -> Verdict:
    """The shortest cycle of a method's steps against the ``stated`` one, or words that excuse it.

    Words are for methods whose rule changes for good, or whose cycle is longer than half of what is
    looked at: these are compared.
    """
    scheduled = isinstance(method, Scheduled)
    ends = [] if scheduled else steps_from_one_state(method, problem)
    half = len(ends) // 2
    found = next((p for p in range(1, half + 1) if ends[p:] == ends[:-p]), None) if ends else None
    description = "no cycle" if found is None else f"a cycle of {found}"
    seen = (
        f"{description} in {len(ends)} steps from one state, which lead to {len(set(ends))} places"
    )
    outcome = Outcome.AGREES if found == stated else Outcome.REFUTED
    if isinstance(stated, str):
        outcome = Outcome.COMPARED
        seen += f"; {stated}"
    return Verdict(
        subject=subject, problem=problem.name, check="steps alike", kind=CheckKind.INVARIANT,
        claim="every step is made by one rule" if stated == 1
        else f"steps come in a cycle of {stated}" if isinstance(stated, int)
        else "steps change as stated",
        outcome=Outcome.NOT_APPLICABLE if scheduled else outcome,
        statistic=None if found is None else float(found),
        bound=float(stated) if isinstance(stated, int) else None, resolution=0.0,
        evidence="its steps are those of a drawn schedule, see delays" if scheduled else seen,
        provenance=provenance,
    )  # fmt: skip


def steps_from_one_state(method: Method[Any], problem: Problem) -> list[int]:
    """Result of step t from one and the same state, as a fingerprint of all bits, for each t.

    The run's own keys alone forget the step: what is drawn under others, such as a schedule that
    all runs share and that is kept, has its usual numbers.
    """
    fold, root = Key.fold, Key.seed(0).fold("steps from one state")
    own = {root.words}

    def timeless(key: Key, *words: int | str) -> Key:
        if key.words not in own:
            return fold(key, *words)
        made = fold(key, *(word for word in words if isinstance(word, str)))
        own.add(made.words)
        return made

    with patch.object(Key, "fold", timeless), one_thread():
        context = RunContext(problem, Simulated(problem.n), root, torch.arange(1))
        state = method.init(problem.start(), context)
        for t in range(FIRST):
            state = method.step(state, t, context)
        return [
            hash(_fingerprint(method.step(_copy(state), t, context)))
            for t in range(FIRST, FIRST + STEPS)
        ]


def _copy(state: Any) -> Any:
    """With tensors of its own, because a step may write into them."""
    if isinstance(state, Tensor):
        return state.clone()
    if not isinstance(state, tuple):
        return state
    parts = [_copy(part) for part in state]
    return type(state)(*parts) if hasattr(state, "_fields") else tuple(parts)


def _fingerprint(state: Any) -> Any:
    if isinstance(state, Tensor):
        return state.cpu().numpy().tobytes()
    if isinstance(state, tuple):
        return tuple(map(_fingerprint, state))
    return state if isinstance(state, int | float | bool | str | None) else type(state).__name__
