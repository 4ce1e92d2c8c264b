"""Bounds of the gossip methods against hand-computed values and simulations."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from tests.theory.cases import at, at_example, together, top_one
from theory.constants import Constants
from theory.stepsizes import ConstantStep, InverseTimeStep
from theory.theorems.choco_gossip import choco_gossip, consensus_stepsize
from theory.theorems.choco_sgd_nonconvex import choco_sgd_nonconvex
from theory.theorems.choco_sgd_strongly_convex import choco_sgd_strongly_convex
from theory.theorems.d_psgd import d_psgd


def test_d_psgd_by_hand() -> None:
    c = Constants(n=2, L_max=1.0, sigma2=3.0, zeta2=1.0, lam=0.5, initial_gap=2.0)
    gamma, lam, n = Fraction(1, 40), Fraction(1, 2), 2
    d2 = 1 - 18 * gamma**2 * n / (1 - lam) ** 2
    d1 = Fraction(1, 2) - 9 * gamma**2 * n / ((1 - lam) ** 2 * d2)
    value = 2 / (gamma * 100) + gamma * 3 / (2 * n)
    value += gamma**2 * n * 3 / ((1 - lam**2) * d2) + 9 * gamma**2 * n / ((1 - lam) ** 2 * d2)
    assert at(d_psgd, c, ConstantStep(1 / 40), 100) == pytest.approx(float(value / d1), rel=1e-12)


@pytest.mark.parametrize("lam", [0.0, 0.5, 0.99])
def test_d_psgd_reaches_its_corollary(lam: float) -> None:
    # Corollary 2: at most 8 Delta L/K + (8 Delta + 4 L) sigma/sqrt(K n) once K is large enough
    c = d_psgd.example.state(lam=lam)
    for horizon in (10**16, 10**20):
        value = at(d_psgd, c, d_psgd.stepsize(c, horizon), horizon)
        corollary = 8 * 3 * 2 / horizon + (8 * 3 + 4 * 2) * math.sqrt(5) / math.sqrt(4 * horizon)
        assert value <= corollary


def test_a_network_that_falls_apart_is_refused() -> None:
    c = together(choco_gossip, choco_sgd_nonconvex, d_psgd).state(lam=1.0)
    for theorem in (d_psgd, choco_gossip, choco_sgd_nonconvex):
        (sentence,) = theorem.violations(c, ConstantStep(1e-6), 10)
        assert sentence == "lam must be below 1 (a connected network), got lam=1"


def test_disagreeing_workers_need_their_own_smoothness() -> None:
    mean_only = d_psgd.example.without("L_max").state(L=2.0)
    (sentence,) = d_psgd.violations(mean_only.state(zeta2=1.0), ConstantStep(1e-3), 10)
    assert sentence.startswith("this theorem needs L_max; stated are")


def ring(n: int) -> np.ndarray:
    w = np.eye(n) / 3
    for i in range(n):
        w[i, (i + 1) % n] = w[i, (i - 1) % n] = 1 / 3
    return w


def ring_constants(n: int, delta: float) -> Constants:
    values = np.linalg.eigvalsh(ring(n))
    lam = max(abs(values[0]), abs(values[-2]))
    return Constants(n=n, lam=float(lam), beta=float(1 - values[0]), delta=delta)


@pytest.mark.parametrize(("n", "d"), [(4, 2), (8, 4), (16, 3)])
def test_choco_gossip_lies_under_its_bound(n: int, d: int) -> None:
    c = ring_constants(n, 1 / d)
    gamma, w = consensus_stepsize(c), ring(n)
    x, public = np.random.default_rng(7).normal(size=(n, d)), np.zeros((n, d))
    mean, curve = x.mean(0), []
    for _ in range(3000):
        curve.append(((x - x.mean(0)) ** 2).sum() + ((x - public) ** 2).sum())
        public = public + top_one(x - public)
        x = x + gamma * (w @ public - public)
    assert x.mean(0) == pytest.approx(mean, abs=1e-12)
    c = c.state(initial_potential=curve[0])
    bound = choco_gossip.bound(c, choco_gossip.stepsize(c, 1), np.arange(3000.0))
    assert (np.array(curve) <= bound * (1 + 1e-12)).all()
    # and round by round, which is what the theorem says, above the floor of rounding
    rounds = [(a, b) for a, b in pairwise(curve) if b > 1e-20 * curve[0]]
    assert len(rounds) > 500
    assert all(b <= a * (1 - choco_gossip.rate(c)) for a, b in rounds)


def test_choco_numerator_is_gap_times_delta() -> None:
    # Q = I: the slowest mode contracts by exactly 1 - gamma gap a round. At n = 32 the
    # stepsize with gap^2 in its numerator cannot have the rate gap^2/82; the one used can.
    c = ring_constants(32, 1.0)
    gap, gamma = 1 - c.need("lam"), consensus_stepsize(c)
    assert gap == pytest.approx(0.012809813, rel=1e-6)
    assert (1 - gamma * gap) ** 2 <= 1 - choco_gossip.rate(c)
    assert (1 - gamma * gap * gap) ** 2 > 1 - choco_gossip.rate(c)


def test_choco_consensus_stepsize_by_hand() -> None:
    c = Constants(lam=0.5, beta=1.5, delta=0.25)
    # 0.125/(8 + 0.25 + 9 + 2.25 - 1) = 0.125/18.5
    assert consensus_stepsize(c) == pytest.approx(0.125 / 18.5, rel=1e-14)
    for theorem in (choco_gossip, choco_sgd_nonconvex, choco_sgd_strongly_convex):
        assert theorem.consensus_stepsize(c) == consensus_stepsize(c)


def test_choco_sgd_shift_is_the_papers() -> None:
    step = choco_sgd_strongly_convex.stepsize(choco_sgd_strongly_convex.example, 1)
    assert isinstance(step, InverseTimeStep)
    assert step.shift == pytest.approx(max(410 / (0.4**2 * 0.25), 16 * 4), rel=1e-14)


def test_choco_sgd_by_hand() -> None:
    a, T, mu, rate = Fraction(10250), 20, Fraction(1, 2), Fraction(4, 25) / 4 / 82
    total = sum((a + t) ** 2 for t in range(T))
    value = mu * a**3 / 4 * 6 + 2 * T * (T + 2 * a) / (mu * 4) * 5
    value += 960 * T * 2 * 7 / (mu * rate) ** 2
    step = choco_sgd_strongly_convex.stepsize(choco_sgd_strongly_convex.example, T)
    got = at_example(choco_sgd_strongly_convex, step, T)
    assert got == pytest.approx(float(value / total), rel=1e-12)
    c = Constants(n=4, L_max=2.0, sigma2=5.0, G2=7.0, initial_gap=3.0, lam=0.0, beta=1.0, delta=1.0)
    # c = 1/82: 6/(0.1*50) + 0.1*2*5/4 + 8*(0.2*82)^2*7
    got = at(choco_sgd_nonconvex, c, ConstantStep(0.1), 50)
    assert got == pytest.approx(1.2 + 0.25 + 8 * 16.4**2 * 7, rel=1e-12)


def test_choco_sgd_against_its_printed_bound() -> None:
    # at the paper's stepsize the derived leading term is half the printed one or less
    c, T = choco_sgd_nonconvex.example.state(L_max=1.0, L=1.0), 10**30
    step = ConstantStep(math.sqrt(4 / (T + 1)))
    ratio = at(choco_sgd_nonconvex, c, step, T + 1) / choco_sgd_nonconvex.printed(c, T)
    assert ratio == pytest.approx((2 * 3 + 5) / (4 * 3 + 4 * 5), rel=1e-6)


def test_a_bad_start_of_choco_sgd_is_refused() -> None:
    c = choco_sgd_strongly_convex.example.state(initial_potential=1e9)
    step = choco_sgd_strongly_convex.stepsize(c, 10)
    (sentence,) = choco_sgd_strongly_convex.violations(c, step, 10)
    assert sentence.startswith("initial_potential must be at most 40 n G2 (gamma_0 / c)^2")
