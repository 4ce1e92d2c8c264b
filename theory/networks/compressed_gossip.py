r"""Stability of gossip with corrections and compression: exact conditions, mode by mode.

W is symmetric with eigenvalues 1 = lambda_1 > lambda_2 >= ... >= lambda_n. Every worker holds
f_i(x) = a ||x - b_i||^2 / 2, so that ``curvature`` = gamma a is the only number of the problem.
"""

from __future__ import annotations

import cmath
from collections.abc import Sequence
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from theory.arrays import Floats
from theory.constants import Constants

D2_LIMIT = -1 / 3
"""Smallest eigenvalue of W up to which D-squared is stable as gamma -> 0 (Tang et al. 2018)."""


def d2_radius(lam: float, curvature: float = 0.0) -> float:
    r"""Largest |z| with z^2 - (2 - \gamma a) \lambda z + (1 - \gamma a) \lambda = 0.

    Mode ``lam`` of D-squared, x^{t+1} = \lambda (2 x^t - x^{t-1} - \gamma a (x^t - x^{t-1})),
    grows by this factor a step in the end. (Tang, Lian, Yan, Zhang, Liu 2018, arXiv:1803.07068;
    derived.)
    """
    half, constant = (2 - curvature) * lam / 2, (1 - curvature) * lam
    root = cmath.sqrt(half * half - constant)
    return max(abs(half + root), abs(half - root))


def d2_limit(curvature: float = 0.0) -> float:
    r"""The \lambda at which a mode of D-squared has the root -1: -1 / (3 - 2 \gamma a) (derived).

    Modes of \lambda in (limit, 1) are stable for 0 <= \gamma a < 1.

    Raises:
        ValueError: curvature outside [0, 1).
    """
    if not 0 <= curvature < 1:
        raise ValueError(f"curvature must lie in [0, 1), got curvature={curvature}")
    return -1 / (3 - 2 * curvature)


def choco_kept(matrix: ArrayLike, share: float, consensus_step: float) -> float:
    r"""Contraction factor of the potential per CHOCO-Gossip round with random masks, at most.

    Each worker sends every coordinate with probability ``share``, independently of the others: then
    :math:`E \sum_i \|x_i - \bar x\|^2 + \|x_i - \hat x_i\|^2` after :math:`\hat x \gets \hat x +
    D (x - \hat x)`, :math:`x \gets x + \gamma (W - I) \hat x` is a quadratic form in (x,
    :math:`\hat x`), whose largest quotient this is, over all :math:`2^n` masks of a coordinate
    (derived).

    Raises:
        ValueError: a matrix of more than ten workers.
    """
    w = np.asarray(matrix, dtype=np.float64)
    n = len(w)
    if n > 10:
        raise ValueError(f"matrix must be of at most 10 workers (2^n masks), got {n}")
    eye, zero = np.eye(n), np.zeros((n, n))
    apart = np.block([[2 * eye - 1 / n, -eye], [-eye, eye]])
    after = np.zeros((2 * n, 2 * n))
    for mask in product((0.0, 1.0), repeat=n):
        chance = share ** sum(mask) * (1 - share) ** (n - sum(mask))
        sent = np.diag(mask)
        copies = np.hstack([sent, eye - sent])
        models = np.hstack([eye, zero]) + consensus_step * (w - eye) @ copies
        step = np.vstack([models, copies])
        after += chance * step.T @ apart @ step
    values, vectors = np.linalg.eigh(apart)
    seen = vectors[:, values > 1e-12] / np.sqrt(values[values > 1e-12])
    return float(np.linalg.eigvalsh(seen.T @ after @ seen).max())


def dcd_margin(c: Constants) -> float:
    r"""(1 - \lambda)^2 - 4 \mu^2 \alpha^2 of DCD-PSGD; its theorem needs it to be positive.

    \alpha^2 is ``omega``, E||C(z) - z||^2 <= \alpha^2 ||z||^2, and \mu = max_{i>=2} |\lambda_i - 1|
    is ``beta`` = ||I - W||_2. (Tang, Gan, Zhang, Zhang, Liu 2018, arXiv:1803.06443, Theorem 1.)

    Raises:
        MissingConstants: lam, beta or omega is not stated.
    """
    return (1 - c.need("lam")) ** 2 - 4 * c.need("beta") ** 2 * c.need("omega")


def dcd_consensus_factor(eigenvalue: float, omega: float, n: int) -> float:
    r"""Factor a step of E||X - \bar X||^2 in DCD-PSGD with gamma = 0, one W = (1 - l) J + l I.

    There every mode but the mean has the eigenvalue l, z_i = C(-(1 - l)(x_i - \bar x)) with
    independent errors of second moment omega ||.||^2, of which the share 1 - 1/n is disagreement:

        l^2 + (1 - l)^2 omega (n - 1)/n.

    n = 2, W = J: omega/2, beyond 1 for omega > 2 (E15: rand-1 of 4 has omega = 3, factor 1.5).
    Derived; exact where the operator's variance is omega ||x||^2 for every x (rand-k).
    """
    return eigenvalue**2 + (1 - eigenvalue) ** 2 * omega * (n - 1) / n


