"""Tunings that were searched once, kept as data: ``tunings.json``, by row and problem.

``rateproof tune`` writes the file; a tuning is used while the row's method is the one that was
tuned, and searched anew where it is not.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

from algorithms.catalogue.row import Row
from algorithms.problems.base import Problem
from algorithms.tuning.grid import Best, Budget, method_name, search

FILE = Path(__file__).with_name("tunings.json")

Tunings = Mapping[str, Mapping[str, Best]]
"""By row and problem."""


def tunings(path: Path = FILE) -> Tunings:
    """Contents of the file, read again when it has changed; nothing where there is none.

    Raises:
        ValueError: it cannot be read.
    """
    if not path.exists():
        return {}
    there = path.stat()
    return _read(path, there.st_mtime_ns, there.st_size)


@lru_cache(maxsize=4)
def _read(path: Path, changed: int, size: int) -> Tunings:
    """Contents of the file when it was ``changed`` last."""
    try:
        rows: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["rows"]
        return {
            key: {name: Best(**found) for name, found in problems.items()}
            for key, problems in rows.items()
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{path} does not hold tunings ({error!r}); `rateproof tune` writes it anew"
        ) from error


def written(found: Tunings, budget: Budget, path: Path = FILE) -> str:
    """The text of the file with what was ``found`` put in place of what it has of the same."""
    old = tunings(path)
    rows = {
        key: {
            name: asdict(best)
            for name, best in sorted({**old.get(key, {}), **found.get(key, {})}.items())
        }
        for key in sorted({*old, *found})
    }
    return json.dumps({"budget": asdict(budget), "rows": rows}, indent=1) + "\n"


def kept(row: Row, problem: Problem) -> Best | None:
    """The row's tuning on a problem as it was stored; None where there is none, or of another
    method.

    Raises:
        ValueError: the row is planned.
    """
    return still_of(row, problem, tunings().get(row.key, {}).get(problem.name))


def still_of(row: Row, problem: Problem, best: Best | None) -> Best | None:
    """``best`` while the row's method is the one that it was found for, else None.

    Raises:
        ValueError: the row is planned.
    """
    return best if best is not None and best.method == method_name(row, problem) else None


def best_of(row: Row, problem: Problem) -> tuple[Best, bool]:
    """The row's tuning on a problem, and whether it was stored; else it is searched now.

    Raises:
        ValueError: the row is planned, or no place of the grid gives a finite score.
    """
    known = kept(row, problem)
    return (search(row, problem), False) if known is None else (known, True)
