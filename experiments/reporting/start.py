"""Answers of the start page: which method when, what is wrong in print, counts, the map."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from algorithms.catalogue import ROWS, Row
from experiments.findings.__main__ import STORED
from experiments.findings.entries import LIBRARIES
from experiments.reporting.elsewhere import crossval, published
from experiments.reporting.situations import situations
from experiments.reporting.tallies import other_tallies, verdict_tallies
from experiments.reporting.verdict_lines import (
    MEANINGS,
    counts,
    effect_line,
    lines,
)
from proofs_check.verdict import Outcome
from theory.survey.errata import ERRATA
from theory.survey.erratum import Nature
from theory.survey.taxonomy import FIG_2, TABLE_I, Taxon

NOT_RUN = "not run"
_NAMED = 4  # errata that the start page prints
_HOLDS = (Outcome.PROVED.value, Outcome.AGREES.value, Outcome.SUPPORTED.value)


def answers(table: pd.DataFrame, out: Path) -> dict[str, Any]:
    """Contents of the start page's answers: which method when, what is wrong in print, counts.

    ``out`` is the folder in which other commands left what they found.
    """
    audited = library_faults()
    made = [one["reproduced"] for one in published(out) if one["verdict"]]
    figures = {"made": len(made), "reproduced": made.count(True)}
    verdicts = verdict_tallies(table)
    return {
        "situations": situations(),
        "errata": errata_shown(),
        "libraries": [one for one in audited if one["refuted"]],
        "audited": len(audited),
        "verdicts": verdicts,
        "outcomes": [name for name in MEANINGS if any(name in dict(one.parts) for one in verdicts)],
        "others": other_tallies(table, audited, figures),
        "lines": len(table),
        "refuted": lines(table[table["verdict"] == Outcome.REFUTED.value]),
        "crossval": crossval(out),
    }


def errata_shown() -> dict[str, Any]:
    """Errata by nature, and those that take the fewest words."""
    numerical = [one for one in ERRATA if one.nature is Nature.NUMERICAL]
    numerical.sort(key=lambda one: len(one.printed) + len(one.correct) + len(one.evidence))
    return {
        "total": len(ERRATA),
        "natures": Counter(one.nature.value for one in ERRATA).most_common(),
        "first": numerical[:_NAMED],
    }


def taxonomies(table: pd.DataFrame, shown: Mapping[str, str]) -> list[dict[str, Any]]:
    """The maps: survey 001's Fig. 2 and survey 002's Table I, entries with rows and verdicts."""
    known = {row.key: row for row in ROWS}
    named = (
        ("fig-2", "Fig. 2 of survey 001", "three levels, from the top down", FIG_2),
        ("table-i", "Table I of survey 002", "four dimensions", TABLE_I),
    )
    return [
        {"anchor": anchor, "title": title, "about": about,
         "levels": _levels(entries, known, table, shown)}
        for anchor, title, about, entries in named
    ]  # fmt: skip


def standings(maps: Sequence[Mapping[str, Any]]) -> list[str]:
    """Verdicts on the maps, in the order in which verdicts are counted."""
    found = {
        row["verdict"]
        for one in maps for level in one["levels"] for entry in level["entries"]
        for row in entry["rows"]
    }  # fmt: skip
    return [name for name in (*MEANINGS, NOT_RUN) if name in found]


def _levels(
    entries: Sequence[Taxon], rows: Mapping[str, Row], table: pd.DataFrame,
    shown: Mapping[str, str],
) -> list[dict[str, Any]]:  # fmt: skip
    levels: dict[str, list[dict[str, Any]]] = {}
    for one in entries:
        mine = [
            {"key": key, "page": shown.get(key, ""), "what": rows[key].what,
             "verdict": _standing(table[table["row"] == key])}
            for key in one.rows
        ]  # fmt: skip
        levels.setdefault(one.dimension, []).append({"name": one.method, "rows": mine})
    return [{"name": name, "entries": found} for name, found in levels.items()]


def _standing(mine: pd.DataFrame) -> str:
    """A row's worst news, else its effect's verdict, else that of most of its lines."""
    found = dict(counts(mine))
    for trouble in ("error", Outcome.REFUTED.value):
        if found.get(trouble):
            return trouble
    effect = effect_line(mine)
    if effect is not None:
        return str(effect["verdict"])
    good = [name for name in _HOLDS if found.get(name)]
    return max(good, key=lambda name: found[name]) if good else NOT_RUN


def library_faults() -> list[dict[str, Any]]:
    """Findings of audits of public libraries, compressor by compressor, as stored."""
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    names = {library.key: library.repository for library in LIBRARIES}
    return [
        {
            "library": names.get(key, key),
            "commit": found["commit"],
            "command": command,
            "subject": command.split()[2].partition(":")[2],
            "class": one["class"],
            "refuted": [line for line in one["claims"] if line["outcome"] == "refuted"],
        }
        for key, found in stored.items()
        for command, one in found["found"].items()
    ]
