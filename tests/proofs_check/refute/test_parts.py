"""Worst operators lose what they claim everywhere; changed parts state their own constants."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from algorithms.compressors.rand_k import RandK
from algorithms.compressors.top_k import TopK
from algorithms.core.key import Key
from algorithms.methods.cooperative.cocod import CoCoD
from algorithms.methods.cooperative.redundancy import OnMoreShards
from algorithms.methods.error_feedback.ef21 import EF21
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.variance_reduced.marina import Marina
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.ring import Ring
from proofs_check.refute.operators import WorstContraction, WorstUnbiased
from proofs_check.refute.parts import changed
from theory.stepsizes import ConstantStep
from theory.theorems.bsp_nonconvex import bsp_nonconvex
from theory.theorems.cocod_sgd import cocod_sgd
from theory.theorems.compressed_bsp_nonconvex import compressed_bsp_nonconvex
from theory.theorems.d_psgd import d_psgd
from theory.theorems.ef21 import ef21
from theory.theorems.local_sgd import local_sgd
from theory.theorems.marina import marina
from theory.theorems.ri_sgd import ri_sgd

STEP = ConstantStep(0.1)
PROBLEM = Quadratic.strongly_convex(4, 4)


@pytest.mark.parametrize("kind", [0, 1, 2])
def test_a_worst_contraction_loses_all_that_its_constant_allows(kind: int) -> None:
    x = torch.randn((5, 2, 6), dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    draws = Key.seed(0).draws(torch.arange(5), torch.arange(2))
    lost = (WorstContraction(0.36, kind).compress(x, draws) - x).square().sum(-1)
    assert torch.allclose(lost, 0.64 * x.square().sum(-1))


def test_a_worst_unbiased_operator_has_its_mean_and_variance() -> None:
    """Two outcomes, (1 + 2) x and (1 - 2) x for omega = 4, each half of the time."""
    x = torch.ones((40_000, 1, 1), dtype=torch.float64)
    draws = Key.seed(0).draws(torch.arange(40_000), torch.arange(1))
    points, counts = np.unique(WorstUnbiased(4.0).compress(x, draws).numpy(), return_counts=True)
    assert points.tolist() == [-1.0, 3.0]
    assert counts[0] / 40_000 == pytest.approx(0.5, abs=0.015)


def test_a_changed_network_states_its_own_lam() -> None:
    """W = (1 - w) I + w J has eigenvalues 1 and 1 - w; w = number n/(n - 1)."""
    other = changed(DPSGD(STEP, Ring(4)), d_psgd, PROBLEM, (0.3,))
    assert other.constants(PROBLEM).need("lam") == pytest.approx(1 - 0.3 * 4 / 3)


def test_a_changed_period_states_its_own_H() -> None:
    other = changed(LocalSGD(STEP, 4), local_sgd, PROBLEM, (0.99,))
    assert other.constants(PROBLEM).H == 8


def test_a_changed_operator_claims_what_was_claimed() -> None:
    method = BSP(STEP, RandK(0.25))
    other = changed(method, compressed_bsp_nonconvex, PROBLEM, (0.0,))
    assert isinstance(other, BSP) and isinstance(other.compressor, WorstUnbiased)
    assert other.constants(PROBLEM).omega == method.constants(PROBLEM).omega == 3.0


def test_parts_stay_where_the_theorem_speaks_of_no_others() -> None:
    method = BSP(STEP, RandK(0.25))
    assert changed(method, bsp_nonconvex, PROBLEM, (0.0,)) == method


def test_another_size_of_operator_comes_last_and_states_its_own() -> None:
    """A tenth of omega 3 to 100; a half is its own, and one that loses little may lose much too."""
    method = BSP(STEP, RandK(0.25))
    for number, omega in ((0.5, 3.0), (1.0, 100.0), (0.0, 0.3), (0.75, math.sqrt(300.0))):
        other = changed(method, compressed_bsp_nonconvex, PROBLEM, (0.0, number))
        assert other.constants(PROBLEM).omega == pytest.approx(omega)
    for number, delta in ((0.5, 0.5), (1.0, 1.0), (0.0, 0.01)):
        lossy = changed(EF21(STEP, TopK(0.5)), ef21, PROBLEM, (0.0, 0.5, number))
        assert lossy.constants(PROBLEM).delta == pytest.approx(delta)


def test_periods_of_other_names_and_of_methods_within_methods_are_changed() -> None:
    stale = changed(CoCoD(STEP, 4), cocod_sgd, PROBLEM, (0.0,))
    assert stale.constants(PROBLEM).H_stale == 1
    within = changed(OnMoreShards(LocalSGD(STEP, 4), 2), ri_sgd, PROBLEM, (0.3,))
    assert within.constants(PROBLEM).H == 3
    assert within == OnMoreShards(LocalSGD(STEP, 3), 2)


def test_fewer_workers_take_part_near_the_end_and_the_method_states_what_that_loses() -> None:
    """n (1 + omega)/r stands for omega with r of n workers, p delta for delta."""
    everyone = Marina(STEP, RandK(0.25))
    assert changed(everyone, marina, PROBLEM, (0.5, 0.0)).participants is None  # type: ignore[attr-defined]
    for number, count in ((0.8, 4), (0.9, 2), (1.0, 1)):
        other = changed(everyone, marina, PROBLEM, (0.5, number))
        assert other.constants(PROBLEM).omega == pytest.approx(4 * (1 + 3.0) / count)
    some = EF21(STEP, TopK(0.5))
    assert changed(some, ef21, PROBLEM, (0.0, 0.5)) == replace(
        some, compressor=WorstContraction(0.5)
    )
    other = changed(some, ef21, PROBLEM, (0.0, 0.9))
    assert other.constants(PROBLEM).delta == pytest.approx(0.5 * 0.4)
