"""ADMM against centralised solutions by other implementations; who is charged; refusals."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy import optimize
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import Lasso, LogisticRegression

from algorithms.catalogue import problem
from algorithms.engine.run import run
from algorithms.methods.admm.admm_graph import GraphADMM
from algorithms.methods.admm.admm_linearised import LinearisedADMM
from algorithms.methods.admm.admm_random import RandomADMM
from algorithms.methods.admm.admm_star import StarADMM
from algorithms.optimizers.proximal import SoftThreshold
from algorithms.problems.least_squares import LeastSquares
from algorithms.problems.logistic import Logistic
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.regularisers import L2
from algorithms.synchronisation.barriers import Bulk, PartialBarrier
from algorithms.synchronisation.compute_times import Exponential
from algorithms.topologies.complete import Complete
from algorithms.topologies.edges import colouring, edges
from algorithms.topologies.ring import Ring
from algorithms.topologies.star import Star
from theory.stepsizes import ConstantStep

N, LAM = 6, 0.1
STEP = ConstantStep(4.0)


def data() -> tuple[np.ndarray, np.ndarray]:
    """Breast cancer, standardised, 60 samples of 8 features."""
    features, labels = load_breast_cancer(return_X_y=True)
    features = (features - features.mean(0)) / features.std(0)
    return features[:60, :8], 2.0 * labels[:60] - 1.0


@pytest.fixture(scope="module")
def logistic() -> Logistic:
    features, labels = data()
    x = torch.from_numpy(features).reshape(N, 10, 8)
    return Logistic.from_data(x, torch.from_numpy(labels).reshape(N, 10), L2(LAM), batch=4)


@pytest.fixture(scope="module")
def centralised() -> np.ndarray:
    """scikit-learn's minimiser of the mean loss plus LAM/2 ||x||^2."""
    features, labels = data()
    model = LogisticRegression(
        C=1 / (60 * LAM), fit_intercept=False, tol=1e-14, solver="newton-cholesky", max_iter=1000
    )
    return model.fit(features, labels).coef_[0]


