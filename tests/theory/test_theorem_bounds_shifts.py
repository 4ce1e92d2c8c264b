"""Bounds of DIANA, two-way and absolute error feedback and signs, against exact recursions."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tests.theory.cases import at, together
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorems.absolute_compressor_ef import absolute_compressor_ef
from theory.theorems.compressed_bsp_strongly_convex import compressed_bsp_strongly_convex
from theory.theorems.diana import diana
from theory.theorems.diana_nonconvex import diana_nonconvex
from theory.theorems.ef_sgd_nonconvex import ef_sgd_nonconvex
from theory.theorems.ef_sgd_two_way import ef_sgd_two_way
from theory.theorems.ef_sgd_workers import ef_sgd_workers
from theory.theorems.signsgd import signsgd
from theory.theorems.signsgd_majority import signsgd_majority

A, B = 1.0, 2.0  # f_i = A/2 (x -+ B)^2: optimum 0, gradients A (x -+ B), spread (A B)^2


def two_workers(omega: float, alpha: float) -> Constants:
    return Constants(
        n=2, L=A, L_max=A, mu=A, sigma2=0.0, zeta2=(A * B) ** 2, omega=omega, alpha=alpha,
        R2=9.0, initial_gap=A * 9.0 / 2, convex=True,
    )  # fmt: skip


def exact(gamma: float, alpha: float, omega: float, steps: int) -> list[float]:
    """E x_t^2 of DIANA from x = 3, h = 0 with Q(v) = v (1 +- sqrt(omega)), state (x, h1, h2, 1)."""
    start = np.array([3.0, 0, 0, 1])
    moments, out = np.outer(start, start), [9.0]
    moves = []
    for first, second in product((-1, 1), repeat=2):
        grads = np.array([[A, 0, 0, -A * B], [A, 0, 0, A * B]])
        shifts = np.eye(4)[1:3]
        noise = 1 + np.sqrt(omega) * np.array([[first], [second]])
        sent = noise * (grads - shifts)
        move = np.eye(4)
        move[0] -= gamma * (shifts + sent).mean(0)
        move[1:3] += alpha * sent
        moves.append(move)
    for _ in range(steps):
        moments = np.mean([m @ moments @ m.T for m in moves], axis=0)
        out.append(float(moments[0, 0]))
    return out


@pytest.mark.parametrize("omega", [0.0, 0.5, 3.0])
def test_diana_covers_its_exact_moments_and_has_no_floor(omega: float) -> None:
    c = two_workers(omega, 1 / (1 + omega))
    step = diana.stepsize(c, 400)
    assert isinstance(step, ConstantStep) and diana.applies(c, step, 400)
    bound = diana.bound(c, step, np.arange(401.0))
    truth = np.array(exact(step.gamma, 1 / (1 + omega), omega, 400))
    assert (truth <= bound * (1 + 1e-12)).all() and bound[-1] < 1e-8
    if omega:  # the same run without shifts stays at a floor: h never moves
        plain = exact(step.gamma, 0.0, omega, 400)[-1]
        assert plain > 0.01 and plain <= at(compressed_bsp_strongly_convex, c, step, 400)


def test_diana_nonconvex_covers_the_same_run() -> None:
    omega, alpha = 3.0, 0.25
    c = two_workers(omega, alpha)
    step = diana_nonconvex.stepsize(c, 400)
    assert isinstance(step, ConstantStep)
    squares = A**2 * np.array(exact(step.gamma, alpha, omega, 400))
    for T in (1, 10, 400):
        assert squares[:T].mean() <= at(diana_nonconvex, c, step, T)


def test_shift_steps_beyond_the_limit_are_refused() -> None:
    for theorem in (diana, diana_nonconvex):
        (sentence,) = theorem.violations(theorem.example.state(alpha=0.3), ConstantStep(1e-6), 10)
        assert sentence == "alpha must be at most 1/(1 + omega) = 0.25, got alpha=0.3"
        sentence = theorem.violations(theorem.example.state(alpha=0.0), ConstantStep(1e-6), 10)[0]
        assert sentence == "alpha must be positive, got alpha=0"
    (sentence,) = diana.violations(diana.example.state(convex=False), ConstantStep(1e-6), 10)
    assert sentence == "every f_i must be convex, got convex=False"


def test_two_way_feedback_without_a_server_compressor_is_one_way() -> None:
    c, step = (
        together(ef_sgd_two_way, ef_sgd_workers).state(delta_up=0.25, delta_down=1.0),
        ConstantStep(0.1),
    )
    # (1-d)/(1-sqrt(1-d))^2 <= 4 (1-d)/d^2: the exact residual against the lemma's
    assert at(ef_sgd_two_way, c, step, 50) <= at(ef_sgd_workers, c, step, 50)
    both = c.state(delta_up=1.0)
    free = c.state(delta=1.0)
    assert at(ef_sgd_two_way, both, step, 50) == pytest.approx(at(ef_sgd_workers, free, step, 50))
    for name in ("delta_up", "delta_down"):
        (sentence,) = ef_sgd_two_way.violations(c.state(None, **{name: 0.0}), step, 10)
        assert sentence == f"{name} must lie in (0, 1], got {name}=0"


@pytest.mark.parametrize(("up", "down"), [(0.5, 0.5), (0.9, 0.2), (0.1, 1.0)])
def test_two_way_residuals_stay_below_the_amplification(up: float, down: float) -> None:
    r, s = np.sqrt(1 - up), np.sqrt(1 - down)
    e = server = 0.0
    most = ef_sgd_two_way.amplification(ef_sgd_two_way.example.state(delta_up=up, delta_down=down))
    for _ in range(4000):  # C(p) = (1 - r) p, steps of length 1
        p = 1.0 + e
        e, message = r * p, (1 - r) * p
        q = message + server
        server = s * q
        assert e + server <= most * (1 + 1e-12)
    assert e == pytest.approx(r / (1 - r)) and server == pytest.approx(s / (1 - s))


def test_a_threshold_run_lies_under_the_absolute_bound() -> None:
    d, t, gamma = 5, 0.2, 0.1
    x, e = np.linspace(-3, 4, d), np.zeros(d)
    c = Constants(
        n=1, L=1.0, sigma2=0.0, absolute_error=d * t**2, initial_gap=float(x @ x) / 2
    )  # fmt: skip
    squares = []
    for _ in range(300):
        squares.append(float(x @ x))
        p = gamma * x + e
        sent = np.where(np.abs(p) > t, p, 0.0)
        x, e = x - sent, p - sent
        assert float(e @ e) <= d * t**2
    for T in (1, 20, 300):
        bound = at(absolute_compressor_ef, c, ConstantStep(gamma), T)
        assert np.mean(squares[:T]) <= bound
    assert squares[-1] > 0  # the floor is real: nothing below t is ever sent at once
    assert at(absolute_compressor_ef, c, ConstantStep(gamma), 1e12) == pytest.approx(0.4, rel=1e-6)
    assert ef_sgd_nonconvex.violations(c, ConstantStep(gamma), 1)  # no delta, no G2


def test_signs_cover_the_limit_cycle() -> None:
    # signs cycle: f = x^2/2, x_0 = 1, gamma = 0.3: 1, 0.7, 0.4, 0.1, -0.2, 0.1, -0.2, 0.1
    c = Constants(n=1, L_one=1.0, sigma_one=0.0, initial_gap=0.5)
    x, path = 1.0, [1.0]
    for _ in range(199):
        x -= 0.3 * np.sign(x)
        path.append(abs(x))
    assert path[:5] == pytest.approx([1, 0.7, 0.4, 0.1, 0.2])
    for T in (1, 5, 200):
        assert np.mean(path[:T]) <= at(signsgd, c, ConstantStep(0.3), T)
    assert at(signsgd, c, ConstantStep(0.3), 10**9) == pytest.approx(0.15, rel=1e-6)


def test_bernsteins_rate_squared() -> None:
    T, first = 10_000, 4.0  # batches of T of samples with ||sigma||_1 = 4
    c = Constants(n=1, L_one=9.0, sigma_one=first / T**0.5, initial_gap=3.0)
    got = at(signsgd, c, signsgd.stepsize(c, T), T) ** 2
    paper = (3.0 * (3.0 + 0.5) + 2 * first) ** 2 / (T**2) ** 0.5
    assert got == pytest.approx(paper, rel=1e-12)


def test_the_vote_averages_noise_and_asks_for_symmetry() -> None:
    c = together(signsgd, signsgd_majority).state(sigma_one=6.0)
    one = at(signsgd, c.state(n=1), ConstantStep(0.1), 50)
    assert one - at(signsgd_majority, c, ConstantStep(0.1), 50) == pytest.approx(2 * 6.0 / 2)
    (sentence,) = signsgd_majority.violations(c.state(symmetric_noise=False), ConstantStep(0.1), 10)
    assert sentence.endswith("got symmetric_noise=False")
    (sentence,) = signsgd.violations(c, ConstantStep(0.1), 10)
    assert sentence == "one worker must send signs of its own, got n=4"
