"""Compiled gradients and local solves of problems beside torch's: 1e-12 more is refuted."""

from __future__ import annotations

import pytest

from algorithms.kernels import compiled
from algorithms.problems.entries import entry_called
from algorithms.problems.logistic import Logistic
from algorithms.problems.quadratic import Quadratic
from proofs_check.problems.kernels import compiled_steps
from proofs_check.verdict import Outcome

pytestmark = pytest.mark.skipif(not compiled.COMPILED, reason="numba is not there")


def outcomes(name: str) -> dict[str, Outcome]:
    problem = entry_called(name).build(4)
    return {one.check: one.outcome for one in compiled_steps(problem, seed=3)}


@pytest.mark.parametrize("name", ["quadratic-unequal", "logreg-breast-cancer", "sparse-signal"])
def test_all_three_parts_are_compared_and_agree(name: str) -> None:
    found = outcomes(name)
    assert set(found.values()) == {Outcome.AGREES} and len(found) == 3


def test_where_nothing_is_compiled_nothing_is_said() -> None:
    assert outcomes("module-diabetes") == {}


@pytest.mark.parametrize(
    ("kind", "method", "name", "check"),
    [
        (Logistic, "gradient", "logreg-breast-cancer", "compiled stochastic gradients"),
        (Logistic, "proximal_point", "logreg-breast-cancer", "compiled local solves"),
        (Quadratic, "gradient", "quadratic-sc", "compiled stochastic gradients"),
        (Quadratic, "full_gradient", "quadratic-unequal", "compiled full gradients"),
        (Quadratic, "proximal_point", "quadratic-sc", "compiled local solves"),
    ],
)
def test_a_number_that_is_1e_12_off_is_refuted(kind, method, name, check, monkeypatch) -> None:
    true = getattr(kind, method)
    monkeypatch.setattr(kind, method, lambda self, *given: true(self, *given) * (1 + 1e-12))
    assert outcomes(name)[check] is Outcome.REFUTED
