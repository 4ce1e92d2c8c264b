"""Constants from runs: sides that hold, whatever is stated, and statements 5 % off are refuted."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from algorithms.catalogue import problem
from algorithms.problems.mlp import digits_mlp
from proofs_check.mutants.problems import METHOD_MUTANTS
from proofs_check.problems.curvature import spectrum
from proofs_check.problems.estimates import ESTIMATED, estimates, heterogeneity_along
from proofs_check.problems.extremes import rayleigh_ends
from proofs_check.problems.trajectory import sampled_trajectory
from proofs_check.verdict import Outcome
from theory.constants import Kind


@pytest.mark.parametrize("mutant", METHOD_MUTANTS, ids=lambda m: m.name)
def test_a_statement_5_percent_off_is_refuted_by_its_own_check(mutant) -> None:
    seen = mutant.refute()
    assert seen.outcome is Outcome.REFUTED
    assert seen.check.removeprefix("constant ").split()[0] in mutant.planted
    assert mutant.genuine().outcome is Outcome.SUPPORTED


def test_lanczos_finds_both_ends_of_the_formed_hessian() -> None:
    small = digits_mlp(2, hidden=2)
    x = small.start() + 0.5
    ends = spectrum(small, x[None]).values[0, [0, -1]]
    assert rayleigh_ends(small, x) == pytest.approx(tuple(ends), rel=1e-3)
    low, high = rayleigh_ends(small, x)
    assert ends[0] - 1e-9 <= low
    assert high <= ends[1] + 1e-9


@pytest.mark.parametrize("name", ["quadratic-sc", "quadratic-unequal"])
def test_of_quadratics_everything_is_found_to_rounding(name) -> None:
    built = problem(name, 4)
    found = {one.name: one for one in estimates(built, sampled_trajectory(built, seed=3))}
    c = built.constants()
    assert set(found) == set(ESTIMATED)
    for constant in ("L", "mu", "L_max", "mu_min", "f_star", "initial_gap", "R2", "zeta2_star"):
        assert found[constant].value == pytest.approx(c.need(constant), rel=1e-7, abs=1e-9)
    low, high = found["sigma2"].interval or (0.0, 0.0)
    assert low <= c.need("sigma2") <= high <= 1.1 * low


def test_a_saddle_is_a_counterexample_to_convexity() -> None:
    """MLP: curvature below 0 is found, at a named point, along which gradients really turn."""
    built = digits_mlp(2, hidden=2)
    seen = sampled_trajectory(built, seed=0, steps=20)
    found = {one.name: one for one in estimates(built, seen, ("mu", "L", "L_max", "zeta2"))}
    assert set(found) == {"mu", "L", "L_max", "zeta2"}
    assert found["mu"].value < -1e-3
    assert found["mu"].side is Kind.UPPER
    assert found["L_max"].value >= found["L"].value > 0
    assert found["zeta2"].value >= found["zeta2"].along > 0


def test_heterogeneity_along_a_run_is_that_of_its_points() -> None:
    built = problem("logreg-breast-cancer-sorted", 4)
    seen = sampled_trajectory(built, seed=0, steps=50)
    told = heterogeneity_along(built, seen)
    rows = built.all_gradients(seen.points[len(told) - 1]).numpy()
    apart = rows - rows.mean(axis=0)
    assert told[0][0] == 0
    assert told[-1][0] == 50
    assert told[-1][1] == pytest.approx(np.square(apart).sum(axis=1).mean(), rel=1e-12)


def test_a_trail_is_of_finite_points_and_says_where_they_are() -> None:
    built = problem("quadratic-sc", 4)
    seen = sampled_trajectory(built, seed=1, steps=10)
    assert len(seen.labels) == len(seen.points)
    assert bool(torch.isfinite(seen.points).all())
    assert int(seen.on_runs.sum()) + 6 == len(seen.points)
    with pytest.raises(ValueError, match="steps must be at least 1"):
        sampled_trajectory(built, seed=1, steps=0)
