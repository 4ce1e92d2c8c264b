"""Reaches against the recursions that they are fixed points of, and known special cases."""

from __future__ import annotations

import math

import pytest

from theory.rules import virtual_iterate_deviation
from theory.rules.virtual_iterate_deviation import Reach


def iterated(keep: float, add: float) -> float:
    """S <- keep S + add from 0, until it stays."""
    s = 0.0
    for _ in range(20_000):
        s = keep * s + add
    return s


@pytest.mark.parametrize("delta", [0.1, 0.5, 0.99, 1.0])
def test_residuals_are_where_their_recursion_ends(delta: float) -> None:
    r = math.sqrt(1 - delta)
    assert virtual_iterate_deviation.left(delta) == pytest.approx(iterated(r, r), rel=1e-12)
    other = math.sqrt(1 - 0.3)
    worker = iterated(r, r)
    heard = 1 + worker + worker  # s + e - e^+
    server = iterated(other, other * heard)
    assert virtual_iterate_deviation.both_ways(delta, 0.3) == pytest.approx(
        worker + server, rel=1e-12
    )


def test_without_what_separates_them_methods_are_sgd() -> None:
    plain = Reach(0.0)
    assert virtual_iterate_deviation.fed_back_locally(1, 1.0) == plain
    assert virtual_iterate_deviation.quantised_locally(1, 0.0) == plain
    assert (
        virtual_iterate_deviation.fed_back_momentum(0.0, 0.0)
        == virtual_iterate_deviation.fed_back_nesterov(0.0, 0.0)
        == plain
    )
    assert virtual_iterate_deviation.decaying(0.5, 0.9, 0.0) == plain
    assert virtual_iterate_deviation.both_ways(1.0, 1.0) == 0.0


def test_error_feedback_is_the_case_of_no_decay() -> None:
    """alpha = beta = 1 has c = 1: the noise goes into the residual, none into z."""
    found = virtual_iterate_deviation.decaying(1.0, 1.0, 0.25)
    assert found.excess == found.reach == 0.0
    assert found.behind == pytest.approx(iterated(0.5, 0.5), rel=1e-12)


def test_differences_and_pairs_end_where_their_recursions_do() -> None:
    lam, beta, omega = 0.5, 1.2, 0.1
    found = virtual_iterate_deviation.sent_differences(lam, beta, omega)
    kept = math.sqrt(lam**2 + omega * beta**2)
    assert found.reach == pytest.approx(iterated(kept, math.sqrt(1 + omega)), rel=1e-12)
    assert found.excess == pytest.approx(omega * (beta * found.reach + 1) ** 2, rel=1e-15)
    # two workers meet and take their mean: half a step each
    pair = virtual_iterate_deviation.mixed_in_pairs(
        2, 0, virtual_iterate_deviation.kept_by_pairs(2)
    )
    assert pair.gain == 0.5 and pair.excess == 1.0
    assert pair.reach == pytest.approx(iterated(math.sqrt(0.5), math.sqrt(0.5)), rel=1e-12)


def test_blocks_and_elastic_pulls() -> None:
    assert virtual_iterate_deviation.block_momentum(8, 0.0) == Reach(7.0)
    found = virtual_iterate_deviation.block_momentum(8, 0.5)
    assert (found.gain, found.reach) == (2.0, 7.0)
    assert found.behind == pytest.approx(iterated(0.5, 8.0) + 8, rel=1e-9)
    pulled = virtual_iterate_deviation.elastic(
        4, 0.2, 3
    )  # 1 - 5 alpha = 0: the centre's mode dies at once
    spread = 2 * iterated(0.8, 3.0)
    assert pulled.behind == pytest.approx(spread * math.sqrt(0.8), rel=1e-12)
    assert pulled.reach == pytest.approx(spread * math.sqrt(1 / 4 + 0.8 * 5 / 4), rel=1e-12)
    assert pulled.gain == 0.8


def test_what_need_not_stay_together_is_refused() -> None:
    with pytest.raises(ValueError, match=r"lam\^2 \+ omega beta\^2 must be below 1, got 1\.2"):
        virtual_iterate_deviation.sent_differences(0.5, 2.0, 0.2375)
    with pytest.raises(ValueError, match="must be below 1, got 1"):
        virtual_iterate_deviation.decaying(1.0, 1.0, 1.0)
    with pytest.raises(ValueError, match=r"alpha must lie between 0 and 2/\(n \+ 1\)"):
        virtual_iterate_deviation.elastic(4, 0.5, 1)


def test_new_ways_apart_end_where_their_recursions_do() -> None:
    r, m = 0.3, 0.2
    found = virtual_iterate_deviation.fed_back_globally(m, 1 - r**2)
    longest = iterated(m * (1 + r) + r, 1.0)
    assert found.gain == pytest.approx(1.25, rel=1e-15)
    assert found.behind == pytest.approx(1.25 * longest * (r + m * (1 + r)), rel=1e-12)
    assert virtual_iterate_deviation.fed_back_globally(0.0, 0.75).behind == pytest.approx(
        virtual_iterate_deviation.left(0.75)
    )
    assert virtual_iterate_deviation.mixed_at_random(0.25).reach == pytest.approx(
        iterated(0.5, 1.0), rel=1e-12
    )
    assert virtual_iterate_deviation.wandering(3, 0.8).reach == pytest.approx(
        iterated(0.8, 3.0), rel=1e-12
    )
    wide = virtual_iterate_deviation.wandering_compressed(3, 0.64).reach
    assert wide == pytest.approx(math.sqrt(2) * iterated(0.8, 3 * math.sqrt(2)), rel=1e-12)
    assert virtual_iterate_deviation.late(2.5, 0.0) == Reach(
        2.5
    ) and virtual_iterate_deviation.late(2.0, 3.0) == Reach(4.0)


def test_a_servers_rate_and_momentum_end_where_their_recursions_do() -> None:
    """Moves D <- eta D + zeta H, and z - x = (eta D + (zeta - 1 + eta) l)/(1 - eta)."""
    found = virtual_iterate_deviation.block_momentum(8, 0.5, 0.25)
    moves = iterated(0.5, 0.25 * 8)
    assert found.gain == 0.5
    assert found.behind == pytest.approx((0.5 * moves + 0.25 * 8) / 0.5, rel=1e-9)
    rate = virtual_iterate_deviation.block_momentum(8, 0.0, 1.5)
    assert (rate.reach, rate.behind, rate.gain) == (7.0, 4.0, 1.5)


def test_controlled_errors_end_where_their_recursion_does() -> None:
    r, eta = 0.5, 0.2
    wanted = unsent = 0.0
    for _ in range(20_000):
        unsent, wanted = (
            (1 - eta) * unsent + r * wanted,
            eta**2 * unsent + (1 + eta) * r * wanted + 2,
        )
    found = virtual_iterate_deviation.error_controlled(eta, 1 - r**2)
    assert found.behind == pytest.approx(unsent, rel=1e-9) and found.gain == 1.0
    with pytest.raises(ValueError, match=r"\(1 \+ 2 eta\) must be below 1, got 1\.2"):
        virtual_iterate_deviation.error_controlled(0.7, 0.75)
    assert virtual_iterate_deviation.told_downwards(0.75) == Reach(
        pytest.approx(iterated(0.5, 0.5), rel=1e-12)
    )
