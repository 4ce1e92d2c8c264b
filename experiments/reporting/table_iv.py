"""Table IV for the report: a coloured matrix on the start page, and the evidence cell by cell."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from experiments.reporting.drawings import stem_of
from experiments.reporting.pictures import Picture
from experiments.tables.convergence import Exponent, TableCell, table_iv
from proofs_check.cell import Cell, CellResult
from proofs_check.instruments.standings import STANDINGS, RateStanding
from proofs_check.table_iv.trials import table_cells
from theory.survey.classification import Compression, Objective

TABLE_PAGE = "table-iv.html"


def matrix(results: Mapping[Cell, CellResult]) -> dict[str, Any] | None:
    """The matrix: a line for an architecture and a scheme, a column for a compression in each half.

    None where the survey measured nothing of it.
    """
    cells = table_iv(results)
    if not _any(cells):
        return None
    lines: dict[tuple[str, str], list[TableCell]] = {}
    for objective in Objective:
        for cell in (one for one in cells if one.objective is objective):
            at = (str(cell.line.architecture), str(cell.line.scheme))
            lines.setdefault(at, []).append(cell)
    stand = [cell.in_T.standing for cell in cells]
    return {
        "page": TABLE_PAGE,
        "objectives": [str(one) for one in Objective],
        "compressions": [str(one) for one in Compression],
        "lines": [
            {"architecture": a, "scheme": s, "cells": [_square(one) for one in mine]}
            for (a, s), mine in lines.items()
        ],
        "legend": [
            {"name": str(one), "class": _class(one), "count": stand.count(one), "meaning": meaning}
            for one, meaning in STANDINGS.items()
            if one in stand
        ],
        "blank": sum(cell.stated is None for cell in cells),
        "total": len(cells),
    }


def evidence(
    results: Mapping[Cell, CellResult], pictures: Sequence[Picture], pages: Mapping[str, str]
) -> dict[str, Any]:
    """Contents of the page of evidence: every cell with its exponents, traffic and figures."""
    by_stem = {picture.stem: picture for picture in pictures}
    cells, kept = table_cells(), table_iv(results)
    return {
        "cells": [
            _section(one, cells[one.trial.name], by_stem, pages) for one in kept if _any((one,))
        ]
    }


def _any(cells: Sequence[TableCell]) -> bool:
    return any(e.standing is not RateStanding.MISSING for one in cells for e in one.exponents)


def _square(cell: TableCell) -> dict[str, Any]:
    first = cell.in_T
    return {
        "anchor": anchor(cell.name),
        "name": cell.name,
        "class": _class(first.standing),
        "standing": str(first.standing),
        "new": cell.stated is None,
        "measured": first.slope is not None,
        "slope": _number(first.slope, 2),
        "half": _number(first.half_width, 2),
        "order": "" if first.order is None else f"{first.order:g}",
        "row": cell.trial.row.key,
    }


def _section(
    cell: TableCell, cells: Sequence[Cell], pictures: Mapping[str, Picture],
    pages: Mapping[str, str],
) -> dict[str, Any]:  # fmt: skip
    key = cell.trial.row.key
    stems = [stem_of(one) for one in cells]
    return _square(cell) | {
        "stated": cell.stated,
        "power": None if cell.stated is None else f"{float(cell.stated.power):g}",
        "what": cell.trial.row.what,
        "page": pages.get(key, ""),
        "problem": cell.trial.problem,
        "method": cell.method,
        "theorem": cell.in_T.theorem,
        "basis": cell.trial.basis,
        "note": cell.trial.note,
        "exponents": [_line(one) for one in cell.exponents],
        "costs": [
            {
                "who": one.who,
                "printed": one.printed,
                "formula": one.formula,
                "erratum": one.erratum,
                "measured": f"{one.measured:.6g}",
                "stated": f"{one.stated:.6g}",
                "ratio": _number(one.ratio, 3),
            }
            for one in cell.costs
        ],
        "figures": [pictures[stem] for stem in stems if stem in pictures],
    }


def _line(one: Exponent) -> dict[str, str]:
    return {
        "variable": one.variable,
        "standing": str(one.standing),
        "class": _class(one.standing),
        "slope": _number(one.slope, 3),
        "half": _number(one.half_width, 3),
        "order": "–" if one.order is None else f"{one.order:g}",
        "own": "" if one.own is None else f"{one.own:.3g}",
        "description": "; ".join(filter(None, (one.regime_told, one.stability_told, one.unstated))),
        "how": "exact" if one.exact else "",
        "evidence": one.evidence,
        "provenance": one.provenance,
    }


def _number(value: float | None, places: int) -> str:
    return "–" if value is None else f"{value:.{places}f}"


def _class(standing: RateStanding) -> str:
    return "stand-" + str(standing).replace(" ", "-")


def anchor(name: str) -> str:
    """The cell's place on the page of evidence."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
