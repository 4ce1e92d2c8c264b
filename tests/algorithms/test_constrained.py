"""Problems over a set: where their minima lie; and rows whose parameters of practice differ."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy import optimize

from algorithms.catalogue import problem, row
from algorithms.methods.gossip.choco import ChocoGossip, ChocoSGD
from algorithms.methods.gossip_convex.mirror_descent import MirrorDescent
from algorithms.problems.absolute_data import simplex_signs
from algorithms.problems.columns_data import diabetes_products
from algorithms.problems.quadratic_data import BOUND, on_ball
from algorithms.sets.ball import Ball
from algorithms.sets.geometry import Euclidean, NegativeEntropy
from algorithms.sets.simplex import Simplex
from theory.stepsizes import ConstantStep


@pytest.mark.parametrize("n", [1, 4, 16])
def test_the_ball_binds_and_holds_the_minimum(n):
    built = on_ball(n)
    found = optimize.minimize(
        lambda x: float(built.value(torch.from_numpy(x))), np.zeros(built.d), method="SLSQP",
        jac=lambda x: built.mean_gradient(torch.from_numpy(x)).numpy(),
        constraints={"type": "ineq", "fun": lambda x: BOUND[1] ** 2 - x @ x},
        options={"ftol": 1e-14, "maxiter": 500},
    )  # fmt: skip
    assert float(built.x_star.norm()) == pytest.approx(BOUND[1], rel=1e-12)
    assert built.f_star == pytest.approx(found.fun, rel=1e-9)
    assert built.x_star.numpy() == pytest.approx(found.x, abs=1e-5)
    assert not {"f_star", "R2", "initial_gap"} & set(built.constants().stated())


def test_a_ball_that_binds_nothing_is_refused():
    with pytest.raises(ValueError, match=r"radius must lie in \(0, .*got radius=50"):
        on_ball(4, radius=50.0)


def test_the_minimiser_of_the_signs_lies_on_the_simplex():
    built = simplex_signs(4)
    assert Simplex().contains(built.x_star) and built.f_star == pytest.approx(0, abs=1e-14)
    assert float(built.features.abs().max()) == float(built.features.abs().min()) == 1.0
    assert not bool(built.kinks(built.start()).any())


def test_sets_follow_from_the_problem():
    step = ConstantStep(0.1)
    for key, name, geometry in (
        ("mirror-descent", "simplex-signs", NegativeEntropy()),
        ("mirror-descent", "lad-diabetes-sorted", Euclidean()),
        ("projected-dgd", "quadratic-ball", Euclidean(Ball(BOUND[1]))),
        ("projected-dgd", "lad-diabetes-sorted", Euclidean(Ball(100.0))),
    ):
        method = row(key).tune(problem(name, 4), 10, step).method
        assert isinstance(method, MirrorDescent) and method.geometry == geometry


def test_the_quadratic_model_of_diabetes_has_a_column_for_every_worker():
    assert diabetes_products(16).d == 64


def test_practice_and_theorem_are_told_apart():
    consensus = problem("consensus", 16)
    proven = row("choco-gossip").tune(consensus, 100)
    used = row("choco-gossip").tune(consensus, 100, practice=True)
    assert isinstance(proven.method, ChocoGossip) and isinstance(used.method, ChocoGossip)
    assert proven.theorem is not None and used.theorem is None
    assert proven.method.consensus_step < 0.01 < used.method.consensus_step
    untuned = row("choco-sgd").tune(problem("quadratic-sc", 16), 100)
    assert isinstance(untuned.method, ChocoSGD) and untuned.theorem is None
    assert untuned.method.consensus_step == used.method.consensus_step
    assert row("d-psgd").tune(problem("quadratic-sc", 4), 9, practice=True).theorem is not None
