"""Literature that a result used: ``rateproof cite`` and ``rateproof.cite``.

A row is cited by the papers that propose it, the sources of its theorems and of what its operators
claim, and the surveys that name it; a theorem by its source and by what its file names besides; a
problem by its data set.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import pandas as pd

from algorithms.catalogue import FORMS, PROBLEMS, ROWS, Row, entry_called
from algorithms.compressors.base import Compressor
from algorithms.core.names import look_up
from experiments.figures.html import block, frame_html
from theory.estimation import ESTIMATION
from theory.members import modules
from theory.orders import ORDERS
from theory.survey.references import (
    ARXIV,
    REFERENCES,
    Reference,
    reference_of,
    reference_of_eprint,
    references_for,
)
from theory.survey.rows import SURVEYS
from theory.theorem import Result
from theory.theorems import PROVED_ONLY, THEOREMS

_RESULTS: dict[str, Result] = {
    one.name: one for one in (*THEOREMS, *PROVED_ONLY, *ORDERS, *ESTIMATION)
}
_DIMENSION = 100  # at which operators state their claims; their sources do not depend on it


class Citation(NamedTuple):
    """A paper, and what it is cited for.

    Attributes:
        reference: its entry.
        why: reasons, one a use, in the order in which they were found.
    """

    reference: Reference
    why: tuple[str, ...]

    def record(self) -> dict[str, Any]:
        """The entry as plain data that JSON can hold."""
        one = self.reference
        told = {name: text for name, text in one.fields.items() if name != "keywords"}
        return {
            "key": one.key,
            "kind": one.kind,
            **told,
            "author": list(one.authors),
            "year": int(one.fields["year"]),
            "why": list(self.why),
            "bibtex": one.bibtex(),
        }


@final
@dataclass(frozen=True)
class Citations:
    """Papers without repetition; ``str`` of it is BibTeX, each entry under what it is cited for.

    Attributes:
        citations: the papers, those named first ahead.
    """

    citations: tuple[Citation, ...]

    def __str__(self) -> str:
        return "\n\n".join(
            f"% {_remark(one.why)}\n{one.reference.bibtex()}" for one in self.citations
        )

    @property
    def frame(self) -> pd.DataFrame:
        """Tidy data: one line a paper and use."""
        return pd.DataFrame(
            [
                {
                    "key": one.reference.key,
                    "year": int(one.reference.fields["year"]),
                    "author": "; ".join(one.reference.authors),
                    "title": one.reference.fields["title"],
                    "eprint": one.reference.eprint,
                    "why": why,
                }
                for one in self.citations
                for why in one.why
            ],
            columns=["key", "year", "author", "title", "eprint", "why"],
        )

    def _repr_html_(self) -> str:
        return block("Literature", frame_html(self.frame))


def cite(names: Sequence[str]) -> Citations:
    """The literature of rows, forms, theorems and problems, by name.

    Raises:
        ValueError: no name is given.
        UnknownName: a name is none of these; suggests the nearest.
    """
    if not names:
        raise ValueError("name a row, a theorem or a problem; `rateproof list` has the rows")
    found: dict[str, tuple[Reference, list[str]]] = {}
    for name in names:
        for reference, why in _of(name):
            reasons = found.setdefault(reference.key, (reference, []))[1]
            if f"{name}: {why}" not in reasons:
                reasons.append(f"{name}: {why}")
    return Citations(tuple(Citation(one, tuple(why)) for one, why in found.values()))


def _remark(why: Sequence[str]) -> str:
    """Reasons between entries, where BibTeX takes an @ for the start of one."""
    return "; ".join(why).replace("@", " dealt ")


def _of(name: str) -> Iterator[tuple[Reference, str]]:
    rows = {one.key: one for one in ROWS} | FORMS
    if name in rows:
        yield from _of_row(rows[name])
    elif name in _RESULTS:
        yield from _of_result(_RESULTS[name])
    else:
        problems = {entry.name: entry for entry in PROBLEMS}
        look_up("row, theorem or problem", name.partition("@")[0], {**rows, **_RESULTS, **problems})
        yield from _of_problem(name)


def _of_row(row: Row) -> Iterator[tuple[Reference, str]]:
    for one in references_for(row.base):
        yield one, "the method"
    for result in (*row.theorems, *row.results):
        for one, why in _of_result(result):
            yield one, f"{result.name}, {why}"
    for operator in row.operators:
        yield from _of_operator(operator)
    for number, (_, source) in SURVEYS.items():
        survey = reference_of(source)
        if row.surveyed and number in row.source and survey is not None:
            yield survey, f"survey {number}"


def _of_operator(operator: Compressor) -> Iterator[tuple[Reference, str]]:
    for claim in operator.claims(_DIMENSION):
        one = reference_of(claim.source)
        if one is not None:
            yield one, f"operator {operator.name}"


def _of_result(result: Result) -> Iterator[tuple[Reference, str]]:
    mine = reference_of(result.source)
    if mine is not None:
        yield mine, "source" + (f", {result.source.where}" if result.source.where else "")
    for package in ("theory.theorems", "theory.orders", "theory.estimation"):
        for module in modules(package):
            if module.__name__.rpartition(".")[2] == result.name:
                for arxiv in ARXIV.findall(module.__doc__ or ""):
                    if mine is None or arxiv != mine.eprint:
                        yield reference_of_eprint(arxiv), "named beside it"


def _of_problem(name: str) -> Iterator[tuple[Reference, str]]:
    entry = entry_called(name)
    words = f"{entry.name} {entry.title}"
    for one in REFERENCES:
        for data in (k.removeprefix("data:") for k in one.keywords if k.startswith("data:")):
            if data in words:
                yield one, "the data"
                for library in references_for("data:scikit-learn"):
                    yield library, "brings the data"
