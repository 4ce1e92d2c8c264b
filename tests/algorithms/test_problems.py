"""Problems against other implementations, and their refusals."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import scipy.special
import torch
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from algorithms.catalogue import problem, row
from algorithms.core.key import Key
from algorithms.problems import logistic_bounds
from algorithms.problems.datasets import breast_cancer as samples
from algorithms.problems.entries import PROBLEMS
from algorithms.problems.least_squares_data import rising
from algorithms.problems.logistic import Logistic
from algorithms.problems.logistic_data import breast_cancer, digits, synthetic
from algorithms.problems.mlp import digits_mlp, rescaled
from algorithms.problems.quadratic import Law, Quadratic
from algorithms.problems.redundant import Redundant
from algorithms.problems.regularisers import L2, BoundedNonconvex
from algorithms.problems.top_eigenvalue import top
from theory.constants import Kind


def test_minimum_of_l2_logistic_regression_is_scikit_learns():
    """One worker holds all samples; C = 1 / (N lam), no intercept."""
    built = problem("logreg-breast-cancer", 1)
    data = samples()
    model = LogisticRegression(C=1 / (len(data.labels) * 0.1), fit_intercept=False, tol=1e-12,
                               max_iter=10_000).fit(data.features, data.labels)  # fmt: skip
    theirs = torch.from_numpy(model.coef_[0])
    assert float((built.x_star - theirs).abs().max()) < 1e-6
    assert built.f_star <= float(built.value(theirs)) + 1e-12


def test_worker_gradients_are_those_of_torch():
    built = problem("nonconvex-digits", 4)
    x = Key.seed(1).draws(torch.tensor(0), torch.arange(1)).normal(built.d, torch.float64)[0]
    point = x.clone().requires_grad_()
    for i in range(4):
        loss = torch.nn.functional.softplus(-(built.rows[i] @ point)).mean()
        penalty = 0.1 * (point.square() / (1 + point.square())).sum()
        (expected,) = torch.autograd.grad(loss + penalty, point)
        got = built.full_gradient(x[None], torch.tensor([i]))[0]
        assert torch.allclose(got, expected, rtol=1e-12, atol=1e-14)


def test_mlp_is_torchs_own_module():
    built = digits_mlp(2, hidden=16)
    module = torch.nn.Sequential(
        torch.nn.Linear(64, 16), torch.nn.Tanh(), torch.nn.Linear(16, 10)
    ).double()
    x = built.start()
    torch.nn.utils.vector_to_parameters(x, module.parameters())
    loss = torch.stack([
        torch.nn.functional.cross_entropy(module(a), y)
        for a, y in zip(built.features, built.labels, strict=True)
    ]).mean()  # fmt: skip
    assert float(built.value(x)) == pytest.approx(loss.item(), rel=1e-12)
    loss.backward()
    theirs = torch.cat([p.grad.flatten() for p in module.parameters()])
    assert torch.allclose(built.mean_gradient(x), theirs, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("law", list(Law))
def test_quadratic_noise_has_exactly_the_stated_power(law):
    built = Quadratic.strongly_convex(2, 5, sigma2=3.0, law=law)
    draws = Key.seed(0).draws(torch.arange(20_000), torch.arange(2))
    off = built.gradient(built.start()[None], draws) - built.full_gradient(
        built.start()[None], torch.arange(2)
    )
    square = off.square().sum(-1)
    if law is Law.RADEMACHER:
        assert torch.allclose(square, torch.full_like(square, 3.0), rtol=1e-12)
    fourth = {Law.RADEMACHER: 1.0, Law.GAUSSIAN: 1 + 2 / 5}[law]
    spread = 3.0 * ((fourth - 1) / 40_000) ** 0.5  # fourth: E||noise||^4 / sigma2^2, d = 5
    assert float(square.mean()) == pytest.approx(3.0, abs=max(7 * spread, 1e-12))


def test_heterogeneity_is_exact_and_uniform():
    built = Quadratic.strongly_convex(6, 4, zeta2=2.5)
    far = 100 * torch.ones(3, 4, dtype=torch.float64)
    assert built.heterogeneity(far).tolist() == pytest.approx([2.5] * 3, rel=1e-10)


def test_sorting_by_label_is_more_heterogeneous_than_iid():
    iid, one_sided = (
        problem(name, 8) for name in ("logreg-breast-cancer", "logreg-breast-cancer-sorted")
    )
    start = iid.start()
    assert float(one_sided.heterogeneity(start)) > float(iid.heterogeneity(start))


REFUSED = [
    (lambda: Quadratic.strongly_convex(1, 3, zeta2=1.0), "zeta2 must be 0 for a single worker"),
    (lambda: Quadratic.strongly_convex(2, 1, mu=0.5), "mu must equal L for a single eigenvalue"),
    (lambda: Quadratic.strongly_convex(2, 3, mu=2.0), "mu must be at most L, got mu=2.0"),
    (lambda: Quadratic.strongly_convex(2, 3, sigma2=-1.0), "sigma2 must be finite and >= 0"),
    (lambda: Quadratic.strongly_convex(0, 3), "n must be at least 1, got n=0"),
    (lambda: L2(-0.1), "lam must be finite and >= 0, got lam=-0.1"),
    (lambda: BoundedNonconvex(float("nan")), "lam must be finite"),
    (lambda: digits_mlp(2, batch=-1), "batch must be at least 0, got batch=-1"),
    (
        lambda: Logistic("x", torch.full((1, 2, 3), float("nan")), L2(0.1), 1),
        r"rows must be finite, got rows\[0, 0, 0\] = nan",
    ),
    (
        lambda: Logistic.from_data(torch.ones(1, 2, 3), torch.zeros(1, 2), L2(0.1), batch=1),
        r"labels must be -1 or \+1, got 0",
    ),
]


@pytest.mark.parametrize(("build", "message"), REFUSED)
def test_bad_input_is_named(build, message):
    with pytest.raises(ValueError, match=message):
        build()


def test_descriptions_identify_the_data():
    one, other = problem("logreg-digits", 4).data(), problem("logreg-digits", 5).data()
    assert one == problem("logreg-digits", 4).data()
    assert one["arrays"] != other["arrays"]
    assert np.isfinite(one["batch"])


def corners(samples):
    """All weights in {0, 1}^S, where functions convex in the weights are largest."""
    return torch.cartesian_prod(*[torch.tensor([0.0, 1.0], dtype=torch.float64)] * samples)


@pytest.mark.parametrize("seed", range(5))
def test_uniform_bounds_hold_at_every_corner(seed):
    """Brute force over the 2^S weights of a worker; for zeta2 over those of two workers."""
    rows = Key.seed(seed).draws(torch.tensor(0), torch.arange(2)).normal(5 * 3, torch.float64)
    rows = rows.view(2, 5, 3) + (seed % 2)
    w = corners(5)
    sums, own = logistic_bounds.moments(rows), logistic_bounds.spectra(rows)
    means = torch.einsum("ws,nsd->nwd", w, rows) / 5
    second = (w @ rows.square().sum(-1).T / 5).T  # [n, w], weights are 0 or 1
    spread = second - means.square().sum(-1)
    for batch in (1, 4):
        worst = float(spread.max()) / batch
        assert worst <= logistic_bounds.variance(sums, batch) <= 4.5 * worst
        moment = float((means.square().sum(-1) + spread / batch).max())
        stated = logistic_bounds.second_moment(sums, own, batch)
        assert moment <= stated * (1 + 1e-12)
    apart = (means[0][:, None] - means[1][None]).square().sum(-1) / 4
    assert float(apart.max()) <= logistic_bounds.heterogeneity(sums, own.boxed) * (1 + 1e-12)


def test_largest_eigenvalues_are_numpys_singular_values():
    wide = synthetic(1, 30, 1200, L2(0.1)).rows
    for rows in (wide[..., :7], wide[..., :40], wide):
        expected = np.linalg.svd(rows[0].numpy(), compute_uv=False)[0] ** 2 / 30
        tops = logistic_bounds.spectra(rows.contiguous()).tops
        assert float(tops[0]) == pytest.approx(expected, rel=1e-12)
        assert top(rows[0]) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("shape", [(3, 9, 2), (2, 12, 5), (2, 4, 9)])
def test_weights_in_a_box_are_bounded_within_half_of_pi(shape):
    """Against all corners: a semidefinite relaxation is at most pi/2 times the maximum."""
    rows = torch.from_numpy(np.random.default_rng(5).normal(size=shape))
    rows[:, 0] *= 4.0
    corners = torch.tensor(list(itertools.product((-0.5, 0.5), repeat=shape[1]))).double()
    most = (corners @ rows / shape[1]).square().sum(-1).amax(-1)
    tops, boxed = logistic_bounds.spectra(rows)
    assert bool((most <= boxed * (1 + 1e-12)).all())
    assert bool((boxed <= 1.15 * math.pi / 2 * most).all())
    assert bool((boxed < 0.25 * tops).all())


@pytest.mark.parametrize("make", [breast_cancer, digits])
@pytest.mark.parametrize("share", [1.0, 0.1])
def test_sgd_stays_in_the_ball_where_g2_is_stated(make, share):
    """Against an adversary who always draws the sample that leads farthest out."""
    built = make(4, L2(0.1), batch=1)
    sums = logistic_bounds.moments(built.rows)
    assert built.G2_radius < 0.5 * logistic_bounds.longest(sums) / 0.1
    gamma = share / built.constants().need("L")
    rows, x, farthest = built.rows.reshape(-1, built.d), built.start(), 0.0
    for _ in range(3000):
        next_ = (1 - gamma * 0.1) * x + gamma * torch.sigmoid(-(rows @ x))[:, None] * rows
        x = next_[next_.norm(dim=-1).argmax()]
        farthest = max(farthest, float(x.norm()))
    radius = logistic_bounds.reach(logistic_bounds.longest(sums), 0.1, gamma)
    assert 0.2 * radius < farthest <= radius <= built.G2_radius


@pytest.mark.parametrize(
    ("key", "stated"),
    [
        ("pr-sgd", True),
        ("gossip-local-sgd", True),
        ("pr-sgd-momentum", False),
        ("cocod-sgd", False),
    ],
)
def test_g2_of_a_ball_is_stated_of_methods_that_stay_in_it(key, stated):
    """Momentum overshoots, and CoCoD adds new steps to old means."""
    built = problem("logreg-breast-cancer", 4)
    method = row(key).tune(built, 100).method
    assert (method.constants(built).G2 is not None) == stated


def test_radius_rests_on_lamberts_w():
    z = np.linspace(0.0, 5.0, 100_001)
    most = float(scipy.special.lambertw(math.exp(-1)).real)
    assert most == pytest.approx(float((z / (1 + np.exp(z))).max()), rel=1e-9)
    assert logistic_bounds.reach(1e-9, 0.5, 1.0) ** 2 == pytest.approx(most / 0.5, rel=1e-12)


@pytest.mark.parametrize("lam", [1e-6, 1e-4, 1e-2, 1.0, 100.0])
def test_minimum_is_certified_by_strong_convexity(lam):
    """f(x) - f* <= ||grad f(x)||^2 / (2 lam)."""
    for make in (breast_cancer, digits):
        built = make(1, L2(lam))
        gap = float(built.mean_gradient(built.x_star).square().sum()) / (2 * lam)
        assert gap <= 1e-12
        assert built.f_star == pytest.approx(float(built.value(built.x_star)), abs=1e-14)


def test_samples_are_scikit_learns_scaled_ones():
    raw = load_breast_cancer()
    expected = StandardScaler().fit_transform(raw.data)
    assert np.allclose(samples().features, expected, rtol=1e-12, atol=1e-12)
    built = digits(1, BoundedNonconvex(0.1), bias=True)
    data = load_digits()
    signs = np.where(data.target < 5, -1, 1)
    assert built.d == 65
    rows = np.sort(built.rows[0].numpy() @ np.arange(65))
    centred = np.hstack((data.data / 16 - (data.data / 16).mean(0), np.ones((1797, 1))))
    assert np.allclose(rows, np.sort((signs[:, None] * centred) @ np.arange(65)), atol=1e-9)


def test_synthetic_data_are_a_function_of_worker_and_seed():
    few, many = (synthetic(n, 20, 30, L2(0.1), seed=4, dtype=torch.float32) for n in (2, 5))
    assert few.dtype == torch.float32
    assert torch.equal(few.rows, many.rows[:2])
    assert not torch.equal(few.rows, synthetic(2, 20, 30, L2(0.1), seed=5).rows.float())
    size = float(synthetic(8, 200, 50, L2(0.1)).rows.square().sum(-1).mean())
    assert size == pytest.approx(1.0, abs=7 * (2 / 50 / 1600) ** 0.5)


ROWWISE = [
    Quadratic.strongly_convex(6, 5, zeta2=1.0),
    Quadratic.strongly_convex(6, 5, zeta2=1.0, law=Law.RADEMACHER, dtype=torch.float32),
    breast_cancer(6, L2(0.1)),
    digits(6, BoundedNonconvex(0.1), dtype=torch.float32),
]


@pytest.mark.parametrize("built", ROWWISE, ids=lambda p: f"{p.name}-{p.dtype}")
def test_any_choice_of_workers_gets_the_bits_of_all(built):
    """Active sets differ by replica; x is one point per replica or per row."""
    assert built.rowwise
    replicas, everyone = torch.arange(3), torch.arange(6)
    x = Key.seed(1).draws(replicas, everyone).normal(built.d, built.dtype)
    key = Key.seed(2)
    full = built.gradient(x, key.draws(replicas, everyone))
    active = torch.tensor([[0, 5], [3, 1], [2, 2]])
    at = torch.take_along_dim(x, active[..., None], -2)
    got = built.gradient(at, key.draws(replicas, active))
    assert torch.equal(got, torch.take_along_dim(full, active[..., None], -2))
    shared = built.gradient(x[:, :1], key.draws(replicas, active))
    spread = built.gradient(x[:, :1].expand(3, 2, -1), key.draws(replicas, active))
    assert torch.equal(shared, spread)


BY_MEAN_ROW = [entry.name for entry in PROBLEMS if entry.build(8).mean_rowwise]


BY_VALUE = [entry.name for entry in PROBLEMS if entry.build(8).value_rowwise]


def assert_alone_and_together(function, d, dtype):
    """Equal bits at 15 points in one call, in five and in fifteen."""
    together = Key.seed(1).draws(torch.arange(5), torch.arange(3)).normal(d, dtype)
    alone = torch.stack([torch.stack([function(x) for x in some]) for some in together])
    assert torch.equal(function(together), alone)
    assert torch.equal(torch.stack([*map(function, together)]), alone)


@pytest.mark.parametrize("name", BY_MEAN_ROW)
def test_points_together_get_the_mean_gradients_of_each_alone(name):
    built = problem(name, 8)
    assert_alone_and_together(built.mean_gradient, built.d, built.dtype)
    assert_alone_and_together(lambda x: built.value_and_gradient(x)[1], built.d, built.dtype)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", BY_VALUE)
def test_points_together_get_the_values_of_each_alone(name, dtype):
    built = problem(name, 8).computing_in(dtype)
    assert_alone_and_together(built.value, built.d, dtype)
    assert_alone_and_together(lambda x: built.value_and_gradient(x)[0], built.d, dtype)
    assert_alone_and_together(built.mean_gradient, built.d, dtype)


@pytest.mark.parametrize("d", range(1, 20))
def test_values_of_few_coordinates_are_those_of_each_alone(d):
    """Sums of fewer numbers than a register holds."""
    rows = Key.seed(2).draws(torch.arange(2), torch.arange(1)).normal(d, torch.float64)[:, 0]
    for dtype in (torch.float32, torch.float64):
        built = Quadratic.from_arrays(rows.abs() + 0.1, rows).computing_in(dtype)
        assert_alone_and_together(built.value, d, dtype)
        assert_alone_and_together(built.mean_gradient, d, dtype)


@pytest.mark.parametrize("built", [*ROWWISE, digits_mlp(3)], ids=lambda p: f"{p.name}-{p.dtype}")
def test_sampling_every_row_once_gives_the_full_gradient_on_average(built):
    """The exact gradients of any workers, in any order, average to grad f over all of them."""
    x = built.start() + 0.3
    rows = built.full_gradient(x.expand(2, 1, -1), torch.arange(built.n - 1, -1, -1))
    assert rows.shape == (2, built.n, built.d)
    close = 1e-12 if built.dtype == torch.float64 else 1e-5
    assert torch.allclose(rows.mean(-2)[0], built.mean_gradient(x), rtol=close, atol=close)


def test_quadratics_of_given_arrays_have_the_minimum_of_least_squares():
    rng = np.random.default_rng(0)
    a, b = rng.uniform(0.5, 2, (4, 3)), rng.standard_normal((4, 3))
    built = Quadratic.from_arrays(torch.from_numpy(a), torch.from_numpy(b), sigma2=1.0)
    for j in range(3):
        fit = np.linalg.lstsq(np.sqrt(a[:, j : j + 1]), np.sqrt(a[:, j]) * b[:, j], rcond=None)
        assert float(built.x_star[j]) == pytest.approx(fit[0][0], rel=1e-12)
    values = [0.5 * (a * (x - b) ** 2).sum(1).mean() for x in (np.zeros(3), np.ones(3))]
    got = built.value(torch.stack((torch.zeros(3), torch.ones(3))).double())
    assert got.tolist() == pytest.approx(values, rel=1e-12)
    c, x = built.constants(), built.x_star.numpy()
    assert c.zeta2 is None  # no uniform one: Hessians differ
    assert c.zeta2_star == pytest.approx(((a * (x - b)) ** 2).sum(1).mean(), rel=1e-12)


def test_heterogeneity_at_the_minimiser_of_least_squares_is_that_of_normal_equations():
    built = rising(4, 6)
    a, y = built.features.numpy(), built.targets.numpy()
    x = np.linalg.lstsq(a.reshape(-1, 6), y.reshape(-1), rcond=None)[0]
    slopes = np.einsum("nsd,ns->nd", a, a @ x - y)
    assert built.constants().zeta2_star == pytest.approx((slopes**2).sum(1).mean(), rel=1e-10)


def test_heterogeneity_at_the_minimiser_of_logistic_regression_is_certified():
    built = problem("logreg-breast-cancer", 4)
    c, rows = built.constants(), built.rows.numpy()
    lam, x = built.regulariser.strength, built.x_star.numpy()
    slopes = lam * x - np.einsum("ns,nsd->nd", 1 / (1 + np.exp(rows @ x)), rows) / rows.shape[1]
    found = (slopes**2).sum(1).mean()
    assert found <= c.zeta2_star <= found * (1 + 1e-6) < 1e-2 * c.zeta2


def test_what_has_no_minimum_states_none():
    flat, zero = torch.zeros(1, 2, dtype=torch.float64), torch.zeros(2, dtype=torch.float64)
    slope = torch.tensor([[1.0, 0.4]], dtype=torch.float64)
    linear = Quadratic("linear", flat, -slope, zero, zero)
    assert not {"f_star", "mu", "pl", "R2", "initial_gap"} & set(linear.constants().stated())
    assert linear.value(-3 * slope).tolist() == pytest.approx([-3 * 1.16])
    assert torch.equal(linear.mean_gradient(slope), slope)


def test_without_regularisation_only_a_lower_bound_is_stated():
    c = breast_cancer(4, L2(0.0)).constants()
    assert (c.f_star, c.statements["f_star"].kind) == (0.0, Kind.LOWER)
    assert c.statements["initial_gap"].kind is Kind.UPPER
    assert c.R2 is None


def test_mlp_in_other_units_starts_as_the_same_function():
    base = digits_mlp(2, batch=0)
    other, first = rescaled(base, 256.0), base.hidden * 64
    x, z = base.start(), other.start()
    torch.testing.assert_close(other.value(z), base.value(x))
    g, h = base.mean_gradient(x), other.mean_gradient(z)
    torch.testing.assert_close(h[:first], 256 * g[:first])  # the chain rule
    torch.testing.assert_close(h[first:], g[first:])


def test_mlp_of_batch_0_takes_all_samples():
    exact = digits_mlp(2, batch=0)
    x = exact.start()[None]
    draws = Key.seed(0).draws(torch.tensor(0), torch.arange(2))
    assert torch.equal(exact.gradient(x, draws), exact.full_gradient(x, torch.arange(2)))
    assert not exact.noise(x).any()


def test_mlp_starts_away_from_its_symmetric_point():
    one, again, other = digits_mlp(2), digits_mlp(2), digits_mlp(2, seed=1)
    assert torch.equal(one.start(), again.start())
    assert not torch.equal(one.start(), other.start())
    weights = one.start()[: 64 * 16]
    assert float(weights.var()) == pytest.approx(2 / 80, abs=7 * (2 / 80) * (2 / 1024) ** 0.5)


@pytest.mark.parametrize("make", [breast_cancer, digits])
def test_more_workers_than_samples_are_refused(make):
    with pytest.raises(ValueError, match=r"n must be at most the number of samples, got n=2000"):
        make(2000, L2(0.1))


def test_a_problem_that_is_there_already_keeps_what_it_has_computed():
    for name in ("logreg-breast-cancer", "mlp-digits", "quadratic-sc"):
        built = problem(name, 4)
        assert built.to("cpu") is built and built.to(torch.device("cpu")) is built
    spread = Redundant(problem("quadratic-sc", 4), 2)
    assert spread.to("cpu") is spread
