"""Bounds of the server methods against hand-computed values, recursions and simulations."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from tests.theory.cases import at, at_example, together, top_one
from theory.constants import Constants
from theory.stepsizes import ConstantStep, InverseTimeStep
from theory.theorems.asysg_con import AsysgCon, asysg_con
from theory.theorems.bsp_nonconvex import bsp_nonconvex
from theory.theorems.bsp_strongly_convex import bsp_strongly_convex
from theory.theorems.bsp_strongly_convex_decreasing import bsp_strongly_convex_decreasing
from theory.theorems.compressed_bsp_nonconvex import compressed_bsp_nonconvex
from theory.theorems.compressed_bsp_strongly_convex import compressed_bsp_strongly_convex
from theory.theorems.conditions import weight_sum
from theory.theorems.d_psgd_variance import d_psgd_variance
from theory.theorems.dc_asgd_bounded import dc_asgd_bounded
from theory.theorems.delay_adaptive_steps import delay_adaptive_steps
from theory.theorems.ef21_two_way import ef21_two_way
from theory.theorems.ef_sgd_nonconvex import ef_sgd_nonconvex
from theory.theorems.ef_sgd_two_way_variance import ef_sgd_two_way_variance
from theory.theorems.ef_sgd_variance import ef_sgd_variance
from theory.theorems.ef_sgd_workers import ef_sgd_workers
from theory.theorems.gossiping_sgd_pull import gossiping_sgd_pull
from theory.theorems.local_sgd import local_sgd
from theory.theorems.local_sgd_nonconvex import local_sgd_nonconvex
from theory.theorems.malenia_arrivals import malenia_arrivals
from theory.theorems.mem_sgd import mem_sgd
from theory.theorems.perturbed_iterate import perturbed_iterate
from theory.theorems.pr_sgd_momentum_variance import pr_sgd_momentum_variance
from theory.theorems.rennala_arrivals import rennala_arrivals
from theory.theorems.signsgd_majority_small_batches import signsgd_majority_small_batches
from theory.theorems.signsgd_small_batches import signsgd_small_batches

# Bulk synchronous


def test_l5_at_the_best_stepsize() -> None:
    step = bsp_nonconvex.stepsize(bsp_nonconvex.example, 1000)
    closed = 2 * math.sqrt(2 * 2 * 3 * 5 / (4 * 1000))
    assert at_example(bsp_nonconvex, step, 1000) == pytest.approx(closed, rel=1e-14)
    best = step(0)
    for factor in (0.9, 1.1):
        assert at_example(bsp_nonconvex, ConstantStep(best * factor), 1000) > closed


def test_l5_by_hand() -> None:
    # 2*3/(0.1*50) + 0.1*2*5/4 = 1.2 + 0.25
    assert at_example(bsp_nonconvex, ConstantStep(0.1), 50) == pytest.approx(1.45, rel=1e-14)
    assert at_example(bsp_nonconvex, ConstantStep(0.1), 0) == math.inf


def test_l6_is_its_recursion() -> None:
    gamma = Fraction(1, 10)
    d, curve = Fraction(6), [6.0]
    for _ in range(200):
        d = (1 - gamma / 2) * d + gamma**2 * Fraction(5, 4)
        curve.append(float(d))
    bound = bsp_strongly_convex.bound(
        bsp_strongly_convex.example, ConstantStep(0.1), np.arange(201.0)
    )
    assert bound == pytest.approx(np.array(curve), rel=1e-12)


def test_l6_covers_the_noisy_quadratic() -> None:
    # C1: a = 1, gamma = 0.1, sigma2 = 1, x_0 = 1: E x_10^2 = 0.16780946, stationary 0.052631579
    c = Constants(n=1, L=1.0, mu=1.0, sigma2=1.0, R2=1.0)
    step = ConstantStep(0.1)
    assert 0.16780946 <= at(bsp_strongly_convex, c, step, 10)
    assert 0.052631579 <= at(bsp_strongly_convex, c, step, 1e9) == pytest.approx(0.1, rel=1e-12)


@pytest.mark.parametrize("kappa", [1, 2, 10, 1000])
@pytest.mark.parametrize("noise", [Fraction(0), Fraction(1, 7), Fraction(50)])
def test_decreasing_steps_cover_their_recursion(kappa: int, noise: Fraction) -> None:
    mu, start, shift = Fraction(1, 2), Fraction(6), 2 * kappa
    c = Constants(n=1, L=float(mu * kappa), mu=float(mu), sigma2=float(noise), R2=6.0)
    step = bsp_strongly_convex_decreasing.stepsize(c, 300)
    bound = bsp_strongly_convex_decreasing.bound(c, step, np.arange(301.0))
    d = start
    for t in range(300):
        gamma = Fraction(2) / (mu * (shift + t))
        d = (1 - gamma * mu) * d + gamma**2 * noise
        assert float(d) <= bound[t + 1] * (1 + 1e-12)
        if t > 100 * kappa:  # within the slack (a+t)(a+t-1)/(a+t)^2 of the induction
            assert bound[t + 1] <= float(d) * 1.05 or noise == 0


def test_compressed_bounds_by_hand() -> None:
    c = Constants(n=4, L=1.0, sigma2=1.0, zeta2=2.0, omega=3.0, initial_gap=1.0)
    # limit 1/(1 + 3/4); 2/(0.1*100) + 0.1*(4*1 + 3*2)/4 = 0.2 + 0.25
    assert compressed_bsp_nonconvex.limit(c) == pytest.approx(4 / 7, rel=1e-14)
    value = at(compressed_bsp_nonconvex, c, ConstantStep(0.1), 100)
    assert value == pytest.approx(0.45, rel=1e-14)
    sc = c.state(mu=0.5, R2=6.0, L_max=1.0, convex=True)
    # limit 1/(1 + 6/4); floor 0.1*(4*1 + 2*3*2)/(4*0.5) = 0.8
    assert compressed_bsp_strongly_convex.limit(sc) == pytest.approx(0.4, rel=1e-14)
    value = at(compressed_bsp_strongly_convex, sc, ConstantStep(0.1), 1e9)
    assert value == pytest.approx(0.8, rel=1e-12)


def test_without_compression_the_plain_bounds_remain() -> None:
    compressed = compressed_bsp_nonconvex, compressed_bsp_strongly_convex
    c, step = together(bsp_strongly_convex, *compressed).state(omega=0.0), ConstantStep(0.1)
    times = np.array([1.0, 10.0, 1e5])
    plain = bsp_nonconvex.bound(c, step, times)
    assert compressed_bsp_nonconvex.bound(c, step, times) == pytest.approx(plain, rel=1e-14)
    plain = bsp_strongly_convex.bound(c, step, times)
    assert compressed_bsp_strongly_convex.bound(c, step, times) == pytest.approx(plain, rel=1e-14)


@pytest.mark.parametrize(("n", "factor"), [(1, 0.76), (3, 0.68)])
def test_compressed_contraction_covers_rand_k(n: int, factor: float) -> None:
    # C8: rand-1 of d = 4 (omega = 3) on f = ||x||^2/2 at gamma a = 0.2
    c = Constants(n=n, L=1.0, L_max=1.0, mu=1.0, sigma2=0.0, zeta2=0.0, omega=3.0, R2=1.0)
    c = c.state(convex=True)
    step = ConstantStep(min(0.2, compressed_bsp_strongly_convex.limit(c)))
    exact = (1 - step.gamma) ** 2 + 3 * step.gamma**2 / n
    if step.gamma == 0.2:
        assert exact == pytest.approx(factor, rel=1e-12)
    assert compressed_bsp_strongly_convex.applies(c, step, 1)
    assert exact <= at(compressed_bsp_strongly_convex, c, step, 1)


def test_convexity_is_asked_for() -> None:
    (sentence,) = compressed_bsp_strongly_convex.violations(
        compressed_bsp_strongly_convex.example.state(convex=False), ConstantStep(1e-3), 10
    )
    assert sentence == "every f_i must be convex, got convex=False"


# Local SGD


def test_weight_sum_and_stichs_lower_bound() -> None:
    for a in (17.0, 33.5, 1000.0):
        for T in (1, 2, 10, 101):
            direct = sum((a + t) ** 2 for t in range(T))
            total = float(weight_sum(a, np.array([float(T)]))[0])
            assert total == pytest.approx(direct, rel=1e-13)
            assert total >= T**3 / 3


def test_stich_by_hand() -> None:
    a, T, mu = Fraction(65), 10, Fraction(1, 2)
    total = sum((a + t) ** 2 for t in range(T))
    value = mu * a**3 / (2 * total) * 6
    value += 4 * T * (T + 2 * a) / (mu * 4 * total) * 5
    value += 256 * T / (mu**2 * total) * 7 * 5**2 * 2
    step = local_sgd.stepsize(local_sgd.example, T)
    assert step == InverseTimeStep(8.0, 65.0)
    assert at_example(local_sgd, step, T) == pytest.approx(float(value), rel=1e-13)


def test_identical_workers_are_asked_for() -> None:
    c = together(asysg_con, local_sgd, local_sgd_nonconvex).state(zeta2=0.5, L_max=2.0, mu_min=0.5)
    for theorem in (local_sgd, local_sgd_nonconvex, asysg_con):
        (sentence,) = theorem.violations(c, theorem.stepsize(c, 10), 10)
        assert sentence == "all workers must share one objective (zeta2 = 0), got zeta2=0.5"


@pytest.mark.parametrize("H", [1, 2, 5, 100])
def test_local_condition_is_one_over_l_h(H: int) -> None:
    y = Fraction(1, H)
    assert y + y**2 * H * (H - 1) == 1
    c = local_sgd_nonconvex.example.state(H=H)
    assert local_sgd_nonconvex.applies(c, ConstantStep(1 / (2.0 * H)), 1)
    assert not local_sgd_nonconvex.applies(c, ConstantStep(1.001 / (2.0 * H)), 1)


def test_local_steps_cost_only_the_drift() -> None:
    step, times = ConstantStep(0.05), np.array([1.0, 1e4])
    plain = bsp_nonconvex.bound(bsp_nonconvex.example, step, times)
    local = local_sgd_nonconvex.bound(local_sgd_nonconvex.example, step, times)
    assert local - plain == pytest.approx(0.05**2 * 2**2 * 5 * 4, rel=1e-12)
    one = local_sgd_nonconvex.bound(local_sgd_nonconvex.example.state(H=1), step, times)
    assert one == pytest.approx(plain, rel=1e-14)


def test_local_spread_lies_under_the_drift() -> None:
    # C2: q = 1 - gamma a; mean spread over a period, times L^2, against the drift term
    gamma, a, sigma2, n, H = 0.05, 2.0, 5.0, 4, 5
    q = 1 - gamma * a
    spread = [(1 - 1 / n) * gamma**2 * sigma2 * (1 - q ** (2 * j)) / (1 - q**2) for j in range(H)]
    assert a**2 * sum(spread) / H <= gamma**2 * a**2 * sigma2 * (H - 1)


# Error feedback


def test_error_feedback_by_hand() -> None:
    # 6/(0.1*50) + 0.1*2*7 + 4*0.01*4*7*0.75/0.0625
    value = at_example(ef_sgd_nonconvex, ConstantStep(0.1), 50)
    assert value == pytest.approx(1.2 + 1.4 + 13.44, rel=1e-13)
    # 6/(0.1*50) + 0.1*2*5/4 + 8*0.01*4*7*0.75/0.0625
    value = at_example(ef_sgd_workers, ConstantStep(0.1), 50)
    assert value == pytest.approx(1.2 + 0.25 + 26.88, rel=1e-13)


def test_perturbed_iterates_by_hand() -> None:
    """2 Delta/(gamma a T) + gamma a L (sigma2 + b G2)/n + (gamma L)^2 (S^2 + 2 B^2) G2."""
    value = at_example(perturbed_iterate, ConstantStep(0.1), 50)
    assert value == pytest.approx(0.6 + 0.4 * 6.75 / 4 + 0.04 * 13.5 * 7, rel=1e-13)
    c = perturbed_iterate.example
    assert not perturbed_iterate.violations(c, ConstantStep(1 / 8), 50)  # 1/(2 a L)
    assert perturbed_iterate.violations(c, ConstantStep(0.13), 50)
    at_z = c.state(behind=0.0)  # the model is the virtual iterate: 1/(a L)
    assert not perturbed_iterate.violations(at_z, ConstantStep(1 / 4), 50)


def test_bounds_by_variances_by_hand() -> None:
    """At n 4, L 2, sigma2 5, zeta2 1.5, Delta 3, gamma 0.02, T 50; delta 1/4 and lam 0.6."""
    noise, y2 = 0.04 * 5 / 4, 0.0016
    left = 1 - 8 * y2 * 0.75 * 16
    value = at_example(ef_sgd_variance, ConstantStep(0.02), 50)
    assert value == pytest.approx((6 + noise + 3 * y2 * (48 + 20)) / left, rel=1e-13)
    value = at_example(d_psgd_variance, ConstantStep(0.02), 50)
    assert value == pytest.approx(6 + noise + y2 * (6 / 0.16 + 10 / 0.4), rel=1e-13)
    c = ef_sgd_variance.example  # delta/(4 L sqrt(1 - delta)) = 0.0361
    assert not ef_sgd_variance.violations(c, ConstantStep(0.036), 50)
    assert ef_sgd_variance.violations(c, ConstantStep(0.0362), 50)
    full = c.state(delta=1.0)  # 1/(2 L)
    assert not ef_sgd_variance.violations(full, ConstantStep(0.25), 50)
    assert ef_sgd_variance.violations(full, ConstantStep(0.251), 50)
    assert not d_psgd_variance.violations(d_psgd_variance.example, ConstantStep(0.1), 50)
    assert d_psgd_variance.violations(d_psgd_variance.example, ConstantStep(0.101), 50)


def test_momentum_and_two_way_feedback_by_variances_by_hand() -> None:
    """PR-SGD: m 0.8, H 5, L 2, so y = 10 gamma; two ways: A = (r1 + r2)/((1 - r1) (1 - r2))."""
    y2 = 0.0016  # gamma 0.004
    drift = y2 * 4 * (2 * 9 * 1.5 / 3 + 5) / (1 - 2 * y2 * 20)
    behind = 4 * y2 * 0.64 * 5 / (0.36 * 4)
    value = at_example(pr_sgd_momentum_variance, ConstantStep(0.004), 50)
    assert value == pytest.approx(2 * 0.2 * 3 / 0.2 + 0.04 * 5 / 4 + behind + drift, rel=1e-13)
    c = pr_sgd_momentum_variance.example  # 1/(1 + sqrt(129)) = 0.0809 against 1/(2 H) = 0.1
    assert not pr_sgd_momentum_variance.violations(c, ConstantStep(0.00809), 50)
    assert pr_sgd_momentum_variance.violations(c, ConstantStep(0.0081), 50)
    long = c.state(H_velocity=10)  # 1/20
    assert not pr_sgd_momentum_variance.violations(long, ConstantStep(0.005), 50)
    assert pr_sgd_momentum_variance.violations(long, ConstantStep(0.00501), 50)
    c = ef_sgd_two_way_variance.example.state(delta_up=0.75, delta_down=0.75)  # A = 4
    curve = ef_sgd_two_way_variance.bound(c, ConstantStep(0.05), np.array([50.0]))
    square = 0.01 * 16
    told = (6 / 2.5 + 0.1 * 5 / 4 + 2 * square * 6.5) / (1 - 2 * square)
    assert float(curve[0]) == pytest.approx(told, rel=1e-13)
    assert not ef_sgd_two_way_variance.violations(c, ConstantStep(1 / 16), 50)
    assert ef_sgd_two_way_variance.violations(c, ConstantStep(0.0626), 50)


def test_batches_by_arrivals_adaptive_steps_and_both_ways_by_hand() -> None:
    """Rennala: C/S = 7/4, 2 Delta/gamma = 60, gamma L sigma2/S = 1/4; Malenia: 12/8 and 1/8."""
    value = at_example(rennala_arrivals, ConstantStep(0.1), 50)
    assert value == pytest.approx(7 / 50 * (60 + (1 + 50 / 4) / 4), rel=1e-13)
    value = at_example(malenia_arrivals, ConstantStep(0.1), 50)
    assert value == pytest.approx(12 / 50 * (60 + (1 + 50 / 8) / 8), rel=1e-13)
    value = at_example(ef21_two_way, ConstantStep(0.01), 50)
    assert value == pytest.approx(6 / 0.5, rel=1e-13)
    c = ef21_two_way.example.state(delta_up=0.75, delta_down=0.75)  # A = 4: 1/(2 + 10)
    assert not ef21_two_way.violations(c, ConstantStep(1 / 12), 50)
    assert ef21_two_way.violations(c, ConstantStep(0.0834), 50)
    (told,) = ef21_two_way.violations(c.state(initial_memory=1.0), ConstantStep(0.01), 50)
    assert "initial_memory" in told
    value = at_example(delay_adaptive_steps, ConstantStep(0.01), 50)
    assert value == pytest.approx(12 / 0.5 + 1.25 * 0.01 * 2 * 5, rel=1e-13)
    c = rennala_arrivals.example
    assert not rennala_arrivals.violations(c, ConstantStep(0.5), 50)
    assert rennala_arrivals.violations(c, ConstantStep(0.501), 50)
    for theorem in (rennala_arrivals, delay_adaptive_steps):
        (told,) = theorem.violations(theorem.example.state(zeta2=1.0), ConstantStep(0.01), 50)
        assert "one objective" in told
    assert not malenia_arrivals.violations(malenia_arrivals.example, ConstantStep(0.5), 50)
    (told,) = malenia_arrivals.violations(
        malenia_arrivals.example.state(held=7), ConstantStep(0.1), 50
    )
    assert "held" in told
    assert not delay_adaptive_steps.violations(
        delay_adaptive_steps.example, ConstantStep(1 / 64), 9
    )
    assert delay_adaptive_steps.violations(delay_adaptive_steps.example, ConstantStep(0.0157), 9)


def test_compensated_delays_and_pulls_by_hand() -> None:
    """DC-ASGD: gamma c tau = 0.15 at gamma 0.1, U = 3/0.85; pulls: rho = 1 - 0.1 * 0.95, K 4."""
    value = at_example(dc_asgd_bounded, ConstantStep(0.1), 50)
    square = (3 / 0.85) ** 2
    assert value == pytest.approx(1.2 + 0.2 * square + (0.1 * 2.5 * 3) ** 2 * square, rel=1e-13)
    c = dc_asgd_bounded.example  # 2 c tau = 3 > L
    assert not dc_asgd_bounded.violations(c, ConstantStep(1 / 3), 50)
    assert dc_asgd_bounded.violations(c, ConstantStep(0.334), 50)
    (told,) = dc_asgd_bounded.violations(c.state(zeta2=1.0), ConstantStep(0.1), 50)
    assert "one objective" in told
    value = at_example(gossiping_sgd_pull, ConstantStep(0.1), 51)
    assert value == pytest.approx(0.905**12 * 6 + 0.1 * 5 / (0.5 * 0.95), rel=1e-13)
    c = gossiping_sgd_pull.example  # 1/(L + mu)
    assert not gossiping_sgd_pull.violations(c, ConstantStep(0.4), 50)
    assert gossiping_sgd_pull.violations(c, ConstantStep(0.401), 50)


def test_votes_of_small_batches_by_hand() -> None:
    """n 25: s = 2/sqrt(3) 3/5 400; n 1: s = 2/sqrt(3) 400; an even number is refused."""
    theorem, step = signsgd_majority_small_batches, ConstantStep(0.05)
    B = (0.6 + 0.225) * 5 / 3
    value = at_example(theorem, step, 100)
    assert value == pytest.approx(math.sqrt(B * 480 / math.sqrt(3)), rel=1e-13)
    one = theorem.bound(theorem.example.state(n=1), step, np.array([100.0]))
    assert float(one[0]) == pytest.approx(math.sqrt(B * 800 / math.sqrt(3)), rel=1e-13)
    (told,) = theorem.violations(theorem.example.state(n=8), step, 100)
    assert "must be odd" in told


@pytest.mark.parametrize("n", [1, 3, 5, 9, 25, 101])
def test_votes_are_right_as_often_as_the_bound_says(n: int) -> None:
    """Right less wrong by the binomial law itself, against 3/5 min(1, sqrt(n) eps)."""
    for eps in (0.001, 0.01, 0.1, 1 / math.sqrt(n), 0.3, 0.5):
        p = min(0.5 + eps, 1.0)
        right = sum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n // 2 + 1, n + 1))
        assert 2 * right - 1 >= 0.6 * min(1, math.sqrt(n) * (p - 0.5)) - 1e-12


def test_small_batches_of_signs_by_hand() -> None:
    """B = sqrt(3) (3/(0.05 T) + 0.05 * 9/2): B + 100 while 4 B > 400, then sqrt(400 B)."""
    few, many = math.sqrt(3) * (60 + 0.225), math.sqrt(3) * (0.6 + 0.225)
    step = ConstantStep(0.05)
    assert at_example(signsgd_small_batches, step, 1) == pytest.approx(few + 100, rel=1e-13)
    assert at_example(signsgd_small_batches, step, 100) == pytest.approx(
        math.sqrt(400 * many), rel=1e-13
    )


def test_error_feedback_without_loss_is_sgd() -> None:
    c, step = (
        together(bsp_nonconvex, ef_sgd_nonconvex).state(delta=1.0, G2=5.0, n=1),
        ConstantStep(0.1),
    )
    times = np.array([1.0, 30.0])
    plain = bsp_nonconvex.bound(c, step, times)
    assert ef_sgd_nonconvex.bound(c, step, times) == pytest.approx(plain, rel=1e-14)


@pytest.mark.parametrize("delta", [0.0, -0.5, 1.5])
def test_delta_outside_its_range_is_refused(delta: float) -> None:
    for theorem in (ef_sgd_nonconvex, ef_sgd_workers):
        (sentence,) = theorem.violations(theorem.example.state(delta=delta), ConstantStep(1e-3), 10)
        assert sentence == f"delta must lie in (0, 1], got delta={delta:.6g}"


@pytest.mark.parametrize("gamma", [0.01, 0.1])
def test_error_feedback_covers_top_one_without_noise(gamma: float) -> None:
    # f = (x_0^2 + 0.1 x_1^2 + 0.01 x_2^2)/2 from (1, 1, 1): gradients shrink, G2 is the first
    a, x, e = np.array([1.0, 0.1, 0.01]), np.ones(3), np.zeros(3)
    squares = []
    for _ in range(4000):
        g = a * x
        squares.append(float(g @ g))
        p = gamma * g + e
        sent = top_one(p[None])[0]
        x, e = x - sent, p - sent
    c = Constants(n=1, L=1.0, sigma2=0.0, G2=max(squares), delta=1 / 3, initial_gap=a.sum() / 2)
    times = np.arange(1.0, 4001.0)
    average = np.cumsum(squares) / times
    for theorem in (ef_sgd_nonconvex, ef_sgd_workers):
        assert (average <= theorem.bound(c, ConstantStep(gamma), times)).all()


def test_mem_sgd_by_hand() -> None:
    a, T, mu = Fraction(28), 10, Fraction(1, 2)
    total = sum((a + t) ** 2 for t in range(T))
    value = 4 * T * (T + 2 * a) / (mu * total) * 7 + mu * a**3 / (8 * total) * 6
    value += 64 * T * (1 + 2 * 2 / mu) / (mu * total) * 20 * 16 * 7
    step = mem_sgd.stepsize(mem_sgd.example, T)
    assert step == InverseTimeStep(16.0, 28.0)
    assert at_example(mem_sgd, step, T) == pytest.approx(float(value), rel=1e-13)


def test_mem_sgd_shift_covers_both_readings() -> None:
    for delta in (1.0, 0.1, 1e-3):
        rho = Fraction(20, 36)
        least = Fraction(6) / Fraction(delta) + rho / (rho + 1)
        assert mem_sgd.least_shift(Constants(delta=delta)) == pytest.approx(float(least))
        assert least >= (6 / Fraction(delta) + rho) / (rho + 1)
        assert 7 / delta >= least


# Asynchronous


def test_asysg_con_by_hand() -> None:
    # 6/(0.1*50) + (0.2 + 2*0.04*3)*5
    assert at_example(asysg_con, ConstantStep(0.1), 50) == pytest.approx(1.2 + 2.2, rel=1e-13)
    # M = 4: 6/(4*0.1*50) + (0.2 + 2*0.04*4*3)*5
    assert at_example(AsysgCon(4), ConstantStep(0.1), 50) == pytest.approx(0.3 + 5.8, rel=1e-13)


@pytest.mark.parametrize("M", [1, 4])
@pytest.mark.parametrize("tau", [0, 1, 15])
def test_asysg_con_limit_solves_its_condition(M: int, tau: int) -> None:
    theorem, c = AsysgCon(M), AsysgCon.example.state(tau=tau)
    y = theorem.limit(c) * 2.0 * M
    assert y + 2 * y**2 * tau**2 == pytest.approx(1, rel=1e-13)


def test_asysg_con_reaches_its_corollary() -> None:
    # 4 sqrt(Delta L sigma^2/(M K)) once K >= 4 M L Delta (tau + 1)^2/sigma^2
    for M in (1, 4):
        K = math.ceil(4 * M * 2 * 3 * 16 / 5)
        for horizon in (K, 10 * K, 10**8):
            value = at(
                AsysgCon(M),
                AsysgCon.example,
                AsysgCon(M).stepsize(AsysgCon.example, horizon),
                horizon,
            )
            assert value <= 4 * math.sqrt(3 * 2 * 5 / (M * horizon))


def test_asysg_con_refuses_an_empty_update() -> None:
    with pytest.raises(ValueError, match="M must be at least 1 gradient per update, got M=0"):
        AsysgCon(0)


def test_asysg_con_stays_below_the_stability_threshold() -> None:
    # C7: delayed gradient descent is stable iff gamma a < 2 sin(pi/(2 (2 tau + 1)))
    for tau in (0, 1, 2, 5, 10):
        limit = asysg_con.limit(asysg_con.example.state(tau=tau)) * 2.0
        assert limit < 2 * math.sin(math.pi / (2 * (2 * tau + 1)))
