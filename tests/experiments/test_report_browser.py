"""The report in a browser: search, sorting, folding, pictures, light and dark, a phone, axe."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

from algorithms.catalogue import OPERATORS, PROBLEMS
from algorithms.topologies.base import Topology
from algorithms.topologies.gallery import examples
from algorithms.topologies.ring import Ring
from experiments.reporting.drawings import drawings
from experiments.reporting.packing import unpacked
from experiments.reporting.page import PAGES, write_pages
from experiments.reporting.part_pages import part_page
from experiments.reporting.pictures import draw_some
from experiments.storage.store import Stored
from experiments.survey import Survey
from tests.experiments.chromium import BROWSER, Tab, chromium
from tests.experiments.test_report import (
    EFFECT,
    MUTANTS,
    OPERATOR,
    PROOF,
    RUN,
    STUDY,
    THEOREM,
    run_cell,
)

pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(BROWSER is None, reason="no chromium on this machine"),
]

KINDS = (
    *(page for page, _, _ in PAGES), "rows/bsp-sgd.html", f"theorems/{THEOREM.name}.html",
    part_page("operators", next(iter(OPERATORS))), part_page("topologies", Ring(16).name),
)  # fmt: skip
LOADED = 2000  # milliseconds


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("report")
    cells = (RUN, STUDY, EFFECT, PROOF, OPERATOR, MUTANTS)
    finished = tuple((cell, Stored(run_cell(cell), 1.0)) for cell in cells)
    survey = Survey(finished, (), 0, 1.0, dict.fromkeys(cells, "fake"))
    (out / "results.parquet").touch()
    write_pages(survey, "quick", draw_some(drawings(survey)[0], out / "figures", 60.0), out)
    return out


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with chromium(tmp_path_factory.mktemp("profile")) as tab:
        yield tab


@pytest.fixture
def tab(shared: Tab) -> Iterator[Tab]:
    shared.faults.clear()
    shared.look(1300, 900)
    yield shared
    shared.run("try { localStorage.clear(); } catch {}")  # a theme that was chosen
    assert shared.faults == []


@pytest.mark.slow
def test_every_kind_of_page_loads_soon_and_fits_a_phone(report: Path, tab: Tab) -> None:
    for phone, width in ((False, 1300), (True, 390)):
        tab.look(width, 844, dark=phone, phone=phone)
        for page in KINDS:
            assert tab.open(report / page) < LOADED, page
            assert tab.run("document.documentElement.scrollWidth") <= width, page
            assert tab.run("document.querySelectorAll('h1').length") == 1, page


@pytest.mark.slow
def test_no_page_at_all_scrolls_sideways_on_a_phone(report: Path, tab: Tab) -> None:
    tab.look(390, 844, phone=True)
    pages = sorted(report.rglob("*.html"))
    assert len(pages) > 400
    wide = {}
    for page in pages:
        tab.open(page)
        width = tab.run("document.documentElement.scrollWidth")
        if width > 390:
            wide[str(page.relative_to(report))] = width
    assert wide == {}


def test_every_operator_topology_and_problem_has_a_page(report: Path) -> None:
    for kind, names in (
        ("operators", {*OPERATORS}),
        ("topologies", {one.name for one in examples(Topology)}),
        ("problems", {one.name for one in PROBLEMS}),
    ):
        assert {part_page(kind, name) for name in names} == {
            f"{kind}/{page.name}" for page in (report / kind).glob("*.html")
        }
        assert len({part_page(kind, name) for name in names}) == len(names), "two of one file"
    drawn = (report / part_page("topologies", Ring(16).name)).read_text(encoding="utf-8")
    assert drawn.count("<circle") == 16 and 'aria-label="16 workers, 16 links"' in drawn


@pytest.mark.slow
def test_axe_finds_nothing_to_mend(report: Path, tab: Tab) -> None:
    axe = (files("axe_core_python") / "axe.min.js").read_text(encoding="utf-8")
    ask = """axe.run(document, {preload: false, resultTypes: ['violations']}).then((found) =>
        found.violations.map((one) => [one.id, one.nodes.length, one.nodes[0].html]))"""
    looks = ((False, 1300, KINDS), (True, 390, ("index.html", "rows/bsp-sgd.html", "faults.html")))
    for dark, width, pages in looks:
        tab.look(width, 900, dark=dark, phone=dark)
        for page in pages:
            tab.open(report / page)
            tab.run(f"{axe};1")
            assert tab.run(ask) == [], page
    tab.run("document.querySelector('h1').outerHTML = '<img src=\"data:,\">'")
    assert tab.run(ask) != [], "a picture without words is seen"


def test_search_finds_and_goes_there(report: Path, tab: Tab) -> None:
    tab.open(report / "rows" / "bsp-sgd.html")
    field = "document.querySelector('form[role=search] input')"
    tab.run(
        f"{field}.focus(); {field}.value = 'choco-sgd'; {field}.dispatchEvent(new Event('input'))"
    )
    first = "document.querySelector('form[role=search] li a')"
    tab.until(f"!!{first}")
    assert tab.run(f"{first}.textContent") == "choco-sgd"
    assert tab.run(f"{first}.href") == (report / "rows" / "choco-sgd.html").as_uri()
    for words, kind in (("erratum E7", "erratum"), (THEOREM.name, "result"), ("bites", "mutant")):
        tab.run(f"{field}.value = {json.dumps(words)}; {field}.dispatchEvent(new Event('input'))")
        tab.until(f"{first}?.parentElement.textContent.includes({json.dumps(kind)})")
    tab.run(f"{field}.value = 'zzz'; {field}.dispatchEvent(new Event('input'))")
    status = "document.querySelector('form[role=search] [role=status]').textContent"
    tab.until(f"{status} === '0 found; nearest:'")


QUERIES = {
    "choco": "rows/choco-", "chocco": "rows/choco-", "linear speedup": "theorems",
    "top k": "rows/top-k", "QSGD": "rows/qsgd", "heterogeneity": ("theorems/d2", "questions"),
    "staleness": "rows/ssp", "local sgd": "rows/local-sgd", "torus": "topologies/torus",
    "allreduce": "rows/allreduce-", "ATOMO": "rows/atomo", "errata": "errata",
    "cross-validation": "crossval", "provenance": "provenance", "theorem": "theorems.html",
    "table iv": "table-iv.html", "error feedback": "rows/error-feedback",
    "ring": ("topologies/ring", "rows/allreduce-ring"), "momentum": "rows/momentum-",
    "convex": ("theorems", "table-iv.html"), "bits": "checks", "biased": ("checks", "faults"),
    "counterexample": "worst_cases", "spectral gap": "checks", "sign sgd": "rows/signsgd",
    "powersgd": "rows/powersgd", "parameter server": ("rows/ps-", "rows/asp"),
    "worst case": "worst_cases", "natural compression": "rows/natural-compression",
    "mutants": "faults", "admm": "rows/d-admm", "lars": "rows/lars",
}  # fmt: skip
"""Searches, each with the beginning of the links of which one must be among the first three."""


def test_the_first_three_results_of_a_search_hold_the_right_page(report: Path, tab: Tab) -> None:
    tab.open(report / "rows" / "bsp-sgd.html")
    field = "document.querySelector('form[role=search] input')"
    items = "[...document.querySelectorAll('form[role=search] li a')].slice(0, 3)"
    tab.run(f"{field}.focus()")
    tab.run(f"{field}.value = 'errata'; {field}.dispatchEvent(new Event('input'))")
    tab.until(f"{items}.length > 0")  # the index of words is there
    missed = {}
    for words, right in QUERIES.items():
        tab.run(f"{field}.value = {json.dumps(words)}; {field}.dispatchEvent(new Event('input'))")
        tab.run("new Promise((done) => setTimeout(done, 0))")
        links = tab.run(f"{items}.map((one) => one.getAttribute('href').replace('../', ''))")
        if not any(link.startswith(right) for link in links):
            missed[words] = links
    assert missed == {}


def test_everything_the_search_finds_is_there(report: Path, tab: Tab) -> None:
    tab.open(report / "index.html")
    text = tab.run(
        "new Promise((done) => { const search = report.search; const one = document.createElement("
        "'script'); report.search = (text) => done(text); one.src = 'assets/search.js';"
        "document.head.append(one); })"
    )
    entries = json.loads(unpacked(text))
    assert len(entries) > 400
    pages: dict[str, str] = {}
    for title, _, link, _ in entries:
        page, _, anchor = link.partition("#")
        if page not in pages:
            pages[page] = (report / page).read_text(encoding="utf-8")
        measured = page not in ("checks.html", "table-iv.html")  # of which nothing was run here
        assert not anchor or not measured or f'id="{anchor}"' in pages[page], (title, link)


def test_tables_are_sorted_filtered_and_folded(report: Path, tab: Tab) -> None:
    tab.open(report / "rows.html")
    visible = "[...document.querySelector('tbody').rows].filter((row) => !row.hidden)"
    names = f"{visible}.map((row) => row.cells[0].textContent)"  # of the surveys' methods
    before = tab.run(names)
    tab.run("document.querySelector('thead button').click()")
    assert tab.run(names) == sorted(before, key=str.lower) != before
    tab.run("document.querySelector('thead button').click()")
    assert tab.run(names) == sorted(before, key=str.lower)[::-1]
    assert tab.run("document.querySelector('thead th').ariaSort") == "descending"
    field = "document.querySelector('.tools input')"
    tab.run(f"{field}.value = 'choco'; {field}.dispatchEvent(new Event('input'))")
    assert set(tab.run(names)) == {"choco-gossip", "choco-sgd"}
    tab.open(report / "theorems.html")
    column = 7  # tightest: numbers by size, what has none last
    tab.run(f"document.querySelectorAll('thead button')[{column}].click()")
    shown = tab.run(
        f"[...document.querySelectorAll('tbody tr')].map((row) => row.cells[{column}].textContent)"
    )
    numbers = [float(one) for one in shown if one != "–"]
    assert numbers == sorted(numbers)


def test_long_tables_are_folded_until_asked(report: Path, tab: Tab, tmp_path: Path) -> None:
    lines = "".join(f"<tr><td>line {k}</td></tr>" for k in range(30))
    page = (report / "theorems.html").read_text(encoding="utf-8")
    head, _, tail = page.partition("<tbody>")
    rest = tail.partition("</tbody>")[2]
    body = f"{head.replace('sorted whole', 'sorted')}<tbody>{lines}</tbody>{rest}"
    (report / "folded.html").write_text(body, encoding="utf-8")
    tab.open(report / "folded.html")
    shown = "[...document.querySelectorAll('tbody tr')].filter((row) => !row.hidden).length"
    assert tab.run(shown) == 12
    assert tab.run("document.querySelector('.more').textContent") == "All 30 lines"
    tab.run("document.querySelector('.more').click()")
    assert tab.run(shown) == 30


def test_a_picture_is_drawn_again_with_axes_to_choose(report: Path, tab: Tab) -> None:
    tab.open(report / "rows" / "bsp-sgd.html")
    figure = "document.getElementById('figure-bsp-sgd-quadratic-sc-run')"
    tab.run(f"{figure}.querySelector('button').click()")
    tab.until(f"!!{figure}.querySelector('.main-svg')")
    stage = f"{figure}.querySelector('.chart')"
    assert tab.run(f"{stage}.layout.xaxis.type") == "log"
    assert tab.run(f"{stage}.data.map((one) => one.line.dash)").count("dash") == 1, "the bound"
    buttons = f"[...{stage}.querySelectorAll('.modebar-btn')]"
    offered = tab.run(f"{buttons}.map((one) => one.dataset.title)")
    assert offered and not [one for one in offered if "hare" in one or "loud" in one]
    at = tab.run(f"{stage}.data[1].x")
    assert at[0] is None and at[1] > 0, "what is at 0 has no place on a logarithmic axis"
    drawn = tab.run(f"{stage}.data[1].y")
    assert at[-1] == 100 and drawn[0] == 1
    assert all(abs(y * (1 + t) - 1) < 1e-3 for t, y in zip(at[1:], drawn[1:], strict=True))
    axes = f"{figure}.querySelectorAll('select')"
    assert tab.run(f"[...{axes}[0].options].map((one) => one.textContent)") == [
        "steps t", "sent and received per worker [Mbit]",
    ]  # fmt: skip
    for number, value in ((0, 1), (1, 0)):
        tab.run(
            f"{axes}[{number}].value = {value}; {axes}[{number}].dispatchEvent(new Event('change'))"
        )
    assert tab.run(f"{stage}.layout.xaxis.type") == "linear"
    assert tab.run(f"{stage}.data[1].x.at(-1)") == pytest.approx(128 * 100 / 1e6)
    tab.run(f"{stage}.querySelector('.legendtoggle').dispatchEvent(new Event('mousedown'))")
    tab.look(1300, 900, dark=True)
    tab.until(f"{stage}.layout.font.color === '#e3e6e9'")


def test_an_effects_picture_shows_its_readings_too(report: Path, tab: Tab) -> None:
    tab.open(report / "rows" / "bsp-sgd.html")
    figure = "document.querySelector('#effect ~ .figures figure')"
    tab.run(f"{figure}.querySelector('button').click()")
    tab.until(f"!!{figure}.querySelector('.main-svg')")
    data = f"{figure}.querySelector('.chart').data.filter((one) => one.type === 'violin')"
    assert tab.run(f"{data}.map((one) => one.name)") == ["method", "baseline", "cause removed"]
    assert tab.run(f"{data}[0].x.length") == 12
    assert tab.run(f"{figure}.querySelector('.chart').layout.shapes[0].x0") == 0.5


def test_light_and_dark_can_be_chosen(report: Path, tab: Tab) -> None:
    tab.open(report / "index.html")
    paper = "getComputedStyle(document.body).backgroundColor"
    light = tab.run(paper)
    tab.run("document.getElementById('theme').click()")
    dark = tab.run(paper)
    assert dark != light
    tab.open(report / "errata.html")
    assert tab.run(paper) == dark, "it is remembered"
    tab.run("document.getElementById('theme').click()")
    assert tab.run(paper) == light
