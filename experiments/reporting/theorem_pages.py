"""Contents of a result's page: statement, derivation, slack, and which rows and problems."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import pandas as pd

from algorithms.catalogue import FORMS, ROWS
from experiments.listing.results import RESULTS, kind_of, meanings
from experiments.reporting.mathml import formula, prose
from experiments.reporting.verdict_lines import counts, lines
from experiments.survey import Survey
from proofs_check.cell import CellKind
from proofs_check.prepare import name_of
from proofs_check.refute.certified import DERIVATIONS
from proofs_check.table_iv.attained_results import kept_exponents
from proofs_check.verdict import CheckKind
from theory.theorem import Result

THEOREM_FOLDER = "theorems"


def theorem_page(name: str) -> str:
    """Path of a result's page in the report."""
    return f"{THEOREM_FOLDER}/{name}.html"


def summary(result: Result) -> dict[str, Any]:
    """A result for the template; one without an order in T has another form."""
    order = getattr(result, "order", None)
    return {
        "name": result.name,
        "page": theorem_page(result.name) if result.name in RESULTS else "",
        "title": result.title,
        "source": str(result.source),
        "confidence": result.confidence.value,
        "order": str(order) if order and (order.exponents or order.linear) else "no power of T",
        "tight": getattr(result, "tight", False),
        "statement": result.statement,
        "formula": formula(result.statement),
    }


def theorem_section(
    result: Result, table: pd.DataFrame, proofs: Mapping[str, str], pages: Mapping[str, str]
) -> dict[str, Any]:
    """All that the template of a result's page asks for; ``proofs``: their cells by result."""
    held = _held(result, table)
    proof = proofs.get(result.name, "")
    metric = getattr(result, "metric", None)
    return summary(result) | {
        "kind": kind_of(result),
        "metric": "" if metric is None else metric.value,
        "needs": _needs(result),
        "assumes": getattr(result, "assumes", ""),
        "unmeasured": getattr(result, "unmeasured", ""),
        "derivation": _derivation(proof),
        "proved": lines(table[table["unit"] == f"{CellKind.PROOF} {proof}"]) if proof else [],
        "rows": rows_of(result, pages),
        "counts": counts(held),
        "slack": _slack(held),
        "exact": [str(one) for one in kept_exponents() if one.theorem == result.name],
        "verdicts": lines(held),
    }


def theorem_line(
    result: Result, table: pd.DataFrame, proofs: Mapping[str, str], pages: Mapping[str, str]
) -> dict[str, Any]:
    """A result's line in the list of all."""
    held = _held(result, table)
    slack = _slack(held)
    return summary(result) | {
        "kind": kind_of(result),
        "rows": len(rows_of(result, pages)),
        "derived": result.name in proofs,
        "counts": counts(held),
        "tightest": slack[0]["tightness"] if slack else "",
    }


def derivations(survey: Survey) -> dict[str, str]:
    """Cells that derive results, by the name of the result."""
    found: dict[str, str] = {}
    for cell, stored in survey.finished:
        for verdict in stored.result.verdicts if cell.kind is CellKind.PROOF else ():
            found.setdefault(verdict.theorem, cell.name)
    return found


def _held(result: Result, table: pd.DataFrame) -> pd.DataFrame:
    """Lines of what was held to the result; its derivation is no such line."""
    about = table["theorem"] == result.name
    return table[about & (table["check_kind"] != CheckKind.PROOF)]


def rows_of(result: Result, pages: Mapping[str, str]) -> list[dict[str, str]]:
    """Rows and forms that name the result, with their pages and problems."""
    known = [row for row in (*ROWS, *FORMS.values()) if result in (*row.theorems, *row.results)]
    return [
        {"key": row.key, "page": pages.get(row.base, ""),
         "problems": ", ".join(row.problems)}
        for row in known
    ]  # fmt: skip


def _slack(held: pd.DataFrame) -> list[dict[str, str]]:
    """Measured over bound, the tightest first: of each row and problem the tightest line."""
    known = held[held["tightness"].notna() & held["bound"].notna()]
    if known.empty:
        return []
    best = known.sort_values("tightness", ascending=False).drop_duplicates(["row", "problem"])
    return [
        {"row": line["row"], "problem": line["problem"], "tightness": f"{line['tightness']:.3g}",
         "check": line["check"], "verdict": line["verdict"]}
        for line in best.to_dict("records")
    ]  # fmt: skip


def _needs(result: Result) -> list[tuple[str, str]]:
    told = meanings()
    return [(name, told.get(name, "")) for name in getattr(result, "needs", ())]


def _derivation(proof: str) -> dict[str, Any] | None:
    """Text of a derivation's file and function, and their code; None without one."""
    if not proof:
        return None
    function = next(prove for prove in DERIVATIONS if name_of(prove) == proof)
    said = inspect.getdoc(function) or ""
    return {
        "steps": [prose(" ".join(part.split())) for part in said.split("\n\n")],
        "module": function.__module__,
        "code": inspect.getsource(function),
    }
