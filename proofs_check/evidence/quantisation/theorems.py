"""Compressed BSP-SGD: derivations, and unbiased quantisers under the bounds."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import sympy as sp

from algorithms.compressors.natural_compression import NaturalCompression
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.terngrad import TernGrad
from proofs_check.bounds.check import BoundCheck
from proofs_check.bounds.settings import (
    EQUAL_CURVATURES,
    NONCONVEX,
    PL,
    SC,
    UNEQUAL,
    bsp,
    entry,
    equal_curvatures,
)
from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, TIME, evaluates, symbol
from proofs_check.proofs.expressions import descends
from proofs_check.proofs.recursions import contracts
from proofs_check.verdict import Verdict
from theory.theorems.compressed_bsp_nonconvex import compressed_bsp_nonconvex
from theory.theorems.compressed_bsp_pl import compressed_bsp_pl
from theory.theorems.compressed_bsp_strongly_convex import compressed_bsp_strongly_convex

L, omega, n, sigma2, zeta2, gap, T = sp.symbols("L omega n sigma2 zeta2 Delta T", positive=True)
gamma, zeta2_star, mu, w1, w2 = sp.symbols("gamma zeta2_star mu omega_1 omega_2", positive=True)
# SGD with unbiased compression: the second moment of the mean message, and the descent step.


NOISE = ((1 + omega) * sigma2 + omega * zeta2) / n


def second_moment(workers: int) -> DerivationStep:
    """E||mean C(g_i)||^2 by enumeration of C(g) = g (1 +- sqrt(omega)), g_i = m_i +- s, all signs
    independent."""
    means = sp.symbols(f"m:{workers}", real=True)
    s = sp.symbols("s", real=True)
    total, cases = sp.Integer(0), 0
    for signs in product((-1, 1), repeat=2 * workers):
        noisy = [m + e * s for m, e in zip(means, signs[:workers], strict=True)]
        sent = [g * (1 + e * sp.sqrt(omega)) for g, e in zip(noisy, signs[workers:], strict=True)]
        total, cases = total + (sum(sent) / workers) ** 2, cases + 1
    g2 = (sum(means) / workers) ** 2
    spread = sum(m**2 for m in means) / workers - g2
    right = (1 + omega / workers) * g2 + ((1 + omega) * s**2 + omega * spread) / workers
    return equality(f"second moment of the mean of {workers} messages", total / cases, right)


def prove_compressed_bsp_nonconvex(claimed: Any = NOISE) -> Verdict:
    r"""The bound is 2 Delta/(gamma T) + gamma L ``claimed`` for gamma <= 1/(L (1 + omega/n))."""
    v, g2 = sp.symbols("v g2", nonnegative=True)
    moment = g2 + sigma2 / n + omega / n * (sigma2 + zeta2 + g2)
    descent = -gamma * g2 + gamma**2 * L / 2 * moment
    kept = -gamma / 2 * g2 + gamma**2 * L / 2 * NOISE
    slack = sp.simplify((kept - descent).subs(gamma, 1 / (L * (1 + omega / n) * (1 + v))))
    bound = 2 / (gamma * T) * (gap + T * gamma**2 * L / 2 * (moment - (1 + omega / n) * g2))
    return settled(
        "compressed_bsp_nonconvex",
        f"average squared gradient <= 2 Delta/(gamma T) + gamma L {claimed}",
        "derived; lemma for one step: second moment of the mean of independent messages",
        second_moment(2),
        second_moment(3),
        nonnegative("one step descends", slack, v, g2, L, omega, n),
        equality("the sum of T steps", bound, 2 * gap / (gamma * T) + gamma * L * claimed),
        descends(compressed_bsp_nonconvex, 2, gamma * L * claimed),
    )


# Compressed BSP-SGD under the inequality of Polyak and Lojasiewicz.


def prove_compressed_bsp_pl(claimed: Any = NOISE) -> Verdict:
    r"""E f(x_T) - f* <= (1 - gamma mu)^T Delta + gamma L ``claimed``/(2 mu).

    The second moment of the mean message is at most (1 + omega/n) g2 + ``claimed``: g2 + sigma2/n
    of the gradients, omega/n times (1/n) sum E||g_i||^2 <= g2 + zeta2 + sigma2 of the operators.
    """
    g2, v = sp.symbols("g2 v", nonnegative=True)
    moment = g2 + sigma2 / n + omega / n * (g2 + zeta2 + sigma2)
    descent = -GAMMA * g2 + GAMMA**2 * L / 2 * moment
    kept = -GAMMA / 2 * g2 + GAMMA**2 * L / 2 * claimed
    slack = sp.simplify((kept - descent).subs(GAMMA, 1 / (L * (1 + omega / n) * (1 + v))))
    return settled(
        "compressed_bsp_pl",
        f"E f(x_T) - f* <= (1 - gamma mu)^T Delta + gamma L {claimed}/(2 mu)",
        "derived; Karimi, Nutini, Schmidt 2016, arXiv:1608.04636, Theorem 4",
        nonnegative("one step descends", slack, v, g2, L, sigma2, zeta2, omega, n),
        *contracts(compressed_bsp_pl, GAMMA * L * claimed),
    )


# SGD with unbiased compression on strongly convex functions: the floor without shifts.


FLOOR = gamma * ((1 + omega) * sigma2 + 2 * omega * zeta2_star) / (mu * n)


def prove_compressed_bsp_strongly_convex(claimed: Any = FLOOR) -> Verdict:
    r"""E||x_T - x*||^2 tends below ``claimed`` for gamma <= 1/(L (1 + 2 omega/n)).

    I = <grad f(x), x - x*>. ||grad f||^2 <= L I and (1/n) sum ||grad f_i||^2 <= 2 L I +
    2 zeta2_star, by ||a||^2 <= 2 ||a - b||^2 + 2 ||b||^2 at a = grad f_i(x), b = grad f_i(x*) and
    co-coercivity of each f_i: heterogeneity enters at x* only.
    """
    v, inner = sp.symbols("v I", nonnegative=True)
    a, b = sp.symbols("a b", real=True)
    moment = L * inner + sigma2 / n + omega / n * (sigma2 + 2 * L * inner + 2 * zeta2_star)
    change = -2 * gamma * inner + gamma**2 * moment
    noise = moment.subs(inner, 0)
    limit = 1 / (L * (1 + 2 * omega / n) * (1 + v))
    slack = sp.simplify((-gamma * inner + gamma**2 * noise - change).subs(gamma, limit))
    square = 2 * (a - b) ** 2 + 2 * b**2 - a**2
    d = sp.symbols("d", positive=True)
    (floor,) = sp.solve(sp.Eq(d, (1 - gamma * mu) * d + gamma**2 * noise), d)
    left = (1 - gamma * mu) ** TIME
    return settled(
        "compressed_bsp_strongly_convex",
        f"E||x_T - x*||^2 has the floor {claimed}",
        "derived; compare Mishchenko et al. 2019, arXiv:1901.09269",
        equality("||a||^2 <= 2||a-b||^2 + 2||b||^2 by a square", square, (a - 2 * b) ** 2),
        nonnegative("one step contracts", slack, v, inner, L, omega, n),
        equality("the fixed point of the recursion", floor, claimed),
        evaluates(compressed_bsp_strongly_convex, left * symbol("R2") + (1 - left) * claimed),
    )


# Two unbiased operators one after the other: omega_1 omega_2 + omega_1 + omega_2, attained.


OMEGA = w1 * w2 + w1 + w2


def parts() -> DerivationStep:
    """(z - x)^2 = (z - y)^2 + (y - x)^2 + 2 (z - y)(y - x); the last is 0 on average over z."""
    x, y, mean, square = sp.symbols("x y m v", real=True)  # E z = m, E z^2 = v + m^2
    whole = (square + mean**2) - 2 * mean * x + x**2
    return equality(
        "E||C1(y) - x||^2 = E||C1(y) - y||^2 + ||y - x||^2 where E C1(y) = y",
        whole.subs(mean, y), square + (y - x) ** 2,
    )  # fmt: skip


def attained(claimed: Any) -> DerivationStep:
    """C_k(x) = (1 +- sqrt(omega_k)) x: all four outcomes of both."""
    x = sp.symbols("x", real=True)
    error = sum(
        ((1 + a * sp.sqrt(w1)) * (1 + b * sp.sqrt(w2)) * x - x) ** 2
        for a, b in product((-1, 1), repeat=2)
    )
    return equality("two operators that attain it", sp.expand(error / 4), claimed * x**2)


def prove_unbiased_composition(claimed: Any = OMEGA) -> Verdict:
    r"""E||C1(C2(x)) - x||^2 <= ``claimed`` ||x||^2, the best constant.

    Given y = C2(x) the error of C1 is at most omega_1 ||y||^2, and E||y||^2 = ||x||^2 +
    E||y - x||^2 <= (1 + omega_2) ||x||^2.
    """
    x2 = sp.symbols("x2", positive=True)
    total = w1 * (x2 + w2 * x2) + w2 * x2
    return settled(
        "unbiased composition",
        f"C1 after C2 has omega = {claimed}",
        "Horvath et al. 2019, arXiv:1905.10988, Theorem 5",
        parts(),
        equality("the two errors together", total / x2, claimed),
        attained(claimed),
    )


# Natural dithering in the Euclidean norm: smaller than the paper's constant by a square.


w = sp.symbols("w", positive=True)  # sqrt(d) 2^(1-s), s levels besides 0
NEAR = sp.Rational(1, 8) + sp.Rational(2, 9) * w**2  # for w <= 9/4
FAR = w - 1  # for w >= 9/4


def prove_natural_dithering(claimed: Any = NEAR, far: Any = FAR) -> Verdict:
    r"""omega = ``claimed`` for w <= 9/4, else ``far``: at most 1/8 + w min(1, w), the paper's.

    Norm 1; coordinates above 2^(1-s) vary by at most 1/8 of their square (as natural compression),
    the others t by (2^(1-s) - t) t, together at most w r - r^2 with r^2 their square norm
    (||t||_1 <= sqrt(d) r); the sum is 1/8 + w r - 9/8 r^2 on 0 <= r <= 1.
    """
    r, u = sp.symbols("r u", nonnegative=True)
    e = sp.symbols("e", nonnegative=True)
    total = (1 - r**2) / 8 + w * r - r**2
    best = sp.Rational(4, 9) * w
    square = sp.Rational(9, 8) * (r - best) ** 2
    edge = {w: sp.Rational(9, 4) * (1 + u), r: 1 / (1 + e)}
    beyond = sp.simplify((far - total).subs(edge))
    low, mid = NEAR.subs(w, sp.Rational(9, 4)), FAR.subs(w, sp.Rational(9, 4))
    one = sp.Rational(1, 8)
    return settled(
        "natural dithering",
        f"omega = {claimed} for w <= 9/4, {far} beyond",
        "Horvath et al. 2019, arXiv:1905.10988, Theorem 7 (p = 2); constant derived",
        equality("the bound by a square", claimed - total, square),
        nonnegative("beyond 9/4", beyond, u, e),
        equality("the two meet", low, mid),
        nonnegative("below the paper's for w <= 1", one + w**2 - NEAR, w),
        nonnegative(
            "for 1 <= w <= 9/4",
            sp.simplify((one + w - NEAR).subs(w, sp.Rational(9, 4) / (1 + u))),
            u,
        ),
        nonnegative("and beyond", one + w - FAR, w),
    )


PROOFS = (
    prove_compressed_bsp_nonconvex,
    prove_compressed_bsp_pl,
    prove_compressed_bsp_strongly_convex,
    prove_unbiased_composition,
    prove_natural_dithering,
)

COVERS = {"prove_unbiased_composition": ("natural-compression", "qsgd")}


# Unbiased quantisers under the bounds of compressed BSP-SGD.

BOUND_CHECKS: tuple[BoundCheck, ...] = (
    *(
        BoundCheck(row, problem, theorem, entry(problem), bsp(operator), 500)
        for row, operator in (
            ("qsgd", QSGD(4)),
            ("terngrad", TernGrad()),
            ("natural-compression", NaturalCompression()),
        )
        for problem, theorem in (
            (SC, compressed_bsp_strongly_convex),
            (NONCONVEX, compressed_bsp_nonconvex),
        )
    ),
    BoundCheck("qsgd", PL, compressed_bsp_pl, entry(PL), bsp(QSGD(4)), 1000),
    BoundCheck(
        "qsgd",
        EQUAL_CURVATURES,
        compressed_bsp_pl,
        partial(equal_curvatures, 4),
        bsp(QSGD(4)),
        1000,
    ),
    *(
        BoundCheck("qsgd", problem, compressed_bsp_strongly_convex, setting, bsp(QSGD(4)), 500)
        for problem, setting in UNEQUAL
    ),
)
