"""The page: what the survey found, in one file that needs nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined

from algorithms.catalogue import ROWS, Row
from experiments.figures.formula import formula
from experiments.files import write_atomically
from experiments.reporting.pictures import Picture
from experiments.reporting.signs import pretty
from experiments.reporting.table import ERROR, results_table
from experiments.store import LIBRARIES
from experiments.survey import Survey
from proofs_check.statistics import TEST_ERROR
from proofs_check.verdict import Outcome
from theory.survey import ERRATA
from theory.theorem import Theorem

CLAIM_DIMENSION = 100
READY = "ready"
SHOWN = 2  # runs of a row that are open at once, the others are folded

MEANINGS = {
    Outcome.PROVED.value: "Exact rational arithmetic over the operator's whole law at given "
    "points, or an identity of computer algebra, settles it.",
    Outcome.SUPPORTED.value: "Statistics, or a search for the worst case, found no violation; the "
    "resolution says what they could have seen.",
    Outcome.REFUTED.value: "A violation beyond the stated error, or an exact counterexample.",
    Outcome.COMPARED.value: "Measured and set beside a statement whose constants are known from "
    "memory or up to order only; never held to it.",
    Outcome.NOT_APPLICABLE.value: "An assumption of the statement fails here; the evidence names "
    "it.",
    ERROR: "The check itself failed to run.",
}
ORDER = tuple(MEANINGS)

KINDS = {
    "problem": (
        "Problems",
        "The constants that problems state, held against their code: gradients, noise, smoothness, "
        "convexity, heterogeneity, minimisers.",
    ),
    "proof": (
        "Proofs",
        "Lemmas and theorems derived step by step in computer algebra.",
    ),
    "closed": (
        "Closed forms",
        "Identities and expectations that are known exactly, and what the code gives.",
    ),
    "bound": ("Bounds", "Whole measured curves under their theorems' bounds."),
    "mutants": (
        "Mutants",
        "Deliberately wrong operators, methods and bounds. A check that cannot fail proves "
        "nothing: each line is a planted fault and the check that refuted it.",
    ),
}


def write_page(survey: Survey, preset: str, pictures: Sequence[Picture], path: Path) -> None:
    """Render and write ``index.html``."""
    loader = Environment(
        loader=PackageLoader("experiments", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    loader.filters["pretty"] = pretty
    templates = Path(__file__).parent.parent / "templates"
    context = _context(survey, preset, pictures)
    context["style"] = (templates / "style.css").read_text(encoding="utf-8")
    page = loader.get_template("index.html.j2").render(context)
    write_atomically(path, page.encode())


def _context(survey: Survey, preset: str, pictures: Sequence[Picture]) -> dict[str, Any]:
    table = results_table(survey)
    sections = [
        _section(row, table, pictures)
        for row in ROWS
        if row.state == READY or (table["row"] == row.key).any()
    ]
    elsewhere = table[table["row"] == ""]
    anchors = {section["key"]: section["anchor"] for section in sections}
    seeds = sorted({seed for cell, _ in survey.finished for seed in cell.seeds})
    return {
        "preset": preset,
        "ready": sum(row.state == READY for row in ROWS),
        "total": len(ROWS),
        "counts": _counts(table),
        "meanings": [(name, MEANINGS[name]) for name, _ in _counts(table)],
        "mutants": _mutants(table),
        "family_wise_error": f"{len(table) * TEST_ERROR:.1e}",
        "failures": survey.failures,
        "refuted": _lines(table[table["verdict"] == Outcome.REFUTED.value]),
        "families": [
            _family(name, table, anchors) for name in dict.fromkeys(row.family for row in ROWS)
        ],
        "claim_dimension": CLAIM_DIMENSION,
        "sections": sections,
        "others": [_other(kind, elsewhere) for kind in KINDS if _of_kind(elsewhere, kind).any()],
        "errata": ERRATA,
        "cells": len(survey.finished) + len(survey.failures),
        "reused": survey.reused,
        "seeds": seeds,
        "version": survey.version,
        "libraries": LIBRARIES,
        "lines": len(table),
        "date": datetime.now(UTC).strftime("%d %B %Y"),
    }


def _section(row: Row, table: pd.DataFrame, pictures: Sequence[Picture]) -> dict[str, Any]:
    mine = table[table["row"] == row.key]
    figures = [picture for picture in pictures if picture.row == row.key]
    rates = [picture for picture in figures if picture.half]
    runs = [picture for picture in figures if not picture.half]
    return {
        "key": row.key,
        "anchor": f"row-{row.key}",
        "what": row.what,
        "family": row.family,
        "source": row.source,
        "theorems": [_theorem(theorem) for theorem in row.theorems],
        "counts": _counts(mine),
        "verdicts": _lines(mine),
        "rates": rates,
        "runs": runs[:SHOWN],
        "more_runs": runs[SHOWN:],
    }


def _of_kind(table: pd.DataFrame, kind: str) -> pd.Series:
    return table["unit"].str.split(" ").str[0] == kind


def _other(kind: str, table: pd.DataFrame) -> dict[str, Any]:
    title, about = KINDS[kind]
    mine = table[_of_kind(table, kind)]
    return {
        "anchor": f"all-{kind}",
        "title": title,
        "about": about,
        "counts": _counts(mine),
        "verdicts": _lines(mine),
    }


def _mutants(table: pd.DataFrame) -> dict[str, int]:
    """How many planted faults there were, and how many the checks refuted."""
    mine = table[(table["check"] == "mutant")]
    return {"total": len(mine), "refuted": int((mine["verdict"] == Outcome.PROVED.value).sum())}


def _family(name: str, table: pd.DataFrame, anchors: Mapping[str, str]) -> dict[str, Any]:
    rows = [row for row in ROWS if row.family == name]
    return {
        "name": name,
        "ready": sum(row.state == READY for row in rows),
        "rows": [
            {
                "key": row.key,
                "anchor": anchors.get(row.key, ""),
                "what": row.what,
                "state": row.state,
                "claims": row.claims(CLAIM_DIMENSION),
                "counts": _counts(table[table["row"] == row.key]),
                "problems": row.problems,
            }
            for row in sorted(rows, key=lambda row: row.state != READY)
        ],
    }


def _theorem(theorem: Theorem) -> dict[str, Any]:
    return {
        "title": theorem.title,
        "source": str(theorem.source),
        "confidence": theorem.confidence.value,
        "order": str(theorem.order),
        "tight": theorem.tight,
        "statement": theorem.statement,
        "formula": formula(theorem.statement),
    }


def _counts(table: pd.DataFrame) -> list[tuple[str, int]]:
    found = Counter(table["verdict"])
    return [(name, found[name]) for name in ORDER if found[name]]


def _lines(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows of a verdict table, numbers as they are printed; troubles first."""
    urgency = {ERROR: 0, Outcome.REFUTED.value: 1}
    lines = sorted(table.to_dict("records"), key=lambda v: urgency.get(str(v["verdict"]), 2))
    for line in lines:
        for name in ("statistic", "bound", "uncertainty", "resolution", "tightness"):
            line[name] = "–" if pd.isna(line[name]) else f"{line[name]:.4g}"
    return [{str(name): value for name, value in line.items()} for line in lines]
