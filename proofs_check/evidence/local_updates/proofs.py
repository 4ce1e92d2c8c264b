"""Derivations: best period, local GD's fixed point, local SGD, its spread, LUPA-SGD."""

from __future__ import annotations

from itertools import product
from typing import Any

import sympy as sp

from proofs_check.proofs import recursions as lemma
from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA
from proofs_check.proofs.expressions import computes, descends
from proofs_check.proofs.recursions import contracts
from proofs_check.verdict import Verdict
from theory.theorems.local_sgd import local_sgd
from theory.theorems.local_sgd_nonconvex import local_sgd_nonconvex
from theory.theorems.local_sgd_pl import local_sgd_pl
from theory.theorems.lupa_sgd import lupa_sgd

gap, gamma, L, sigma2, n, S, Y, D, H = sp.symbols("Delta gamma L sigma2 n S Y D H", positive=True)
a0, a1, G2, LUPA_SGD_L, q = sp.symbols("a0 a1 G2 L_max q", positive=True)
# The averaging period with the least error after a given time.


BEST = sp.sqrt(2 * gap * D / (gamma**3 * L**2 * sigma2 * S))


def prove_best_period(claimed: Any = BEST) -> Verdict:
    r"""The bound of local SGD at K = S/(Y + D/H) steps is least at H = ``claimed``.

    S is the whole time of the run; the seconds Y of a local step drop out.
    """
    floor = gamma * L * sigma2 / n + gamma**2 * L**2 * sigma2 * (H - 1)
    bound = 2 * gap / (gamma * S) * (Y + D / H) + floor
    symbols = (gap, gamma, L, sigma2, S, D, H)
    return settled(
        "best period",
        f"the best period is {claimed}",
        "derived from Wang, Joshi 2018, arXiv:1810.08313",
        equality("the slope there", sp.diff(bound, H).subs(H, claimed), 0),
        nonnegative("the bound is convex in H", sp.diff(bound, H, 2), *symbols),
    )


# Local GD on different quadratics: its fixed point has the weights 1 - (1 - gamma a_i)^H.

LOCAL_GD_FIXED_POINT_H = sp.symbols("H", integer=True, positive=True)
b0, b1 = sp.symbols("b0 b1", real=True)


def weight(a: Any) -> Any:
    """Weight 1 - (1 - gamma a)^H of a worker with curvature a at the fixed point."""
    return 1 - (1 - gamma * a) ** LOCAL_GD_FIXED_POINT_H


POINT = (weight(a0) * b0 + weight(a1) * b1) / (weight(a0) + weight(a1))


def prove_local_gd_fixed_point(claimed: Any = POINT) -> Verdict:
    r"""H steps on (a_i/2)(x - b_i)^2 from x, then the mean: x is left alone at ``claimed``."""
    x = sp.symbols("x", real=True)
    t = sp.symbols("t", integer=True, nonnegative=True)
    y = sp.Function("y")
    ends = []
    for a, b in ((a0, b0), (a1, b1)):
        local = sp.rsolve(y(t + 1) - y(t) + gamma * a * (y(t) - b), y(t), {y(0): x})
        ends.append(local.subs(t, LOCAL_GD_FIXED_POINT_H))
    (fixed,) = sp.solve(sp.Eq(x, sum(ends) / 2), x)
    optimum = (a0 * b0 + a1 * b1) / (a0 + a1)
    case = {a0: 1, a1: 4, b0: 0, b1: 1, gamma: sp.Rational(1, 10)}
    return settled(
        "local GD fixed point",
        f"fixed point {claimed}",
        "derived; compare Karimireddy et al. 2020, arXiv:1910.06378, Section 3.2",
        equality("the fixed point", fixed, claimed),
        equality("H = 1 stops at the minimum", claimed.subs(LOCAL_GD_FIXED_POINT_H, 1), optimum),
        equality(
            "a = (1, 4), b = (0, 1), gamma = 1/10, H = 2",
            claimed.subs(case).subs(LOCAL_GD_FIXED_POINT_H, 2),
            sp.Rational(64, 83),
        ),
    )


