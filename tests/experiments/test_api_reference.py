"""The API reference has a page for every module, and every public name on its page."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from experiments.reporting.api_reference import PACKAGES, ROOT, api_reference, module_names


def missing(out: Path, packages: tuple[str, ...]) -> list[str]:
    """Public classes and functions that are not on their module's page."""
    lacking = []
    for name in module_names(packages):
        path = ROOT / f"{name.replace('.', '/')}.py"
        source = path if path.exists() else ROOT / name.replace(".", "/") / "__init__.py"
        page = (out / f"{name.replace('.', '/')}.html").read_text(encoding="utf-8")
        lacking += [
            f"{name}.{node.name}"
            for node in ast.parse(source.read_text(encoding="utf-8")).body
            if isinstance(node, ast.ClassDef | ast.FunctionDef)
            and not node.name.startswith("_")
            and f'id="{node.name}"' not in page
        ]
    return lacking


@pytest.mark.parametrize(
    "packages",
    [PACKAGES[:1], pytest.param(PACKAGES[1:], marks=pytest.mark.slow)],
    ids=["theory", "all others"],
)
def test_every_public_name_is_on_its_page(tmp_path: Path, packages: tuple[str, ...]) -> None:
    whole = packages == PACKAGES[:1]  # the index of words costs a tenth of all, and is pdoc's own
    start = api_reference(tmp_path, packages, search=whole)
    assert (tmp_path / "search.js").exists() == whole
    assert all(f"{package}.html" in start.read_text(encoding="utf-8") for package in packages)
    assert missing(tmp_path, packages) == []


def test_all_packages_are_named() -> None:
    names = module_names()
    assert {*PACKAGES, "theory.theorems", "experiments.cli"} <= set(names)
    assert (
        len(names) == len(set(names)) == sum(1 for p in PACKAGES for _ in (ROOT / p).rglob("*.py"))
    )