@pytest.mark.parametrize(
    ("method", "steps"),
    [
        (StarADMM(STEP, 200, Exponential(), Bulk()), 200),
        (StarADMM(STEP, 400, Exponential(), PartialBarrier(2, 5)), 400),
        (GraphADMM(STEP, Ring(N)), 200),
        (GraphADMM(STEP, Ring(N), coloured=False), 200),
        (GraphADMM(STEP, Star(N)), 400),
        (GraphADMM(STEP, Complete(N)), 400),
        (RandomADMM(STEP, Ring(N)), 3000),
        (LinearisedADMM(ConstantStep(0.4), Ring(N)), 4000),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_all_workers_end_at_scikit_learns_solution(method, steps, logistic, centralised) -> None:
    trace = run(method, logistic, steps=steps, points=2)
    assert np.abs(trace.rows[0].numpy() - centralised).max() < 1e-8


def test_local_solves_are_scipys(logistic) -> None:
    """Newton's local minimisers, every row on its own, against BFGS; at weak and stiff weights."""
    generator = torch.Generator().manual_seed(3)
    v = 3 * torch.randn((2, N, 8), generator=generator, dtype=torch.float64)
    for weight in (0.05, 2.0, 50.0):
        weights, ids = torch.full((N,), weight, dtype=torch.float64), torch.arange(N)
        found = logistic.proximal_point(v, weights, ids, torch.zeros_like(v))
        alone = logistic.proximal_point(v[1:, 2:3], weights[:1], ids[2:3], 0 * v[1:, 2:3])
        assert torch.equal(alone[0, 0], found[1, 2])
        for i in range(N):
            rows, point = logistic.rows[i].numpy(), v[0, i].numpy()

            def value(x, rows=rows, point=point, weight=weight):
                loss = np.logaddexp(0, -rows @ x).mean() + LAM / 2 * x @ x
                return loss + weight / 2 * ((x - point) ** 2).sum()

            best = optimize.minimize(value, np.zeros(8), method="BFGS", options={"gtol": 1e-9})
            assert value(found[0, i].numpy()) <= best.fun + 1e-12
            assert np.abs(found[0, i].numpy() - best.x).max() < 1e-6


@pytest.mark.parametrize(
    ("samples", "d", "lam"), [(5, 40, 0.1), (40, 5, 0.1), (30, 31, 1e-6), (1, 3, 0.1), (3, 1, 0.0)]
)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_local_solves_leave_no_gradient_and_depend_on_no_other_row(samples, d, lam, dtype) -> None:
    """Fewer samples than parameters and more, at weak and stiff weights, near and far, both in one
    call and alone; the gradient is torch's, its size that of rounding."""
    generator = torch.Generator().manual_seed(5)
    rows = 3 * torch.randn((3, samples, d), generator=generator, dtype=dtype)
    rows[1, -1] = rows[1, 0]  # twice the same
    rows[2, 0] = 0.0
    problem = Logistic("drawn", rows, L2(lam), 1)
    wide, ids = problem.double(), torch.tensor([2, 0, 1, 0])
    for scale in (0.1, 30.0):
        for weight in (1e-3, 1.0, 100.0):
            v = scale * torch.randn((2, 4, d), generator=generator, dtype=torch.float64)
            start = torch.randn((2, 4, d), generator=generator, dtype=torch.float64)
            weights = torch.full((4,), weight, dtype=torch.float64)
            found = problem.proximal_point(v, weights, ids, start)
            g = wide.full_gradient(found, ids) + weights[:, None] * (found - v)
            size = (1 + weight) * (1 + found.norm(dim=-1) + v.norm(dim=-1))
            assert bool((g.norm(dim=-1) <= 1e-14 * size).all())
            for r, k in ((0, 1), (1, 3)):
                one = slice(k, k + 1)
                alone = problem.proximal_point(v[r, one], weights[one], ids[one], start[r, one])
                assert torch.equal(alone[0], found[r, k])


def test_l1_logistic_regression_meets_its_optimality_conditions(logistic) -> None:
    """0 in grad f(x) + w sign(x), to 1e-8, and some coordinates are exactly zero."""
    weight = 0.2
    star = StarADMM(ConstantStep(2.0), 1500, Exponential(), PartialBarrier(3, 4),
                    SoftThreshold(weight))  # fmt: skip
    x = run(star, logistic, steps=1500, points=2).model
    g, x = logistic.mean_gradient(x)[0].numpy(), x[0].numpy()
    assert 0 < (x == 0).sum() < 8
    assert np.abs(g[x != 0] + weight * np.sign(x[x != 0])).max() < 1e-8
    assert np.abs(g[x == 0]).max() <= weight


def test_linearised_admm_solves_the_lasso_as_scikit_learn_does() -> None:
    generator = np.random.default_rng(5)
    x, noise = generator.normal(size=(48, 6)), generator.normal(size=48)
    y = x @ np.array([2.0, 0, 0, -1, 0, 0.5]) + 0.1 * noise
    tables = torch.from_numpy(x).reshape(N, 8, 6), torch.from_numpy(y).reshape(N, 8)
    squares = LeastSquares.from_data(list(tables[0]), list(tables[1]), name="lasso", source="drawn")
    weight, scale = 0.8, 48 / N  # f is half the mean over workers of their sums of squares
    lasso = Lasso(alpha=weight / scale, fit_intercept=False, tol=1e-15, max_iter=100_000)
    best = lasso.fit(x, y).coef_
    step = ConstantStep(1 / squares.constants().need("L_max"))
    method = LinearisedADMM(step, Ring(N), SoftThreshold(weight))
    found = run(method, squares, steps=6000, points=2).rows[0].numpy()
    assert np.abs(found - best).max() < 1e-8 and (best == 0).any()


def test_classes_colour_the_graph_and_edges_are_each_counted_once() -> None:
    assert colouring(Ring(6)) in ((0, 1) * 3, (1, 0) * 3)
    assert len(set(colouring(Complete(5)))) == 5
    for topology in (Ring(7), Star(5), Complete(4)):
        colours = colouring(topology)
        pairs = edges(topology)
        assert len(set(pairs)) == len(pairs)
        assert all(i < j and colours[i] != colours[j] for i, j in pairs)
    assert len(edges(Ring(7))) == 7 and len(edges(Complete(4))) == 6


@pytest.mark.parametrize(
    "method",
    [GraphADMM(STEP, Ring(N)), RandomADMM(STEP, Ring(N)), LinearisedADMM(STEP, Ring(N))],
    ids=lambda m: m.name,
)
def test_only_neighbours_are_charged(method) -> None:
    quadratic = Quadratic.strongly_convex(N, 3)
    account = run(method, quadratic, steps=30, points=2).account
    each = 64 * 3
    if isinstance(method, RandomADMM):
        assert int(account.sent_bits.sum()) == 2 * 30 * each
    else:
        assert (account.sent_bits == 2 * 30 * each).all()
        assert (account.received_bits == 2 * 30 * each).all()


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: run(GraphADMM(STEP, Ring(5)), problem("quadratic-sc", 4), steps=1), "n=5 nodes"),
        (lambda: run(RandomADMM(STEP, Ring(5)), problem("quadratic-sc", 4), steps=1), "n=5 nodes"),
        (
            lambda: run(LinearisedADMM(STEP, Ring(1)), Quadratic.strongly_convex(1, 3), steps=1),
            r"ring\(n=1\).* with worker 0 alone",
        ),
        (lambda: StarADMM(STEP, 0, Exponential()), "ticks must be at least 1, got ticks=0"),
        (lambda: LinearisedADMM(STEP, Ring(4), coupling=0.0), "got coupling=0.0"),
        (lambda: LinearisedADMM(STEP, Ring(4), coupling=-1.0), "got coupling=-1.0"),
    ],
)
def test_bad_arguments_are_named(build, words) -> None:
    with pytest.raises(ValueError, match=words):
        build()
