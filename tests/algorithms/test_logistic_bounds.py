"""Constants from largest eigenvalues against numpy's dense ones, on drawn shapes and bad rows."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from algorithms.problems import logistic_bounds, newton
from algorithms.problems.logistic import Logistic
from algorithms.problems.logistic_data import synthetic
from algorithms.problems.regularisers import L2
from algorithms.problems.top_eigenvalue import dense, lanczos_bound, largest, squared_norms, top
from theory.constants import Kind

SWEEPS, RANK, PACE = 12, 8, 0.3


@st.composite
def drawn_rows(draw) -> torch.Tensor:
    """Signed samples ``[n, S, d]``: of low rank, twice the same, zero, of any type and scale."""
    n, samples, d = (draw(st.integers(1, most)) for most in (4, 12, 12))
    generator = np.random.default_rng(draw(st.integers(0, 10**6)))
    rows = generator.normal(size=(n, samples, d)) * draw(st.sampled_from((1e-3, 1.0, 1e3)))
    if draw(st.booleans()):
        rows = rows @ np.outer(generator.normal(size=d), generator.normal(size=d))
    if draw(st.booleans()):
        rows[:, -1] = rows[:, 0]
    if draw(st.booleans()):
        rows[draw(st.integers(0, n - 1)), 0] = 0.0
    if draw(st.booleans()):
        rows[0] = 0.0
    return torch.from_numpy(rows).to(draw(st.sampled_from((torch.float32, torch.float64))))


def dense_top(rows: np.ndarray) -> float:
    """Largest eigenvalue of (1/N) P^T P, from all of them."""
    return float(np.linalg.eigvalsh(rows.T @ rows / len(rows))[-1])


def dense_boxed(rows: np.ndarray) -> float:
    """The bound by the best scales, from whole decompositions in d dimensions."""
    samples, scales = len(rows), np.linalg.norm(rows, axis=1)
    best, least = 0.25 * dense_top(rows), max(1e-9 * scales.max(), 1e-300)
    for _ in range(SWEEPS):
        scales = np.maximum(scales, least)
        scales /= scales.mean()
        thin = rows / np.sqrt(scales)[:, None]
        spectrum, ways = np.linalg.eigh(thin.T @ thin)
        best = min(best, 0.25 * spectrum[-1] * scales.sum() / samples**2)
        weights = np.maximum(spectrum / max(spectrum[-1], 1e-300), 0.0) ** RANK
        moved = np.sqrt((rows @ ways) ** 2 @ weights)
        scales = scales ** (1 - PACE) * (moved / max(moved.mean(), 1e-300)) ** PACE
    return float(best)


@given(drawn_rows())
def test_constants_are_those_of_dense_eigenvalues(rows) -> None:
    n, _, _ = rows.shape
    wide = rows.double().numpy()
    tops, boxed = logistic_bounds.spectra(rows)
    scale = max(1e-300, np.square(wide).sum(-1).mean(-1).max())
    for i in range(n):
        assert tops[i].item() == pytest.approx(dense_top(wide[i]), rel=1e-11, abs=1e-14 * scale)
        assert boxed[i].item() == pytest.approx(dense_boxed(wide[i]), rel=1e-9, abs=1e-14 * scale)
    flat = wide.reshape(-1, wide.shape[-1])
    expected = dense_top(flat)
    assert top(rows.flatten(0, 1)) == pytest.approx(expected, rel=1e-11, abs=1e-14 * scale)
    sums, shift = logistic_bounds.moments(rows), 0.5 * wide.mean(1, keepdims=True)
    assert logistic_bounds.longest(sums) == pytest.approx(np.linalg.norm(flat, axis=1).max())
    kept, moved = np.square(shift).sum(-1), np.square(wide - shift).sum(-1)
    noise = np.minimum(np.maximum(kept, moved).mean(-1), np.square(wide).sum(-1).mean(-1)).max()
    assert logistic_bounds.variance(sums, 2) == pytest.approx(noise / 2, rel=1e-9, abs=1e-300)


@given(st.integers(0, 10**6), st.sampled_from(("flat", "edge", "pair", "low rank")))
def test_lanczos_bounds_from_above_and_not_far(seed, kind) -> None:
    """Spectra with a gap and without; at most what the theorem leaves beyond the eigenvalue."""
    generator, d, steps = np.random.default_rng(seed), 150, 40
    spectrum = {
        "flat": np.ones(d), "edge": np.linspace(1.0, 0.0, d),
        "pair": np.r_[1.0, 1.0 - 1e-9, np.linspace(0.9, 0.0, d - 2)],
        "low rank": np.r_[1.0, 0.5, np.zeros(d - 2)],
    }[kind]  # fmt: skip
    turn = np.linalg.qr(generator.normal(size=(d, d)))[0]
    rows = np.sqrt(spectrum)[:, None] * turn
    slack = (math.log(1.648 * math.sqrt(d) / 1e-10) / (2 * steps - 1)) ** 2
    found = lanczos_bound(rows, steps)
    assert 1.0 <= found <= (1 + 1e-9) / (1 - slack)
    assert lanczos_bound(np.ascontiguousarray(rows, dtype=np.float32), steps) == pytest.approx(
        found, rel=1e-5
    )


def test_wide_and_long_data_is_bounded_and_says_so() -> None:
    """Too large to be solved densely: L and L_max are bounds, never below numpy's eigenvalues."""
    rows = synthetic(1, 1100, 1050, L2(0.1), dtype=torch.float32).rows
    assert not dense(1100, 1050)
    built = Logistic("large", rows, L2(0.1), 1)
    exact = 0.25 * dense_top(rows[0].double().numpy()) + 0.1
    for name in ("L", "L_max"):
        assert exact <= built.constants().need(name) <= 1.06 * exact
        assert built.constants().statements[name].kind is Kind.UPPER
    small = Logistic("small", rows[:, :90].contiguous(), L2(0.1), 1).constants()
    assert small.statements["L"].kind is small.statements["L_max"].kind is Kind.EXACT


