"""The pages: start, lists, and one for each row and each result, all from stored results."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined

from algorithms.catalogue import PROBLEMS, ROWS, Row
from algorithms.synchronisation.stopwatch import STANDARD
from experiments.figures.signs import power_of_ten, pretty, typeset
from experiments.listing.results import RESULTS
from experiments.questions.kept import number
from experiments.reporting.assets import write_assets
from experiments.reporting.comparisons import COMPARISON
from experiments.reporting.elsewhere import crossval, published
from experiments.reporting.exponents import written
from experiments.reporting.index_of_words import entries
from experiments.reporting.influences import influence_lines
from experiments.reporting.kinds import KINDS
from experiments.reporting.packing import LINES, packed
from experiments.reporting.part_pages import part_page, part_pages
from experiments.reporting.pictures import FIGURES, Picture, write_charts
from experiments.reporting.provenance import provenance
from experiments.reporting.questions import questions
from experiments.reporting.row_pages import row_section, variants_summary
from experiments.reporting.start import answers, library_faults, standings, taxonomies
from experiments.reporting.table import headline, results_table
from experiments.reporting.table_iv import TABLE_PAGE, evidence, matrix
from experiments.reporting.tallies import outcome_sum
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
from experiments.reporting.worst_cases import worst_cases
from experiments.storage.files import write_atomically
from experiments.survey import Survey
from proofs_check.cell import CellKind
from proofs_check.facts import TopologyFacts
from proofs_check.instruments.statistics import TEST_ERROR
from proofs_check.table_iv.attained_results import kept_exponents, summary
from proofs_check.table_iv.planted import PLANTED
from proofs_check.verdict import CheckKind
from theory.survey.errata import ERRATA
from theory.survey.rows import SURVEYS

CLAIM_DIMENSION = 100
READY = "ready"
_PROBLEMS = {entry.name for entry in PROBLEMS}
ROW_FOLDER = "rows"

PAGES = (
    ("index.html", "Start", "answers, map of methods, taxonomy, surveys, verdicts"),
    ("questions.html", "Which method", "compare, error feedback, heterogeneity, drift, messages, "
     "stragglers, bits, seconds, which method when"),
    ("rows.html", "Methods", "rows, all rows, list"),
    ("theorems.html", "Theorems", "theorems, bounds, orders, convex, strongly convex, non-convex, "
     "linear speedup, rates, proofs, derivations, stepsizes"),
    (TABLE_PAGE, "Table IV", "convergence, exponents, rates, convex, non-convex, survey's matrix"),
    ("checks.html", "Checks", "topologies, spectral gap, bits of messages, problems, operators, "
     "unbiased, biased, contraction, proofs, closed forms, Table II"),
    ("errata.html", "Errata", "errors of the surveys, wrong statements, misprints"),
    ("figures.html", "Figures", "published figures made again, reproduction, plots, pictures"),
    ("crossval.html", "Real ranks", "cross-validation, simulation against real ranks, "
     "torch.distributed"),
    ("worst_cases.html", "Worst cases", "counterexample, semidefinite programmes, tight rates, "
     "best constants"),
    ("faults.html", "Faults", "caught, mutants, planted faults, libraries, biased compressors"),
    ("provenance.html", "How made", "provenance, versions, seeds, time, machine, how it was made"),
)  # fmt: skip
"""Pages that every other one links to, in this order, beside those of rows and results: link,
title, and further words by which the search finds them."""


class _Writer(NamedTuple):
    """Output folder of pages, and the context common to all."""

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
    if keys is None or not (out / part_page("problems", PROBLEMS[0].name)).exists():
        spectra = {one["name"]: one for one in topology_lines(facts(survey, TopologyFacts))}
        for part in part_pages(table, spectra):
            page = part_page(part.kind, part.name)
            writer.write(page, "part.html.j2", p=part, shown=shown)
    _write_lists(writer, survey, table, shown, pictures, proofs)
    write_charts(out, pictures)
    write_assets(out, entries(table, shown, pictures, PAGES))


def row_page(key: str) -> str:
    """Path of a row's page in the report."""
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
        answers=answers(table, writer.out), maps=maps, table_iv=table_iv,
        standings=standings(maps), methods=sum(row.kind == "method" for row in ROWS),
        meanings=[(name, MEANINGS[name]) for name, _ in counts(named)], lines=len(table),
        test_error=f"{TEST_ERROR:g}", family_wise_error=power_of_ten(len(table) * TEST_ERROR),
        failures=survey.failures,
    )  # fmt: skip
    rows = [
        (name, [_row_line(r, table, shown) for r in ROWS if r.surveyed is surveyed])
        for name, surveyed in (("Methods of the surveys", True), ("Methods since", False))
    ]
    writer.write("rows.html", "rows.html.j2", groups=rows, variants=variants_summary(table))
    results = [theorem_line(one, table, proofs, shown) for one in RESULTS.values()]
    exact = summary(kept_exponents(), len(PLANTED)).splitlines() if kept_exponents() else []
    writer.write("theorems.html", "theorems.html.j2", theorems=results, exact=exact)
    writer.write(
        TABLE_PAGE, "table_iv_page.html.j2", table_iv=table_iv, **evidence(found, pictures, shown)
    )
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
        "figures.html", "figures.html.j2", comparison=compared, published=published(writer.out),
        exponents=written(table, writer.out / FIGURES),
    )  # fmt: skip
    writer.write("crossval.html", "crossval.html.j2", crossval=crossval(writer.out))
    mutants = table[table["check_kind"] == CheckKind.MUTANT]
    writer.write(
        "faults.html", "faults.html.j2",
        planted=planted(table), mutants=lines(mutants), libraries=library_faults(),
    )  # fmt: skip
    writer.write(
        "questions.html", "questions.html.j2", questions=questions(writer.out), number=number,
    )  # fmt: skip
    writer.write("worst_cases.html", "worst_cases.html.j2", **worst_cases(writer.out))
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
    loader.filters["packed"] = packed
    loader.globals["plain_lines"] = LINES
    loader.filters["sum_of"] = outcome_sum
    loader.globals["part_page"] = part_page
    return loader


def _common(survey: Survey, preset: str) -> dict[str, Any]:
    return {
        "preset": preset,
        "claim_dimension": CLAIM_DIMENSION,
        "timing": STANDARD.name,
        "missing": survey.missing,
        "done": len(survey.finished) + len(survey.failures),
        "date": datetime.now(UTC).strftime("%d %B %Y"),
        "pages": [page[:2] for page in PAGES],
        "ready": sum(row.state == READY and row.surveyed for row in ROWS),
        "total": sum(row.surveyed for row in ROWS),
        "since": sum(not row.surveyed for row in ROWS),
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
    problems = dict.fromkeys(mine["problem"]) if kind is CellKind.PROBLEM else ()
    elsewhere = [(part_page("problems", name), name) for name in problems if name in _PROBLEMS]
    shown = mine["problem"].isin([name for _, name in elsewhere])
    if kind is CellKind.MUTANTS:
        elsewhere = [("faults.html", "all planted faults")]
        shown = mine["check_kind"] == CheckKind.MUTANT
    return {
        "elsewhere": elsewhere,
        "anchor": f"all-{kind.name.lower()}",
        "title": title,
        "about": about,
        "counts": counts(mine),
        "verdicts": lines(mine[~shown]),
    }
