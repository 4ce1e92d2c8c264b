"""Bits of a place in a row: all rows are held to the fewest, and one more is refuted."""

from __future__ import annotations

from proofs_check.shared_code import random_numbers as places
from proofs_check.verdict import Outcome


def test_the_fewest_bits_are_told_and_one_more_for_powers_of_two_is_refuted(monkeypatch):
    (found,) = places.place_bits()
    assert found.outcome is Outcome.AGREES
    monkeypatch.setattr(places, "index_bits", lambda d: d.bit_length())
    (found,) = places.place_bits()
    assert found.outcome is Outcome.REFUTED
