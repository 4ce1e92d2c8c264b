"""The documentation's pages: everything has one, what they point to is there, axe is content."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from algorithms.catalogue import OPERATORS, PROBLEMS, ROWS
from experiments.listing.results import RESULTS
from experiments.reporting import site
from experiments.reporting.catalogue_pages import CataloguePage, Section, slug
from tests.experiments.chromium import BROWSER, chromium

LOOKED_AT = ("index.html", "tutorial.html", "decisions/index.html", "rows/index.html",
             "rows/choco-sgd.html", "theorems/bsp_nonconvex.html", "operators/qsgd-s-4.html",
             "topologies/index.html", "problems/mlp-digits.html")  # fmt: skip


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All pages but pdoc's, in about four seconds of processor time."""
    return site.write_site(tmp_path_factory.mktemp("site"), api=False).parent


def test_everything_of_the_catalogue_and_each_text_has_a_page(built: Path) -> None:
    names = {"rows": [row.key for row in ROWS], "theorems": [*RESULTS], "operators": [*OPERATORS],
             "problems": [problem.name for problem in PROBLEMS]}  # fmt: skip
    for kind, members in names.items():
        pages = {f"{slug(name)}.html" for name in members}
        assert len(pages) == len(members), "no two names share a page"
        assert {path.name for path in (built / kind).glob("*.html")} == {*pages, "index.html"}
    assert len(list((built / "topologies").glob("*.html"))) > 10
    docs = site.ROOT / "docs"
    for source in docs.rglob("*.md"):
        assert (built / source.relative_to(docs).with_suffix(".html")).exists()


def test_pages_say_what_the_catalogue_says(built: Path) -> None:
    row = (built / "rows" / "choco-sgd.html").read_text(encoding="utf-8")
    assert "<math" in row and "class ChocoSGD" in row and "@inproceedings{" in row
    result = (built / "theorems" / "bsp_nonconvex.html").read_text(encoding="utf-8")
    assert "<math" in result and "rows/bsp-sgd.html" in result
    ring = next((built / "topologies").glob("ring*.html")).read_text(encoding="utf-8")
    assert "gap" in ring


def test_a_link_to_nowhere_stops_the_build(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert list(site.broken_links(built, (site.API,))) == []
    assert list(site.broken_links(built)) != [], "without pdoc's pages"
    gone = Section("Gone", '<a href="nowhere.html">b</a> <a href="../tutorial.html#nowhere">c</a>')
    pages = [CataloguePage(kind, "wrong", "", (gone,)) for kind in site.KINDS]
    monkeypatch.setattr(site, "catalogue_pages", lambda: pages)
    with pytest.raises(ValueError, match=r"rows/wrong.html to nowhere.html; .*tutorial.html#nowh"):
        site.write_site(tmp_path, api=False)
    monkeypatch.setattr(site, "written_pages", lambda: {"lost.md": "lost.html"})
    monkeypatch.setattr(site, "ROOT", tmp_path)
    (tmp_path / "lost.md").write_text("# Lost\n\n[away](away.md)\n")
    with pytest.raises(ValueError, match=r"lost.md must point to files .* got away.md"):
        site.write_site(tmp_path, api=False)


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.skipif(BROWSER is None, reason="no chromium on this machine")
def test_a_browser_finds_no_fault(built: Path, tmp_path: Path) -> None:
    axe = (files("axe_core_python") / "axe.min.js").read_text(encoding="utf-8")
    ask = """axe.run(document, {preload: false, resultTypes: ['violations']}).then((found) =>
        found.violations.map((one) => [one.id, one.nodes.length, one.nodes[0].html]))"""
    with chromium(tmp_path) as tab:
        for dark, width in ((False, 1300), (True, 360)):
            tab.look(width, 844, dark=dark, phone=dark)
            for page in LOOKED_AT:
                tab.open(built / page)
                assert tab.run("document.documentElement.scrollWidth") <= width, page
                tab.run(f"{axe};1")
                assert tab.run(ask) == [], page
        assert tab.faults == []
