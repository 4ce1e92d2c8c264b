"""Inequalities that carry recursions of distances: roots of second moments add up, what mixing and
contractions leave of them, and where S <- k S + a stays; how one step of subgradients
telescopes."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative
from proofs_check.proofs.evaluated import GAMMA


def triangle() -> tuple[DerivationStep, ...]:
    """sqrt(E||a + b||^2) <= sqrt(E||a||^2) + sqrt(E||b||^2), by Lagrange's identity.

    Three coordinates or outcomes with weights p >= 0 stand for all: E a^2 E b^2 - (E a b)^2 is a
    sum of squares, so E a b <= A B for the roots A, B.
    """
    p = sp.symbols("p_0:3", nonnegative=True)
    a, b = sp.symbols("a_0:3", real=True), sp.symbols("b_0:3", real=True)

    def mean(x: Any, y: Any) -> Any:
        return sum(w * u * v for w, u, v in zip(p, x, y, strict=True))

    squares = sum(
        p[i] * p[j] * (a[i] * b[j] - a[j] * b[i]) ** 2 for i in range(3) for j in range(i)
    )
    both = [u + v for u, v in zip(a, b, strict=True)]
    A, B = sp.symbols("A B", nonnegative=True)
    return (
        equality(
            "Lagrange's identity", sp.expand(mean(a, a) * mean(b, b) - mean(a, b) ** 2),
            sp.expand(squares),
        ),
        equality(
            "(A + B)^2 is above E||a + b||^2 by 2 (A B - E a b)",
            sp.expand((A + B) ** 2 - mean(both, both) - 2 * (A * B - mean(a, b))),
            sp.expand(A**2 + B**2 - mean(a, a) - mean(b, b)),
        ),
    )  # fmt: skip


def about_the_mean() -> DerivationStep:
    """n vectors: the mean square about their mean m is the mean square q less ||m||^2, so neither
    m nor what lies about it is longer than their root mean square."""
    n, q, m = sp.symbols("n q m", positive=True)
    s1, s2 = n * m, n * q  # sums of the vectors and of their squares
    return equality("about the mean", sp.simplify((s2 - 2 * m * s1 + n * m**2) / n), q - m**2)


def mixing() -> DerivationStep:
    """A symmetric matrix whose eigenvalues beside 1 are at most lam leaves lam of what lies about
    the mean; so does E[W^T W] with lam^2 of the square, W drawn afresh."""
    lam = sp.Symbol("lambda", nonnegative=True)
    c, u = sp.symbols("c_2:5", nonnegative=True), sp.symbols("u_2:5", nonnegative=True)
    modes = [lam / (1 + v) * sign for v, sign in zip(u, (1, -1, 1), strict=True)]
    left = sum((m * x) ** 2 for m, x in zip(modes, c, strict=True))
    room = lam**2 * sum(x**2 for x in c) - left
    return nonnegative("mixing shrinks every mode", sp.cancel(room), lam, *c, *u)


def stays() -> DerivationStep:
    """S <= a/(1 - k) stays so under S <- k S + a, k = 1/(1 + v): S is short of it by s."""
    a, s, v = sp.symbols("a s v", nonnegative=True)
    k = 1 / (1 + v)
    end = a / (1 - k)
    return nonnegative("S <- k S + a stays below a/(1 - k)", end - (k * (end - s) + a), a, s, v)


def residual() -> tuple[DerivationStep, ...]:
    """E||p - C(p)||^2 <= r^2 E||p||^2 for p = s + e: the root of E||e||^2 is at most r (|s| + |e|),
    and so is that of the workers' mean."""
    return (*triangle(), about_the_mean(), stays())


def spread() -> tuple[DerivationStep, ...]:
    """Steps add their own length at most to what lies about the mean, rounds of mixing shrink it;
    it ends where S <- k S + a stays."""
    return (*triangle(), about_the_mean(), mixing(), stays())


def telescope(what: str) -> DerivationStep:
    """<g, x - x*> = (||x - x*||^2 - ||x - gamma g - x*||^2)/(2 gamma) + gamma ||g||^2/2."""
    x, g, star = sp.symbols("x g star", real=True)
    one = ((x - star) ** 2 - (x - GAMMA * g - star) ** 2) / (2 * GAMMA) + GAMMA * g**2 / 2
    return equality(what, one, (x - star) * g)


def root_sum() -> DerivationStep:
    """1/sqrt(1) + ... + 1/sqrt(T) <= 2 sqrt(T), as each term is at most a difference of roots."""
    root, before = sp.symbols("root before", positive=True)  # sqrt(t), sqrt(t - 1)
    one = root**2 - before**2
    room = 2 * (root - before) - one / root
    return equality("1/sqrt(t) <= 2 (sqrt(t) - sqrt(t - 1))", room, (root - before) ** 2 / root)


# Cauchy-Schwarz by Lagrange's identity; from a descent step to f - f* by Polyak-Lojasiewicz.


def sums_of_squares(count: int) -> DerivationStep:
    """count sum a_i^2 - (sum a_i)^2 = sum_{i<j} (a_i - a_j)^2 at ``count`` variables."""
    a = sp.symbols(f"a:{count}", real=True)
    squares = sum((a[i] - a[j]) ** 2 for i in range(count) for j in range(i))
    left = count * sum(x**2 for x in a) - sum(a) ** 2
    return equality(f"Lagrange's identity at {count} variables", left, squares)
