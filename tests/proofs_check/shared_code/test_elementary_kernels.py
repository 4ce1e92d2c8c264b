"""Small compiled functions at all sizes: wrong at one size alone is refuted."""

from __future__ import annotations

import pytest
import torch

from algorithms.kernels import (
    absolutes,
    extremes,
    mixing,
    row_norms,
    row_products,
    scaled_sum,
    selection,
)
from proofs_check.row_coverage import rows_of
from proofs_check.shared_code import elementary_kernels
from proofs_check.shared_code.elementary_kernels import CLOSED_FORMS, COVERS
from proofs_check.verdict import Outcome


@pytest.mark.parametrize("check", CLOSED_FORMS, ids=lambda check: check.__name__)
def test_kernels_are_right_at_all_sizes_and_belong_to_every_row(check):
    assert all(found.outcome is Outcome.AGREES for found in check())
    assert rows_of(check) == tuple(sorted(COVERS[check.__name__]))


@pytest.mark.parametrize(
    ("check", "module", "name", "where"),
    [
        ("products", row_products, "weighted_gram_times", lambda rows, w, x: len(rows) == 9),
        ("products", row_products, "times", lambda rows, x: rows.shape[1] == 33),
        ("gradients", absolutes, "absolutes_gradient", lambda a, y, x, w, i: x.shape[-2] == 1),
        ("sums", row_norms, "norms_of_parts", lambda x, sizes: sizes == (4, 5)),
        ("sums", scaled_sum, "add_scaled_onto", lambda y, a, x: y.shape == (2050, 1)),
        ("extreme_values", selection, "largest", lambda x, k: k == 17),
        ("extreme_values", extremes, "tops", lambda x: x.dtype == torch.float32),
        ("exchanges", mixing, "mix", lambda x, index, w: index.shape[1] == 9),
    ],
)
def test_a_function_that_is_wrong_at_one_size_is_refuted(check, module, name, where, monkeypatch):
    true = getattr(module, name)

    def wrong(*given):
        found = true(*given)
        return found + 1 if where(*given) else found

    monkeypatch.setattr(module, name, wrong)
    (found,) = getattr(elementary_kernels, check)()
    assert found.outcome is Outcome.REFUTED


def test_a_row_too_few_is_refuted(monkeypatch):
    true = mixing.mix
    monkeypatch.setattr(mixing, "mix", lambda *given: true(*given)[..., :-1, :])
    (found,) = elementary_kernels.exchanges()
    assert found.outcome is Outcome.REFUTED


def test_a_number_that_is_not_finite_and_passes_is_refuted(monkeypatch):
    true = extremes.all_finite
    monkeypatch.setattr(extremes, "all_finite", lambda x: true(x.view(-1)[:-1].clone()))
    (found,) = elementary_kernels.extreme_values()
    assert found.outcome is Outcome.REFUTED
