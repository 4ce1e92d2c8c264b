"""Every effect holds of its row, and of no row without its cause."""

from __future__ import annotations

import pytest

from algorithms.catalogue import METHODS
from proofs_check.instruments.effect_check import EffectCheck
from proofs_check.registry import EFFECTS
from proofs_check.verdict import Outcome
from tests.proofs_check.rooms import ROOMS
from theory.members import modules

READY = tuple(row.key for row in METHODS)


@pytest.mark.slow
@pytest.mark.parametrize("key", sorted(EFFECTS))
def test_a_row_shows_what_it_is_for(key):
    verdict, fault = EFFECTS[key].result().verdicts
    assert verdict.outcome is Outcome.SUPPORTED, verdict.evidence
    assert fault.outcome is Outcome.CAUGHT, fault.evidence


def test_every_ready_row_has_an_effect():
    assert set(EFFECTS) == set(READY)


def test_an_effect_lies_in_the_room_of_its_row():
    rooms = {
        value.row: module.__name__.split(".")[2]
        for module in modules("proofs_check.evidence")
        for value in vars(module).values()
        if isinstance(value, EffectCheck)
    }
    assert rooms == {key: ROOMS[key] for key in READY}
