"""True theorems by many seeds: ``python -m proofs_check.refute.seeds``.

A seed is one short slice of one attacker on one claim of a theorem; attackers and claims take
turns, so that as many seeds as there are pairs are one round. Whatever lies above a bound that
holds is a false alarm. ``true_theorems.json`` keeps what was found, so that a later call goes on
where the last one ended, and with it each theorem's slack: the largest ratio of measured and bound.
"""

from __future__ import annotations

import json
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, final

from proofs_check.refute.arms import searched
from proofs_check.refute.attack import no_progress
from proofs_check.refute.attackers import ATTACKERS
from proofs_check.refute.ours import claims_of
from proofs_check.refute.outcome import ArmReport
from proofs_check.refute.search import SearchSlice, sliced
from theory.theorems import PROVED_ONLY, THEOREMS

FILE = Path(__file__).with_name("true_theorems.json")
"""Where findings are kept."""

SECONDS = 0.3
"""Length of a slice; each measures one instance at least."""

_BLOCK = 20


@final
@dataclass(frozen=True)
class SeedRecord:
    """What all seeds so far made of a true theorem.

    Attributes:
        theorem: its name.
        seeds: how many, from 0.
        tried: instances that were measured.
        ratio: the largest ratio of what was measured and the bound.
        best: the instance there, as plain data; empty: nothing was measured.
        alarms: instances above the bound, as plain data, and whether another computation agreed.
        refused: why attackers cannot hold it, by attacker and claim.
    """

    theorem: str
    seeds: int = 0
    tried: int = 0
    ratio: float = 0.0
    best: Mapping[str, Any] = field(default_factory=dict)
    alarms: tuple[Mapping[str, Any], ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)

    def joined(self, report: ArmReport) -> SeedRecord:
        """With what one more slice found."""
        best, alarm = report.best, report.counterexample
        larger = best is not None and best.ratio > self.ratio
        return replace(
            self, tried=self.tried + report.tried,
            ratio=best.ratio if best is not None and larger else self.ratio,
            best=best.record() if best is not None and larger else self.best,
            alarms=self.alarms if alarm is None else (*self.alarms, alarm.record()),
        )  # fmt: skip


def kept(file: Path = FILE) -> dict[str, SeedRecord]:
    """Records by theorem; none where nothing is kept."""
    if not file.exists():
        return {}
    given = json.loads(file.read_text(encoding="utf-8"))
    return {one["theorem"]: SeedRecord(**one | {"alarms": tuple(one["alarms"])}) for one in given}


def keep(records: Mapping[str, SeedRecord], file: Path = FILE) -> None:
    """Write all records, by name."""
    told = [asdict(one) for _, one in sorted(records.items())]
    file.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def continued(record: SeedRecord, upto: int, seconds: float = SECONDS) -> SeedRecord:
    """The record with seeds up to ``upto``, exclusive; without any where no attacker holds it."""
    if record.seeds >= upto:
        return record
    live = [(claim, one.name) for claim in claims_of(record.theorem) for one in ATTACKERS]
    record = replace(record, refused={})  # asked again: attackers may hold more than they did
    seed = record.seeds
    while seed < upto and live:
        claim, name = live[seed % len(live)]
        edges = seed < len(live)  # later seeds look at points of their own alone
        found = sliced(SearchSlice(claim, name, seed, seconds, edges=edges)).report
        if found.reason:
            live.remove((claim, name))
            refused = {**record.refused, f"{name} on {claim.name}": found.reason}
            record = replace(record, refused=refused)
            continue
        record, seed = record.joined(found), seed + 1
    return replace(record, seeds=seed)


def climbed(record: SeedRecord, seconds: float) -> SeedRecord:
    """The record with the largest ratios of a whole search of so many processor seconds, in which
    attackers go on from the worst that they found; none of it counts as a seed."""
    found = searched(
        claims_of(record.theorem), ATTACKERS, budget=seconds, seed=0, workers=1, tell=no_progress,
        clock=time.process_time,
    )  # fmt: skip
    for report in found.reports:
        record = record.joined(report)
    return record


def blocks(
    names: list[str], seeds: int, records: Mapping[str, SeedRecord], seconds: float = SECONDS
) -> Iterator[SeedRecord]:
    """Records that grew, theorem by theorem and a few seeds at a time."""
    now = {name: records.get(name, SeedRecord(name)) for name in names}
    for upto in [*range(_BLOCK, seeds, _BLOCK), seeds]:
        for name, before in now.items():
            if before.seeds < upto:
                now[name] = continued(before, upto, seconds)
                yield now[name]


def told(records: list[SeedRecord]) -> str:
    """A line of what all seeds found."""
    attacked = [one for one in records if one.tried]
    alarms = sum(len(one.alarms) for one in attacked)
    seeds = sum(one.seeds for one in attacked)
    tried = sum(one.tried for one in attacked)
    return (
        f"{alarms} false alarms in {seeds} seeds over {len(attacked)} theorems "
        f"({min((one.seeds for one in attacked), default=0)} at least each), {tried} instances; "
        f"{len(records) - len(attacked)} theorems have no attacker"
    )


def main() -> None:
    """Go on with the seeds, keep what is found after each block, and tell it."""
    parser = ArgumentParser(prog="python -m proofs_check.refute.seeds", description=__doc__)
    parser.add_argument("--seeds", type=int, default=200, help="of each theorem")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of a slice")
    parser.add_argument("--theorem", action="append", help="only this one; again for more")
    parser.add_argument("--climb", type=float, default=0.0, help="seconds of a search after them")
    parser.add_argument("--kept", action="store_true", help="tell what is kept, run nothing")
    given = parser.parse_args()
    names = given.theorem or [one.name for one in (*THEOREMS, *PROVED_ONLY)]
    records = kept()
    grown = blocks(names, given.seeds, records, given.seconds)
    further = (climbed(records.get(name, SeedRecord(name)), given.climb) for name in names)
    for one in () if given.kept else chain(grown, further if given.climb else ()):
        records[one.theorem] = one
        keep(records)
        print(
            f"{one.theorem}: {one.seeds} seeds, {one.tried} instances, largest ratio "
            f"{one.ratio:.7g}, {len(one.alarms)} false alarms",
            flush=True,
        )
    print(told(list(records.values())))
    sys.exit(1 if any(one.alarms for one in records.values()) else 0)


if __name__ == "__main__":
    main()