# Local SGD, strongly convex: the drift between averagings put into the weighted recursion.


DRIFT = 256 * lemma.T / lemma.mu**2 * G2 * H**2 * L


def prove_local_sgd(claimed: Any = DRIFT) -> Verdict:
    r"""The last term of Theorem 2.2 is ``claimed``/S_T.

    Lemma 3.1: A = 1/2, noise gamma^2 sigma2/n, drift 2 gamma L (1/n) sum ||xbar - x_i||^2.
    Lemma 3.3: at most H - 1 steps since the last averaging, each within a factor 2 of gamma_t
    (a > H), so (1/n) sum ||xbar - x_i||^2 <= H^2 (2 gamma_t)^2 G2.
    """
    gamma, v = sp.symbols("gamma v", nonnegative=True)
    third = sp.cancel(2 * gamma * L * H**2 * (2 * gamma) ** 2 * G2 / gamma**3)
    bound = lemma.WEIGHTED_BOUND.subs(
        {lemma.A: sp.Rational(1, 2), lemma.B: sigma2 / n, lemma.C: third}
    )
    start = lemma.mu * lemma.a**3 / 2 * lemma.R2
    noise = 4 * lemma.T * (lemma.T + 2 * lemma.a) / (lemma.mu * n) * sigma2
    # gamma_t <= 2 gamma_{t+H} when a + t = H + v
    ratio = 2 / (H + v + H) - 1 / (H + v)
    return settled(
        "local_sgd",
        f"the drift costs {claimed}/S_T",
        "Stich 2018, arXiv:1805.09767, Theorem 2.2, Lemmas 3.1, 3.3, 3.4",
        nonnegative("the stepsize halves at most within H steps", ratio, v, H),
        equality("the bound", bound * lemma.S_T, start + noise + claimed),
        computes(local_sgd, (start + noise + claimed) / lemma.S_T),
    )


# Local SGD, non-convex: the drift of a period, and the stepsize condition in closed form.


LOCAL_SGD_NONCONVEX_FLOOR = gamma * L * sigma2 / n + gamma**2 * L**2 * sigma2 * (H - 1)


def condition() -> tuple[DerivationStep, ...]:
    """gamma L + gamma^2 L^2 H (H - 1) <= 1 says gamma L <= 1/H: at y = 1/H it is an equality."""
    y, w = sp.symbols("y w", nonnegative=True)
    left = y + y**2 * H * (H - 1)
    rise = sp.diff(left, y).subs(H, 1 + w)
    return (
        equality("the condition is tight at gamma L = 1/H", left.subs(y, 1 / H), 1),
        nonnegative("and grows with gamma", rise, y, w),
    )


def prove_local_sgd_nonconvex(claimed: Any = LOCAL_SGD_NONCONVEX_FLOOR) -> Verdict:
    r"""avg E||grad f(xbar_t)||^2 <= 2 Delta/(gamma T) + ``claimed``.

    Descent: ||grad f(xbar)||^2 is at most 2/gamma times the decrease, - (1 - gamma L) S, where S is
    (1/n) sum ||grad f(x_i)||^2, + L^2 V + gamma L sigma2/n, V the spread. j steps after an
    averaging V <= 2 gamma^2 j sigma2 + 2 gamma^2 j (sum of S since then): over a period of H steps
    the noise averages to gamma^2 (H - 1) sigma2, and every S comes back at most
    gamma^2 L^2 H (H - 1) times, which the condition pays for.
    """
    j, i = sp.symbols("j i", integer=True, nonnegative=True)
    noise = sp.summation(2 * gamma**2 * j * sigma2, (j, 0, H - 1)) / H
    first = sp.summation(2 * gamma**2 * L**2 * j, (j, 1, H - 1))  # how often S of step 0 returns
    later = sp.summation(2 * gamma**2 * L**2 * j, (j, i + 1, H - 1))
    return settled(
        "local_sgd_nonconvex",
        f"average squared gradient <= 2 Delta/(gamma T) + {claimed}",
        "Wang, Joshi 2018, arXiv:1808.07576, Theorem 1, W = J",
        *condition(),
        equality(
            "S of the first step returns",
            first,
            gamma**2 * L**2 * H * (H - 1),
        ),
        nonnegative("S of a later step returns less", first - later, i, gamma, L),
        equality(
            "noise and drift",
            gamma * L * sigma2 / n + L**2 * noise,
            claimed,
        ),
        descends(local_sgd_nonconvex, 2, claimed),
    )


