"""Full messages: all operators' are read back, and a door that stands too wide is refuted."""

from __future__ import annotations

import pytest
import torch

from algorithms.codes import lists, packed
from algorithms.compressors.centred import Centred
from algorithms.compressors.k_level import KLevel
from algorithms.compressors.top_k import TopK
from proofs_check.compressors.full_messages import check_full_messages
from proofs_check.compressors.lengths import check_lengths
from proofs_check.suite import OPERATORS
from proofs_check.verdict import Outcome


@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_full_messages_are_read_back(name):
    found = check_full_messages(OPERATORS[name], d=64)
    assert found.outcome is not Outcome.REFUTED, found.evidence


def test_most_operators_have_codes_of_given_widths():
    found = [check_full_messages(one, d=64).outcome for one in OPERATORS.values()]
    assert found.count(Outcome.AGREES) >= 0.85 * len(found)


@pytest.mark.parametrize("wrong", ["wider", "narrower", "one record less"])
def test_a_door_of_a_list_that_is_off_by_one_is_refuted(wrong, monkeypatch):
    true = lists._words
    off = {"wider": 1, "narrower": -1, "one record less": 0}[wrong]

    def words(column, symbols, count):
        wide = symbols.to(torch.int64)
        meant = torch.arange(wide.shape[-1]) < count[:, None] - int(wrong == "one record less")
        if not column.dtype.is_floating_point and not column.kind:
            if bool((meant & (wide > (1 << column.width) - 1 + off)).any()):
                raise ValueError("too large")
            return wide
        return true(column, symbols, count)

    operator = Centred(0.25)
    assert check_full_messages(operator, d=64).outcome is Outcome.AGREES
    monkeypatch.setattr(lists, "_words", words)
    assert check_full_messages(operator, d=64).outcome is Outcome.REFUTED


@pytest.mark.parametrize("operator", [KLevel(5), TopK(3)], ids=["k-level", "top-k"])
def test_fields_without_a_door_are_refuted(operator, monkeypatch):
    true = packed._words

    def words(field, tensor):
        return tensor.to(torch.int64) if not field.dtype.is_floating_point else true(field, tensor)

    monkeypatch.setattr(packed, "_words", words)
    found = check_full_messages(operator, d=64)
    assert found.outcome is Outcome.REFUTED and "is taken for" in found.evidence


def test_places_with_the_bits_of_one_place_less_are_refuted(monkeypatch):
    operator = Centred(0.25)
    true = Centred.code
    monkeypatch.setattr(Centred, "code", lambda self, d, dtype: true(self, d - 1, dtype))
    assert check_lengths(operator, d=1000).outcome is Outcome.REFUTED


@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_lengths_are_counted_just_above_powers_of_two(name):
    assert "d = 1000, 33, 65;" in check_lengths(OPERATORS[name], d=1000).provenance
