"""Derivations: bell shape, dist-EF-SGDM, ECQ-SGD, one bit, signSGD and its small batches, 3LC."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.evidence.auxiliary.proofs_iterates import decaying, fixed_points, velocities
from proofs_check.proofs.derivation import equality, nonnegative, settled, truth
from proofs_check.proofs.evaluated import GAMMA, TIME, evaluates, symbol
from proofs_check.proofs.expressions import near
from proofs_check.verdict import Verdict
from theory.theorems.dist_ef_sgdm import dist_ef_sgdm
from theory.theorems.ecq_sgd import ecq_sgd
from theory.theorems.signsgd import signsgd
from theory.theorems.signsgd_majority import signsgd_majority
from theory.theorems.signsgd_small_batches import signsgd_small_batches

d, k, m, alpha, beta, omega = sp.symbols("d k momentum echoed remembered omega", positive=True)
gamma, L1, sigma1, gap, T, s = sp.symbols("gamma L_one sigma_one Delta T s", positive=True)
small_batches_gap = sp.Symbol("initial_gap", positive=True)
# Top-k of rows whose sorted squares are convex: error at most (1 - k/d)^2.


RATIO = (1 - k / d) ** 2


def prove_bell_shape(claimed: Any = RATIO) -> Verdict:
    r"""sum_{i>k} y_i <= ``claimed`` sum y_i for y_1 >= ... >= y_d = 0 convex.

    y lies below the line through (k, y_k) and (d, 0) between them and above it before k, so the
    share of the tail is at most the line's, (1 - k/d)(1 - k/(d - 1)). Where only y_{d+1} = 0 lies
    on the convex curve it is (1 - k/d)(1 - k/(d + 1)), which is more than ``claimed``.
    """
    i, e, u = sp.symbols("i e u", nonnegative=True)
    line = d - i
    tail, whole = sp.summation(line, (i, k + 1, d)), sp.summation(line, (i, 1, d))
    share = sp.simplify(tail / whole)
    stated = (1 - k / d) * (1 - k / (d - 1))
    slack = sp.simplify((claimed - stated).subs(d, k + 1 + u).subs(k, 1 + e))
    longer = sp.simplify(sp.summation(line + 1, (i, k + 1, d)) / sp.summation(line + 1, (i, 1, d)))
    above = sp.simplify((longer - RATIO).subs(d, k + u))
    area = sp.integrate(d - i, (i, k, d)) / sp.integrate(d - i, (i, 0, d))
    return settled(
        "top-k of a bell shape",
        f"error <= {claimed}",
        "Shi et al. 2019, arXiv:1911.08772, Theorem 1; discrete condition derived",
        equality("the line's tail", share, stated),
        nonnegative("it lies below the claim", slack, e, u),
        equality("the continuous curve attains it", sp.simplify(area), claimed),
        nonnegative("a curve that ends at d + 1 may exceed it", above, k, u),
    )


# Two-way error feedback around Nesterov's momentum: velocities and residuals on the way.


up, down = (sp.sqrt(1 - symbol(name)) for name in ("delta_up", "delta_down"))
BEHIND = m**2 / (1 - m)


def prove_dist_ef_sgdm(behind: Any = BEHIND) -> Verdict:
    """z is behind by residuals and ``behind`` velocities, of steps of length 1/(1 - m)."""
    lag = sp.Symbol("m", real=True)
    both = up / (1 - up) + (1 + up) / (1 - up) * down / (1 - down)
    longest = 1 / (1 - m)
    return settled(
        "dist_ef_sgdm",
        f"z behind by residuals and {behind} velocities, so O(1/sqrt(nT)) with its constants",
        "derived; setting of Zheng, Huang, Kwok 2019, arXiv:1905.10936",
        *velocities(sp.sympify(behind).subs(m, lag)),
        *fixed_points(),
        equality("velocities stay below 1/(1 - m)", m * longest + 1, longest),
        near(dist_ef_sgdm, behind=(both + behind) * longest, gain=longest),
    )


# Decaying feedback of an unbiased operator: what the memory holds, and what noise is left.


SHARE = alpha / (alpha + 1 - beta)


def prove_ecq_sgd(share: Any = SHARE) -> Verdict:
    """z = x - ``share`` gamma h keeps 1 - ``share`` of the noise, whose square is omega (1 + alpha
    h)^2; h <- k h + sqrt(omega) by Minkowski, with k^2 = (beta - alpha)^2 + omega alpha^2."""
    kept = sp.sqrt((beta - alpha) ** 2 + omega * alpha**2)
    h = sp.sqrt(omega) / (1 - kept)
    excess = (1 - share) ** 2 * omega * (1 + alpha * h) ** 2
    return settled(
        "ecq_sgd",
        f"z = x - {share} gamma h, so O(1/sqrt(nT)) with its constants",
        "derived; setting of Wu et al. 2018, arXiv:1806.08054",
        *decaying(),
        equality("the memory ends at", sp.simplify(kept * h + sp.sqrt(omega) - h), 0),
        near(ecq_sgd, behind=share * h, excess=excess),
    )


# 1-bit SGD: error ||x||^2 - sum of group size times mean squared, delta = 1/d, attained.

ONE_BIT_QUALITY = 1 / d


def prove_one_bit(claimed: Any = ONE_BIT_QUALITY) -> Verdict:
    r"""delta = ``claimed``: coordinates of one sign, n_g of them, are sent as their mean.

    What remains of a group is its square norm less (sum)^2/n_g; within one sign (sum)^2 >= sum of
    squares, so at least 1/n_g >= 1/d of it is caught. A one-hot row has d in one group.
    """
    v = sp.symbols("v:3", nonnegative=True)
    mean = sum(v) / 3
    error = sum((t - mean) ** 2 for t in v)
    squares = sum(t**2 for t in v)
    e, size = sp.symbols("e size", positive=True)
    group = (1 / size - 1 / d).subs(d, size + e)
    vector = {v[0]: 3, v[1]: 0, v[2]: 12}  # the side of (3, -4, 0, 12) that is not negative
    return settled(
        "1-bit SGD",
        f"delta = {claimed}",
        "Seide et al. 2014; constant derived",
        equality("the error of a group of 3", error, squares - sum(v) ** 2 / 3),
        nonnegative("(sum)^2 >= sum of squares", sum(v) ** 2 - squares, *v),
        nonnegative("a group is no larger than the row", sp.simplify(group), e, size),
        equality("the value at a one-hot row", (1 / d) ** 2 * d / 1, claimed),
        equality("(3, -4, 0, 12) has the error 78", error.subs(vector), 78),
    )


# signSGD: the descent step, and the paper's rate at its stepsize and batch.


FLOOR = gamma * L1 / 2 + 2 * sigma1


def prove_signsgd(claimed: Any = FLOOR) -> Verdict:
    r"""avg E||grad f(x_t)||_1 <= Delta/(gamma T) + ``claimed``.

    A coordinate moves by -gamma |g_j| if its sign is right and +gamma |g_j| if wrong, which has
    probability P <= sigma_j/|g_j|.
    """
    a, P, s, v = sp.symbols("a P s v", nonnegative=True)
    move = -gamma * a * (1 - P) + gamma * a * P
    worst = (-gamma * a + 2 * gamma * s - move).subs(P, s / (a * (1 + v)))
    one = sp.symbols("g_one", positive=True)
    step = -gamma * one + 2 * gamma * sigma1 + gamma**2 * L1 / 2
    total = sp.solve(sp.Eq(-gap, T * step), one)[0]
    tuned = (gap / (gamma * T) + claimed).subs({gamma: 1 / sp.sqrt(L1 * T)})
    paper = (sp.sqrt(L1) * (gap + sp.Rational(1, 2)) + 2 * sigma1) / sp.sqrt(T)
    return settled(
        "signsgd",
        f"average one-norm of the gradient <= Delta/(gamma T) + {claimed}",
        "Bernstein et al. 2018, arXiv:1802.04434, Theorem 1",
        nonnegative("a wrong sign costs at most 2 gamma sigma_j", sp.simplify(worst), v, s, gamma),
        equality("the sum of T steps", total, gap / (gamma * T) + claimed),
        evaluates(signsgd, gap / (gamma * T) + claimed),
        equality(
            "batches of T at the paper's step", tuned.subs(sigma1, sigma1 / sp.sqrt(T)), paper
        ),
    )


# Majority vote: the chance of a wrong vote is at most sigma_j/(sqrt(n) |g_j|).


S = sp.symbols("S", positive=True)  # |g_j|/sigma_j
BOUND = 1 / S  # sqrt(n) times the chance


def prove_signsgd_majority(claimed: Any = BOUND) -> Verdict:
    r"""Each sign is wrong with q = 1/2 - eps; P(vote wrong) <= ``claimed``/sqrt(n).

    Cantelli: P(Z <= n/2) <= 1/(1 + m^2/V) with m = n eps, V = n (1/4 - eps^2), and
    1 + y^2 >= 2 y. Gauss: q <= 2/(9 S^2) for S >= 2/sqrt(3), else q <= 1/2 - S/(2 sqrt(3)).
    """
    y, n, eps = sp.symbols("y n epsilon", positive=True)
    v, u = sp.symbols("v u", nonnegative=True)
    squared = 1 / (4 * (n * eps) ** 2 / (n * (sp.Rational(1, 4) - eps**2)))
    quarter = (1 / (4 * eps**2) - 1) / 4  # n times the square of the chance
    near = quarter.subs(eps, S / (2 * sp.sqrt(3)))
    far = quarter.subs(eps, sp.Rational(1, 2) - 2 / (9 * S**2))
    edge = 2 / sp.sqrt(3)
    left = sp.cancel(sp.simplify((claimed**2 - near) * S**2).subs(S, edge / (1 + v)))
    right = sp.cancel(sp.simplify((claimed**2 - far).subs(S, edge * (1 + u))))
    pieces = [
        (2 / (9 * S**2)).subs(S, edge),
        (sp.Rational(1, 2) - S / (2 * sp.sqrt(3))).subs(S, edge),
    ]
    # as of one worker, each sign wrong with 1/sqrt(n) of the chance
    vote = FLOOR.subs(sigma1, claimed * S * sigma1 / sp.sqrt(symbol("n")))
    return settled(
        "signsgd_majority",
        f"P(vote wrong) <= {claimed}/sqrt(n)",
        "Bernstein et al. 2018, arXiv:1802.04434, Theorem 2(b)",
        equality("1 + y^2 - 2 y is a square", 1 + y**2 - 2 * y, (1 - y) ** 2),
        equality("n times Cantelli's square", n * squared, quarter),
        truth("the two bounds on q meet", sp.simplify(pieces[0] - pieces[1]) == 0),
        nonnegative("weak signal", left, v),
        nonnegative("strong signal", right, u),
        evaluates(signsgd_majority, gap / (gamma * T) + vote),
    )


# 3LC: delta = 4 s (2 - s)/(4 + (d - 1) s^2), at one largest and the others s/2 of it.


THREE_LC_QUALITY = 4 * s * (2 - s) / (4 + (d - 1) * s**2)


def prove_three_lc(claimed: Any = THREE_LC_QUALITY) -> Verdict:
    r"""inf over x of 1 - ||C(x) - x||^2/||x||^2 is ``claimed``, 1 <= s < 2.

    Largest 1, M = s: |v| <= s/2 is sent as 0, more as s, which catches v^2 - (s - v)^2. For each
    other coordinate caught(v) - delta (v^2 - s^2/4) is concave above s/2, so least at its ends.
    """
    v, e, u = sp.symbols("v e u", nonnegative=True)
    caught = sp.expand(v**2 - (s - v) ** 2)
    first = caught.subs(v, 1)
    worst = first / (1 + (d - 1) * s**2 / 4)
    gain = caught - THREE_LC_QUALITY * (v**2 - s**2 / 4)
    inside = {s: 2 - 1 / (1 + e), d: 1 + u}  # s in [1, 2), d >= 1
    top = sp.simplify(gain.subs(v, 1).subs(inside))
    bend = sp.simplify((-sp.diff(gain, v, 2) / 2).subs(inside))
    reference = sp.simplify((THREE_LC_QUALITY - s * (2 - s) / d).subs(inside))
    return settled(
        "3LC",
        f"delta = {claimed}",
        "Lim, Andersen, Kaminsky 2018, arXiv:1802.07389; constant derived",
        equality("caught by a sent coordinate", caught, s * (2 * v - s)),
        equality("the largest catches 1 - (s - 1)^2", first, 1 - (s - 1) ** 2),
        equality("nothing changes at s/2", sp.simplify(gain.subs(v, s / 2)), 0),
        nonnegative("concave in between", bend, e, u),
        nonnegative("nor is it better to be largest too", top, e, u),
        equality("the value there", worst, claimed),
        nonnegative("at least (1 - (s - 1)^2)/d", reference, e, u),
    )


# Derivations: signSGD with batches of any size.

SMALL_BATCHES_SHARE = 1 / sp.sqrt(3)
"""Of the theorem's mean, what a step lowers f by, over gamma."""


