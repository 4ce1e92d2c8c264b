"""Bounds of stale and local methods against exact laws, simulations and other implementations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, optimize, stats

from tests.theory.cases import at, at_example, together
from theory.constants import Constants
from theory.rules.stability import Elastic, delay_threshold
from theory.seconds.periods import adapted_period
from theory.seconds.step_times import StepTimes, harmonic
from theory.stepsizes import ConstantStep, InverseRootStep, InverseTimeStep
from theory.survey.rows import SURVEY_ROWS
from theory.survey.speedup_rounds import TABLE_2
from theory.theorem import Theorem
from theory.theorems.bsp_nonconvex import bsp_nonconvex
from theory.theorems.cooperative_sgd import cooperative_sgd
from theory.theorems.local_sgd import local_sgd
from theory.theorems.local_sgd_nonconvex import local_sgd_nonconvex
from theory.theorems.pr_sgd import pr_sgd
from theory.theorems.ssp import ssp

# Special cases


@pytest.mark.parametrize("H", [1, 2, 7, 50])
def test_full_averaging_is_local_sgd(H: int) -> None:
    c = together(cooperative_sgd, local_sgd_nonconvex).state(lam=0.0, H=H)
    assert cooperative_sgd.limit(c) == pytest.approx(1 / (c.need("L") * H), rel=1e-12)
    step = ConstantStep(0.9 * cooperative_sgd.limit(c))
    for t in (1, 30, 1000):
        assert at(cooperative_sgd, c, step, t) == pytest.approx(at(local_sgd_nonconvex, c, step, t))
    both = (cooperative_sgd, local_sgd_nonconvex)
    assert len({theorem.stepsize(c, 500) for theorem in both}) == 1 or H > 1


def test_averaging_at_every_step_costs_no_drift() -> None:
    c = together(bsp_nonconvex, cooperative_sgd, pr_sgd).state(lam=0.0, H=1)
    step = ConstantStep(0.1)
    assert at(cooperative_sgd, c, step, 40) == pytest.approx(at(bsp_nonconvex, c, step, 40))
    drift = at(pr_sgd, c, step, 40) - at(bsp_nonconvex, c, step, 40)
    assert drift == pytest.approx(4 * (0.1 * 2) ** 2 * 7, rel=1e-12)


def test_the_papers_stepsize_and_period_give_the_papers_order() -> None:
    values = []
    for n, T in ((4, 2**16), (4, 2**20), (16, 2**20)):
        H = T**0.25 / n**0.75
        c = pr_sgd.example.state(n=n, H=H)
        step = ConstantStep(math.sqrt(n) / (2.0 * math.sqrt(T)))
        values.append(at(pr_sgd, c, step, T) * math.sqrt(n * T))
    # 2 L Delta + sigma2 + 4 G2: free of n and T
    assert values == pytest.approx([2 * 2 * 3 + 5 + 4 * 7] * 3, rel=1e-9)


def test_too_large_stepsizes_and_directed_graphs_are_refused() -> None:
    step = ConstantStep(0.2)
    (sentence,) = cooperative_sgd.violations(cooperative_sgd.example, step, 10)
    assert sentence.startswith("gamma must be at most 2/(L (1 + sqrt(1 + 4 K))) = ")
    (sentence,) = cooperative_sgd.violations(
        cooperative_sgd.example.state(symmetric=False), step, 10
    )
    assert "W must be symmetric" in sentence
    (sentence,) = cooperative_sgd.violations(cooperative_sgd.example.state(lam=1.0), step, 10)
    assert "lam must be below 1" in sentence
    (sentence,) = cooperative_sgd.violations(cooperative_sgd.example.state(zeta2=1.0), step, 10)
    assert "one objective" in sentence
    (sentence,) = pr_sgd.violations(pr_sgd.example, ConstantStep(0.6), 10)
    assert sentence == "gamma must be at most 1/L_max = 0.5, got gamma=0.6"
    (sentence,) = ssp.violations(ssp.example.state(convex=False), InverseRootStep(1.0), 10)
    assert sentence == "every component must be convex, got convex=False"


# Exact laws


@pytest.mark.parametrize("lam", [0.0, 0.5, 0.95])
@pytest.mark.parametrize("H", [1, 4, 20])
def test_the_spread_of_noise_attains_the_cooperative_term_as_workers_grow(
    lam: float, H: int
) -> None:
    """No gradient but noise: second moments grow by gamma^2 sigma2 I; W M W every H steps."""
    gamma, sigma2, n = 0.1, 3.0, 64
    averaging = np.full((n, n), 1 / n)
    W = lam * np.eye(n) + (1 - lam) * averaging
    rest = np.eye(n) - averaging
    moments, spread = np.zeros((n, n)), []
    for t in range(400 * H if lam > 0.9 else 60 * H):
        spread.append(np.trace(rest @ moments) / n)
        moments = moments + gamma**2 * sigma2 * np.eye(n)
        if (t + 1) % H == 0:
            moments = W @ moments @ W
    # twice the spread, over gamma^2 sigma2, is what the theorem has, but for the factor 1 - 1/n
    claimed = (1 + lam**2) / (1 - lam**2) * H - 1
    measured = 2 * np.mean(spread[-H:]) / (gamma**2 * sigma2)
    assert measured == pytest.approx((1 - 1 / n) * claimed, rel=1e-9, abs=1e-12)
    c = Constants(n=n, L=1.0, sigma2=sigma2, zeta2=0.0, H=H, lam=lam, initial_gap=0.0)
    floor = at(cooperative_sgd, c, ConstantStep(gamma), 1)
    assert 2 * np.mean(spread) + gamma * sigma2 / n <= floor * (1 + 1e-12)


@pytest.mark.parametrize("H", [1, 3, 10])
def test_two_uneven_workers_stay_below_pr_sgd(H: int) -> None:
    """f_i = (x -+ 1)^2/2 and curvatures 1 and 1/2, no noise: exact iterates, any heterogeneity."""
    a, b, gamma, T = np.array([1.0, 0.5]), np.array([1.0, -1.0]), 0.2, 300
    x, gradients, largest = np.array([3.0, 3.0]), [], 0.0

    def value(z: float) -> float:
        return float(np.mean(a * (z - b) ** 2) / 2)

    best = float((a * b).sum() / a.sum())
    for t in range(T):
        g = a * (x - b)
        gradients.append(float(np.mean(a * (x.mean() - b))) ** 2)
        largest = max(largest, float((g**2).max()))
        x = x - gamma * g
        if (t + 1) % H == 0:
            x[:] = x.mean()
    c = Constants(
        n=2, L=0.75, L_max=1.0, sigma2=0.0, G2=largest, H=H, initial_gap=value(3.0) - value(best)
    )  # fmt: skip
    assert pr_sgd.applies(c, ConstantStep(gamma), T)
    bound = pr_sgd.bound(c, ConstantStep(gamma), np.arange(1.0, T + 1))
    assert (np.cumsum(gradients) / np.arange(1, T + 1) <= bound).all()
    if H > 1:  # a floor of its own: the fixed point is not the minimiser
        assert gradients[-1] > 1e-6


# SSP: regret of a simulation clock by clock


def regret(n: int, s: int, clocks: int, scale: float, seed: int, ahead: bool) -> np.ndarray:
    """Average regret after every gradient, f_t(x) = |x - b_t|, at the worst views SSP allows.

    A worker at clock c lacks all others' updates of clocks c - s, ..., c; with ``ahead`` it has
    them, and those up to c + s - 1 that exist by then (every other worker as far ahead as may be).
    """
    b = np.random.default_rng(seed).choice([-1.0, 1.0], p=[0.35, 0.65], size=(clocks, n))
    step = scale / np.sqrt(np.arange(clocks * n) + 1).reshape(clocks, n)
    moves, loss = np.zeros((clocks, n)), np.zeros((clocks, n))
    order = [(c, p) for c in range(clocks) for p in range(n)]
    if ahead:  # worker 0 lags s clocks behind the others, in real time
        order = [(c, p) for c in range(clocks + s) for p in range(n)]
        order = [(c - s if p == 0 else c, p) for c, p in order]
        order = [(c, p) for c, p in order if 0 <= c < clocks]
    for c, p in order:
        own = moves[:c, p].sum()
        others = np.delete(moves, p, axis=1)
        seen = others if ahead else others[: max(0, c - s)]
        x = own + seen.sum()
        loss[c, p] = abs(x - b[c, p]) - abs(1.0 - b[c, p])  # f_t at the minimiser of the mean, 1
        moves[c, p] = -step[c, p] * np.sign(x - b[c, p])
    total = np.cumsum(loss.ravel())
    return np.asarray(total / np.arange(1, clocks * n + 1))


@pytest.mark.parametrize("s", [0, 1, 4])
@pytest.mark.parametrize("ahead", [False, True])
def test_ssp_covers_its_worst_views(s: int, ahead: bool) -> None:
    n, clocks = 4, 500
    # every point is at most 1 + the noise of the steps from 1; D is checked against the run below
    c = Constants(n=n, lead=s, lipschitz=1.0, diameter=4.0, convex=True)
    step = ssp.stepsize(c, clocks * n)
    assert isinstance(step, InverseRootStep)
    curve = regret(n, s, clocks, step.scale, 7, ahead)
    bound = ssp.bound(c, step, np.arange(1.0, clocks * n + 1))
    assert (curve <= bound).all()
    assert 4 * 2 * math.sqrt((s + 1) * n / (clocks * n)) * 2 >= bound[-1]


def test_ssp_is_three_quarters_of_the_paper_at_its_stepsize() -> None:
    F, lip, s, n, T = 2.0 / math.sqrt(2), 3.0, 2, 4, 1000
    step = ssp.stepsize(ssp.example, T)
    assert isinstance(step, InverseRootStep)
    assert step.scale == pytest.approx(F / (lip * math.sqrt(2 * (s + 1) * n)), rel=1e-12)
    paper = 4 * F * lip * math.sqrt(2 * (s + 1) * n / T)
    assert at_example(ssp, step, T) == pytest.approx(0.75 * paper, rel=1e-12)


# Step times


def test_step_times_by_integrals_of_the_tails() -> None:
    shift, rest, n, D = 0.4, 1.7, 5, 1.9
    law, times = stats.expon(shift, rest), StepTimes(shift, rest)

    def kth(k: int) -> float:
        """E of the k-th of n: the integral of P(fewer than k have arrived)."""
        tail = lambda x: stats.binom.cdf(k - 1, n, law.cdf(x))  # noqa: E731
        return float(integrate.quad(tail, 0, shift)[0] + integrate.quad(tail, shift, 200)[0])

    for b in range(n):
        assert times.backup(n, b) == pytest.approx(kth(n - b), rel=1e-9)
    assert times.bulk(n) == pytest.approx(kth(n), rel=1e-9)
    inside = integrate.quad(lambda x: 1 - law.cdf(x) ** n, 0, D, points=[shift])[0]
    beyond = integrate.quad(lambda x: law.sf(x) ** n, D, 200)[0]
    assert times.deadline(n, D) == pytest.approx(inside + beyond, rel=1e-9)
    late = float(law.sf(D))
    assert times.in_time(n, D) == pytest.approx(n * (1 - late) + late**n, rel=1e-12)
    assert times.deadline(n, 0.3) == pytest.approx(kth(1), rel=1e-9)
    assert times.deadline(n, 1e9) == pytest.approx(kth(n), rel=1e-9)


def test_step_times_of_constant_gradients() -> None:
    times = StepTimes(2.0, 0.0)
    assert times.bulk(8) == times.backup(8, 3) == 2.0
    assert times.asynchronous(8) == times.in_turn(8) == times.partial(8, 1) == 0.25
    assert times.deadline(8, 1.0) == times.deadline(8, 5.0) == times.deadline(8, 2.0) == 2.0
    assert (times.in_time(8, 1.0), times.in_time(8, 2.0)) == (1.0, 8.0)


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_workers_in_turn_by_their_recursion(n: int) -> None:
    """T_k = max(T_{k-1}, T_{k-n} + X_k), from 4096 runs of 400 updates after 200 to settle."""
    rng = np.random.default_rng(11)
    done = np.zeros((n, 4096))
    now, early = np.zeros(4096), np.zeros(4096)
    for k in range(600):
        now = np.maximum(now, done[k % n] + rng.exponential(1.7, 4096))
        done[k % n] = now
        early = now if k == 199 else early
    seconds = (now - early) / 400
    error = 6.2 * seconds.std(ddof=1) / 64  # 1e-9 of the normal law
    assert abs(seconds.mean() - StepTimes(0.0, 1.7).in_turn(n)) <= error
    assert StepTimes().in_turn(2) == pytest.approx(2 / 3, rel=1e-12)


def test_partial_barriers_and_harmonic_numbers() -> None:
    assert harmonic(0) == 0 and harmonic(4) == pytest.approx(25 / 12, rel=1e-15)
    times = StepTimes(0.0, 3.0)
    assert times.partial(6, 1) == pytest.approx(times.asynchronous(6)) == pytest.approx(0.5)
    assert times.partial(6, 6) == times.bulk(6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: StepTimes(-1.0), "shift and rest must be at least 0 and not both 0, got shift=-1"),
        (lambda: StepTimes(0.0, 0.0), "not both 0"),
        (lambda: StepTimes().backup(4, 4), r"b must lie in \[0, 4\), got b=4"),
        (lambda: StepTimes().partial(4, 5), r"least must lie in \[1, 4\], got least=5"),
        (lambda: StepTimes(1.0, 1.0).partial(4, 2), "for shift=0 or rest=0 only"),
        (lambda: StepTimes(1.0, 1.0).in_turn(4), "a round robin has a closed form"),
        (lambda: StepTimes().in_turn(12), r"n must be at most 11 \(2\^\(n-1\) states\), got n=12"),
        (lambda: StepTimes().asynchronous(0), "n must be at least 1 worker, got n=0"),
        (lambda: StepTimes().deadline(3, 0.0), "seconds must be positive, got seconds=0.0"),
        (lambda: harmonic(-1), "n must be at least 0, got n=-1"),
        (lambda: delay_threshold(-1), "tau must be at least 0, got tau=-1"),
        (lambda: adapted_period(0, 1.0, 1.0), "first must be at least 1"),
        (lambda: InverseRootStep(0.0), "scale must be positive, got scale=0.0"),
        (lambda: TABLE_2[0](0, 4), "T, n and K must be at least 1, got T=0"),
    ],
)
def test_bad_input_is_named(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(ValueError, match=message):
        call()


# Stability


def largest_root(tau: int, h: float) -> complex:
    """The root of z^{tau+1} - z^tau + h of the largest modulus."""
    coefficients = np.zeros(tau + 2)
    coefficients[0], coefficients[1] = 1, -1
    coefficients[-1] += h
    roots = np.roots(coefficients)
    return complex(roots[np.abs(roots).argmax()])


@pytest.mark.parametrize(
    ("tau", "stable"), [(0, 2), (1, 1), (2, 0.61803399), (5, 0.28462968), (10, 0.14946019)]
)
def test_delay_thresholds_by_roots(tau: int, stable: float) -> None:
    assert delay_threshold(tau) == pytest.approx(stable, rel=1e-7)
    assert abs(largest_root(tau, 0.999 * stable)) < 1 < abs(largest_root(tau, 1.001 * stable))


def test_elastic_averaging_by_eigenvalues() -> None:
    stable = 0
    for h, alpha, beta in np.random.default_rng(5).uniform(0, 3, (3000, 3)):
        elastic = Elastic(h, alpha, beta)
        radius = np.abs(np.linalg.eigvals(np.array(elastic.matrix))).max()
        assert elastic.centre_stable == (radius < 1)
        assert elastic.stable == elastic.centre_stable  # which keeps the workers together, too
        assert elastic.stable == (radius < 1 and abs(elastic.deviation) < 1)
        stable += elastic.stable
    assert 200 < stable < 2800  # both sides are tried


# Periods


def test_adapted_periods_fall_with_the_loss() -> None:
    assert [adapted_period(16, loss, 2.0) for loss in (2.0, 0.5, 0.02, 0.0)] == [16, 8, 2, 1]
    assert adapted_period(3, 8.0, 2.0) == 6


# Table 2


def test_table_2_names_rows_and_known_counts() -> None:
    keys = [line.key for line in TABLE_2]
    assert set(keys) <= {row.key for row in SURVEY_ROWS} and len(set(keys)) == 8
    by_key = {line.key: line for line in TABLE_2}
    T, n = 4096.0, 16.0
    assert by_key["bsp-sgd"](T, n) == T and by_key["one-shot-averaging"](T, n) == 1
    assert by_key["k-avg"](T, n, 8) == 512
    assert by_key["local-sgd"](T, n) == 256 and by_key["local-sgd"].longest_period(T, n) == 16
    assert by_key["pr-sgd"](T, n) == pytest.approx(4096) == by_key["cocod-sgd"](T, n)
    assert by_key["lupa-sgd"](T, n) == pytest.approx((T * n) ** (1 / 3))


def longest(theorem: Theorem, c: Constants, T: float) -> float:
    """The largest period whose bound is at most twice that of H = 1, the stepsize that of H = 1."""
    base = c.state(H=1)
    step = theorem.stepsize(base, int(T))
    if isinstance(step, InverseTimeStep):
        step = InverseTimeStep(step.scale, step.shift)
    limit = 2 * at(theorem, base, step, T)

    def over(log: float) -> float:
        return at(theorem, c.state(H=math.exp(log)), step, T) - limit

    return math.exp(optimize.brentq(over, 0, 60))


@pytest.mark.parametrize(("theorem", "key"), [(local_sgd, "local-sgd"), (pr_sgd, "pr-sgd")])
def test_the_exponents_are_those_that_the_bounds_allow(theorem: Theorem, key: str) -> None:
    (line,) = (line for line in TABLE_2 if line.key == key)
    T = 2.0**60
    more_time = longest(theorem, theorem.example, 16 * T) / longest(theorem, theorem.example, T)
    more_workers = longest(theorem, theorem.example.state(n=64), T) / longest(
        theorem, theorem.example, T
    )
    assert math.log(more_time, 16) == pytest.approx(1 - float(line.steps), abs=2e-3)
    assert math.log(more_workers, 16) == pytest.approx(-float(line.workers), abs=2e-3)
