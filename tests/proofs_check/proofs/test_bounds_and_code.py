"""Derivations hold the theorems' code: another formula in a theorem's file is refuted by them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import numpy as np
import pytest

from proofs_check.proofs.evaluated import TOLD, places
from proofs_check.verdict import Outcome
from tests.proofs_check.proofs.formula_mutants import behind, mutants, planted
from tests.proofs_check.proofs.test_proofs import proof
from theory.arrays import Floats
from theory.constants import Constants
from theory.stepsizes import Stepsize
from theory.theorem import Theorem
from theory.theorems import PROVED_ONLY, THEOREMS

RandomRequest = Sequence[tuple[Theorem, Constants, Stepsize, Floats]]
EVERY = THEOREMS + PROVED_ONLY
EQUIVALENT = (
    "MemSgd.parts: 4 * ALPHA * (ALPHA - 4)",  # ALPHA - 4 is 1
    "DashaTheorem.share: 2.0",  # of an error that is 0 at the start; the limit has it squared
)


def own(theorem: Theorem, function: FunctionType) -> bool:
    """Whether the function stands in the theorem's file."""
    return Path(function.__code__.co_filename).stem == theorem.name


def bounds(asked: RandomRequest) -> list[Floats]:
    """The bounds asked for."""
    return [theorem.bound(*one) for theorem, *one in asked]


def survives(
    function: FunctionType, code: CodeType, asked: RandomRequest, told: Sequence[Floats]
) -> bool:
    """Whether bounds are as told with other code in the function; one that raises is not."""
    try:
        with planted(function, code):
            now = bounds(asked)
    except (ArithmeticError, IndexError, TypeError, ValueError):
        return False
    return all(np.allclose(*pair, rtol=1e-10, atol=0.0) for pair in zip(now, told, strict=True))


@pytest.mark.parametrize("theorem", EVERY, ids=lambda t: t.name)
def test_a_proof_refutes_any_other_bound(theorem: Theorem, monkeypatch: pytest.MonkeyPatch) -> None:
    """A billionth off is refuted; and where the proof asks, every mutant in the file is off."""
    true = type(theorem).bound
    asked: list[tuple[Theorem, Constants, Stepsize, Floats]] = []

    def shifted(self: Any, c: Constants, step: Stepsize, times: Floats) -> Floats:
        asked.append((self, c, step, times))
        return true(self, c, step, times) * (1 + 1e-9)

    monkeypatch.setattr(type(theorem), "bound", shifted)
    verdict = proof(theorem.name)()
    monkeypatch.undo()
    assert verdict.outcome is Outcome.REFUTED and TOLD in verdict.evidence, verdict.evidence
    told = bounds(asked)
    passed = [
        what
        for function in behind(theorem, partial(bounds, asked))
        if own(theorem, function)
        for what, code in mutants(function)
        if survives(function, code, asked, told)
    ]
    assert not set(passed) - set(EQUIVALENT)


def test_formulas_of_families_have_no_mutant_that_all_proofs_pass() -> None:
    """What several theorems share: some proof asks where a mutant is off."""
    left: dict[str, bool] = {}
    for theorem in EVERY:
        try:
            found = list(places(theorem, theorem.example.completed()))
        except TypeError:  # warm-ups: every step of one run
            continue
        asked = [(theorem, c, step, np.array([1.0, 7.0, 50.0])) for c, step in found]
        told = bounds(asked)
        for function in behind(theorem, partial(bounds, asked)):
            if own(theorem, function):
                continue
            for what, code in mutants(function):
                if left.get(what, True):
                    left[what] = survives(function, code, asked, told)
    assert len(left) > 50
    assert not [what for what, passes in left.items() if passes]
