"""What the documents tell a new user to paste does what they say."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from theory.survey.rows import SURVEYS

HOUSE = Path(__file__).absolute().parents[2]


def blocks(page: str) -> list[str]:
    """The Python blocks of a Markdown page."""
    text = (HOUSE / page).read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


def paste(page: str) -> dict[str, Any]:
    """Run a page's blocks in one session; what the session holds at the end."""
    session: dict[str, Any] = {"__name__": "__session__"}
    for number, block in enumerate(blocks(page), start=1):
        exec(compile(block, f"{page}, block {number}", "exec", dont_inherit=True), session)
    return session


def test_tutorial_runs_and_shows_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    session = paste("docs/tutorial.md")
    told = capsys.readouterr().out
    good, bad = told.split("bound at the end:")
    assert "proved | exact enumeration" in good
    assert "refuted" not in good
    assert "refuted | exact enumeration" in bad
    assert "refuted | Monte Carlo" in bad
    single = session["single"]
    assert single.curves().mean[-1] < single.bound[-1]
    assert all(path.stat().st_size > 10_000 for path in session["files"])


def test_readme_lines_run(capsys: pytest.CaptureFixture[str]) -> None:
    session = paste("README.md")
    single = session["single"]
    measured, bound = single.curves().mean[-1], single.bound[-1]
    assert 0 < measured < bound
    assert str(bound) in capsys.readouterr().out


@pytest.mark.parametrize("page", ["README.md", "docs/tutorial.md"])
def test_links_and_files_that_pages_name_exist(page: str) -> None:
    text = (HOUSE / page).read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#:]+)\)", text)
    paths = re.findall(r"`((?:theory|algorithms|proofs_check|experiments|docs)/[\w/.]*)`", text)
    named = {*((HOUSE / page).parent / link for link in links), *(HOUSE / path for path in paths)}
    assert named
    assert [str(path) for path in named if not path.exists()] == []


def test_the_readme_names_the_surveys() -> None:
    text = (HOUSE / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^- (\d{3}): ", text, flags=re.MULTILINE) == list(SURVEYS)
    for _, source in SURVEYS.values():
        assert source.arxiv in text
