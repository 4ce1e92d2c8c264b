"""Derivations: grid rounding, k level, natural compression, qsgd, stochastic binary, terngrad."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled, truth
from proofs_check.proofs.norms import sums_of_squares
from proofs_check.verdict import Verdict

# Rounding to a grid at random: unbiased, with variance (hi - x)(x - lo).


x, lo, hi = sp.symbols("x lo hi", real=True)
UP = (x - lo) / (hi - lo)
VARIANCE = (hi - x) * (x - lo)


def prove_grid_rounding(claimed: Any = VARIANCE, up: Any = UP) -> Verdict:
    """With probability ``up`` to hi, else to lo: the mean is x, the variance ``claimed``."""
    mean = up * hi + (1 - up) * lo
    variance = up * (hi - x) ** 2 + (1 - up) * (lo - x) ** 2
    below, above = sp.symbols("below above", nonnegative=True)
    quarter = (((hi - lo) / 2) ** 2 - VARIANCE).subs({lo: x - below, hi: x + above})
    return settled(
        "grid rounding",
        f"unbiased, variance {claimed}, at most a quarter of the squared cell",
        "Alistarh et al. 2017, arXiv:1610.02132, Lemma 3.1; Wen et al. 2017, arXiv:1705.07878",
        equality("the mean is x", mean, x),
        equality("the variance", variance, claimed),
        equality("a quarter of the squared cell by a square", quarter, (above - below) ** 2 / 4),
        nonnegative("up is a probability", UP.subs({lo: x - below, hi: x + above}), below, above),
    )


# k levels: (d - 2)/(2 (k-1)^2) over the range, (d - 1)/(2 (k-1)^2) over sqrt(2) ||x||.


k_level_d, k = sp.symbols("d k", positive=True)
RANGE = (k_level_d - 2) / (2 * (k - 1) ** 2)
NORM = (k_level_d - 1) / (2 * (k - 1) ** 2)


def prove_k_level(claimed: Any = RANGE, norm: Any = NORM) -> Verdict:
    r"""omega = ``claimed`` where the levels span max - min (attained for even k), ``norm`` where
    they span sqrt(2) ||x|| from the minimum on (attained for every k >= 2, d >= 2).

    A coordinate varies by (hi - x)(x - lo) <= (step/2)^2, those on a level not at all: both ends
    in the first case, the minimum in the second. (a + b)^2 <= 2 (a^2 + b^2) <= 2 ||x||^2.
    """
    a, b, x, lo, step = sp.symbols("a b x lo step", real=True)
    cell = (step / 2) ** 2 - (lo + step - x) * (x - lo)
    half = ((a + b) / (k - 1) / 2) ** 2
    bound = (k_level_d - 2) * half - RANGE * (a**2 + b**2)
    # attained at (1, -1, 0, ..., 0), 0 being the middle of a cell for even k
    width = 2 / (k - 1)
    place = sp.simplify((sp.Integer(1) / width - sp.Rational(1, 2)).subs(k, 2 * k))
    # attained at (-b, z, ..., z) with z + b = c = step/2 and norm 1: d b^2 - 2 (d-1) c b + ... = 0
    c = 1 / (sp.sqrt(2) * (k - 1))
    roots = sp.discriminant(b**2 + (k_level_d - 1) * (c - b) ** 2 - 1, b)
    free = sp.simplify(roots - 4 * (k_level_d - (k_level_d - 1) * c**2))
    return settled(
        "k-level quantisation",
        f"sup omega = {claimed} (range), {norm} (sqrt(2) norm)",
        "Suresh et al. 2017, arXiv:1611.00429, Theorem 2; tight constants derived",
        equality("half a cell is the worst place", cell, (x - lo - step / 2) ** 2),
        equality("the range by a square", -bound, RANGE * (a - b) ** 2 / 2),
        equality("0 is the middle of a cell for even k", place, k - 1),
        equality(
            "the value at (1, -1, 0, ..., 0)", (k_level_d - 2) * (width / 2) ** 2 / 2, claimed
        ),
        truth("a row of norm 1 with all others in the middle", free == 0),
        equality("the value there", (k_level_d - 1) * c**2, norm),
        theorem="k_level",
    )


# Natural compression: omega = 1/8, attained at 4/3 of a power of two.


NATURAL_COMPRESSION_SUP = sp.Rational(1, 8)


def prove_natural_compression(claimed: Any = NATURAL_COMPRESSION_SUP) -> Verdict:
    """sup over t of E(C(t) - t)^2/t^2 is ``claimed``; by scale, t in [1, 2] is enough."""
    t, e = sp.symbols("t e", positive=True)
    down = 2 - t  # (2^ceil - t)/2^floor at floor = 0
    mean = down * 1 + (1 - down) * 2
    ratio = (down * (1 - t) ** 2 + (1 - down) * (2 - t) ** 2) / t**2
    scaled = (2 * e - t * e) * (t * e - e) / (t * e) ** 2
    (worst,) = sp.solve(sp.numer(sp.together(sp.diff(ratio, t))), t)
    # 1/8 - ratio = (3 t - 4)^2/(8 t^2) shows the bound for every t at once
    gap = sp.factor(claimed - ratio)
    return settled(
        "natural compression",
        f"sup omega = {claimed}",
        "Horvath et al. 2019, arXiv:1905.10988, Theorem 4",
        equality("the mean is t", mean, t),
        equality("the ratio does not depend on the power of two", scaled, ratio),
        equality("the worst mantissa", worst, sp.Rational(4, 3)),
        equality("the ratio there", ratio.subs(t, worst), claimed),
        equality("the bound for all t by a square", gap, (3 * t - 4) ** 2 / (8 * t**2)),
        truth("no variance at the powers", ratio.subs(t, 1) == 0 and ratio.subs(t, 2) == 0),
        nonnegative("down is a probability", down.subs(t, 1 + 1 / (1 + e)), e),
    )


# QSGD with one level: omega = sqrt(d) - 1, attained where all coordinates are equal.


qsgd_d = sp.symbols("d", positive=True, integer=True)


QSGD_SUP = sp.sqrt(qsgd_d) - 1


def prove_qsgd(claimed: Any = QSGD_SUP) -> Verdict:
    """sup over x of E||C(x) - x||^2/||x||^2 is ``claimed`` for s = 1 and dimension d.

    Every |x_j| is rounded to 0 or N = ||x||, with variance (N - |x_j|)|x_j|; their sum is
    N ||x||_1 - N^2, so omega(x) = ||x||_1/||x|| - 1, and ||x||_1 <= sqrt(d) ||x||.
    """
    v = sp.symbols("v:4", nonnegative=True)
    norm, one, u = sp.symbols("N A u", positive=True)
    variance = sum((norm - x) * x for x in v)
    squares = sum(x**2 for x in v)
    flat = ((norm - u) * u * qsgd_d / norm**2).subs(norm, sp.sqrt(qsgd_d) * u)
    # A^2 = d N^2 - q, q >= 0 by Lagrange's identity: (sqrt(d) - A/N)(sqrt(d) + A/N) = q/N^2
    q = sp.symbols("q", nonnegative=True)
    product = ((sp.sqrt(qsgd_d) - one / norm) * (sp.sqrt(qsgd_d) + one / norm)).expand()
    return settled(
        "QSGD, s = 1",
        f"sup omega = {claimed}",
        "Alistarh et al. 2017, arXiv:1610.02132, Lemma 3.1; tight value derived",
        equality("variance N ||x||_1 - ||x||^2", variance, norm * sum(v) - squares),
        sums_of_squares(4),
        nonnegative(
            "||x||_1 <= sqrt(d) ||x||", product.subs(one**2, qsgd_d * norm**2 - q), q, norm
        ),
        equality("the value at equal coordinates", flat, claimed),
    )


# Stochastic binary quantisation: omega = (d - 2)/2, attained at (1, -1, 0, ..., 0).


stochastic_binary_d = sp.symbols("d", positive=True)
STOCHASTIC_BINARY_SUP = (stochastic_binary_d - 2) / 2


def prove_stochastic_binary(claimed: Any = STOCHASTIC_BINARY_SUP) -> Verdict:
    r"""sup over x of E||C(x) - x||^2/||x||^2 is ``claimed``, d >= 2.

    Largest a, smallest -b (any signs), the rest z_j: variance sum_j (a - z_j)(z_j + b). The bound
    omega ||x||^2 - variance is a sum over the d - 2 others of a share of a^2 + b^2 and of z_j.
    """
    a, b, z = sp.symbols("a b z", real=True)
    share = (a**2 + b**2) / (stochastic_binary_d - 2)
    slack = STOCHASTIC_BINARY_SUP * (share + z**2) - (a - z) * (z + b)
    squares = ((a - b - z) ** 2 + (stochastic_binary_d - 1) * z**2) / 2
    at = sum((1 - x) * (x + 1) for x in (1, -1)) + (stochastic_binary_d - 2) * 1
    e = sp.symbols("e", nonnegative=True)
    vector = [sp.Integer(0), sp.Integer(1), sp.Integer(4)]
    variance = sum((4 - x) * x for x in vector)
    return settled(
        "stochastic binary",
        f"sup omega = {claimed}",
        "Suresh et al. 2017, arXiv:1611.00429, Lemma 2; tight constant derived",
        equality("the bound by squares", slack, squares),
        nonnegative(
            "d >= 1 keeps them positive",
            (stochastic_binary_d - 1).subs(stochastic_binary_d, 1 + e),
            e,
        ),
        equality("the value at (1, -1, 0, ..., 0)", at / 2, claimed),
        equality("the variance at (0, 1, 4)", variance, 3),
        nonnegative("at most Suresh's d/2", stochastic_binary_d / 2 - claimed, stochastic_binary_d),
        theorem="stochastic_binary",
    )


# TernGrad: omega = (sqrt(d) - 1)/2, attained at (1, a, ..., a) with a = 1/(1 + sqrt(d)).


root = sp.symbols("r", positive=True)  # sqrt(d)
TERNGRAD_SUP = (root - 1) / 2


def prove_terngrad(claimed: Any = TERNGRAD_SUP) -> Verdict:
    """sup over x of E||C(x) - x||^2/||x||^2 is ``claimed``, r = sqrt(d), d >= 2.

    By scale max |x_j| = 1; the variance sums to ||x||_1 - ||x||^2. For the other d - 1 coordinates
    and a given sum, equal ones have the least squares (Lagrange's identity), so
    omega = (1 + (d-1) a)/(1 + (d-1) a^2) - 1 for one a in [0, 1].
    """
    a = sp.symbols("a", positive=True)
    rest = root**2 - 1
    omega = (1 + rest * a) / (1 + rest * a**2) - 1
    worst = 1 / (1 + root)
    gap = sp.factor(sp.together(claimed - omega))
    square = (root - 1) * ((1 + root) * a - 1) ** 2 / (2 * (1 + rest * a**2))
    v = sp.symbols("v:4", nonnegative=True)
    variance = sum((1 - x) * x for x in v)
    return settled(
        "TernGrad",
        f"sup omega = {claimed}, r = sqrt(d)",
        "Wen et al. 2017, arXiv:1705.07878; tight value derived",
        equality("variance ||x||_1 - ||x||^2", variance, sum(v) - sum(x**2 for x in v)),
        sums_of_squares(4),
        equality("the derivative vanishes there", sp.diff(omega, a).subs(a, worst), 0),
        equality("the value there", omega.subs(a, worst), claimed),
        equality("the bound for all a by a square", gap, square),
        truth("the worst a lies in [0, 1]", sp.simplify(1 - worst).is_positive),
    )


PROOFS = (
    prove_grid_rounding,
    prove_k_level,
    prove_natural_compression,
    prove_qsgd,
    prove_stochastic_binary,
    prove_terngrad,
)

COVERS = {"prove_grid_rounding": ("low-precision-sgd", "qsgd", "stochastic-binary")}
