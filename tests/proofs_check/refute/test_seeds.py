"""Seeds over true theorems: kept, gone on with, and an alarm counted where a theorem is false."""

from __future__ import annotations

from pathlib import Path

import pytest

import rateproof
from proofs_check.refute import seeds
from proofs_check.refute.seeds import SeedRecord, blocks, climbed, continued, keep, kept, told

RIGHT = "2*initial_gap/(gamma*T) + gamma*L*sigma2/n"


def claimed(monkeypatch: pytest.MonkeyPatch, bound: str) -> None:
    claim = rateproof.claim("mine", method="bsp-sgd", limit="1/L", bound=bound)
    monkeypatch.setattr(seeds, "claims_of", lambda name: (claim,))
    by_name = {one.name: one for one in seeds.ATTACKERS}
    monkeypatch.setattr(seeds, "ATTACKERS", (by_name["exact"], by_name["parts"]))


def test_seeds_go_on_where_they_ended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    claimed(monkeypatch, RIGHT)
    first = continued(SeedRecord("mine"), 2, seconds=1e-3)
    assert first.seeds == 2 and first.tried >= 2 and not first.alarms
    assert "no part" in first.refused["parts on mine"]
    keep({"mine": first}, tmp_path / "kept.json")
    again = kept(tmp_path / "kept.json")["mine"]
    assert (again.seeds, again.tried, again.ratio) == (2, first.tried, first.ratio)
    more = continued(again, 5, seconds=1e-3)
    assert more.seeds == 5 and more.tried >= first.tried + 3 and more.ratio >= first.ratio
    assert continued(more, 5) == more


def test_an_alarm_is_kept_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    claimed(monkeypatch, RIGHT.replace("/n", "/(4*n)"))
    found = continued(SeedRecord("mine"), 2, seconds=3.0)
    assert found.alarms and found.alarms[0]["confirmed"]
    assert told([found, SeedRecord("ssp")]).startswith(f"{len(found.alarms)} false alarms in 2")


def test_a_search_goes_on_from_the_worst_and_counts_no_seed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    claimed(monkeypatch, RIGHT)
    first = continued(SeedRecord("mine"), 1, seconds=1e-3)
    found = climbed(first, 5.0)  # a slow machine has looked at all edges by then
    assert found.seeds == first.seeds and found.tried > first.tried and not found.alarms
    assert found.ratio == pytest.approx(1.0, abs=1e-6) and found.best["ratio"] == found.ratio


def test_a_theorem_that_nobody_holds_has_no_seeds_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seeds, "claims_of", lambda name: ())
    (found,) = blocks(["ssp"], 3, {})
    assert found.tried == 0
    assert "0 theorems" in told([found]) and "1 theorems have no attacker" in told([found])


def test_what_is_kept_has_no_alarm() -> None:
    records = kept()
    assert records and not any(one.alarms for one in records.values())
    assert all(one.ratio <= 1 + 1e-7 for one in records.values())
