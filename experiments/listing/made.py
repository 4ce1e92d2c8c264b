"""The listing of the catalogue, made from the catalogue itself."""

from __future__ import annotations

from typing import Any

from algorithms.catalogue import PROBLEMS, ROWS, Row, forms_of
from experiments.listing.kept import ListedProblem, Listing, Measured
from proofs_check.effects import EFFECTS
from proofs_check.instruments.effect_check import CHECK
from theory.theorem import Result


def made_listing(d: int) -> Listing:
    """All rows, their claims stated for dimension d, and all problems."""
    return Listing(
        rows=[row_data(row, d) for row in ROWS],
        problems=[
            ListedProblem(name=one.name, title=one.title, dealt=bool(one.dealt)) for one in PROBLEMS
        ],
        check=CHECK,
    )


def row_data(row: Row, d: int) -> dict[str, Any]:
    """One row as JSON has it; claims are stated for dimension d."""
    return {
        "key": row.key,
        "family": row.family,
        "what": row.what,
        "source": row.source,
        "surveyed": row.surveyed,
        "state": row.state,
        "kind": row.kind,
        "parts": [part.name for part in row.subject.parts] if row.subject else [],
        "effect": unmeasured(row.key),
        "claims": list(row.claims(d)),
        "theorems": [_named(theorem) for theorem in row.theorems],
        "results": [_named(result) for result in row.results],
        "why": row.why,
        "problems": list(row.problems),
        "forms": [
            {"name": form.form, "what": form.what, "problems": list(form.problems)}
            for form in forms_of(row.key)
        ],
    }


def unmeasured(key: str) -> Measured | None:
    """A row's effect before any survey; None where it has none."""
    effect = EFFECTS.get(key)
    return Measured(sentence=effect.effect, number=None, verdict=None) if effect else None


def _named(result: Result) -> dict[str, str]:
    return {"name": result.name, "title": result.title, "source": str(result.source)}
