"""How samples are dealt: one that is given twice and shares that are a little off are refuted."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.problems import partitions
from algorithms.problems.partitions import Dirichlet, Iid, SortedByLabel
from proofs_check.row_coverage import rows_of
from proofs_check.shared_code import random_numbers as shards
from proofs_check.shared_code.random_numbers import COVERS
from proofs_check.verdict import Outcome


@pytest.mark.parametrize(
    "check", [shards.dealt_samples, shards.dealt_labels], ids=lambda check: check.__name__
)
def test_samples_are_dealt_as_stated_and_the_check_belongs_to_every_row(check):
    (found,) = check()
    assert found.outcome is Outcome.AGREES, found.evidence
    assert rows_of(check) == tuple(sorted(COVERS[check.__name__]))


@pytest.mark.parametrize(
    ("rule", "wrong"),
    [
        (Iid, lambda dealt: np.where(dealt == dealt.max(), dealt.min(), dealt)),
        (Dirichlet, lambda dealt: dealt[:, :-1]),
        (SortedByLabel, lambda dealt: dealt[::-1]),
    ],
)
def test_samples_twice_too_few_or_in_another_order_are_refuted(rule, wrong, monkeypatch):
    true = rule.split
    monkeypatch.setattr(rule, "split", lambda self, *given: wrong(true(self, *given)))
    (found,) = shards.dealt_samples()
    assert found.outcome is Outcome.REFUTED


@pytest.mark.parametrize("factor", [0.95, 1.05])
def test_another_law_of_the_shares_is_refuted(factor, monkeypatch):
    true = partitions.Dirichlet._logits
    monkeypatch.setattr(
        partitions.Dirichlet, "_logits", lambda self, *given: factor * true(self, *given)
    )
    (found,) = shards.dealt_labels()
    assert found.outcome is Outcome.REFUTED
