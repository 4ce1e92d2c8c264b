"""The stepsize where no theorem tunes and nobody searched: of the problem, not of the method."""

from __future__ import annotations

import pytest
import torch

from algorithms.catalogue import METHODS, problem, row
from algorithms.problems.quadratic import Quadratic


def test_curvature_is_the_largest_eigenvalue():
    """Of a quadratic exactly; of logistic regression that of A^T A / (4 m) + the ridge's, at 0."""
    steep = Quadratic.from_arrays(
        torch.tensor([[1.0, 5.0], [1.0, 9.0]], dtype=torch.float64),
        torch.zeros(2, 2, dtype=torch.float64),
    )
    assert steep.curvature_at_start == pytest.approx(7.0, rel=1e-6)  # of the mean
    logistic = problem("logreg-breast-cancer", 4)
    x = torch.zeros(logistic.d, dtype=torch.float64)
    columns = torch.func.jacfwd(logistic.mean_gradient)(x)
    assert logistic.curvature_at_start == pytest.approx(
        float(torch.linalg.eigvalsh(columns)[-1]), rel=1e-4
    )


def test_curvature_where_there_is_none():
    flat = Quadratic.from_arrays(
        torch.full((2, 3), 1e-300, dtype=torch.float64), torch.zeros(2, 3, dtype=torch.float64)
    )
    assert flat.curvature_at_start == 1.0


def test_caution_is_by_problem_and_operator_not_by_method():
    """1/(4 n (1 + omega) L): one number for all methods of one omega, but for those whose steps are
    shares of a layer's length.
    """
    built = problem("mlp-digits", 4)
    tuned = {r.key: r.tune(built, 10) for r in METHODS if r.runs_on("mlp-digits")}
    guessed = {key: one for key, one in tuned.items() if one.theorem is None and not one.stepless}
    assert len(guessed) > 50
    shares = {key: guessed.pop(key).step(0) for key in ("lars", "lamb")}
    assert shares == {"lars": pytest.approx(0.01 / (0.001 / 0.1)), "lamb": pytest.approx(0.01)}
    plain = {one.step(0) for one in guessed.values() if not one.method.constants(built).omega}
    assert plain == {1 / (4 * 4 * built.curvature_at_start)}
    assert guessed["downpour"].note.startswith("1 / (4 n L) = ")
    assert "the curvature of f at the start" in guessed["downpour"].note


def test_caution_of_an_operator_and_of_none():
    built = problem("quadratic-sc", 4)
    assert row("downpour").tune(built, 10).step(0) == 1 / 16
    assert row("downpour").tune(problem("quadratic-sc", 8), 10).step(0) == 1 / 32
    proved = row("bsp-sgd").tune(built, 10)
    assert proved.theorem is not None and proved.note == ""
