"""Theorems at the ends of their constants' ranges."""

from __future__ import annotations

import pytest

from proofs_check.refute.edges import edges
from proofs_check.refute.limited import limited_theorems
from proofs_check.verdict import Outcome
from theory import ranges
from theory.theorems import conditions, families
from theory.theorems.bsp_nonconvex import bsp_nonconvex

THEOREMS = {one.name: one for one in limited_theorems()}


@pytest.mark.parametrize("name", sorted(THEOREMS))
def test_no_theorem_says_otherwise_at_an_end_than_it_tells(name):
    found = edges(THEOREMS[name])
    assert found.outcome is Outcome.AGREES, found.evidence


def test_an_end_that_counts_to_the_other_side_is_refuted(monkeypatch):
    def inside(self, value):
        return self.low < value < self.high

    monkeypatch.setattr(ranges.Range, "holds", inside)
    found = edges(bsp_nonconvex)
    assert found.outcome is Outcome.REFUTED and "is refused" in found.evidence


def test_numbers_beyond_an_end_must_be_refused(monkeypatch):
    monkeypatch.setattr(ranges.Range, "holds", lambda self, value: True)
    found = edges(bsp_nonconvex)
    assert found.outcome is Outcome.REFUTED and "is allowed" in found.evidence


def test_a_stepsize_of_0_where_nothing_is_to_be_gained_is_refuted(monkeypatch):
    def root(limit, numerator, denominator):
        return conditions.ConstantStep(min(limit, (numerator / max(denominator, 1e-300)) ** 0.5))

    monkeypatch.setattr(families, "tuned", root)
    found = edges(bsp_nonconvex)
    assert found.outcome is Outcome.REFUTED and "no stepsize" in found.evidence
