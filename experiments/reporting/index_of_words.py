"""Entries of the report's search field: rows, results, errata, problems, pages, figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from algorithms.catalogue import FORMS, OPERATORS, ROWS, base_of
from algorithms.problems.entries import PROBLEMS
from algorithms.topologies.base import Topology
from algorithms.topologies.gallery import examples
from experiments.figures.signs import plain
from experiments.listing.results import RESULTS
from experiments.reporting.assets import Entry
from experiments.reporting.part_pages import part_page
from experiments.reporting.pictures import Picture
from experiments.reporting.table_iv import TABLE_PAGE, anchor
from experiments.reporting.theorem_pages import theorem_page
from proofs_check.table_iv.trials import table_cells
from theory.survey.errata import ERRATA

_SAID = 160  # letters of a claim


def entries(
    table: pd.DataFrame, pages: Mapping[str, str], pictures: Sequence[Picture],
    listed: Sequence[tuple[str, str, str]],
) -> tuple[Entry, ...]:  # fmt: skip
    """All that has a place of its own in the report, and every claim with the row that it is of;
    ``listed`` are the pages of no row: link, title, further words."""
    return (
        *_pages(listed), *_named(pages), *_parts(), *_claims(table, pages),
        *_figures(pictures, pages),
    )  # fmt: skip


def _pages(listed: Sequence[tuple[str, str, str]]) -> Iterator[Entry]:
    for page, title, words in listed:
        yield Entry(title, "page", page, words)


def _parts() -> Iterator[Entry]:
    """Topologies and operators, each on a page of its own."""
    for topology in {one.name: one for one in examples(Topology)}.values():
        page = part_page("topologies", topology.name)
        yield Entry(topology.name, "topology", page, "mixing matrix, gossip")
    for name in OPERATORS:
        page = part_page("operators", name)
        yield Entry(name, "operator", page, "compressor, contraction, unbiased, bits of a message")


def _named(pages: Mapping[str, str]) -> Iterator[Entry]:
    for row in ROWS:
        if row.key in pages:
            yield Entry(row.key, "method", pages[row.key], f"{row.what} {row.family} {row.source}")
    for form in FORMS.values():
        if form.base in pages:
            yield Entry(form.key, "form", f"{pages[form.base]}#form-{form.form}", form.what)
    for result in RESULTS.values():
        text = f"{result.title} {result.source} {result.confidence.value}"
        yield Entry(result.name, "result", theorem_page(result.name), text)
    for one in ERRATA:
        text = f"{one.place} {one.printed} {one.correct} {one.evidence}"
        yield Entry(f"erratum {one.id}", "erratum", f"errata.html#erratum-{one.id}", text)
    for problem in PROBLEMS:
        yield Entry(problem.name, "problem", part_page("problems", problem.name), problem.title)
    for name in table_cells():
        yield Entry(name, "cell of Table IV", f"{TABLE_PAGE}#{anchor(name)}")


def _claims(table: pd.DataFrame, pages: Mapping[str, str]) -> Iterator[Entry]:
    known = table[["row", "base_row", "claim", "check"]].drop_duplicates()
    for row, base, claim, check in known.itertuples(index=False):
        page = pages.get(str(base), "checks.html")
        yield Entry(f"{plain(str(claim))[:_SAID]}", f"{row or 'claim'}: {check}", f"{page}")


def _figures(pictures: Sequence[Picture], pages: Mapping[str, str]) -> Iterator[Entry]:
    for one in pictures:
        page = pages.get(base_of(one.row), "figures.html")
        yield Entry(one.alt, "figure", f"{page}#figure-{one.stem}", one.caption[:_SAID])
