"""Seconds of an all-reduce of one vector under the alpha-beta-gamma model (survey 002, Table III).

Thakur, Rabenseifner, Gropp 2005 (Int. J. High Performance Computing Applications 19); Patarasuk,
Yuan 2009 (lower bound of the bits). ``bits`` is the length of a worker's vector, ``gamma`` the
seconds that it takes to add one bit of it to another, which the survey's table leaves out. Links
are full duplex; every worker sends one message at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import final

from theory.seconds.costs import AlphaBeta


@final
@dataclass(frozen=True)
class CollectiveCost:
    """Sequential traffic of an all-reduce, as multiples of one message and one vector.

    Attributes:
        steps: messages.
        sent: length of them all, in vectors.
        added: length of what is added to something held, in vectors.

    Raises:
        ValueError: a negative number.
    """

    steps: int
    sent: Fraction
    added: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        if self.steps < 0 or self.sent < 0 or self.added < 0:
            raise ValueError(
                f"steps, sent and added must be at least 0, got steps={self.steps}, "
                f"sent={self.sent}, added={self.added}"
            )

    def seconds(self, link: AlphaBeta, bits: float, gamma: float = 0.0) -> float:
        """alpha steps + (beta sent + gamma added) bits [s].

        Raises:
            ValueError: a negative gamma or length.
        """
        if not gamma >= 0:
            raise ValueError(f"gamma must be at least 0 s per bit, got gamma={gamma}")
        return link.seconds(float(self.sent) * bits, self.steps) + gamma * float(self.added) * bits


def reduce_broadcast_cost(n: int) -> CollectiveCost:
    """Every vector to one worker, and the sum back: 2(n-1) whole vectors through its link.

    Survey 000 (arXiv:2003.03009), Section 4.1.2: linear in n, as one parameter server is.

    Raises:
        ValueError: n < 1.
    """
    _check(n)
    return CollectiveCost(2 * (n - 1), Fraction(2 * (n - 1)), Fraction(n - 1))


def binary_tree_cost(n: int) -> CollectiveCost:
    """Up a binomial tree and down again: 2 ceil(log2 n) whole vectors, half of them added.

    Raises:
        ValueError: n < 1.
    """
    _check(n)
    levels = (n - 1).bit_length()
    return CollectiveCost(2 * levels, Fraction(2 * levels), Fraction(levels))


def recursive_doubling_cost(n: int) -> CollectiveCost:
    """Whole vectors between partners 1, 2, 4, ... apart: log2 n of them.

    Where n is no power of two, floor(log2 n), and two more: those above the power give their
    vector to one below and get the sum back (Thakur, Rabenseifner, Gropp 2005, Section 4.5).

    Raises:
        ValueError: n < 1.
    """
    _check(n)
    levels, folded = n.bit_length() - 1, bool(n & (n - 1))
    return CollectiveCost(
        levels + 2 * folded, Fraction(levels + 2 * folded), Fraction(levels + folded)
    )


def halving_doubling_cost(n: int) -> CollectiveCost:
    """Halves, quarters, ... reduced and gathered: 2 log2 n messages of (n-1)/n each way.

    Rabenseifner 2004: as few bits as a ring, in as many messages as a tree. Where n is no power of
    two, of the power below it, and a whole vector there and back (as in recursive doubling).

    Raises:
        ValueError: n < 1.
    """
    _check(n)
    levels, folded = n.bit_length() - 1, bool(n & (n - 1))
    share = 1 - Fraction(1, 1 << levels)
    return CollectiveCost(2 * (levels + folded), 2 * (share + folded), share + folded)


def ring_cost(n: int) -> CollectiveCost:
    """Parts of 1/n go round twice: 2(n-1) messages of 1/n.

    Patarasuk, Yuan 2009: no all-reduce sends fewer bits.

    Raises:
        ValueError: n < 1.
    """
    _check(n)
    return CollectiveCost(2 * (n - 1), 2 * (1 - Fraction(1, n)), 1 - Fraction(1, n))


def binary_tree_seconds(link: AlphaBeta, n: int, bits: float, gamma: float = 0.0) -> float:
    """2 ceil(log2 n) (alpha + beta m) + ceil(log2 n) gamma m [s]: :func:`binary_tree_cost`.

    Raises:
        ValueError: n < 1, or a negative gamma.
    """
    return binary_tree_cost(n).seconds(link, bits, gamma)


def recursive_doubling_seconds(link: AlphaBeta, n: int, bits: float, gamma: float = 0.0) -> float:
    """log2 n (alpha + (beta + gamma) m) [s] for n = 2^k: :func:`recursive_doubling_cost`.

    Raises:
        ValueError: n < 1, or a negative gamma.
    """
    return recursive_doubling_cost(n).seconds(link, bits, gamma)


def halving_doubling_seconds(link: AlphaBeta, n: int, bits: float, gamma: float = 0.0) -> float:
    """2 log2 n alpha + (n-1)/n (2 beta + gamma) m [s] for n = 2^k: :func:`halving_doubling_cost`.

    Raises:
        ValueError: n < 1, or a negative gamma.
    """
    return halving_doubling_cost(n).seconds(link, bits, gamma)


def ring_seconds(link: AlphaBeta, n: int, bits: float, gamma: float = 0.0) -> float:
    """2(n-1) alpha + (n-1)/n (2 beta + gamma) m [s]: :func:`ring_cost`.

    Raises:
        ValueError: n < 1, or a negative gamma.
    """
    return ring_cost(n).seconds(link, bits, gamma)


def _check(n: int) -> None:
    if n < 1:
        raise ValueError(f"n must be at least 1 worker, got n={n}")
