"""Budgets: all claims and attackers share the seconds, counted by a clock that the test moves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import rateproof
from proofs_check.refute import attack as attacking
from proofs_check.refute import dependence, search
from proofs_check.refute.attack import attack
from proofs_check.refute.attacker import Attacker, Confirmation
from proofs_check.refute.attackers import ATTACKERS
from proofs_check.refute.claim import Claim
from proofs_check.refute.instance import Instance, QuadraticInstance
from proofs_check.refute.measured import BoundTrial, Unfit
from proofs_check.refute.outcome import Standing
from theory.arrays import Floats

UNIT = QuadraticInstance(1, (1.0,), (1.0,), 0.0, 1.0, 0.0, 1.0, 4)


class HandClock:
    """Seconds that pass where the test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class DearAttacker(Attacker):
    """Half a second to ask whether it holds a claim, one an instance, three to confirm."""

    what = "by hand"
    kind = QuadraticInstance
    stepsize_at = 0

    def __init__(self, name: str, clock: HandClock, ratio: float) -> None:
        self.name, self._clock, self._ratio = name, clock, ratio

    def coordinates(self, claim: Claim) -> int:
        self._clock.now += 0.5
        return 12

    def edges(self, size: int) -> Floats:
        return np.full((2, size), 0.5)

    def instance(self, claim: Claim, u: Floats) -> Instance:
        return replace(UNIT, gamma=float(np.asarray(u)[0]))

    def measure(self, claim: Claim, instance: Instance) -> BoundTrial:
        self._clock.now += 1.0
        return BoundTrial(self.name, instance, 1, self._ratio, 1.0, self._ratio, "")

    def confirm(self, claim: Claim, trial: BoundTrial) -> Confirmation:
        self._clock.now += 3.0
        return Confirmation("by hand", self._ratio, self._ratio > 1)


CLAIM = rateproof.claim("mine", method="bsp-sgd", limit="1/L", bound="initial_gap/(gamma*T)")


@pytest.mark.parametrize("budget", [12.0, 60.0])
@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("claims", [1, 6, 40])
def test_many_claims_take_no_longer_than_one(
    monkeypatch: pytest.MonkeyPatch, budget: float, named: bool, claims: int
) -> None:
    clock = HandClock()
    two = tuple(DearAttacker(name, clock, 0.5) for name in ("one", "two"))
    monkeypatch.setattr(search, "ATTACKERS", two)
    monkeypatch.setattr(dependence, "ATTACKERS", ATTACKERS)
    monkeypatch.setattr(attacking, "dependences", lambda *given, **named: ())
    found = attack(
        "mine", [CLAIM] * claims, budget=budget, workers=1, clock=clock,
        attackers=["one", "two"] if named else [],
    )  # fmt: skip
    assert 0.75 * budget <= clock.now - 100.0 <= 0.75 * budget + 1.5  # what is begun is ended
    assert found.standing is Standing.SURVIVED
    held = [arm for arm in found.arms if arm.tried]
    assert len(held) == min(2 * claims, len(held)) >= min(2 * claims, int(0.75 * budget / 1.5))
    assert sum(arm.seconds for arm in found.arms) == pytest.approx(clock.now - 100.0)


def test_what_no_time_was_left_for_is_listed_and_is_no_survivor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = HandClock()
    monkeypatch.setattr(search, "ATTACKERS", (DearAttacker("one", clock, 0.5),))
    found = attack("mine", [CLAIM] * 40, budget=12, workers=1, attackers=["one"], clock=clock)
    assert any(arm.tried == 0 for arm in found.arms)

    def none_held(claims: object, *given: object) -> int:
        clock.now += 20.0
        raise Unfit("nothing")

    monkeypatch.setattr(DearAttacker, "coordinates", none_held)
    found = attack("mine", [CLAIM] * 40, budget=12, workers=1, attackers=["one"], clock=clock)
    assert found.standing is Standing.NOT_ATTACKED


def test_shrinking_ends_with_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = HandClock()
    monkeypatch.setattr(search, "ATTACKERS", (DearAttacker("one", clock, 2.0),))
    found = attack("mine", [CLAIM], budget=4, workers=1, attackers=["one"], clock=clock)
    assert found.standing is Standing.REFUTED
    assert clock.now - 100.0 <= 4 + 1 + 3  # an instance and the confirmation


def test_dependences_end_at_their_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = HandClock()
    dear = DearAttacker("exact", clock, 0.5)
    monkeypatch.setattr(dependence, "ATTACKERS", (dear,))
    ladder = dependence.Ladder("T", tuple(({}, t) for t in (1, 2, 4)))
    told = dependence.climbed("exact", CLAIM, ladder, "noise", 9.0, 0, 104.0, clock)
    assert told.values == () and clock.now <= 106.0
    assert dependence.dependences((CLAIM,), until=90.0, seed=0, clock=clock) == ()