# Local SGD under the inequality of Polyak and Lojasiewicz, any shards.


LOCAL_SGD_PL_FLOOR = GAMMA * LUPA_SGD_L * sigma2 / n + 4 * GAMMA**2 * LUPA_SGD_L**2 * H**2 * G2


def mean_step(spread: Any, floor: Any) -> tuple[DerivationStep, ...]:
    """The mean model moves by the mean gradient, of expectation S = mean of grad f_i(x_i), which
    differs from grad f(xbar) by L times the root of the ``spread``, V: f falls by gamma/2 g2 -
    gamma/2 ``floor`` at least, for gamma <= 1/L.
    """
    g2, s2, v, V = sp.symbols("g2 s2 v V", nonnegative=True)
    g, s = sp.symbols("g s", real=True)
    inner = (g2 + s2 - LUPA_SGD_L**2 * V) / 2  # at most <grad f, S>
    descent = -GAMMA * inner + GAMMA**2 * LUPA_SGD_L / 2 * (s2 + sigma2 / n)
    kept = -GAMMA / 2 * g2 + GAMMA / 2 * (GAMMA * LUPA_SGD_L * sigma2 / n + LUPA_SGD_L**2 * V)
    slack = sp.simplify((kept - descent).subs(GAMMA, 1 / (LUPA_SGD_L * (1 + v))))
    return (
        equality("<g, s> = (g^2 + s^2 - (g - s)^2)/2", (g**2 + s**2 - (g - s) ** 2) / 2, g * s),
        nonnegative(
            "one step of the mean descends for gamma <= 1/L", slack, v, g2, s2, LUPA_SGD_L, V
        ),
        equality(
            "what it leaves",
            GAMMA * LUPA_SGD_L * sigma2 / n + LUPA_SGD_L**2 * spread,
            floor,
        ),
    )


def deviations(count: int) -> DerivationStep:
    """Distances from the mean have a smaller mean square than the vectors themselves."""
    g = sp.symbols(f"g:{count}", real=True)
    mean = sum(g) / count
    room = sum(x**2 for x in g) / count - sum((x - mean) ** 2 for x in g) / count
    return equality(f"mean square about the mean, {count} workers", sp.expand(room), mean**2)


def prove_local_sgd_pl(claimed: Any = LOCAL_SGD_PL_FLOOR) -> Verdict:
    r"""E f(xbar_T) - f* <= (1 - gamma mu)^T Delta + ``claimed``/(2 mu) for gamma <= 1/L_max.

    At most H steps since the workers met, so the spread is at most gamma^2 H^2 G2, and that of
    Yu, Yang, Zhu 2018 four times this.
    """
    return settled(
        "local_sgd_pl",
        f"E f(xbar_T) - f* <= (1 - gamma mu)^T Delta + {claimed}/(2 mu)",
        "derived; Yu, Yang, Zhu 2018, arXiv:1807.06629, Theorem 1; Karimi et al. 2016",
        deviations(3),
        *mean_step(4 * GAMMA**2 * H**2 * G2, claimed),
        *contracts(local_sgd_pl, claimed),
    )


# Local SGD on a common quadratic: the spread of the workers j steps after an averaging.


j = sp.symbols("j", integer=True, nonnegative=True)
LOCAL_SGD_SPREAD_SPREAD = (1 - 1 / n) * gamma**2 * sigma2 * (1 - q ** (2 * j)) / (1 - q**2)


