"""Bounds on the lengths of gradients against the longest found, and who may use them."""

from __future__ import annotations

import math

import pytest
import torch
from scipy.special import rel_entr
from torch.nn.functional import normalize, softplus

from algorithms.catalogue import problem, row
from algorithms.core.key import Key
from algorithms.methods.gossip_convex.dual_averaging import DualAveraging
from algorithms.methods.gossip_convex.gossip_dual_averaging import (
    GossipDualAveraging,
    sample_exchange_of,
)
from algorithms.methods.gossip_convex.mirror_descent import MirrorDescent
from algorithms.methods.gossip_convex.projected_dgd import projected_dgd
from algorithms.problems.absolute_data import diabetes, simplex_signs
from algorithms.problems.columns_data import breast_cancer as by_columns
from algorithms.problems.columns_data import sigmoid_breast_cancer
from algorithms.problems.logistic_data import breast_cancer
from algorithms.problems.pairwise import breast_cancer_pairs
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.redundant import Redundant
from algorithms.problems.regularisers import L2, BoundedNonconvex
from algorithms.sets.ball import Ball
from algorithms.sets.geometry import Euclidean, NegativeEntropy
from algorithms.topologies.random_mixing import RandomEdge
from algorithms.topologies.ring import Ring
from proofs_check.methods.runs import run_row
from proofs_check.verdict import Outcome
from theory.stepsizes import ConstantStep

STEP = ConstantStep(0.1)


def logistic(regulariser):
    built = breast_cancer(4, regulariser)
    rows = built.rows.flatten(0, 1)
    return built, rows, lambda x: softplus(-rows @ x) + regulariser.value(x)


def absolute(lam):
    built = diabetes(4, lam=lam, batch=3)
    rows, targets = built.features.flatten(0, 1), built.targets.flatten()
    return built, rows, lambda x: (rows @ x - targets).abs() + lam / 2 * x.square().sum()


def pairwise():
    built = breast_cancer_pairs(4, 0.1, samples=8)
    rows, signs = built.features.flatten(0, 1), built.labels.flatten()
    apart = (rows[signs > 0][:, None] - rows[signs < 0]).flatten(0, 1)
    return built, apart, lambda x: softplus(-apart @ x) / 2 + 0.05 * x.square().sum()


def columns(built, loss):
    def each(x):
        penalty = built.l1 * x.abs().sum() + built.l2 / 2 * x.square().sum()
        return loss(-built.targets * (built.samples @ x)) + penalty

    return built, built.samples, each


CASES = {
    "logistic": (lambda: logistic(L2(0.0)), math.inf, 0.999),
    "logistic, l2": (lambda: logistic(L2(0.1)), 5.0, 0.999),
    "logistic, l2, small ball": (lambda: logistic(L2(0.1)), 0.1, 0.6),
    "logistic, not convex": (lambda: logistic(BoundedNonconvex(0.1)), math.inf, 0.95),
    "absolute": (lambda: absolute(0.0), math.inf, 0.999),
    "absolute, l2": (lambda: absolute(0.3), 2.0, 0.999),
    "pairs": (pairwise, 3.0, 0.95),
    "columns, logistic, l1": (lambda: columns(by_columns(4), softplus), math.inf, 0.95),
    "columns, sigmoid": (lambda: columns(sigmoid_breast_cancer(4), torch.sigmoid), 2.0, 0.9),
}


@pytest.mark.parametrize("case", list(CASES))
def test_the_longest_gradient_of_any_sample_is_as_stated(case):
    """Every sample's gradient by automatic differentiation, at points drawn in the ball and far
    against and along the longest samples; half of what is stated would be refuted."""
    make, radius, factor = CASES[case]
    built, rows, each = make()
    reach = min(radius, 1e3)
    drawn = Key.seed(6).draws(torch.arange(1), torch.arange(20)).normal(built.d, torch.float64)[0]
    shares = torch.linspace(0, 1, 20, dtype=torch.float64)[:, None]
    ends = normalize(rows[rows.norm(dim=-1).topk(5).indices], dim=-1)
    ends = torch.cat((ends, -ends)) * torch.tensor([[[1.0]], [[0.01]]], dtype=torch.float64)
    points = reach * torch.cat((normalize(drawn, dim=-1) * shares, ends.flatten(0, 1)))
    found = max(float(torch.func.jacrev(each)(x).norm(dim=-1).max()) for x in points)
    stated = built.lipschitz(radius)
    assert factor * stated <= found <= stated * (1 + 1e-12)
    assert built.constants().lipschitz == (stated if radius == math.inf else None)
    assert Redundant(built, 2).lipschitz(radius) == stated


def test_without_sampling_workers_functions_count():
    """max_i ||A_i|| / sqrt(S), reached within a third by sub-gradients far away."""
    built = diabetes(8)
    x = Key.seed(1).draws(torch.arange(1), torch.arange(500)).normal(built.d, torch.float64)[0]
    found = float(built.all_gradients(1e3 * x).norm(dim=-1).max())
    assert found <= built.lipschitz() <= 1.5 * found
    assert built.lipschitz() < diabetes(8, batch=1).lipschitz()


