"""What the start page answers: what holds, what was refuted, what is new, and where things lie."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from algorithms.catalogue import ROWS, Row
from experiments.findings.__main__ import STORED
from experiments.findings.entries import LIBRARIES
from experiments.listing.results import RESULTS
from experiments.reporting.elsewhere import crossval, published
from experiments.reporting.theorem_pages import rows_of
from experiments.reporting.verdict_lines import (
    MEANINGS,
    counts,
    effect_line,
    lines,
    planted,
)
from proofs_check.verdict import CheckKind, Outcome
from theory.claims import Confidence
from theory.survey.errata import ERRATA
from theory.survey.taxonomy import FIG_2, TABLE_I, Taxon

NOT_RUN = "not run"
_HOLDS = (Outcome.PROVED.value, Outcome.AGREES.value, Outcome.SUPPORTED.value)


def answers(
    table: pd.DataFrame, headline: pd.DataFrame, matrix: Mapping[str, Any] | None, out: Path
) -> dict[str, Any]:
    """The three answers in numbers, and what was refuted line by line; ``out`` is the folder in
    which other commands left what they found."""
    refuted = table[table["verdict"] == Outcome.REFUTED.value]
    holds = headline[headline["verdict"].isin(_HOLDS)]
    effects = holds[holds["check_kind"] == CheckKind.EFFECT]
    late = table["check_kind"] == CheckKind.LATE_BOUND
    kept = table[late & (table["verdict"] == Outcome.SUPPORTED.value)]
    left = table[(table["theorem"] != "") & (table["verdict"] == Outcome.REFUTED.value)]
    shown = {line["check"] for line in table.to_dict("records")} & {
        f"erratum {one.id}" for one in ERRATA
    }
    made = [one["reproduced"] for one in published(out) if one["verdict"]]
    derived = [one for one in RESULTS.values() if one.confidence is Confidence.DERIVED]
    return {
        "holds": len(holds),
        "effects": effects["row"].nunique(),
        "theorems": len({*kept["theorem"]} - {*left["theorem"]}),
        "refuted": lines(refuted),
        "planted": planted(table),
        "errors": int((table["verdict"] == "error").sum()),
        "errata": len(ERRATA),
        "shown": len(shown),
        "filled": 0 if matrix is None else _filled(matrix),
        "short": [] if matrix is None else [o for o in matrix["legend"] if "short" in o["name"]],
        "derived": sum(bool(rows_of(one, {})) for one in derived),
        "libraries": [one for one in library_faults() if one["refuted"]],
        "counts": [(name, count) for name, count in counts(headline) if name in _HOLDS],
        "rest": [
            (name, count)
            for name, count in counts(headline)
            if name in (Outcome.COMPARED.value, Outcome.NOT_APPLICABLE.value)
        ],
        "lines": len(headline),
        "figures": {"made": len(made), "reproduced": made.count(True)},
        "crossval": crossval(out),
    }


def _filled(matrix: Mapping[str, Any]) -> int:
    """Cells that the survey leaves blank and that were measured here."""
    cells = [cell for line in matrix["lines"] for cell in line["cells"]]
    return sum(cell["new"] and cell["measured"] for cell in cells)


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
    """What stands on the maps, in the order in which verdicts are counted."""
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
    """What audits of public libraries found, compressor by compressor, as it is stored."""
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    names = {library.key: library.repository for library in LIBRARIES}
    return [
        {
            "library": names.get(key, key),
            "commit": found["commit"],
            "command": command,
            "class": one["class"],
            "refuted": [line for line in one["claims"] if line["outcome"] == "refuted"],
        }
        for key, found in stored.items()
        for command, one in found["found"].items()
    ]
