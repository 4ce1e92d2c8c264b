"""The claims of this repository, attacked."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from own_theory.claims import DESCENT, TRACKING
from own_theory.parts import lazy_ring, top_half
from rateproof.testing import (
    check_compressor,
    check_method,
    check_theorem,
    check_topology,
    compressors,
    edge_vectors,
    mixing_matrices,
    problems,
    schedules,
)

import rateproof


def test_the_theorem_survives() -> None:
    check_theorem(DESCENT, budget=3, attackers=("exact",))


def test_with_n_squared_it_would_not() -> None:
    wrong = rateproof.claim(
        "noise divided by n squared", method="bsp-sgd", limit="1/L",
        bound="2*initial_gap/(gamma*T) + gamma*L*sigma2/n**2",
    )  # fmt: skip
    with pytest.raises(AssertionError, match="refuted: measured"):
        check_theorem(wrong, budget=20, attackers=("exact",))


def test_the_method_keeps_what_is_claimed() -> None:
    check_method(TRACKING)


def test_the_compressor_contracts() -> None:
    check_compressor(top_half, delta=0.5, d=16, samples=100)


@given(edge_vectors(6))
def test_half_of_any_vector_is_kept(x: np.ndarray) -> None:
    assert np.count_nonzero(top_half(x)) <= 3


@pytest.mark.parametrize("n", [3, 4, 9])
def test_the_ring_mixes(n: int) -> None:
    check_topology(lazy_ring(n), gap=(1 - np.cos(2 * np.pi / n)) / 2)


@settings(deadline=None)
@given(mixing_matrices(gap=0.2, n=5))
def test_gossip_contracts_by_the_gap(topology) -> None:
    W, x = topology.matrix(0), np.arange(5.0)
    apart = x - x.mean()
    assert np.linalg.norm(W @ apart) <= 0.8 * np.linalg.norm(apart) * (1 + 1e-12)


@settings(deadline=None)
@given(compressors(4, delta=0.25))
def test_error_feedback_stays_bounded(compress) -> None:
    """|e| <= 2 sqrt(1 - delta)/delta for gradients of length 1."""
    error, g = np.zeros(4), np.full(4, 0.5)
    for _ in range(30):
        error = error + g - compress(error + g)
        assert np.linalg.norm(error) <= 2 * np.sqrt(0.75) / 0.25


@settings(deadline=None)
@given(schedules(tau=3))
def test_no_gradient_is_older_than_tau(schedule) -> None:
    assert max(schedule.staleness) <= 3


@settings(deadline=None)
@given(problems(L=2.0, mu=0.5))
def test_gradient_descent_contracts(problem) -> None:
    x = problem.start()
    there = x - problem.mean_gradient(x) / 2.0
    before, after = (float((one - problem.x_star).norm()) for one in (x, there))
    assert after <= (1 - 0.25) * before * (1 + 1e-12)
