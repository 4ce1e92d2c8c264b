"""The pages: what the survey found, an index and a page for each row, each complete in itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined

from algorithms.catalogue import ROWS, Row, forms_of
from algorithms.synchronisation.stopwatch import STANDARD
from experiments.citing import cite
from experiments.figures.formula import formula
from experiments.files import write_atomically
from experiments.reporting.comparisons import COMPARISON
from experiments.reporting.influences import influence_lines
from experiments.reporting.kinds import KINDS
from experiments.reporting.operators import operator_sections
from experiments.reporting.pictures import Picture
from experiments.reporting.provenance import provenance
from experiments.reporting.signs import pretty, sentence
from experiments.reporting.subjects import subject_section
from experiments.reporting.table import ERROR, headline, results_table
from experiments.reporting.table_iv import TABLE_PAGE, evidence, matrix
from experiments.reporting.topologies import topology_lines
from experiments.survey import Survey
from proofs_check.cell import CellKind
from proofs_check.curves import RunSeries
from proofs_check.facts import OperatorFacts, TopologyFacts
from proofs_check.instruments.signature import CHECK as SIGNATURE
from proofs_check.instruments.statistics import TEST_ERROR
from proofs_check.verdict import MEANINGS as VERDICT_MEANINGS
from proofs_check.verdict import Outcome
from theory.survey.rows import ERRATA, SURVEYS
from theory.theorem import Result

CLAIM_DIMENSION = 100
Kept = TypeVar("Kept")

READY = "ready"
ROW_FOLDER = "rows"

MEANINGS = {outcome.value: sentence(text) for outcome, text in VERDICT_MEANINGS.items()} | {
    ERROR: "The check itself failed to run."
}
ORDER = tuple(MEANINGS)


def write_pages(
    survey: Survey,
    preset: str,
    pictures: Sequence[Picture],
    out: Path,
    keys: Collection[str] | None = None,
) -> None:
    """Render ``index.html``, and ``rows/KEY.html`` for every row that something was found of.

    With ``keys``, of these rows only, and of those that have no page yet.
    """
    loader = Environment(
        loader=PackageLoader("experiments", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    loader.filters["pretty"] = pretty
    templates = Path(__file__).parent.parent / "templates"
    table = results_table(survey)
    shown = [r for r in ROWS if r.state == READY or (table["row"] == r.key).any()]
    common = {
        "preset": preset,
        "claim_dimension": CLAIM_DIMENSION,
        "style": (templates / "style.css").read_text(encoding="utf-8"),
        "timing": STANDARD.name,
        "missing": survey.missing,
        "done": len(survey.finished) + len(survey.failures),
        "date": datetime.now(UTC).strftime("%d %B %Y"),
    }
    (out / ROW_FOLDER).mkdir(parents=True, exist_ok=True)
    template = loader.get_template("row.html.j2")
    for row in shown:
        if keys is not None and row.key not in keys and (out / row_page(row.key)).exists():
            continue
        text = template.render(common | {"s": _section(row, survey, table, pictures)})
        write_atomically(out / row_page(row.key), text.encode())
    found = {cell: stored.result for cell, stored in survey.finished}
    told = common | evidence(found, pictures, {row.key: row_page(row.key) for row in shown})
    page = loader.get_template("table_iv_page.html.j2").render(told)
    write_atomically(out / TABLE_PAGE, page.encode())
    context = common | _context(survey, table, shown, pictures) | {"table_iv": matrix(found)}
    index = loader.get_template("index.html.j2").render(context)
    write_atomically(out / "index.html", index.encode())


def row_page(key: str) -> str:
    """Where the page of a row lies in the report."""
    return f"{ROW_FOLDER}/{key}.html"


def _context(
    survey: Survey, table: pd.DataFrame, shown: Sequence[Row], pictures: Sequence[Picture]
) -> dict[str, Any]:
    elsewhere = table[table["row"] == ""]
    pages = {row.key: row_page(row.key) for row in shown}
    counts = _counts(headline(table))
    return provenance(survey) | {
        "ready": sum(row.state == READY for row in ROWS),
        "total": len(ROWS),
        "counts": counts,
        "meanings": [(name, MEANINGS[name]) for name, _ in counts],
        "mutants": _mutants(table),
        "test_error": f"{TEST_ERROR:g}",
        "family_wise_error": f"{len(table) * TEST_ERROR:.1e}",
        "failures": survey.failures,
        "refuted": _lines(table[table["verdict"] == Outcome.REFUTED.value]),
        "families": [_family(name, table, pages) for name in dict.fromkeys(r.family for r in ROWS)],
        "comparison": [picture for picture in pictures if picture.row == COMPARISON],
        "influences": influence_lines(survey),
        "topologies": topology_lines(_facts(survey, TopologyFacts)),
        "topology_counts": _counts(table[_of_kind(table, CellKind.TOPOLOGY)]),
        "others": [_other(kind, elsewhere) for kind in KINDS if _of_kind(elsewhere, kind).any()],
        "errata": [(one, _shown(table, one.id)) for one in ERRATA],
        "surveys": SURVEYS,
        "lines": len(table),
    }


def _shown(table: pd.DataFrame, erratum: str) -> list[Any]:
    """Lines in which a corrected form held and a printed one failed."""
    return _lines(table[table["check"] == f"erratum {erratum}"])


def _facts(survey: Survey, kind: type[Kept]) -> list[Kept]:
    """What the finished cells say of their subjects."""
    results = (stored.result for _, stored in survey.finished)
    return [one for result in results for one in result.facts if isinstance(one, kind)]


def _section(
    row: Row, survey: Survey, table: pd.DataFrame, pictures: Sequence[Picture]
) -> dict[str, Any]:
    mine = table[table["row"] == row.key]
    figures = [picture for picture in pictures if picture.row == row.key]
    beside = {f"{row.key}-tradeoff", f"{row.key}-workers"}
    known = {facts.name: facts for facts in _facts(survey, OperatorFacts)}
    operators = [operator.name for operator in row.operators]
    return {
        "key": row.key,
        "what": row.what,
        "family": row.family,
        "source": row.source,
        "problems": row.problems,
        "subject": subject_section(row),
        "operators": operator_sections(operators, known),
        "theorems": [_result(theorem) for theorem in row.theorems],
        "results": [_result(result) for result in row.results],
        "why": row.why,
        "counts": _counts(mine),
        "verdicts": _lines(mine),
        "signature": _signature(mine),
        "signatures": [p for p in figures if _is_signature(p)],
        "comparisons": [p for p in figures if p.stem in beside],
        "rates": [p for p in figures if p.half and p.stem not in beside and not _is_signature(p)],
        "runs": [p for p in figures if not p.half],
        "forms": [_form(form, table, pictures) for form in forms_of(row.key)],
        "method": _method_line(row, survey),
        "bibtex": str(cite([row.key])),
    }


def _form(form: Row, table: pd.DataFrame, pictures: Sequence[Picture]) -> dict[str, Any]:
    """A form of a row: what it does otherwise, its verdicts and runs."""
    mine = table[table["row"] == form.key]
    return {
        "key": form.key,
        "name": form.key.partition(":")[2],
        "anchor": f"form-{form.key.partition(':')[2]}",
        "what": form.what,
        "why": form.why,
        "counts": _counts(mine),
        "verdicts": _lines(mine),
        "runs": [p for p in pictures if p.row == form.key],
    }


def _is_signature(picture: Picture) -> bool:
    return picture.stem.endswith(f"-{CellKind.SIGNATURE}")


def _signature(mine: pd.DataFrame) -> dict[str, Any] | None:
    """The line of a row's signature, as :func:`_lines` prints it; None where it has none."""
    found = _lines(mine[mine["check"] == SIGNATURE])
    return found[0] if found else None


