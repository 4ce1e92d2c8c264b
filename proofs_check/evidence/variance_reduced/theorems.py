"""Cyclic blocks, DIANA: derivations, and runs under bounds."""

from __future__ import annotations

from functools import partial
from typing import Any

import sympy as sp

from algorithms.compressors.base import Compressor
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.terngrad import TernGrad
from algorithms.methods.variance_reduced.diana import Diana
from proofs_check.bounds.check import BoundCheck, Make
from proofs_check.bounds.settings import (
    EQUAL_CURVATURES,
    MILD,
    NONCONVEX,
    SC,
    UNEQUAL,
    entry,
    equal_curvatures,
    mild,
    of_row,
)
from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, TIME, evaluates, symbol
from proofs_check.proofs.expressions import computes
from proofs_check.verdict import Verdict
from theory.constants import Constants
from theory.theorems.cyclic_blocks import cyclic_blocks
from theory.theorems.diana import diana
from theory.theorems.diana_nonconvex import diana_nonconvex

L, gap, K, omega, n, sigma2 = sp.symbols("L initial_gap blocks omega n sigma2", positive=True)
gamma, alpha, zeta2_star = sp.symbols("gamma alpha zeta2_star", positive=True)
# Cyclic block coordinate descent: K steps see the whole gradient, up to what they moved.

BOUND = 4 * K * (1 + (K - 1) * GAMMA**2 * L**2) * gap / (GAMMA * TIME)


def window(blocks: int) -> DerivationStep:
    """Parts p_0, p_1, ... of one cycle: 2 sum p_j + 2 y^2 sum_j sum_{i<j} p_i is at most
    2 (1 + (K - 1) y^2) sum p_j, y = gamma L."""
    y = sp.Symbol("y", nonnegative=True)
    parts = sp.symbols(f"p_0:{blocks}", nonnegative=True)
    seen = sum(2 * p + 2 * y**2 * sum(parts[:j]) for j, p in enumerate(parts))
    slack = 2 * (1 + (blocks - 1) * y**2) * sum(parts) - seen
    return nonnegative(f"a cycle of {blocks} sees the gradient", sp.expand(slack), y, *parts)


def prove_cyclic_blocks(claimed: Any = BOUND) -> Verdict:
    """avg ||grad f(x_t)||^2 <= ``claimed`` for gamma <= 1/L."""
    p, v, total = sp.symbols("p v S", nonnegative=True)
    fall = (GAMMA - GAMMA**2 * L / 2) * p
    slack = sp.simplify((fall - GAMMA / 2 * p).subs(GAMMA, 1 / (L * (1 + v))))
    parts = sp.solve(sp.Eq(gap, GAMMA / 2 * total), total)[0]
    mean = 2 * (1 + (K - 1) * GAMMA**2 * L**2) * K * parts / TIME
    return settled(
        "cyclic_blocks",
        f"average squared gradient <= {claimed}",
        "derived; setting of Beck, Tetruashvili 2013",
        nonnegative("one block descends for gamma <= 1/L", slack, v, p, L),
        *(window(blocks) for blocks in (1, 2, 3, 5)),
        equality("every part is in K sums", mean, claimed),
        computes(cyclic_blocks, claimed),
    )


# DIANA on strongly convex functions: the Lyapunov function contracts.


DIANA_NOISE = (1 + 5 * omega) * sigma2 / n
DIANA_WEIGHT = 4 * gamma**2 * omega / (n * alpha)
START = DIANA_WEIGHT * zeta2_star


def prove_diana(claimed: Any = DIANA_NOISE, weight: Any = DIANA_WEIGHT, share: Any = 6) -> Verdict:
    r"""d + ``weight`` H falls by max(1 - gamma mu, 1 - alpha/2), up to gamma^2 ``claimed``.

    d = ||x - x*||^2, H = (1/n) sum ||h_i - h_i*||^2, I = <grad f(x), x - x*> >= mu d, and
    gamma <= 1/(L (1 + ``share`` omega/n)). In one coordinate: h+ - h* has the second moment
    (h - h*)^2 + 2 alpha (g - h)(h - h*) + alpha^2 (1 + omega)(g - h)^2, alpha (1 + omega) <= 1.
    Heterogeneity enters at x* only, through H = zeta2_star at the start, where h = 0.
    """
    inner, H, d2, v = sp.symbols("I H d2 v", nonnegative=True)
    g, h, star = sp.symbols("g h h_star", real=True)
    shift = (h - star) ** 2 + 2 * alpha * (g - h) * (h - star) + alpha * (g - h) ** 2
    moment = L * inner + sigma2 / n + omega / n * (sigma2 + 2 * L * inner + 2 * H)
    after = d2 - 2 * gamma * inner + gamma**2 * moment
    after += weight * ((1 - alpha) * H + alpha * (L * inner + sigma2))
    kept = d2 - gamma * inner + weight * (1 - alpha / 2) * H + gamma**2 * claimed
    limit = 1 / (L * (1 + share * omega / n) * (1 + v))
    slack = sp.simplify((kept - after).subs(gamma, limit))
    young = 2 * (g - star) ** 2 + 2 * (h - star) ** 2 - (g - h) ** 2
    rate = sp.Min(gamma * symbol("mu"), alpha / 2)
    left = (1 - rate) ** TIME
    return settled(
        "diana",
        f"noise of one step gamma^2 {claimed}, weight {weight}, step 1/(L (1 + {share} omega/n))",
        "Mishchenko et al. 2019, arXiv:1901.09269; constants derived",
        equality(
            "the shift's second moment",
            shift,
            (1 - alpha) * (h - star) ** 2 + alpha * (g - star) ** 2,
        ),
        equality("H of the start, h = 0", ((h - star) ** 2).subs(h, 0), star**2),
        equality("||a - b||^2 <= 2||a||^2 + 2||b||^2 by a square", young, (g + h - 2 * star) ** 2),
        nonnegative("the Lyapunov function falls", slack, v, inner, H, L, omega, n, sigma2, alpha),
        evaluates(diana, left * (symbol("R2") + START) + (1 - left) / rate * gamma**2 * claimed),
    )


