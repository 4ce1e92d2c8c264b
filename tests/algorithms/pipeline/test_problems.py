"""Compiled gradients of the catalogue's problems equal their own, bit for bit."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.kernels.row_parts import published
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.entries import PROBLEMS
from algorithms.problems.quadratic import Law, Quadratic
from tests.algorithms.pipeline import drawn
from tests.algorithms.pipeline.both_ways import assert_same
from theory.stepsizes import ConstantStep

WITH_KERNEL = {e.name: e for e in PROBLEMS if published(e.build(4)) is not None}

NETWORKS = {"mlp-digits", "mlp-digits-levels", "cnn-digits", "module-diabetes"}
WITHOUT = {"pairwise-logistic"}
"""Whose rows depend on those that are computed with them, by batched products."""


def test_every_problem_that_is_no_network_has_one():
    assert {e.name for e in PROBLEMS} - set(WITH_KERNEL) == NETWORKS | WITHOUT


@pytest.mark.parametrize("name", sorted(WITH_KERNEL))
def test_every_one_computes_in_single_precision(name):
    entry = WITH_KERNEL[name]
    single = entry.build(max(8, entry.least_workers)).computing_in(torch.float32)
    assert single.dtype == single.start().dtype == torch.float32


@pytest.mark.parametrize("name", WITH_KERNEL)
@settings(max_examples=10, deadline=None)
@given(
    n=st.integers(2, 5), dtype=drawn.DTYPES, factor=st.sampled_from([1, 3]), options=drawn.options
)
def test_of_the_catalogue(name, n, dtype, factor, options):
    entry = WITH_KERNEL[name]
    problem = drawn.computing_in(entry.build(max(n, entry.least_workers)), dtype).enlarged(factor)
    step = ConstantStep(0.02)
    for method in (BSP(step), LocalSGD(step, 3)):
        assert assert_same(method, problem, **options) == options["steps"]


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 6), st.integers(2, 40), st.sampled_from(list(Law)), drawn.DTYPES,
    st.sampled_from([0.0, 1.0]), st.integers(0, 3), drawn.options,
)  # fmt: skip
def test_of_quadratics(n, d, law, dtype, sigma2, seed, options):
    zeta2 = 1.0 if n > 1 else 0.0
    problem = Quadratic.strongly_convex(
        n, d, sigma2=sigma2, zeta2=zeta2, law=law, seed=seed, dtype=dtype
    )
    assert assert_same(BSP(ConstantStep(0.1)), problem, **options) == options["steps"]
