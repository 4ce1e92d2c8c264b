"""Mutation scores: counts, survivors and what was shown to be no fault, kept by row as data."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.mutation.sites import address
from experiments.mutation.standing import JudgedMutant, MutantStanding
from experiments.storage.files import write_atomically

FILE = Path(__file__).with_name("scores.json")
"""Where scores are kept, by row."""

REASONS = Path(__file__).with_name("reasons.json")
"""Why mutants that survived are no faults, found by reading: by row, "" for all, and by
:func:`experiments.mutation.sites.address`."""


def record(outcomes: Sequence[JudgedMutant], seed: int, key: str = "") -> dict[str, Any]:
    """A score as plain data: counts by outcome and by kind of fault, and every mutant that was not
    seen with file, line, both expressions, and why it counts or does not.

    A survivor of the row ``key`` that :data:`REASONS` speaks of is no fault.
    """
    reasons = _reasons(key)
    told = [_told(one, reasons) for one in outcomes]
    counted = [
        one
        for one, description in zip(outcomes, told, strict=True)
        if one.standing.counts and description["standing"] != BY_READING
    ]
    kinds = Counter(one.mutant.kind for one in counted)
    seen = Counter(one.mutant.kind for one in counted if one.standing.seen)
    return {
        "seed": seed,
        "faults": len(counted),
        "seen": sum(one.standing.seen for one in counted),
        "outcomes": dict(Counter(description["standing"] for description in told)),
        "kinds": {kind: [seen[kind], kinds[kind]] for kind in sorted(kinds)},
        "seconds": round(sum(one.seconds for one in outcomes)),
        "unseen": [
            description
            for one, description in zip(outcomes, told, strict=True)
            if not one.standing.seen
        ],
    }


_NO_FAULTS = tuple(str(one) for one in MutantStanding if not one.counts)

BY_READING = "equivalent by reading"
"""What stands in the place of "survived" where a reason is kept."""


def _reasons(key: str) -> dict[str, str]:
    """Reasons that hold for all rows, and those of a row."""
    every: dict[str, dict[str, str]] = json.loads(REASONS.read_text("utf-8"))
    return {**every.get("", {}), **every.get(key, {})}


def _told(one: JudgedMutant, reasons: Mapping[str, str]) -> dict[str, Any]:
    mutant = one.mutant
    survived = one.standing is MutantStanding.SURVIVED
    why = reasons.get(address(mutant), "") if reasons and survived else ""
    read = bool(why)
    return {
        "file": f"{mutant.module.replace('.', '/')}.py", "line": mutant.line,
        "function": mutant.function, "kind": mutant.kind, "before": mutant.before,
        "after": mutant.after, "standing": BY_READING if read else str(one.standing),
        "why": why if read else one.by,
    }  # fmt: skip


def stored() -> dict[str, Any]:
    """All scores that are kept."""
    found: dict[str, Any] = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
    return found


def keep(key: str, found: Mapping[str, Any]) -> None:
    """Keep the score of a row in place of the one before: of mutants that are no fault by what runs
    show, the number alone."""
    listed = [one for one in found["unseen"] if one["standing"] not in _NO_FAULTS]
    every = {**stored(), key: {**found, "unseen": listed}}
    text = json.dumps(dict(sorted(every.items())), indent=1, ensure_ascii=False)
    write_atomically(FILE, (text + "\n").encode())


def renewed(kept: Mapping[str, Any], again: Sequence[JudgedMutant], key: str) -> dict[str, Any]:
    """A kept score after its survivors were judged again: those that are seen now count as seen,
    those that are shown to be none do not count, the others have what is said of them now, and the
    tests that see them.

    Raises:
        ValueError: they are not its survivors, in their order.
    """
    before = survivors(kept)
    if [(one["before"], one["after"]) for one in before] != [
        (one.mutant.before, one.mutant.after) for one in again
    ]:
        raise ValueError(f"the mutants are not the survivors of {key}, in their order")
    now = record(again, kept["seed"], key)
    shown = [old for old, one in zip(before, again, strict=True) if not one.standing.seen]
    still = [
        {**one, "tests": old["tests"]} if "tests" in old else one
        for old, one in zip(shown, now["unseen"], strict=True)
    ]
    outcomes = Counter(kept["outcomes"])
    outcomes.subtract(Counter(one["standing"] for one in before))
    outcomes.update(now["outcomes"])
    kinds = {kind: list(counts) for kind, counts in kept["kinds"].items()}
    left = Counter(one["kind"] for one in before)
    for kind, count in left.items():
        seen, faults = now["kinds"].get(kind, (0, 0))
        kinds[kind] = [kinds[kind][0] + seen, kinds[kind][1] - count + faults]
    others = [one for one in kept["unseen"] if one not in before]
    return {
        **kept,
        "faults": kept["faults"] - len(before) + now["faults"],
        "seen": kept["seen"] + now["seen"],
        "outcomes": {kind: count for kind, count in outcomes.items() if count},
        "kinds": {kind: counts for kind, counts in kinds.items() if counts[1]},
        "seconds": kept["seconds"] + now["seconds"],
        "unseen": [*others, *still],
    }


def share(found: Mapping[str, Any]) -> str:
    """Seen of faults, in words."""
    part = f" ({found['seen'] / found['faults']:.0%})" if found["faults"] else ""
    return f"{found['seen']} of {found['faults']}{part}"


def with_tests(found: Mapping[str, Any]) -> str:
    """Seen of faults by the row's own check or by a test, in words; survivors that no test was
    shown count as not seen."""
    tests = sum(bool(one.get("tests")) for one in survivors(found))
    return share({**found, "seen": found["seen"] + tests})


def survivors(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Faults that nothing saw, or of which nothing is known."""
    unseen = (MutantStanding.SURVIVED.value, MutantStanding.UNKNOWN.value)
    return [one for one in found["unseen"] if one["standing"] in unseen]