def prove_local_sgd_spread(claimed: Any = LOCAL_SGD_SPREAD_SPREAD) -> Verdict:
    r"""E (1/n) sum (x_i - xbar)^2 = ``claimed``; the mean itself moves as BSP-SGD does.

    x_i+ = q x_i - gamma s e_i with independent signs e_i, enumerated for n = 2, 3.
    """
    D = sp.Function("D")
    s = sp.sqrt(sigma2)
    steps = []
    for workers in (2, 3):
        x = sp.symbols(f"x:{workers}", real=True)
        total, cases = sp.Integer(0), 0
        for signs in product((-1, 1), repeat=workers):
            after = [q * xi - gamma * s * e for xi, e in zip(x, signs, strict=True)]
            mean = sum(after) / workers
            total, cases = total + sum((y - mean) ** 2 for y in after) / workers, cases + 1
        centre = sum(x) / workers
        old = sum((xi - centre) ** 2 for xi in x) / workers
        right = q**2 * old + (1 - sp.Rational(1, workers)) * gamma**2 * sigma2
        steps.append(equality(f"one step, n = {workers}", total / cases, right))
    recursion = D(j + 1) - q**2 * D(j) - (1 - 1 / n) * gamma**2 * sigma2
    solution = sp.rsolve(recursion, D(j), {D(0): 0})
    return settled(
        "local SGD spread",
        f"spread after j steps {claimed}",
        "derived; setting of Stich 2018, arXiv:1805.09767",
        *steps,
        equality("the sum of the series", solution, claimed),
    )


# LUPA-SGD: how far workers of one objective part, without a bound on gradients.


LUPA_SGD_SPREAD = GAMMA**2 * sigma2 * (H - 1) * (1 + GAMMA * LUPA_SGD_L) ** (2 * (H - 2))


def parting() -> tuple[DerivationStep, ...]:
    """A step takes two workers' distance times 1 + gamma L at most and adds 2 gamma^2 sigma2 to its
    square; so the spread, half the mean of the n^2 squared distances, v <- (1 + gamma L)^2 v +
    gamma^2 sigma2 (1 - 1/n), starts at 0 and is at most gamma^2 sigma2 j (1 + gamma L)^(2(j - 1))
    after j steps.
    """
    x = sp.symbols("x_1:4", real=True)
    mean = sum(x) / 3
    pairs = sum((a - b) ** 2 for a in x for b in x) / (2 * 9)
    apart, y, j, q, m = sp.symbols("apart y j q m", nonnegative=True)
    longest = (1 + y) ** 2 * apart**2 - (apart + y * apart) ** 2
    # after j steps, over gamma^2 sigma2, with q = (1 + gamma L)^2 = 1 + more and P = q^(j - 1)
    more, above = sp.symbols("more above", nonnegative=True)
    power = 1 + above
    kept = (j + 1) * q * power - (q * j * power + 1 - 1 / (1 + m))
    return (
        equality("spread and pairs", sum((a - mean) ** 2 for a in x) / 3, sp.expand(pairs)),
        equality("two workers part by 1 + gamma L", sp.expand(longest), 0),
        nonnegative("one more step keeps the claim", kept.subs(q, 1 + more), j, more, above, m),
    )


def prove_lupa_sgd(spread: Any = LUPA_SGD_SPREAD) -> Verdict:
    r"""E f(xbar_T) - f* <= (1 - gamma mu)^T Delta + (gamma L sigma2/n + L^2 ``spread``)/(2 mu)."""
    floor = GAMMA * LUPA_SGD_L * sigma2 / n + LUPA_SGD_L**2 * LUPA_SGD_SPREAD
    return settled(
        "lupa_sgd",
        f"models spread by at most {spread} between meetings, so O(1/(nT)) with its constants",
        "derived; setting of Haddadpour et al. 2019, arXiv:1910.13598",
        *parting(),
        *mean_step(spread, floor),
        *contracts(lupa_sgd, floor),
    )


PROOFS = (
    prove_best_period,
    prove_local_gd_fixed_point,
    prove_local_sgd,
    prove_local_sgd_nonconvex,
    prove_local_sgd_pl,
    prove_local_sgd_spread,
    prove_lupa_sgd,
)

COVERS = {
    "prove_best_period": ("adacomm", "local-sgd"),
    "prove_local_gd_fixed_point": ("local-sgd",),
    "prove_local_sgd_spread": ("local-sgd",),
}
