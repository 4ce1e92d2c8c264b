"""Seconds of an all-reduce of one vector under the alpha-beta-gamma model (survey 002, Table III).

Thakur, Rabenseifner, Gropp 2005 (Int. J. High Performance Computing Applications 19); Patarasuk,
Yuan 2009 (lower bound of the bits). ``bits`` is the length of a worker's vector, ``gamma`` the
seconds that it takes to add one bit of it to another, which the survey's table leaves out. Links
are full duplex; every worker sends one message at a time.
"""

from __future__ import annotations

from theory.networks.spectra import log2_exact
from theory.seconds.costs import AlphaBeta


def binary_tree_seconds(link: AlphaBeta, n: int, bits: float, gamma: float = 0.0) -> float:
    """Up a binomial tree and down again: 2 ceil(log2 n) (alpha + beta m), adding on the way up [s].

    Raises:
        ValueError: n < 1, or a negative gamma.
    """
    _check(n, gamma)
    levels = (n - 1).bit_length()
    return 2 * levels * link.seconds(bits, 1) + levels * gamma * bits


def recursive_doubling_seconds(link: AlphaBeta, n: int, bits: float, gamma: float = 0.0) -> float:
    """Whole vectors between partners 1, 2, 4, ... apart: log2 n (alpha + (beta + gamma) m) [s].

    Raises:
        ValueError: n is no power of two, or a negative gamma.
    """
    _check(n, gamma)
    rounds = log2_exact(n)
    return rounds * (link.seconds(bits, 1) + gamma * bits)


def halving_doubling_seconds(link: AlphaBeta, n: int, bits: float, gamma: float = 0.0) -> float:
    """Halves, quarters, ... reduced and gathered: 2 log2 n alpha + (n-1)/n (2 beta + gamma) m [s].

    Rabenseifner 2004. As few bits as a ring, in as many messages as a tree.

    Raises:
        ValueError: n is no power of two, or a negative gamma.
    """
    _check(n, gamma)
    share = (n - 1) / n * bits
    return link.seconds(2 * share, 2 * log2_exact(n)) + gamma * share


def ring_seconds(link: AlphaBeta, n: int, bits: float, gamma: float = 0.0) -> float:
    """Parts of 1/n go round twice: 2(n-1) alpha + (n-1)/n (2 beta + gamma) m [s].

    Patarasuk, Yuan 2009: no all-reduce sends fewer bits.

    Raises:
        ValueError: n < 1, or a negative gamma.
    """
    _check(n, gamma)
    share = (n - 1) / n * bits
    return link.seconds(2 * share, 2 * (n - 1)) + gamma * share


def _check(n: int, gamma: float) -> None:
    if n < 1:
        raise ValueError(f"n must be at least 1 worker, got n={n}")
    if not gamma >= 0:
        raise ValueError(f"gamma must be at least 0 s per bit, got gamma={gamma}")
