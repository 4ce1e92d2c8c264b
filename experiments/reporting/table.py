"""The results table: one line per (row, problem, claim or rate)."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pandas as pd

from algorithms.catalogue import ROWS, base_of
from algorithms.compressors.identity import Identity
from experiments.storage.files import write_atomically
from experiments.survey import Survey
from proofs_check.cell import Cell
from proofs_check.verdict import CheckKind

ERROR = "error"

COLUMNS = {
    "row": "str",
    "problem": "str",
    "claim": "str",
    "check": "str",
    "verdict": "str",
    "statistic": "float64",
    "bound": "float64",
    "order": "str",
    "uncertainty": "float64",
    "resolution": "float64",
    "tightness": "float64",
    "evidence": "str",
    "provenance": "str",
    "subject": "str",
    "theorem": "str",
    "check_kind": "str",
    "exponent": "float64",
    "base_row": "str",
    "form": "str",
    "kind": "str",
    "unit": "str",
    "seeds": "object",
    "replicas": "int64",
    "steps": "int64",
    "n": "int64",
    "code_version": "str",
}


def results_table(survey: Survey) -> pd.DataFrame:
    """All verdicts of a survey, and a line of verdict ``error`` for each cell that failed.

    ``unit`` is the check as the cell names it, ``check`` as the verdict does; ``seeds`` are those
    of the cell, ``code_version`` the hash of what it depends on. ``row`` is that of the
    cell, or of the verdict's subject where a cell is about several rows, or empty; of a form it is
    ``ROW:FORM``, and ``base_row`` and ``form`` are its parts. ``check_kind`` is the sort of the
    verdict's check, ``kind`` that of the cell.
    """
    keys = {row.key for row in ROWS}
    lines: list[dict[str, Any]] = []
    for cell, stored in survey.finished:
        for verdict in stored.result.verdicts:
            own = verdict.row or (verdict.subject if verdict.subject in keys else "")
            record = verdict.record() | {"check_kind": verdict.kind.value, "base_row": own}
            record |= _provenance(cell, survey.versions[cell])
            record["row"] = cell.row or own
            record["exponent"] = None if verdict.exponent is None else float(verdict.exponent)
            record["verdict"] = record.pop("outcome")
            record["problem"] = verdict.problem or cell.problem
            lines.append(record)
    for failure in survey.failures:
        record = {"problem": failure.cell.problem, "subject": failure.cell.row, "verdict": ERROR}
        record |= {"claim": "", "check": failure.cell.check, "evidence": failure.error}
        record |= {"order": "", "provenance": "", "theorem": "", "form": ""}
        record |= {"check_kind": CheckKind.UNKNOWN.value, "base_row": base_of(failure.cell.row)}
        lines.append(record | _provenance(failure.cell, survey.versions[failure.cell]))
    return pd.DataFrame(lines, columns=list(COLUMNS)).astype(COLUMNS)


def headline(table: pd.DataFrame) -> pd.DataFrame:
    """The lines that the survey's totals count: not those on the identity.

    That a message which is not compressed arrives is no finding.
    """
    return table[table["unit"] != f"operator {Identity().name}"]


def write_table(table: pd.DataFrame, path: Path) -> None:
    """Write the table as parquet, atomically."""
    buffer = io.BytesIO()
    table.to_parquet(buffer, index=False, compression="zstd", compression_level=19)
    write_atomically(path, buffer.getvalue())


def _provenance(cell: Cell, version: str) -> dict[str, Any]:
    return {
        "row": cell.row,
        "kind": str(cell.kind),
        "unit": cell.check,
        "seeds": list(cell.seeds),
        "replicas": cell.replicas,
        "steps": cell.steps,
        "n": cell.n,
        "code_version": version,
    }