def ecd_estimate_error(s: int, noise: float) -> float:
    r"""E||\tilde x^s - x^s||^2 of ECD-PSGD's estimates for messages of error ``noise`` [x^2] each.

    e^{s+1} = (1 - 2/s) e^s + (2/s) \epsilon^s, independent \epsilon^s, e^1 = 0, has the second
    moment 4 noise for s = 2 and, for s >= 3,

        (2/3) (2s - 3) / ((s - 1)(s - 2)) noise.

    The paper's \tilde\sigma^2/s, noise = \tilde\sigma^2/2, is above that from s = 5 on, not
    before. (Tang, Gan, Zhang, Zhang, Liu 2018, arXiv:1803.06443, Algorithm 2; derived.)

    Raises:
        ValueError: s < 1.
    """
    if s < 1:
        raise ValueError(f"s must be at least 1, got s={s}")
    if s < 3:
        return 4 * noise * (s - 1)
    return 2 * (2 * s - 3) / (3 * (s - 1) * (s - 2)) * noise


def stall_of_sums(eigenvalues: Sequence[float], noise: float) -> float:
    r"""\lim E||X - \bar X||_F^2 of x+ = W Q(x) (Q1): noise \sum \lambda_k^2 / (1 - \lambda_k^2).

    ``eigenvalues`` of the symmetric W without the 1 of the mean; Q's errors are independent, of
    mean 0 and second moment ``noise`` [x^2] a row whatever x. The mean itself walks: its variance
    grows by noise / n a step. (Derived: mode k of the disagreement follows u+ = \lambda_k (u + e).)
    """
    return noise * sum(v**2 / (1 - v**2) for v in eigenvalues)


def stall_of_differences(eigenvalues: Sequence[float], noise: float) -> float:
    r"""\lim E||X - \bar X||_F^2 of x+ = x + (W - I) Q(x) (Q2), as :func:`stall_of_sums`:

        noise \sum (1 - \lambda_k) / (1 + \lambda_k).

    The mean is kept. (Derived: u+ = \lambda_k u - (1 - \lambda_k) e.)
    """
    return noise * sum((1 - v) / (1 + v) for v in eigenvalues)


def relative_growth_of_differences(w: ArrayLike, omega: float) -> float:
    r"""Largest factor a step of the second moments in Q2 where E e_j^2 = omega E x_j^2 (rand-k).

    M = E X X^T follows M+ = W M W^T + omega (W - I) diag(M) (W - I)^T, a linear map of symmetric
    matrices; its spectral radius is found from its matrix on R^{n x n}. The mean, which stays, has
    the eigenvalue 1 and is what a start away from 0 feeds. Derived; exact for rand-k.
    """
    m = np.asarray(w, dtype=np.float64)
    n, moved = len(m), m - np.eye(len(m))
    step = np.kron(m, m)
    for j in range(n):
        unit = np.zeros((n, n))
        unit[j, j] = 1.0
        step += omega * np.outer(np.kron(moved[:, j], moved[:, j]), unit.ravel())
    return float(np.abs(np.linalg.eigvals(step)).max())


def dcd_growth(w: ArrayLike, omega: float) -> float:
    r"""Factor a step of E||X - \bar X||^2 in DCD-PSGD with gamma = 0 in the end, any symmetric W.

    x+ = W x + e with E e_j^2 = \omega ((W - I) x)_j^2, so M = E X X^T, seen without the mean by
    P = I - J, follows M+ = W M W + \omega P diag((W - I) M (W - I)) P: the spectral radius of that
    linear map. Derived; exact for rand-k.
    """
    m = np.asarray(w, dtype=np.float64)
    n, project = len(m), np.eye(len(m)) - 1 / len(m)
    moved, kept = m - np.eye(n), m @ project
    step = np.kron(kept, kept)
    for j in range(n):
        column = project[:, j]
        step += omega * np.outer(np.kron(column, column), np.kron(moved[j], moved[j]))
    return float(np.abs(np.linalg.eigvals(step)).max())


def dcd_critical(w: ArrayLike) -> float:
    """The omega at which :func:`dcd_growth` is 1, by bisection to 1e-6 (relative)."""
    low, high = 0.0, 1.0
    while dcd_growth(w, high) < 1:
        low, high = high, 2 * high
    while high - low > 1e-6 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if dcd_growth(w, middle) < 1 else (low, middle)
    return (low + high) / 2


def ecd_moments(
    w: ArrayLike,
    x0: ArrayLike,
    steps: int,
    *,
    omega: float = 0.0,
    noise: float = 0.0,
    seen: ArrayLike | None = None,
) -> Floats:
    r"""E||V (\tilde X - X)||_F^2 of ECD-PSGD without forces after 0, ..., ``steps`` steps.

    V is ``seen`` ``[n, n]``, by default I.

    Messages carry E err_j^2 = omega ||z_j||^2 + noise. With S the second moments of (X, \tilde X),
    ``[2n, 2n]``, a step is S+ = A S A^T + (4/s^2) D, D the errors of
    z = (1 - s/2) X + (s/2) W \tilde X, which enter \tilde X alone. ``x0`` is ``[n, d]``. Derived;
    exact for rand-k and for additive noise.
    """
    m, start = np.asarray(w, dtype=np.float64), np.asarray(x0, dtype=np.float64)
    n = len(m)
    zero, one = np.zeros((n, n)), np.eye(n)
    both = np.vstack((start, start))
    second, found = both @ both.T, []
    apart = (one if seen is None else np.asarray(seen)) @ np.hstack((-one, one))
    for s in range(1, steps + 2):
        found.append(float(np.trace(apart @ second @ apart.T)))
        z = np.hstack(((1 - s / 2) * one, s / 2 * m))
        estimate = np.hstack((zero, (1 - 2 / s) * one)) + 2 / s * z
        a = np.vstack((np.hstack((zero, m)), estimate))
        error = omega * np.diag(z @ second @ z.T) + noise
        second = a @ second @ a.T
        second[n:, n:] += 4 / s**2 * np.diag(error)
    return np.array(found)
