"""The catalogue as pages of the documentation: rows, results, operators, topologies, problems."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from typing import Any, NamedTuple, final

from algorithms.catalogue import OPERATORS, PROBLEMS, ROWS, Row
from algorithms.compressors.base import Compressor
from algorithms.problems.entry import ProblemEntry
from algorithms.topologies.base import Topology
from algorithms.topologies.gallery import examples
from experiments.figures.signs import pretty
from experiments.listing.results import RESULTS
from experiments.reporting.citing import cite
from experiments.reporting.mathml import formula, prose
from experiments.reporting.row_pages import update_rule
from experiments.reporting.subjects import definition, subject_section
from experiments.reporting.topologies import topology_data

CLAIM_DIMENSION = 100


@final
class Section(NamedTuple):
    """A part of a page.

    Attributes:
        heading: what stands above it, plain text.
        html: the part itself.
    """

    heading: str
    html: str


@final
class CataloguePage(NamedTuple):
    """A page of one member of the catalogue.

    Attributes:
        kind: the list that it is in.
        name: what commands call it.
        lede: what it is, HTML.
        sections: its parts.
        words: further words by which it is found.
    """

    kind: str
    name: str
    lede: str
    sections: tuple[Section, ...]
    words: str = ""

    @property
    def link(self) -> str:
        """Path of the page in the site."""
        return f"{self.kind}/{slug(self.name)}.html"


def slug(name: str) -> str:
    """A name as the name of a file: small letters, digits, hyphens, dots."""
    return re.sub(r"[^a-z0-9._]+", "-", name.lower()).strip("-")


def catalogue_pages() -> Iterator[CataloguePage]:
    """A page of every row, result, operator, topology and problem."""
    yield from map(_row, ROWS)
    yield from map(_result, RESULTS.values())
    yield from map(_operator, OPERATORS.values())
    yield from map(_topology, {one.name: one for one in examples(Topology)}.values())
    yield from map(_problem, PROBLEMS)


def _row(row: Row) -> CataloguePage:
    parts = []
    rule = update_rule(row)
    if rule:
        code = f"<details><summary>Code of {rule['module']}.{rule['name']}</summary>"
        code += f'<pre tabindex="0">{escape(rule["code"])}</pre></details>'
        parts.append(Section("Update rule", _paragraphs([*rule["rule"], *rule["more"]]) + code))
    subject = subject_section(row)
    if subject:
        said = "".join(
            f"<h3>{escape(part['name'])}</h3>{_paragraphs(map(prose, part['definition']))}"
            for part in subject["parts"]
        )
        parts.append(Section("What stands for it", said))
    links = [_link("theorems", one.name) for one in (*row.theorems, *row.results)]
    parts += [Section("Results", _items(links))] if links else []
    links = [_link("operators", one.name) for one in row.operators]
    parts += [Section("Operators", _items(links))] if links else []
    if row.recipe:
        command = f"rateproof run {row.key}"
        parts.append(Section("Try it", f"<pre><code>{command}</code></pre>"))
    parts.append(Section("Cite", f'<pre tabindex="0">{escape(str(cite([row.key])))}</pre>'))
    lede = f"{escape(pretty(row.what))} <span class=soft>{escape(row.family)}; {row.source}</span>"
    return CataloguePage("rows", row.key, lede, tuple(parts), f"{row.family} {row.what}")


def _result(result: Any) -> CataloguePage:
    statement = formula(result.statement) or f"<code>{escape(result.statement)}</code>"
    parts = [Section("Statement", f'<div class="formula" tabindex="0">{statement}</div>')]
    assumes = getattr(result, "assumes", "")
    parts += [Section("Assumes", _paragraphs([escape(pretty(assumes))]))] if assumes else []
    rows = [r.key for r in ROWS if result in (*r.theorems, *r.results)]
    parts += [Section("Rows", _items(_link("rows", key) for key in rows))] if rows else []
    parts.append(Section("Try it", f"<pre><code>rateproof theorem {result.name}</code></pre>"))
    lede = f"{escape(pretty(result.title))} <span class=soft>{escape(str(result.source))}; "
    lede += f"{result.confidence.value}</span>"
    return CataloguePage("theorems", result.name, lede, tuple(parts), result.title)


def _operator(operator: Compressor) -> CataloguePage:
    claims = [
        f"{escape(pretty(str(claim)))} <span class=soft>{escape(str(claim.source))}</span>"
        for claim in operator.claims(CLAIM_DIMENSION)
    ]
    parts = [Section("Definition", _paragraphs(map(prose, definition(operator))))]
    if claims:
        parts.append(Section(f"Claims on R^{CLAIM_DIMENSION}", _items(claims)))
    rows = [row.key for row in ROWS if operator.name in {one.name for one in row.operators}]
    parts += [Section("Rows", _items(_link("rows", key) for key in rows))] if rows else []
    parts.append(Section("Try it", f'<pre><code>rateproof check "{operator.name}"</code></pre>'))
    lede = f"An operator, <code>{type(operator).__name__}</code>."
    return CataloguePage("operators", operator.name, lede, tuple(parts))


def _topology(topology: Topology) -> CataloguePage:
    numbers = {name: value for name, value in topology_data(topology).items() if name != "name"}
    description = "".join(
        f"<tr><td>{escape(name.replace('_', ' '))}</td><td "
        f"class=number>{_described(value)}</td></tr>"
        for name, value in numbers.items()
    )
    parts = (
        Section("Definition", _paragraphs(map(prose, definition(topology)))),
        Section("Spectrum and traffic", f"<table><tbody>{description}</tbody></table>"),
    )
    lede = f"A topology of {topology.n} workers, <code>{type(topology).__name__}</code>."
    return CataloguePage("topologies", topology.name, lede, parts)


def _problem(problem: ProblemEntry) -> CataloguePage:
    rows = [row.key for row in ROWS if problem.name in row.problems]
    parts = [
        Section("Constants", f"<pre><code>rateproof assumptions {problem.name}</code></pre>"),
        Section("Try it", f"<pre><code>rateproof run bsp-sgd -p {problem.name}</code></pre>"),
    ]
    parts += [Section("Rows that list it", _items(_link("rows", k) for k in rows))] if rows else []
    return CataloguePage("problems", problem.name, escape(problem.title), tuple(parts))


def _described(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return "–" if value is None else escape(str(value))


def _paragraphs(texts: Any) -> str:
    return "".join(f"<p>{text}</p>" for text in texts)


def _items(links: Any) -> str:
    return "<ul>" + "".join(f"<li>{link}</li>" for link in links) + "</ul>"


def _link(kind: str, name: str) -> str:
    return f'<a href="../{kind}/{slug(name)}.html">{escape(name)}</a>'