# DIANA on smooth functions: f + c H falls with the squared gradient.

DIANA_NONCONVEX_NOISE = (1 + 4 * omega) * sigma2 / n
DIANA_NONCONVEX_WEIGHT = 2 * L * gamma**2 * omega / (n * alpha)


def prove_diana_nonconvex(
    claimed: Any = DIANA_NONCONVEX_NOISE, weight: Any = DIANA_NONCONVEX_WEIGHT
) -> Verdict:
    r"""f + ``weight`` H falls by gamma/2 ||grad f||^2, up to gamma^2 L ``claimed``.

    H = (1/n) sum ||h_i - grad f_i(x)||^2; gamma L = y <= 1/2 and 12 y^2 omega/(n alpha^2) = z <= 1.
    """
    g2, H, gap, zeta2, T = sp.symbols("g2 H Delta zeta2 T", positive=True)
    y, z, u, v = sp.symbols("y z u v", nonnegative=True)
    moment = g2 + ((1 + omega) * sigma2 + omega * H) / n
    shift = (1 - alpha / 2) * H + 3 * alpha / 2 * sigma2 + 3 / alpha * L**2 * gamma**2 * moment
    fall = -gamma * g2 + L * gamma**2 / 2 * moment + weight * (shift - H)
    kept = -gamma / 2 * g2 + L * gamma**2 * claimed
    # divide by gamma/L and put n = 12 y^2 omega/(z alpha^2), then y = 1/(2 (1 + u)), z = 1/(1 + v)
    scaled = sp.expand((kept - fall) / gamma).subs(gamma, y / L)
    inside = scaled.subs(n, 12 * y**2 * omega / (z * alpha**2))
    slack = sp.simplify(inside.subs({y: 1 / (2 * (1 + u)), z: 1 / (1 + v)}))
    a = 1 / (1 + v)  # alpha in (0, 1]
    first = sp.simplify((1 - alpha / 2 - (1 + alpha / 2) * (1 - alpha)).subs(alpha, a))
    second = sp.simplify((3 * alpha / 2 - (1 + alpha / 2) * alpha).subs(alpha, a))
    third = sp.simplify((3 / alpha - (1 + 2 / alpha)).subs(alpha, a))
    start = 2 / (gamma * T) * (gap + DIANA_NONCONVEX_WEIGHT * (zeta2 + 2 * L * gap))
    stated = 2 * gap / (gamma * T)
    stated += 4 * gamma * L * omega * (zeta2 + 2 * L * gap) / (n * alpha * T)
    return settled(
        "diana_nonconvex",
        f"noise of one step gamma^2 L {claimed}, weight {weight}",
        "derived; setting of Mishchenko et al. 2019, arXiv:1901.09269",
        nonnegative("Young leaves 1 - alpha/2 of H", first, v),
        nonnegative("of the noise 3 alpha/2", second, v),
        nonnegative("of the move 3/alpha", third, v),
        nonnegative("f + c H falls", slack, u, v, g2, H, L, omega, sigma2, alpha),
        equality("the start of the bound", start, stated),
        evaluates(diana_nonconvex, stated + 2 * gamma * L * claimed),
    )


PROOFS = (prove_cyclic_blocks, prove_diana, prove_diana_nonconvex)


# DIANA under its bounds.


def _diana(compressor: Compressor) -> Make:
    return lambda step, _p, _t: Diana(step, compressor)


BOUND_CHECKS: tuple[BoundCheck, ...] = (
    BoundCheck("diana", SC, diana, entry(SC), _diana(RandK(0.25)), 500),
    BoundCheck("diana", NONCONVEX, diana_nonconvex, entry(NONCONVEX), _diana(TernGrad()), 500),
    BoundCheck(
        "diana",
        EQUAL_CURVATURES,
        diana_nonconvex,
        partial(equal_curvatures, 4, 1.0, 1.0),
        _diana(QSGD(4)),
        1000,
    ),
    BoundCheck(
        "bcd",
        f"{MILD}, no noise",
        cyclic_blocks,
        partial(mild, 4, 0.25, 10, 0.0),
        of_row("bcd"),
        400,
        lambda _problem: Constants().state(blocks=4),
    ),
    *(
        BoundCheck("diana", problem, diana, setting, _diana(RandK(0.25)), 500)
        for problem, setting in UNEQUAL
    ),
)
