"""Constants against those that were found before: planted looser, and no longer stated."""

from __future__ import annotations

import pytest

from algorithms.problems.entries import PROBLEMS, entry_called
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.regularisers import BoundedNonconvex
from proofs_check.problems.kept_constants import WORKERS, kept_constants, stored
from proofs_check.verdict import Outcome


def verdict(name):
    (found,) = kept_constants(name, entry_called(name).build(WORKERS))
    return found


def test_every_problem_has_its_constants():
    assert set(stored()) == {entry.name for entry in PROBLEMS}


@pytest.mark.parametrize("name", ["quadratic-sc", "quadratic-unequal", "logreg-breast-cancer"])
def test_the_genuine_ones_are_as_they_were(name):
    assert verdict(name).outcome is Outcome.AGREES


def test_a_constant_that_is_no_longer_stated_is_missed(monkeypatch):
    monkeypatch.setattr(Quadratic, "_spread", lambda self, c: c)
    found = verdict("quadratic-sc")
    assert found.outcome is Outcome.REFUTED and "zeta2 is not stated" in found.evidence


def test_a_bound_that_is_looser_than_it_was_is_refuted(monkeypatch):
    """No point can refute it."""
    slope = property(lambda self: 3.0 * 3.0**0.5 / 8.0)
    monkeypatch.setattr(BoundedNonconvex, "slope", slope)
    found = verdict("nonconvex-breast-cancer")
    assert found.outcome is Outcome.REFUTED, found.evidence


def test_other_numbers_of_workers_are_held_to_nothing():
    assert kept_constants("quadratic-sc", entry_called("quadratic-sc").build(4)) == ()