def prove_signsgd_small_batches(share: Any = SMALL_BATCHES_SHARE) -> Verdict:
    """A step lowers f by gamma ``share`` (|g| where S > 2/sqrt(3), else g^2/sigma) in a coordinate,
    S = |g|/sigma, up to gamma^2 L/2.

    Gauss: a sign is wrong with at most 2/(9 S^2) there, else 1/2 - S/(2 sqrt(3)). Both parts of the
    mean are above 2 a |g| - a^2 sigma for a <= 1/2: a = 1/(2 (1 + v)).
    """
    g, s, a, B = sp.symbols("g s a B", positive=True)
    u, v = sp.symbols("u v", nonnegative=True)
    far = (1 - 2 * 2 / (9 * (2 / sp.sqrt(3) + u) ** 2)) - share
    weak = 1 - 2 * (sp.Rational(1, 2) - g / s / (2 * sp.sqrt(3)))
    line = 2 * a * g - a**2 * s
    one = sp.symbols("mean", positive=True)
    step = -GAMMA * share * one + GAMMA**2 * L1 / 2
    total = sp.solve(sp.Eq(-small_batches_gap, TIME * step), one)[0]
    mixed = sp.sqrt(3) * (small_batches_gap / (GAMMA * TIME) + GAMMA * L1 / 2)
    worth = B / (2 * a) + a * sigma1 / 2
    best = sp.sqrt(B / sigma1)
    bound = sp.Piecewise((sp.sqrt(mixed * sigma1), 4 * mixed <= sigma1), (mixed + sigma1 / 4, True))
    return settled(
        "signsgd_small_batches",
        "average one-norm of the gradient <= sqrt(B |sigma|_1), B of order T^-1/2",
        "Bernstein et al. 2019, arXiv:1810.05291, Theorem 1; the one-norm derived here",
        nonnegative("strong signal", sp.expand(far * 9 * (2 / sp.sqrt(3) + u) ** 2), u),
        equality("weak signal", sp.simplify(weak * g), share * g**2 / s),
        equality("the line below a weak signal", sp.expand(g**2 / s - line), (g - a * s) ** 2 / s),
        nonnegative("and below a strong one", (g + a**2 * s - 2 * a * g).subs(a, 1 / (2 * (1 + v))),
                    v, g, s),
        equality("the sum of T steps", sp.simplify(total - mixed), 0),
        equality("the best a", sp.diff(worth, a).subs(a, best), 0),
        equality("what it gives", worth.subs(a, best), sp.sqrt(B * sigma1)),
        equality("at a = 1/2", worth.subs(a, sp.Rational(1, 2)), B + sigma1 / 4),
        evaluates(signsgd_small_batches, bound),
    )  # fmt: skip


PROOFS = (
    prove_bell_shape,
    prove_dist_ef_sgdm,
    prove_ecq_sgd,
    prove_one_bit,
    prove_signsgd,
    prove_signsgd_majority,
    prove_three_lc,
    prove_signsgd_small_batches,
)
COVERS = {
    "prove_bell_shape": ("gaussian-k", "top-k"),
    "prove_one_bit": ("one-bit-sgd",),
    "prove_signsgd_small_batches": ("signsgd",),
}
