r"""Spectra known in closed form: Laplacians of graphs, and lam = ||W - J||_2 of some weights.

Where every edge has the same weight alpha, W = I - alpha Lap and

    lam = \max_{k >= 1} |1 - alpha l_k|,

with the eigenvalues 0 = l_0, l_1, ... of the Laplacian Lap = D - A. Metropolis-Hastings weights
are of this kind on regular graphs, paths and stars. Spectra of paths, cycles, products and cliques:
Brouwer, Haemers 2012, Spectra of Graphs, section 1.4. A cycle of two has one edge, not two; a graph
of one worker has none.
"""

from __future__ import annotations

import math

import numpy as np

from theory.arrays import Floats


def lam(laplacian: Floats, alpha: float) -> float:
    r"""\max_{k >= 1} |1 - alpha l_k| of Laplacian eigenvalues with l_0 = 0 first; 0 for n = 1."""
    return float(np.abs(1.0 - alpha * laplacian[1:]).max(initial=0.0))


def path_laplacian(n: int) -> Floats:
    """2 - 2 cos(pi k / n), k = 0, ..., n - 1."""
    _at_least(n, 1)
    return 2.0 - 2.0 * np.cos(math.pi * np.arange(n) / n)


def cycle_laplacian(n: int) -> Floats:
    """2 - 2 cos(2 pi k / n), k = 0, ..., n - 1, for n >= 3; a path for n <= 2."""
    return 2.0 - 2.0 * np.cos(2.0 * math.pi * np.arange(n) / n) if n >= 3 else path_laplacian(n)


def complete_laplacian(n: int) -> Floats:
    """Eigenvalues of the complete graph's Laplacian: 0, and n with multiplicity n - 1."""
    _at_least(n, 1)
    return np.where(np.arange(n) == 0, 0.0, float(n))


def star_laplacian(n: int) -> Floats:
    """0, n - 2 times 1, and n; worker 0 is the centre."""
    _at_least(n, 1)
    values = np.ones(n)
    values[-1], values[0] = n, 0.0
    return values


def hypercube_laplacian(n: int) -> Floats:
    """2 j, as often as k has j bits, k = 0, ..., n - 1; n = 1, 2, 4, ...

    Raises:
        ValueError: n is not a power of two.
    """
    log2_exact(n)
    return np.array([2.0 * k.bit_count() for k in range(n)])


def product_laplacian(rows: Floats, cols: Floats) -> Floats:
    """Sums of an eigenvalue of each: the Cartesian product of two graphs (grid, torus)."""
    return (rows[:, None] + cols[None, :]).ravel()


def static_exponential(n: int) -> float:
    """lam = 1 - 2 / (1 + ceil(log2 n)) for even n; odd n has a smaller lam and no closed form.

    Equal weights. Ying, Yuan, Chen, Hu, Pan, Yin 2021, arXiv:2110.13363, Proposition 1; W is a
    circulant, hence normal, so ||W - J||_2 is the modulus of its second eigenvalue.

    Raises:
        ValueError: odd n > 1.
    """
    _at_least(n, 1)
    if n == 1:
        return 0.0
    if n % 2:
        raise ValueError(f"n must be even for the closed form, got n={n}; spectrum(W) gives lam")
    return 1.0 - 2.0 / (1.0 + (n - 1).bit_length())


def directed_ring(n: int) -> float:
    """lam = cos(pi / n) for W = (I + P) / 2, P the cyclic shift of n >= 2 workers (derived)."""
    _at_least(n, 1)
    return math.cos(math.pi / n) if n > 2 else 0.0


def log2_exact(n: int) -> int:
    """log2 n.

    Raises:
        ValueError: n is not a power of two.
    """
    _at_least(n, 1)
    if n & (n - 1):
        below = 1 << (n.bit_length() - 1)
        raise ValueError(f"n must be a power of two, got n={n}; {below} or {2 * below} would do")
    return n.bit_length() - 1


def _at_least(value: int, least: int) -> None:
    if value < least:
        raise ValueError(f"the number of workers must be at least {least}, got {value}")
