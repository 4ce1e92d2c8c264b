"""Closed forms of message lengths against published numbers and exact arithmetic."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from theory import bits


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (bits.levels(4, 1), 40),
        (bits.levels(4, 2), 44),
        (bits.ternary(4), 40),
        (bits.signs(4), 36),
        (bits.exponents(4), 36),
        (bits.exponents(4, 64), 48),
        (bits.sparse(4, 1), 34),
        (bits.sparse(4, 2), 68),
        (bits.sparse(4, 3), 102),
        (bits.sparse_shared(1), 32),
        (bits.sparse_shared(2), 64),
        (bits.dense(4), 128),
    ],
)
def test_reference_lengths_at_four_coordinates(value: float, expected: int) -> None:
    assert value == expected


def test_qsgd_theorem_3_2() -> None:
    """At d = 1e6: 19.5 kbit for s = 1, 1641 times shorter than floats; s = sqrt(d)."""
    assert bits.qsgd_elias(10**6, 1) == pytest.approx(19497.962, abs=1e-3)
    assert bits.dense(10**6) / bits.qsgd_elias(10**6, 1) == pytest.approx(1641.1972, abs=1e-4)
    assert bits.qsgd_elias(10**6, 1000) == pytest.approx(9000032, abs=1e-3)
    assert bits.qsgd_dense(10**6) == pytest.approx(2800032)


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 1000, 1024, 1025])
def test_index_bits_are_the_fewest_that_name_d_positions(d: int) -> None:
    width = bits.index_bits(d)
    assert 2**width >= d and (width == 0 or 2 ** (width - 1) < d)


@pytest.mark.parametrize("s", [1, 2, 3, 4, 7, 8, 255, 256])
def test_levels_are_the_fewest_bits_that_name_s_plus_one_levels(s: int) -> None:
    width = bits.levels(1, s) - 33
    assert 2**width >= s + 1 > 2 ** (width - 1)


@pytest.mark.parametrize(
    "length",
    [
        lambda f: bits.dense(9, f),
        lambda f: bits.sparse(9, 1, f),
        lambda f: bits.sparse_shared(1, f),
        lambda f: bits.levels(9, 4, f),
        lambda f: bits.ternary(9, f),
        lambda f: bits.signs(9, f),
    ],
)
def test_double_precision_adds_32_bits_a_float(length: Callable[[int], float]) -> None:
    floats = 9 if length(32) == 288 else 1
    assert length(64) - length(32) == 32 * floats


def test_other_floats_have_no_natural_length() -> None:
    with pytest.raises(ValueError, match="float_bits must be 32 or 64, got float_bits=16"):
        bits.exponents(4, 16)
