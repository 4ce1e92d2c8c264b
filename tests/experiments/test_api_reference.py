"""The API reference shows every module, and every public name with what it is."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

import pdoc
import pytest

import rateproof
from experiments.reporting.api_reference import (
    DOOR,
    PACKAGES,
    ROOT,
    api_reference,
    module_names,
)

RENDERED = (DOOR, "theory.theorem", "theory.theorems.bsp_nonconvex", "algorithms.compressors.qsgd",
            "algorithms.topologies.ring", "proofs_check.verdict",
            "experiments.reporting.api_reference")  # fmt: skip
"""A page takes pdoc 0.06 s of processor time, more than 1,000 pages a minute; `make docs` writes
them all."""


def undocumented(names: Sequence[str]) -> Iterator[str]:
    """Public classes and functions of these modules that pdoc shows without a docstring, or does
    not show: read as pdoc reads them, without rendering a page."""
    for name in names:
        module = pdoc.doc.Module.from_name(name)
        members = {one.name: one for one in module.own_members}
        for key, value in vars(module.obj).items():
            if key.startswith("_") or getattr(value, "__module__", None) != name:
                continue
            if not isinstance(value, type) and not callable(value):
                continue
            if key != getattr(value, "__name__", None):
                continue  # another name for something, or an object
            if key not in members or not members[key].docstring:
                yield f"{name}.{key}"


def test_pages_show_names_formulas_and_a_search_field(tmp_path: Path) -> None:
    start = api_reference(tmp_path, RENDERED)
    assert (tmp_path / "search.js").exists()
    assert all(f"{name.replace('.', '/')}.html" in start.read_text() for name in RENDERED[:1])
    for name, shown in ((RENDERED[1], "Theorem"), (RENDERED[3], "QSGD"), (DOOR, "compare")):
        page = (tmp_path / f"{name.replace('.', '/')}.html").read_text(encoding="utf-8")
        assert f'id="{shown}"' in page
    ring = (tmp_path / RENDERED[4].replace(".", "/")).with_suffix(".html").read_text("utf-8")
    assert "<math" in ring and "$" not in ring.partition('id="Ring"')[2].partition("</section>")[0]
    (entries,) = re.findall(r"const docs = (\[.*\]);", (tmp_path / "search.js").read_text("utf-8"))
    named = {one["fullname"]: one for one in json.loads(entries)}
    assert {"rateproof.compare", "algorithms.topologies.ring.Ring", RENDERED[1]} <= set(named)
    assert named[RENDERED[1]]["doc"].startswith("Results: theorems with bounds")


def test_pages_ask_nothing_of_the_network_and_lead_back(tmp_path: Path) -> None:
    api_reference(tmp_path / "api", RENDERED)
    for name in RENDERED:
        page = tmp_path / "api" / f"{name.replace('.', '/')}.html"
        asked = re.findall(
            r"""<(?:script|img|link|iframe)\b[^>]*?(?:src|href)=["']([^"']*)|@import|url\(http""",
            page.read_text("utf-8"),
        )
        assert asked and all(
            re.match(r"(\.\./)*(pdoc\.css|search-box\.js)$|data:", one) for one in asked
        ), asked
        assert page.stat().st_size < 80_000
        back = re.findall(r'href="([^"]*)">Documentation</a>', page.read_text("utf-8"))
        assert [(page.parent / one).resolve() for one in back] == [tmp_path / "index.html"]
        assert (page.parent / asked[0]).resolve() == tmp_path / "api" / "pdoc.css"


@pytest.mark.parametrize("package", PACKAGES)
def test_no_public_name_is_undocumented(package: str) -> None:
    assert list(undocumented(module_names((package,)))) == []


def test_all_that_notebooks_import_is_documented() -> None:
    hidden = {name.rpartition(".")[2] for name in undocumented((DOOR,))}
    assert hidden & set(rateproof.__all__) == set()


def test_an_undocumented_name_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    made = ModuleType("made")
    exec("class Told:\n    'what it is'\nclass Mute: ...\ndef dumb(): ...", vars(made))
    monkeypatch.setitem(sys.modules, "made", made)
    for name in ("Told", "Mute", "dumb"):
        vars(made)[name].__module__ = "made"
    assert list(undocumented(("made",))) == ["made.Mute", "made.dumb"]


def test_what_pdoc_warns_of_stops_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "faulty.py").write_text('"""Faulty."""\n\n__all__ = ["absent"]\n')
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises((UserWarning, RuntimeError), match="absent"):
        api_reference(tmp_path / "out", ("faulty",), search=False)


def test_all_packages_are_named() -> None:
    names = module_names()
    assert {*PACKAGES, "theory.theorems", "experiments.cli.main"} <= set(names)
    assert (
        len(names) == len(set(names)) == sum(1 for p in PACKAGES for _ in (ROOT / p).rglob("*.py"))
    )
