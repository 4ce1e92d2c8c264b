"""Closed-form message lengths [bits] of one row of d numbers, floats of ``float_bits`` bits.

They follow from the definitions of the operators and know nothing of how a message is laid out;
the layouts of the code, and the bytes that cross, are held against them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence


def index_bits(d: int) -> int:
    """ceil(log2 d): one of d positions."""
    return (d - 1).bit_length()


def dense(d: int, float_bits: int = 32) -> float:
    """All d numbers as floats."""
    return float(float_bits * d)


def sparse(d: int, k: int, float_bits: int = 32) -> float:
    """k values with their positions, k (float_bits + ceil(log2 d)).

    Stich, Cordonnier and Jaggi 2018, arXiv:1809.07599 (top-k, rand-k with explicit positions).
    """
    return float(k * (float_bits + index_bits(d)))


def sparse_shared(k: int, float_bits: int = 32) -> float:
    """k values whose positions the receiver draws again from a shared seed."""
    return float(k * float_bits)


def levels(d: int, s: int, float_bits: int = 32) -> float:
    """Scale, and per coordinate a sign and one of s + 1 levels: 32 + d (1 + ceil(log2(s + 1))).

    The fixed-width code of QSGD (Alistarh et al. 2017, arXiv:1610.02132).
    """
    return float(float_bits + d * (1 + s.bit_length()))


def qsgd_elias(d: int, s: int, float_bits: int = 32) -> float:
    r"""Bound on the expected length of QSGD's Elias code, its o(1) dropped.

    Alistarh et al. 2017, arXiv:1610.02132, Theorem 3.2:
    (3 + (3/2) log2(2 (s^2 + d) / (s (s + sqrt d)))) s (s + sqrt d) + 32.
    """
    nonzero = s * (s + math.sqrt(d))
    return (3 + 1.5 * math.log2(2 * (s * s + d) / nonzero)) * nonzero + float_bits


def qsgd_dense(d: int, float_bits: int = 32) -> float:
    """QSGD at s = sqrt(d) in the dense code, 2.8 d + 32 (Alistarh et al. 2017, Corollary 3.3)."""
    return 2.8 * d + float_bits


def ternary(d: int, float_bits: int = 32) -> float:
    """TernGrad in two bits a coordinate, 32 + 2 d (Wen et al. 2017, arXiv:1705.07878)."""
    return float(float_bits + 2 * d)


def signs(d: int, float_bits: int = 32) -> float:
    """One scale and a sign a coordinate, d + 32 (Karimireddy et al. 2019, arXiv:1901.09847)."""
    return float(d + float_bits)


def exponents(d: int, float_bits: int = 32) -> float:
    """Sign and exponent a coordinate: 9 d in single, 12 d in double precision.

    Horvath et al. 2019, arXiv:1905.10988 (natural compression).

    Raises:
        ValueError: float_bits is neither 32 nor 64.
    """
    widths = {32: 9, 64: 12}
    if float_bits not in widths:
        raise ValueError(f"float_bits must be 32 or 64, got float_bits={float_bits}")
    return float(widths[float_bits] * d)


def golomb_width(p: float) -> int:
    r"""b* of Golomb's code with m = 2^b for gaps between positions that are p dense.

    1 + floor(log2(log(phi - 1) / log(1 - p))), phi the golden ratio, and at least 0 (Sattler et al.
    2018, arXiv:1805.08768, Eq. 5).

    Raises:
        ValueError: p outside (0, 1].
    """
    if not 0 < p <= 1:
        raise ValueError(f"p must lie in (0, 1], got p={p}")
    if p == 1:
        return 0
    golden = (math.sqrt(5) - 1) / 2
    return max(0, 1 + math.floor(math.log2(math.log(golden) / math.log1p(-p))))


def golomb_position(p: float) -> float:
    """Expected bits of a position where each of a long row is taken with probability p.

    b* + 1 / (1 - (1 - p)^(2^b*)) (Sattler et al. 2018, arXiv:1805.08768, Eq. 6).
    """
    b = golomb_width(p)
    return b + 1 / (1 - float((1 - p) ** (1 << b)))


def golomb_positions(places: Sequence[int], d: int) -> int:
    """Bits of these ascending positions of d as gaps g in Golomb's code for p = k/d.

    Each takes floor((g - 1) / 2^b) + 1 + b bits.
    """
    b = golomb_width(len(places) / d)
    gaps = (at - before for before, at in zip((-1, *places), places, strict=False))
    return sum((gap - 1 >> b) + 1 + b for gap in gaps)


def golomb_positions_most(d: int, k: int) -> int:
    """The longest :func:`golomb_positions` of k of d: k (b + 1) + floor((d - k) / 2^b)."""
    b = golomb_width(k / d)
    return k * (b + 1) + (d - k >> b)


def hybrid_code(d: int, large: float, small: float, float_bits: int = 32) -> float:
    """A flag, a level, and the shorter of two lists and a map.

    The lists: how many are large, their indices and values, indices and signs of the small ones.
    The map: two bits a coordinate, and the large values. (Wangni et al. 2018, arXiv:1710.09854,
    Section 3.3; flag and count added, so that it can be read.)
    """
    index = index_bits(d)
    listed = index_bits(d + 1) + large * (float_bits + index) + small * (index + 1)
    return 1 + float_bits + min(listed, 2 * d + large * float_bits)


def elias_omega(number: int) -> int:
    """Length of Elias's omega code of an integer >= 1: 1, 3, 3, 6, ..., 11 for 16 (Elias 1975)."""
    length = 1
    while number > 1:
        length += number.bit_length()
        number = number.bit_length() - 1
    return length


def elias_positions(places: Sequence[int]) -> int:
    """Bits of ascending positions, each as its distance to the one before in the omega code."""
    return sum(elias_omega(at - before) for before, at in zip((-1, *places), places, strict=False))


def entropy(counts: Sequence[int]) -> float:
    """Empirical entropy [bits] of a sequence in which symbols occur so often: n H."""
    total = sum(counts)
    return sum(c * math.log2(total / c) for c in counts if c)


def zero_run_bytes(full: Sequence[bool]) -> int:
    """Bytes of 3LC's groups: one for each that is not empty, one for up to 14 empty in a row.

    Lim et al. 2018, arXiv:1802.07389, Section 3.3.
    """
    total = run = 0
    for group in (*full, True):
        if not group:
            run += 1
            continue
        total += -(-run // 14) + 1
        run = 0
    return total - 1