def test_nothing_is_said_of_gaussian_noise():
    assert Quadratic.strongly_convex(4, 3).lipschitz(1.0) == math.inf
    assert by_columns(4, l2=0.1).lipschitz() == math.inf


@pytest.mark.parametrize(
    "make", [projected_dgd, lambda s, w, x: DualAveraging(s, w, Euclidean(x))], ids=["step", "dual"]
)
def test_a_bounded_set_bounds_gradients(make):
    built = problem("logreg-breast-cancer", 4)
    wide, narrow = (make(STEP, Ring(4), Ball(size)).constants(built) for size in (3.0, 0.1))
    assert wide.lipschitz == built.lipschitz(3.0)
    assert wide.statements["lipschitz"].where == "on ball(size=3)"
    assert wide.R2 == built.constants().R2
    assert narrow.lipschitz < wide.lipschitz
    assert not {"R2", "f_star", "initial_gap"} & set(narrow.stated())  # x* lies outside
    assert MirrorDescent(STEP, Ring(4)).constants(built).lipschitz is None


def test_other_distances_state_no_lengths():
    built = diabetes(4)
    c = MirrorDescent(STEP, Ring(4), NegativeEntropy()).constants(built)
    assert not {"lipschitz", "R2"} & set(c.stated()) and c.convex


def test_the_entropy_states_entries_and_the_divergence_of_a_minimiser_on_its_simplex():
    """Signs have entries of 1; D(x*, centre) by scipy's relative entropy; diabetes' x* is not on
    the simplex, and of sum 2 the entropy is half as strongly convex."""
    built = simplex_signs(4)
    c = MirrorDescent(STEP, Ring(4), NegativeEntropy()).constants(built)
    star = built.x_star.numpy()
    assert c.divergence == pytest.approx(rel_entr(star, 1 / built.d).sum(), rel=1e-12)
    x = Key.seed(1).draws(torch.arange(1), torch.arange(50)).normal(built.d, torch.float64)[0]
    assert float(built.all_gradients(x).abs().max()) <= c.lipschitz_one == 1.0
    off = (diabetes(4), NegativeEntropy()), (built, NegativeEntropy(2.0))
    for other, geometry in off:
        known = MirrorDescent(STEP, Ring(4), geometry).constants(other)
        assert known.divergence is known.lipschitz_one is None


def test_random_pairs_contract_in_mean_square_and_guests_are_not_told():
    """||W x||^2 averaged over the edges of a ring of four, by its eigenvector (1, 0, -1, 0)."""
    c = GossipDualAveraging(STEP, RandomEdge(Ring(4))).constants(diabetes(4))
    assert c.need("lam") ** 2 == pytest.approx(1 - 1 / 4, rel=1e-12)
    pairs = problem("pairwise-logistic", 4)
    c = GossipDualAveraging(STEP, RandomEdge(Ring(4)), sample_exchange_of(pairs)).constants(pairs)
    assert c.lam is None


TUNED = {
    ("dgd", "lad-diabetes-sorted"): "dgd",
    ("dgd", "logreg-breast-cancer"): "d_psgd",
    ("projected-dgd", "lad-diabetes-sorted"): "projected_dgd",
    ("projected-dgd", "logreg-breast-cancer"): "projected_dgd",
    ("mirror-descent", "lad-diabetes-sorted"): "projected_dgd",
    ("mirror-descent", "simplex-signs"): "mirror_descent",
    ("gossip-dual-averaging", "lad-diabetes-sorted"): "dual_averaging",
}


@pytest.mark.parametrize(("key", "name"), list(TUNED))
def test_rows_are_tuned_by_bounded_gradients_and_stay_under_the_bound(key, name):
    built = problem(name, 8)
    theorem = row(key).tune(built, 200).theorem
    assert theorem is not None and theorem.name == TUNED[key, name]
    found = run_row(row(key), built, steps=200, replicas=8, seed=1, rates=False).verdicts
    outcome = {v.check: v.outcome for v in found}
    assert outcome["curve under bound"] is Outcome.SUPPORTED
    assert Outcome.REFUTED not in outcome.values()


def test_pairs_and_noise_without_bounds_stay_untuned():
    for key, name in (
        ("gossip-dual-averaging", "pairwise-logistic"), ("projected-dgd", "quadratic-sc"),
    ):  # fmt: skip
        assert row(key).tune(problem(name, 4), 50).theorem is None


def test_absolute_deviations_slope_least_at_kinks():
    """f falls from a kink along -g at rate ||g||^2 for the shortest g alone, and not at x*."""
    built = diabetes(4, lam=0.2)
    assert float(built.mean_gradient(built.x_star).norm()) < 1e-9
    rows, targets = built.features.flatten(0, 1), built.targets.flatten()
    for used in (1, 3):
        x = torch.linalg.lstsq(rows[:used], targets[:used, None], driver="gelsd").solution[:, 0]
        assert bool(built.kinks(x).all()) and not bool(built.kinks(x + 0.1).any())
        g = built.mean_gradient(torch.stack((x, x + 0.1)))[0]
        t = 1e-7
        rate = float(built.value(x) - built.value(x - t * g)) / t
        assert rate == pytest.approx(float(g @ g), rel=1e-5)
