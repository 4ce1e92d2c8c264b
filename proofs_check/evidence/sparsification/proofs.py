"""Derivations: contraction descent, ef sgd two way, layer wise adaptive, mem sgd, rand k factor,
sparse binary, sparse ternary, top k analytic, water filling."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import sympy as sp

from proofs_check.evidence.auxiliary.theorems import virtual_descent
from proofs_check.proofs import recursions as lemma
from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, TIME, evaluates, symbol
from proofs_check.proofs.expressions import computes, near
from proofs_check.proofs.norms import residual as residuals
from proofs_check.verdict import Verdict
from theory.theorems.contraction_descent import contraction_descent
from theory.theorems.ef_sgd_two_way import ef_sgd_two_way
from theory.theorems.layer_wise_adaptive import layer_wise_adaptive
from theory.theorems.mem_sgd import mem_sgd
from theory.theorems.top_k_analytic import top_k_analytic

# Gradient descent along a contraction of the gradient, without memory.


L, delta, gap = (symbol(name) for name in ("L", "delta", "initial_gap"))
BOUND = 2 * gap / (delta * GAMMA * TIME)


def prove_contraction_descent(claimed: Any = BOUND, error: Any = 1 - delta) -> Verdict:
    r"""avg E||grad f(x_t)||^2 <= ``claimed`` where E||C(g) - g||^2 <= ``error`` ||g||^2.

    <g, C> = (g2 + ||C||^2 - ||C - g||^2)/2: f falls by gamma/2 (1 - ``error``) g2 at least, for
    gamma <= 1/L. A contraction that keeps (1 - sqrt(1 - delta)) g shows that delta matters.
    """
    g2, c2, v = sp.symbols("g2 c2 v", nonnegative=True)
    change = -GAMMA / 2 * (g2 + c2 - error * g2) + GAMMA**2 * L / 2 * c2
    kept = -GAMMA / 2 * (1 - error) * g2
    slack = sp.simplify((kept - change).subs(GAMMA, 1 / (L * (1 + v))))
    total = sp.solve(sp.Eq(gap, TIME * GAMMA / 2 * (1 - error) * g2), g2)[0]
    return settled(
        "contraction_descent",
        f"average squared gradient <= {claimed}",
        "derived; setting of de Klerk, Glineur, Taylor 2020, arXiv:1709.05191",
        nonnegative("one step descends for gamma <= 1/L", slack, v, c2, g2, L),
        equality("T steps telescope", total, claimed),
        computes(contraction_descent, claimed),
    )


# Error feedback on workers and server: both residuals together, and the virtual iterate.


r1, r2, G2, sigma2, n, gamma = sp.symbols("r1 r2 G2 sigma2 n gamma", positive=True)
AMPLIFICATION = (r1 + r2) / ((1 - r1) * (1 - r2))
FLOOR = gamma * L * sigma2 / n + 2 * gamma**2 * L**2 * G2 * AMPLIFICATION**2


def prove_ef_sgd_two_way(claimed: Any = AMPLIFICATION) -> Verdict:
    r"""sqrt(E||e + mean e_i||^2) <= gamma G ``claimed``, r_j = sqrt(1 - delta_j)."""
    x, e, s, g, up, down = sp.symbols("x e s g C1 C2", real=True)
    worker = g + e - up  # mean residual of the workers, g = gamma times the mean gradient
    server = up + s - down
    after = (x - down) - worker - server
    mine = r1 / (1 - r1)  # fixed point of e -> r1 (1 + e), in units of gamma G
    message = 1 + 2 * mine
    theirs = r2 / (1 - r2) * message
    own = gamma * L * sigma2 / n + 2 * gamma**2 * L**2 * G2 * claimed**2
    bound = 2 * symbol("initial_gap") / (gamma * TIME) + own
    lost = {r1: sp.sqrt(1 - symbol("delta_up")), r2: sp.sqrt(1 - symbol("delta_down"))}
    return settled(
        "ef_sgd_two_way",
        f"both residuals <= gamma G {claimed}",
        "derived; update of Zheng, Huang, Kwok 2019, arXiv:1905.10936",
        equality("the virtual iterate takes the plain step", after, x - e - s - g),
        equality("the workers' fixed point", r1 * (1 + mine), mine),
        equality("the mean message is g + e - e+", up, g + e - worker),
        equality("the server's fixed point", r2 * (message + theirs), theirs),
        equality("the two together", mine + theirs, claimed),
        *virtual_descent(gamma**2 * G2 * AMPLIFICATION**2, FLOOR),
        evaluates(ef_sgd_two_way, bound.subs(lost)),
    )


# LAGS: layers of a contraction, and the residual that they leave.


r = sp.sqrt(1 - symbol("delta"))
RESIDUAL = r / (1 - r)


def prove_layer_wise_adaptive(residual: Any = RESIDUAL, worst: Any = 1) -> Verdict:
    """The model, where gradients are taken, is within ``residual`` of z = x - mean residual.

    Errors of layers add up in squares; each is at most 1 - delta_l of its layer, and 1 - delta_l is
    at most 1 - ``worst`` delta for the least delta. Two layers of squares a, b, the second better
    by s.
    """
    a, b, s, u = sp.symbols("a b s u", nonnegative=True)
    least = 1 / (1 + u)
    errors = (1 - least) * a + (1 - least - s) * b
    room = (1 - worst * least) * (a + b) - errors
    return settled(
        "layer_wise_adaptive",
        f"behind by {residual} with delta = min k_l/d_l, so O(1/sqrt(nT)) with its constants",
        "derived; setting of Shi et al. 2019, arXiv:1911.08727",
        *residuals(),
        nonnegative("layers are a contraction of the least delta", room, a, b, s, u),
        equality("what a contraction leaves", sp.simplify(r * (1 + residual)), residual),
        near(layer_wise_adaptive, behind=residual),
    )


# MEM-SGD: the memory stays small, and the weighted recursion gives the bound.

ALPHA = 5
MEMORY = sp.Rational(4 * ALPHA, ALPHA - 4)  # E||m_t||^2 <= MEMORY gamma_t^2 G2/delta^2


def memory(constant: Any) -> tuple[DerivationStep, ...]:
    """One step keeps E||m||^2 <= constant gamma^2 G2/delta^2, for a >= (alpha + 1)/delta.

    E||m+||^2 <= (1-delta)((1 + delta/2)||m||^2 + (1 + 2/delta) gamma^2 G2)
    <= (1 - delta/2)||m||^2 + (2/delta) gamma^2 G2, and
    (gamma_{t+1}/gamma_t)^2 >= 1 - 2/(a + t + 1) >= 1 - 2 delta/(alpha + 1).
    """
    v = sp.symbols("v", nonnegative=True)
    inside = {delta: 1 / (1 + v)}
    first = 1 - delta / 2 - (1 - delta) * (1 + delta / 2)
    second = 2 / delta - (1 - delta) * (1 + 2 / delta)
    keeps = constant * (1 - 2 * delta / (ALPHA + 1)) - constant * (1 - delta / 2) - 2 * delta
    return (
        nonnegative("the old memory shrinks by 1 - delta/2", first.subs(inside), v),
        nonnegative("the new step adds at most 2/delta", second.subs(inside), v),
        nonnegative("the bound on the memory is kept", sp.cancel(keeps / delta), v),
    )


def prove_mem_sgd(claimed: Any = MEMORY) -> Verdict:
    r"""Theorem 2.4 with 4 alpha/(alpha - 4) = ``claimed`` at alpha = 5.

    Virtual iterate x~ = x - m: ||x~+ - x*||^2 <= (1 - gamma mu/2)||x~ - x*||^2 - gamma e_t
    + gamma^2 G2 + gamma (mu + 2L)||m||^2: the weighted recursion at mu/2, A = 1, B = G2,
    C = (mu + 2L) ``claimed`` G2/delta^2.
    """
    x, m = sp.symbols("x m", real=True)
    halves = x**2 - ((x - m) ** 2 / 2 - m**2)  # ||x||^2 >= ||x - m||^2/2 - ||m||^2
    third = (lemma.mu + 2 * L) * claimed * G2 / delta**2
    half = lemma.WEIGHTED_BOUND.subs(lemma.mu, lemma.mu / 2)
    bound = half.subs({lemma.A: 1, lemma.B: G2}).subs(lemma.C, third)
    T, a, mu = lemma.T, lemma.a, lemma.mu
    stated = 4 * T * (T + 2 * a) / mu * G2 + mu * a**3 / 8 * lemma.R2
    stated += 64 * T * (1 + 2 * L / mu) / mu * MEMORY * G2 / delta**2
    return settled(
        "mem_sgd",
        f"Theorem 2.4 with memory constant {claimed}",
        "Stich, Cordonnier, Jaggi 2018, arXiv:1809.07599, Theorem 2.4, Lemmas 3.1 to 3.3",
        *memory(claimed),
        equality("||x||^2 >= ||x - m||^2/2 - ||m||^2 by a square", halves, (x + m) ** 2 / 2),
        equality("the bound", bound * lemma.S_T, stated),
        evaluates(mem_sgd, bound),
    )


# Compressed gradient descent with scaled rand-k on f = (a/2)||x||^2: E||x||^2 step by step.


h, omega = sp.symbols("h omega", positive=True)
FACTOR = (1 - h) ** 2 + omega * h**2 / n


def enumerate_step(claimed: Any, d: int, k: int, workers: int) -> DerivationStep:
    """E||x - h (1/n) sum C_i(x)||^2 over all subsets of k of d coordinates of each worker."""
    x = sp.symbols(f"x:{d}", real=True)
    scale = sp.Rational(d, k)
    total, cases = sp.Integer(0), 0
    for choice in product(list(combinations(range(d), k)), repeat=workers):
        counts = [sum(i in kept for kept in choice) for i in range(d)]
        after = [xi * (1 - h * scale * c / workers) for xi, c in zip(x, counts, strict=True)]
        total, cases = total + sum(y**2 for y in after), cases + 1
    right = claimed.subs({omega: scale - 1, n: workers}) * sum(xi**2 for xi in x)
    return equality(f"rand-{k} of {d}, n = {workers}", sp.expand(total / cases), sp.expand(right))


def prove_rand_k_factor(claimed: Any = FACTOR) -> Verdict:
    r"""One step multiplies E||x||^2 by ``claimed``; stable iff h < 2/(1 + omega/n)."""
    edges = sp.solve(sp.Eq(claimed, 1), h)
    return settled(
        "rand-k factor",
        f"E||x||^2 changes by the factor {claimed}",
        "derived; compare Khirirat, Feyzmahdavian, Johansson 2018, arXiv:1806.06573",
        enumerate_step(claimed, 4, 1, 1),
        enumerate_step(claimed, 4, 1, 3),
        enumerate_step(claimed, 3, 2, 2),
        equality("the stability threshold", edges[-1], 2 / (1 + omega / n)),
    )


# SBC: error ||x||^2 - k mu^2, and delta = k/((2k - 1)^2 + d - 1) for 2k <= d, attained.


d, k = sp.symbols("d k", positive=True)
QUALITY = k / ((2 * k - 1) ** 2 + d - 1)


def prove_sparse_binary(claimed: Any = QUALITY) -> Verdict:
    r"""delta = ``claimed`` = inf k mu^2/||x||^2, mu the larger of the means of the two ends.

    Rows in order with both means at most 1 are a polytope; a vertex has at most two values. j of
    u above d - j of -1 with mean of the k largest 1 has u = (2k - j)/j (j <= k), u = 1 for j >= k.
    """
    v = sp.symbols("v:5", real=True)
    mean = (v[0] + v[1]) / 2
    error = sum((t - mean) ** 2 for t in v[:2]) + sum(t**2 for t in v[2:])
    j, e, u = sp.symbols("j e u", nonnegative=True)
    high = (2 * k - j) / j
    norm = j * high**2 + d - j
    most = norm.subs(j, 1)
    slack = sp.simplify((most - norm).subs(j, 1 + e))
    flat = sp.expand((most - d).subs(k, 1 + u))
    reference = sp.expand((k**2 * d - (2 * k - 1) ** 2 - d + 1).subs(d, 2 * k + e).subs(k, 1 + u))
    return settled(
        "sparse binary compression",
        f"delta = {claimed} for 2k <= d",
        "Sattler et al. 2018, arXiv:1805.08768; constant derived",
        equality("the error at d = 5, k = 2", error, sum(t**2 for t in v) - 2 * mean**2),
        equality("the k largest have mean 1", (j * high - (k - j)) / k, 1),
        nonnegative("j = 1 has the largest norm", slack, e, k),
        nonnegative("the flat row has a smaller one", flat, u),
        equality("the value at (2k - 1, -1, ..., -1)", k / most, claimed),
        nonnegative("it is at least 1/(k d)", reference, e, u),
    )


# STC: error ||x||^2 - ||top_k||_1^2/k, and delta = min(1/k, k/d), attained.

ONE_HOT, FLAT = 1 / k, k / d


def prove_sparse_ternary(one_hot: Any = ONE_HOT, flat: Any = FLAT) -> Verdict:
    r"""delta = min(``one_hot``, ``flat``) = inf S^2/(k ||x||^2), S the sum of the k largest |x_j|.

    With S = 1 the sorted rows are a polytope whose vertices are flat on their first j coordinates;
    the square norm is convex, so largest at one of them: 1/j for j <= k, j/k^2 for j >= k.
    """
    v = sp.symbols("v:4", positive=True)
    mean = (v[0] + v[1]) / 2
    error = (v[0] - mean) ** 2 + (v[1] - mean) ** 2 + v[2] ** 2 + v[3] ** 2
    stated = sum(t**2 for t in v) - (v[0] + v[1]) ** 2 / 2
    j, e, u = sp.symbols("j e u", nonnegative=True)
    short = (1 - 1 / j).subs(j, 1 + e)  # largest square norm 1, at j = 1
    long = (d / k**2 - j / k**2).subs(d, j + u)
    floor = (1 / k - 1 / d).subs(d, k + e)
    return settled(
        "sparse ternary compression",
        f"delta = min({one_hot}, {flat})",
        "Sattler et al. 2019, arXiv:1903.02891; constant derived",
        equality("the error at d = 4, k = 2", error, stated),
        nonnegative("short vertices: the one-hot row", short, e),
        nonnegative("long vertices: the flat row", long, j, u, k),
        equality("the value at a one-hot row", 1**2 / k, one_hot),
        equality("the value at a flat row", k**2 / (k * d), flat),
        nonnegative("1/k is at least 1/d", sp.simplify(floor), e, k),
        nonnegative("k/d is at least 1/d", ((k - 1) / d).subs(k, 1 + u), u, d),
    )


# Top-k: the rest holds at most its share of the squares, and leaves so much.


def prove_top_k_analytic(residual: Any = RESIDUAL, share: Any = 1) -> Verdict:
    """The model, where gradients are taken, is within ``residual`` of z = x - mean residual.

    delta = k/d: the k largest squares are each at least as large as all others, m + s_i against
    m - r_j, m between them. So the d - k others hold at most (1 - ``share`` k/d) of the sum.
    """
    k, rest, m, more, less = sp.symbols("k rest m more less", nonnegative=True)
    kept, lost = k * m + more, rest * m - less  # sums of the two parts
    room = (1 - share * k / (k + rest)) * (kept + lost) - lost
    return settled(
        "top_k_analytic",
        f"behind by {residual} with delta = k/d, so O(1/sqrt(nT)) with its constants",
        "derived; setting of Alistarh et al. 2018, arXiv:1809.10505",
        *residuals(),
        nonnegative("the rest holds at most 1 - k/d", room, k, rest, m, more, less),
        equality("what a contraction leaves", sp.simplify(r * (1 + residual)), residual),
        near(top_k_analytic, behind=residual),
    )


# The probabilities that minimise the variance for a given budget: min(1, a_j/sqrt(theta)).


a, theta, p, mu, x, s = sp.symbols("a theta p mu x s", positive=True)
BEST = a / sp.sqrt(theta)


def prove_water_filling(claimed: Any = BEST) -> Verdict:
    r"""min sum (1/p_j - 1) a_j^2 with sum p_j <= B, p_j <= 1 is at p_j = min(1, ``claimed``).

    Keep x with probability p as mu + (x - mu)/p, else mu: unbiased, variance (1/p - 1)(x - mu)^2,
    a = |x - mu|. Lagrange: a^2/p + theta p is least at ``claimed`` if that is at most 1, and at 1
    if a^2 >= theta; theta is set by the budget, so no other p within it does better.
    """
    kept = mu + (x - mu) / p
    mean = p * kept + (1 - p) * mu
    variance = p * (kept - x) ** 2 + (1 - p) * (mu - x) ** 2
    cost = a**2 / p + theta * p
    e, u = sp.symbols("e u", nonnegative=True)
    inner = cost - cost.subs(p, claimed)
    capped = (cost - cost.subs(p, 1)).subs({p: 1 / (1 + e), a: sp.sqrt(theta) * (1 + u)})
    v = sp.symbols("v:4", positive=True)
    one, two = sum(v), sp.sqrt(sum(t**2 for t in v))
    spent = [s * t / one for t in v]
    second = sum(t**2 / q for t, q in zip(v, spent, strict=True))
    qsgd, terngrad = second.subs(s, one / two), second.subs(s, one / v[0])
    return settled(
        "water-filling",
        f"p = min(1, {claimed})",
        "Konecny, Richtarik 2016, arXiv:1611.07555; Wang et al. 2018, arXiv:1806.04090; "
        "Wangni et al. 2018, arXiv:1710.09854",
        equality("the mean is x", mean, x),
        equality("the variance", variance, (1 / p - 1) * (x - mu) ** 2),
        equality("below the cap by a square", inner, (a - sp.sqrt(theta) * p) ** 2 / p),
        nonnegative("at the cap", sp.simplify(capped), e, u, theta),
        equality("second moment ||l||_1^2/s", second, one**2 / s),
        equality("s = ||l||_1/||l||_2 is QSGD with one level", qsgd, one * two),
        equality("s = ||l||_1/||l||_inf is TernGrad (first largest)", terngrad, one * v[0]),
    )


PROOFS = (
    prove_contraction_descent,
    prove_ef_sgd_two_way,
    prove_layer_wise_adaptive,
    prove_mem_sgd,
    prove_rand_k_factor,
    prove_sparse_binary,
    prove_sparse_ternary,
    prove_top_k_analytic,
    prove_water_filling,
)

COVERS = {
    "prove_rand_k_factor": ("random-k",),
    "prove_sparse_binary": ("sbc",),
    "prove_sparse_ternary": ("stc",),
    "prove_water_filling": ("atomo", "wangni"),
}
