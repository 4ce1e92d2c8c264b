"""The pages: start, lists, and one for each row and each result, all from stored results."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined

from algorithms.catalogue import ROWS, Row
from algorithms.synchronisation.stopwatch import STANDARD
from experiments.figures.signs import power_of_ten, pretty, typeset
from experiments.listing.results import RESULTS
from experiments.reporting.assets import write_assets
from experiments.reporting.comparisons import COMPARISON
from experiments.reporting.elsewhere import crossval, published
from experiments.reporting.index_of_words import entries
from experiments.reporting.influences import influence_lines
from experiments.reporting.kinds import KINDS
from experiments.reporting.pictures import Picture
from experiments.reporting.provenance import provenance
from experiments.reporting.row_pages import row_section
from experiments.reporting.start import answers, library_faults, standings, taxonomies
from experiments.reporting.table import headline, results_table
from experiments.reporting.table_iv import TABLE_PAGE, evidence, matrix
from experiments.reporting.theorem_pages import (
    derivations,
    theorem_line,
    theorem_page,
    theorem_section,
)
from experiments.reporting.topologies import topology_lines
from experiments.reporting.verdict_lines import (
    MEANINGS,
    counts,
    effect_line,
    facts,
    lines,
    planted,
)
from experiments.storage.files import write_atomically
from experiments.survey import Survey
from proofs_check.cell import CellKind
from proofs_check.facts import TopologyFacts
from proofs_check.instruments.statistics import TEST_ERROR
from proofs_check.verdict import CheckKind
from theory.survey.errata import ERRATA
from theory.survey.rows import SURVEYS

CLAIM_DIMENSION = 100
READY = "ready"
ROW_FOLDER = "rows"

PAGES = (
    ("index.html", "Start"),
    ("rows.html", "Rows"),
    ("theorems.html", "Theorems"),
    (TABLE_PAGE, "Table IV"),
    ("checks.html", "Checks"),
    ("errata.html", "Errata"),
    ("figures.html", "Figures"),
    ("crossval.html", "Cross-validation"),
    ("faults.html", "Faults caught"),
    ("provenance.html", "Provenance"),
)
"""Pages that every other one links to, in this order, beside those of rows and results."""


class _Writer(NamedTuple):
    """Where pages go, and what all of them are told."""

    out: Path
    loader: Environment
    common: Mapping[str, Any]

    def write(self, page: str, template: str, **told: Any) -> None:
        """Render a page and put it in its place whole."""
        place = {"up": "../" * page.count("/"), "here": page}
        text = self.loader.get_template(template).render({**self.common, **place, **told})
        path = self.out / page
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text.encode())


def write_pages(
    survey: Survey,
    preset: str,
    pictures: Sequence[Picture],
    out: Path,
    keys: Collection[str] | None = None,
) -> None:
    """Render the pages of :data:`PAGES`, one for every row that something was found of, and one for
    every result.

    With ``keys``, of these rows only, and of those that have no page yet; no page of a result that
    is there then.
    """
    table = results_table(survey)
    shown = {
        r.key: row_page(r.key) for r in ROWS if r.state == READY or (table["row"] == r.key).any()
    }
    writer = _Writer(out, environment(), _common(survey, preset))
    for row in ROWS:
        new = keys is None or row.key in keys or not (out / row_page(row.key)).exists()
        if row.key in shown and new:
            section = row_section(row, survey, table, pictures)
            writer.write(row_page(row.key), "row.html.j2", s=section)
    proofs = derivations(survey)
    for name, result in RESULTS.items():
        if keys is None or not (out / theorem_page(name)).exists():
            section = theorem_section(result, table, proofs, shown)
            writer.write(theorem_page(name), "theorem.html.j2", t=section)
    _write_lists(writer, survey, table, shown, pictures, proofs)
    write_assets(out, entries(table, shown, pictures))


def row_page(key: str) -> str:
    """Where the page of a row lies in the report."""
    return f"{ROW_FOLDER}/{key}.html"


def _write_lists(
    writer: _Writer, survey: Survey, table: pd.DataFrame, shown: Mapping[str, str],
    pictures: Sequence[Picture], proofs: Mapping[str, str],
) -> None:  # fmt: skip
    found = {cell: stored.result for cell, stored in survey.finished}
    table_iv = matrix(found)
    named = headline(table)
    maps = taxonomies(table, shown)
    writer.write(
        "index.html", "index.html.j2",
        answers=answers(table, named, table_iv, writer.out), maps=maps, table_iv=table_iv,
        standings=standings(maps), methods=sum(row.kind == "method" for row in ROWS),
        meanings=[(name, MEANINGS[name]) for name, _ in counts(named)], lines=len(table),
        test_error=f"{TEST_ERROR:g}", family_wise_error=power_of_ten(len(table) * TEST_ERROR),
        failures=survey.failures,
    )  # fmt: skip
    writer.write("rows.html", "rows.html.j2", rows=[_row_line(r, table, shown) for r in ROWS])
    results = [theorem_line(one, table, proofs, shown) for one in RESULTS.values()]
    writer.write("theorems.html", "theorems.html.j2", theorems=results)
    writer.write(TABLE_PAGE, "table_iv_page.html.j2", **evidence(found, pictures, shown))
    others = table[table["row"] == ""]
    writer.write(
        "checks.html", "checks.html.j2",
        influences=influence_lines(survey), topologies=topology_lines(facts(survey, TopologyFacts)),
        topology_counts=counts(table[table["kind"] == CellKind.TOPOLOGY]),
        others=[_other(k, others) for k in KINDS if (others["kind"] == k).any()],
    )  # fmt: skip
    errata = [(one, lines(table[table["check"] == f"erratum {one.id}"])) for one in ERRATA]
    writer.write("errata.html", "errata.html.j2", errata=errata)
    compared = [picture for picture in pictures if picture.row == COMPARISON]
    writer.write(
        "figures.html", "figures.html.j2", comparison=compared, published=published(writer.out)
    )
    writer.write("crossval.html", "crossval.html.j2", crossval=crossval(writer.out))
    mutants = table[table["check_kind"] == CheckKind.MUTANT]
    writer.write(
        "faults.html", "faults.html.j2",
        planted=planted(table), mutants=lines(mutants), libraries=library_faults(),
    )  # fmt: skip
    writer.write("provenance.html", "provenance.html.j2", lines=len(table), **provenance(survey))


def environment() -> Environment:
    """Templates of reports and documentation; what they are not told is an error."""
    loader = Environment(
        loader=PackageLoader("experiments", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    loader.filters["pretty"] = pretty
    loader.filters["typeset"] = typeset
    return loader


def _common(survey: Survey, preset: str) -> dict[str, Any]:
    return {
        "preset": preset,
        "claim_dimension": CLAIM_DIMENSION,
        "timing": STANDARD.name,
        "missing": survey.missing,
        "done": len(survey.finished) + len(survey.failures),
        "date": datetime.now(UTC).strftime("%d %B %Y"),
        "pages": PAGES,
        "ready": sum(row.state == READY for row in ROWS),
        "total": len(ROWS),
        "surveys": SURVEYS,
    }


def _row_line(row: Row, table: pd.DataFrame, pages: Mapping[str, str]) -> dict[str, Any]:
    mine = table[table["row"] == row.key]
    return {
        "key": row.key,
        "page": pages.get(row.key, ""),
        "family": row.family,
        "what": row.what,
        "state": row.state,
        "claims": row.claims(CLAIM_DIMENSION),
        "effect": effect_line(mine),
        "counts": counts(mine),
        "kind": row.kind,
        "problems": row.problems,
    }


def _other(kind: CellKind, table: pd.DataFrame) -> dict[str, Any]:
    title, about = KINDS[kind]
    mine = table[table["kind"] == kind]
    return {
        "anchor": f"all-{kind.name.lower()}",
        "title": title,
        "about": about,
        "counts": counts(mine),
        "verdicts": lines(mine),
    }
