"""Pages of the parts that methods are composed of: every operator, topology and problem."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, final

import numpy as np
import pandas as pd

from algorithms.catalogue import OPERATORS, PROBLEMS, ROWS
from algorithms.topologies.base import Topology
from algorithms.topologies.gallery import examples
from experiments.figures.signs import pretty
from experiments.reporting.mathml import prose
from experiments.reporting.subjects import definition
from experiments.reporting.verdict_lines import lines
from proofs_check.cell import CellKind

CLAIM_DIMENSION = 100
_NAMES = {
    "period": "steps after which its matrices repeat",
    "lam": "λ = ‖W − J‖₂, of one period",
    "gap": "spectral gap 1 − λ",
    "lam_n": "smallest eigenvalue of (W + Wᵀ)/2",
    "beta": "β = ‖I − W‖₂",
    "rounds": "rounds that shrink the distance from agreement e times",
    "messages": "messages that a worker sends a step",
}
_SIZE, _DOT = 300, 5  # of a drawn network and of a worker in it, in pixels


@final
class PartPage(NamedTuple):
    """A page of a part.

    Attributes:
        kind: operators, topologies or problems: the folder.
        name: what commands call it.
        what: it in a sentence.
        definition: paragraphs, HTML.
        claims: what it states of itself.
        rows: keys of the methods that use it.
        numbers: names and values that are known of it.
        picture: SVG of a topology; empty for others.
        verdicts: lines of the results table that are about it.
        try_it: a command line.
    """

    kind: str
    name: str
    what: str
    definition: tuple[str, ...]
    claims: tuple[str, ...]
    rows: tuple[str, ...]
    numbers: Mapping[str, str]
    picture: str
    verdicts: list[dict[str, Any]]
    try_it: str


def part_page(kind: str, name: str) -> str:
    """Path of a part's page in the report."""
    letters = "".join(letter if letter.isalnum() or letter in "._" else "-" for letter in name)
    return f"{kind}/{letters.strip('-').lower()}.html"


def part_pages(table: pd.DataFrame, spectra: Mapping[str, Mapping[str, str]]) -> Iterator[PartPage]:
    """A page for every part; ``spectra`` are the numbers of topologies that the survey kept, by
    name, and ``table`` holds its verdicts."""
    by_subject = dict(iter(table.groupby("subject")))
    of_problems = dict(iter(table[table["kind"] == CellKind.PROBLEM].groupby("problem")))

    def about(name: str, found: Mapping[Any, pd.DataFrame]) -> list[dict[str, Any]]:
        return lines(found[name]) if name in found else []

    for operator in OPERATORS.values():
        users = (row.key for row in ROWS if operator.name in {one.name for one in row.operators})
        yield PartPage(
            "operators", operator.name, f"An operator on vectors, {type(operator).__name__}.",
            _paragraphs(operator),
            tuple(
                f"{pretty(str(one))} ({one.source})" for one in operator.claims(CLAIM_DIMENSION)
            ),
            tuple(users), {}, "", about(operator.name, by_subject),
            f'rateproof check "{operator.name}"',
        )  # fmt: skip
    for topology in {one.name: one for one in examples(Topology)}.values():
        yield PartPage(
            "topologies", topology.name, f"A network of {topology.n} workers.",
            _paragraphs(topology), (), (), _numbers(spectra.get(topology.name, {})),
            drawn(topology), about(topology.name, by_subject),
            f"rateproof topologies -n {topology.n}",
        )  # fmt: skip
    for problem in PROBLEMS:
        users = (row.key for row in ROWS if problem.name in row.problems)
        yield PartPage(
            "problems", problem.name, problem.title, (), (), tuple(users), {}, "",
            about(problem.name, of_problems), f"rateproof assumptions {problem.name}",
        )  # fmt: skip


def _paragraphs(part: object) -> tuple[str, ...]:
    """The docstring of a part as HTML; its dollar signs only mark what is set as a formula."""
    return tuple(prose(text) for text in definition(part))


def _numbers(spectrum: Mapping[str, str]) -> dict[str, str]:
    """Numbers of a topology under names that say what they are."""
    return {name: spectrum[key] for key, name in _NAMES.items() if key in spectrum}


def drawn(topology: Topology) -> str:
    """SVG of who mixes with whom in the first step: workers on a circle, a line for every weight
    that is not 0."""
    weights = np.asarray(topology.matrix(0))
    middle, radius = _SIZE / 2, _SIZE / 2 - 2 * _DOT
    angles = 2 * math.pi * np.arange(topology.n) / topology.n
    places = np.stack([middle + radius * np.sin(angles), middle - radius * np.cos(angles)], axis=1)
    edges = {(min(i, j), max(i, j)) for i, j in np.argwhere(weights != 0).tolist() if i != j}
    strokes = "".join(
        "M{:.0f} {:.0f}L{:.0f} {:.0f}".format(*places[i], *places[j]) for i, j in sorted(edges)
    )
    dots = "".join(f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{_DOT}"/>' for x, y in places)
    return (
        f'<svg viewBox="0 0 {_SIZE} {_SIZE}" width="{_SIZE}" height="{_SIZE}" role="img" '
        f'aria-label="{topology.n} workers, {len(edges)} links">'
        f'<path d="{strokes}" fill="none" stroke="currentColor" stroke-opacity="0.45"/>'
        f'<g fill="currentColor">{dots}</g></svg>'
    )
