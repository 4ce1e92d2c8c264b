"""Averaging at few bits a coordinate: a shrinking range agrees where a fixed one stalls."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from algorithms.compressors.nearest_grid import FixedRange
from algorithms.compressors.zooming_range import ZoomingRange
from algorithms.core.key import Key
from algorithms.engine.run import Diverged, run
from algorithms.methods.gossip.choco import ChocoGossip
from algorithms.topologies.complete import Complete
from algorithms.topologies.ring import Ring
from algorithms.topologies.torus import Torus
from proofs_check.evidence.gossip.closed_forms_choco import D, setting, within, zooming
from proofs_check.methods.equivalence import Case, cross_validate
from proofs_check.verdict import Outcome
from theory.networks.zooming import Zooming


def test_agreement_is_linear_and_few_bits_suffice():
    for verdict in zooming():
        assert verdict.outcome is Outcome.SUPPORTED, verdict


def test_the_bill_is_b_bits_a_coordinate():
    method, problem = zoomed(6, 12)
    assert run(method, problem, steps=12).account.sent_bits.unique().item() == 12 * D * 3 * 2


def zoomed(n, steps):
    """CHOCO-Gossip on a ring of n at 3 bits, and its problem."""
    problem, _, ratio, radius = setting(Ring(n), 0.2, 3)
    return ChocoGossip(Ring(n), ZoomingRange(radius, 3, ratio), 0.2), problem


@pytest.mark.sharded
def test_both_worlds_shrink_alike():
    iterates, bills = cross_validate((Case("choco-gossip", zoomed, (6, 12), steps=12),), 2)
    assert iterates.outcome is bills.outcome is Outcome.AGREES and iterates.bound == 0


def test_a_range_that_shrinks_faster_than_averages_agree_is_refused():
    verdict = within(Torus(3, 3), 0.4, 4, hurry=0.6)
    assert verdict.outcome is Outcome.REFUTED
    assert "a shrink nearer to 1 would do" in verdict.evidence


def test_a_range_that_starts_too_small_is_refused():
    problem, _, ratio, _ = setting(Ring(6), 0.2, 3)
    with pytest.raises(Diverged, match="at step 0"):
        run(ChocoGossip(Ring(6), ZoomingRange(0.1, 3, ratio), 0.2), problem, steps=5)


@pytest.mark.parametrize(("gamma", "b"), [(0.05, 2), (0.2, 3), (0.4, 4)])
def test_levels_are_those_of_li_fu_xie_and_zhang(gamma, b):
    """Ring of 7 with W = I - h L, L of degree 2: K = M_1(h, kappa) - 1/2 at the least kappa.

    M_1(h, k) = sqrt(N) h^2 lambda_N^2 / (2 k (k - rho_h)) + (1 + 2 h d*) / (2 k).
    """
    n, h = 7, gamma / 3  # Ring's weights are 1/3
    theory = Zooming.from_matrix(Ring(n).matrix(0), gamma, b)
    eigenvalues = 2 - 2 * np.cos(2 * np.pi * np.arange(1, n) / n)
    rho = max(abs(1 - h * eigenvalues))
    top, k = max(eigenvalues), theory.ratio
    m1 = math.sqrt(n) * (h * top) ** 2 / (2 * k * (k - rho)) + (1 + 2 * h * 2) / (2 * k)
    assert m1 - 0.5 == pytest.approx((1 << (b - 1)) - 1, rel=1e-9)


def test_two_bits_suffice_on_every_graph_for_small_steps():
    for topology in (Ring(40), Torus(6, 6), Complete(30)):
        theory = Zooming.from_matrix(topology.matrix(0), 1.0, 2)
        small = 0.2 * theory.gap / (theory.beta**2 * math.sqrt(topology.n))
        assert 1 - small * theory.gap < Zooming.from_matrix(topology.matrix(0), small, 2).ratio < 1


def test_points_are_those_of_the_fixed_range_of_that_step():
    draws = Key.seed(1).draws(torch.tensor(0), torch.arange(1))
    x = torch.tensor([[0.3, -0.9, 0.0, 1.05]], dtype=torch.float64)
    zooming = ZoomingRange(4.0, 4, 0.5).at_step(2)
    assert torch.equal(zooming.compress(x, draws), FixedRange(1.0, 4).compress(x, draws))
    assert zooming.bits(4, torch.float64) == 16
    assert ZoomingRange(1.0, 4, 0.5).at_step(100).grid().radius == 1e-12


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: ZoomingRange(1.0, 4, 0.0), "shrink must lie in"),
        (lambda: ZoomingRange(0.0), "radius positive"),
        (lambda: Zooming.from_matrix(np.eye(3), 0.5, 4), "gap positive"),
        (lambda: Zooming.from_matrix(Ring(8).matrix(0), 0.5, 1), "b be at least 2"),
        (lambda: Zooming.from_matrix(Ring(8).matrix(0), 0.5, 4).spread(0.5), "ratio must lie in"),
    ],
)
def test_errors(make, says):
    with pytest.raises(ValueError, match=says):
        make()
