"""Every signature holds of its row, and of no row without its cause."""

from __future__ import annotations

import pytest

from algorithms.catalogue import METHODS
from proofs_check.signatures import SIGNATURES
from proofs_check.verdict import Outcome
from tests.proofs_check.rooms import ROOMS

READY = tuple(row.key for row in METHODS)


@pytest.mark.slow
@pytest.mark.parametrize("key", sorted(SIGNATURES))
def test_a_row_shows_what_it_is_for(key):
    verdict, fault = SIGNATURES[key].result().verdicts
    assert verdict.outcome is Outcome.SUPPORTED, verdict.evidence
    assert fault.outcome is Outcome.CAUGHT, fault.evidence


def test_every_ready_row_has_a_signature():
    assert set(SIGNATURES) == set(READY)


@pytest.mark.parametrize("key", sorted(SIGNATURES))
def test_a_signature_lies_in_the_room_of_its_row(key):
    assert SIGNATURES[key].measure.__module__.split(".")[2] == ROOMS[key]