def test_fewer_sweeps_only_loosen_the_bound(monkeypatch) -> None:
    rows = synthetic(2, 60, 90, L2(0.1)).rows
    found = []
    for work in (0.0, 1.5e6, 1e9):
        monkeypatch.setattr(logistic_bounds, "_WORK", work)
        found.append(logistic_bounds.spectra(rows).boxed)
    assert bool((found[0] > found[1]).all()) and bool((found[1] > found[2]).all())
    assert found[0].numpy() == pytest.approx(0.25 * logistic_bounds.spectra(rows).tops.numpy())
    assert found[2][0].item() == pytest.approx(dense_boxed(rows[0].numpy()), rel=1e-10)


@given(drawn_rows())
def test_squared_norms_are_those_of_singular_values(rows) -> None:
    found, wide = squared_norms(rows.double()), rows.double().numpy()
    expected = np.linalg.svd(wide, compute_uv=False)[:, 0] ** 2
    assert found.numpy() == pytest.approx(expected, rel=1e-11, abs=1e-13 * expected.max())


def test_eigenvalues_together_and_one_by_one() -> None:
    for k in (1, 64, 65, 120):
        wide = torch.randn((3, k, k), generator=torch.Generator().manual_seed(k)).double()
        grams = wide @ wide.mT
        expected = np.linalg.eigvalsh(grams.numpy())[:, -1]
        assert largest(grams).numpy() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("shape", [(30, 7), (7, 30), (200, 90), (1, 1)])
def test_the_minimum_of_single_precision_is_that_of_its_wide_copy(shape) -> None:
    rows = np.random.default_rng(1).normal(size=shape).astype(np.float32)
    one, other = (newton.minimise(p, 0.01) for p in (rows, rows.astype(np.float64)))
    assert np.abs(one - other).max() <= 1e-12 * (1 + np.abs(other).max())


def test_larger_batches_keep_what_was_found_of_the_rows() -> None:
    """Constants equal those of the same problem made anew; nothing is found twice."""
    one = synthetic(3, 20, 6, L2(0.1), batch=2)
    one.constants()
    larger, anew = one.enlarged(4), synthetic(3, 20, 6, L2(0.1), batch=8)
    assert larger._spectra is one._spectra and larger.batch == 8
    assert larger.constants() == anew.constants()
