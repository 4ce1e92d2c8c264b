"""Seconds of all-reduce against figures of another program (reference, case C17) and by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from theory.seconds.collectives import (
    CollectiveCost,
    binary_tree_seconds,
    halving_doubling_seconds,
    recursive_doubling_seconds,
    ring_seconds,
)
from theory.seconds.costs import AlphaBeta

LINK = AlphaBeta(1e-5, 1e-9)  # seconds per element here
KINDS = (binary_tree_seconds, recursive_doubling_seconds, ring_seconds, halving_doubling_seconds)


@pytest.mark.parametrize(
    ("n", "milliseconds"),
    [
        (4, (100.04, 50.02, 37.56, 37.54)),
        (16, (200.08, 100.04, 47.175, 46.955)),
        (64, (300.12, 150.06, 50.47875, 49.33875)),
    ],
)
def test_the_published_figures(n: int, milliseconds: tuple[float, ...]) -> None:
    got = tuple(1e3 * seconds(LINK, n, 25e6) for seconds in KINDS)
    assert got == pytest.approx(milliseconds, rel=1e-9)


def test_one_worker_sends_nothing_and_adding_costs() -> None:
    assert [seconds(LINK, 1, 1e6, 1e-9) for seconds in KINDS] == [0, 0, 0, 0]
    more = [seconds(LINK, 4, 1e6, 1e-9) - seconds(LINK, 4, 1e6) for seconds in KINDS]
    assert more == pytest.approx([2e-3, 2e-3, 0.75e-3, 0.75e-3], rel=1e-9)


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match="n must be at least 1 worker, got n=0"):
        ring_seconds(LINK, 0, 1)
    with pytest.raises(ValueError, match="at least 0, got steps=-1, sent=0, added=0"):
        CollectiveCost(-1, Fraction(0))
    with pytest.raises(ValueError, match="gamma must be at least 0 s per bit, got gamma=-1"):
        binary_tree_seconds(LINK, 4, 1, -1)


def test_what_is_no_power_of_two_folds_on_to_the_one_below() -> None:
    """Six workers: four of them as four would, and a whole vector before and after."""
    assert recursive_doubling_seconds(LINK, 6, 1e6) == pytest.approx(4 * (1e-5 + 1e-3))
    assert halving_doubling_seconds(LINK, 6, 1e6) == pytest.approx(6e-5 + 1.5e-3 + 2e-3)
