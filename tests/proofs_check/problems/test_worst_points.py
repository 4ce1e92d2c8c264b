"""Ascents find what is known by hand and by scipy's global search, and refute small bounds."""

from __future__ import annotations

import numpy as np
import pytest
import scipy
import torch

from algorithms.catalogue import problem
from algorithms.problems.logistic import Logistic
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.regularisers import L2
from proofs_check.mutants.problems import stating
from proofs_check.problems.check import check_problem
from proofs_check.problems.worst_points import longest_gradients, widest_spread
from proofs_check.verdict import Outcome

POINTS = 0.5 * torch.cartesian_prod(*[torch.arange(-1.5, 2.0, dtype=torch.float64)] * 2)


def test_longest_gradients_of_quadratics_are_on_the_sphere():
    own = Quadratic.strongly_convex(3, 2, zeta2=1.0)
    found = longest_gradients(own, POINTS, 2.0)
    best = own.all_gradients(found).norm(dim=-1).amax(0).numpy()
    angles = np.linspace(0, 2 * np.pi, 20_001)
    circle = torch.from_numpy(2.0 * np.stack((np.cos(angles), np.sin(angles)), axis=1))
    due = own.all_gradients(circle).norm(dim=-1).amax(0).numpy()
    assert best == pytest.approx(due, rel=1e-6)
    assert (found.norm(dim=-1) <= 2.0).all()


@pytest.fixture
def two_workers():
    rows = np.random.default_rng(0).normal(size=(2, 12, 2)) + np.array([[[2.0, 0.0]], [[0.0, 2.0]]])
    signs = np.where(np.arange(12) % 3 == 0, -1.0, 1.0)
    signed = torch.from_numpy(rows * signs[None, :, None]).contiguous()
    return Logistic("two workers", signed, L2(0.01), 1)


def test_spread_is_that_of_a_global_search_by_scipy(two_workers):
    def negated(x):
        return -float(two_workers.heterogeneity(torch.from_numpy(x)))

    due = scipy.optimize.differential_evolution(negated, [(-30, 30)] * 2, seed=1, tol=1e-10)
    found = float(two_workers.heterogeneity(widest_spread(two_workers, POINTS)).max())
    assert found >= -0.99 * due.fun  # the least upper bound is far out, where slopes are small


@pytest.mark.parametrize(
    ("name", "constant", "factor"),
    [("logreg-breast-cancer", "G2", 0.9), ("nonconvex-digits-dirichlet", "zeta2", 0.6)],
)
def test_bounds_that_drawn_points_do_not_reach_are_refuted(name, constant, factor):
    found = check_problem(stating(name, constant, factor), seed=1)
    (one,) = (one for one in found if one.check == f"constant {constant}")
    assert one.outcome is Outcome.REFUTED
    (true,) = (
        one
        for one in check_problem(problem(name, 8), seed=1)
        if one.check == f"constant {constant}"
    )
    assert true.outcome is Outcome.SUPPORTED