def _method_line(row: Row, survey: Survey) -> str:
    """The row's method in its first run that has ended, and the network it talks over."""
    for cell, stored in survey.finished:
        for one in stored.result.curves:
            if cell.row == row.key and cell.kind is CellKind.RUN and isinstance(one, RunSeries):
                return f"{one.method}, on {cell.problem}"
    return ""


def _of_kind(table: pd.DataFrame, kind: CellKind) -> pd.Series:
    return table["kind"] == kind


def _other(kind: CellKind, table: pd.DataFrame) -> dict[str, Any]:
    title, about = KINDS[kind]
    mine = table[_of_kind(table, kind)]
    return {
        "anchor": f"all-{kind.name.lower()}",
        "title": title,
        "about": about,
        "counts": _counts(mine),
        "verdicts": _lines(mine),
    }


def _mutants(table: pd.DataFrame) -> dict[str, int]:
    """How many planted faults there were, and how many the checks refuted."""
    mine = table[(table["check"] == "mutant")]
    return {"total": len(mine), "refuted": int((mine["verdict"] == Outcome.CAUGHT.value).sum())}


def _family(name: str, table: pd.DataFrame, pages: Mapping[str, str]) -> dict[str, Any]:
    rows = [row for row in ROWS if row.family == name]
    return {
        "name": name,
        "ready": sum(row.state == READY for row in rows),
        "rows": [
            {
                "key": row.key,
                "page": pages.get(row.key, ""),
                "what": row.what,
                "state": row.state,
                "claims": row.claims(CLAIM_DIMENSION),
                "signature": _signature(table[table["row"] == row.key]),
                "counts": _counts(table[table["row"] == row.key]),
                "kind": row.kind,
                "problems": row.problems,
            }
            for row in sorted(rows, key=lambda row: row.state != READY)
        ],
    }


def _result(result: Result) -> dict[str, Any]:
    """A result for the template; one without an order in T has another form."""
    order = getattr(result, "order", None)
    return {
        "title": result.title,
        "source": str(result.source),
        "confidence": result.confidence.value,
        "order": str(order) if order and order.exponents else "no power of T",
        "tight": getattr(result, "tight", False),
        "statement": result.statement,
        "formula": formula(result.statement),
    }


def _counts(table: pd.DataFrame) -> list[tuple[str, int]]:
    found = Counter(table["verdict"])
    return [(name, found[name]) for name in ORDER if found[name]]


def _lines(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows of a verdict table, numbers as they are printed; troubles first."""
    if table.empty:
        return []  # of which pandas takes milliseconds to make a list
    urgency = {ERROR: 0, Outcome.REFUTED.value: 1}
    lines = sorted(table.to_dict("records"), key=lambda v: urgency.get(str(v["verdict"]), 2))
    for line in lines:
        for name in ("statistic", "bound", "uncertainty", "resolution", "tightness"):
            line[name] = "–" if pd.isna(line[name]) else f"{line[name]:.4g}"
    return [{str(name): value for name, value in line.items()} for line in lines]
