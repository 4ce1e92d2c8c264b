"""The literature: every paper that the code names has an entry, and none is there for nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from theory.claims import Source
from theory.survey.references import (
    ARXIV,
    REFERENCES,
    read_bibtex,
    reference_of,
    reference_of_eprint,
    references_for,
)
from theory.survey.rows import SINCE_ROWS, SURVEY_ROWS

HOUSE = Path(__file__).absolute().parents[2]
PACKAGES = ("theory", "algorithms", "proofs_check", "experiments")

GOOD = """@article{stich2019local,
  author = {Sebastian U. Stich},
  title = {Local {SGD} converges fast},
  journal = {A journal},
  year = {2019},
  eprint = {1805.09767},
}
"""


def files() -> Iterator[tuple[str, str]]:
    """Path and text of each file of code and data."""
    for package in PACKAGES:
        for path in sorted((HOUSE / package).rglob("*")):
            if path.suffix in (".py", ".tsv", ".toml", ".j2"):
                yield str(path.relative_to(HOUSE)), path.read_text(encoding="utf-8")


def sources() -> list[tuple[str, Source]]:
    """Every ``Source(...)`` that the code writes down, with its file."""
    found = []
    for path, text in files():
        if not path.endswith(".py") or "Source(" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Source":
                words = [ast.literal_eval(one) for one in node.args]
                named = {str(one.arg): ast.literal_eval(one.value) for one in node.keywords}
                found.append((path, Source(*words, **named)))
    return found


def trouble(source: Source) -> str:
    """What is wrong with a source; empty: nothing."""
    try:
        entry = reference_of(source)
    except LookupError as error:
        return str(error)
    if entry is None:
        return ""
    if source.year not in entry.years:
        return f"{source} has another year than {entry.key}, {sorted(entry.years)}"
    if not entry.begins_with(source.authors):
        return f"{source} has another first author than {entry.key}, {entry.authors[0]}"
    return ""


def test_every_source_has_an_entry_of_its_year_and_first_author() -> None:
    found = sources()
    assert len(found) > 200
    assert [f"{path}: {told}" for path, one in found if (told := trouble(one))] == []


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (Source("Stich", 2017, "1805.09767"), "another year"),
        (Source("Koloskova, Stich", 2019, "1805.09767"), "another first author"),
        (Source("Tich", 2019, "1805.09767"), "another first author"),
        (Source("Stich", 2018, "1805.09768"), "eprint = {1805.09768}"),
        (Source("Ho et al.", 2012), "got none"),
        (Source("Li", 2013), "got li2013distributed, li2013parameter"),
    ],
)
def test_a_wrong_source_is_seen(source: Source, told: str) -> None:
    assert told in trouble(source)


@pytest.mark.parametrize(
    "source",
    [
        Source("Stich", 2018, "1805.09767"),
        Source("Stich", 2019, "1805.09767"),
        Source("De Sa et al.", 2015, "1506.06438"),
        Source("Konecny, Richtarik", 2016, "1611.07555"),
        Source("definition", 0),
    ],
)
def test_years_of_paper_and_preprint_and_names_without_accents_will_do(source: Source) -> None:
    assert trouble(source) == ""


def test_every_arxiv_id_has_an_entry_and_every_entry_a_use() -> None:
    used = {one.key for _, source in sources() if (one := reference_of(source))}
    lost = []
    for path, text in files():
        for arxiv in ARXIV.findall(text):
            try:
                used.add(reference_of_eprint(arxiv).key)
            except LookupError:
                lost.append(f"{path}: {arxiv}")
    assert lost == []
    unused = [one.key for one in REFERENCES if one.key not in used and not one.keywords]
    assert unused == []


def test_ids_are_told_from_numbers() -> None:
    assert ARXIV.findall(
        "arXiv:1805.09767, 1012.1367; 1641.1972 and 1805.097671 and 0.1805.0976"
    ) == [
        "1805.09767",
        "1012.1367",
    ]


def test_keywords_are_rows_and_every_row_has_a_paper() -> None:
    rows = {row.key for row in (*SURVEY_ROWS, *SINCE_ROWS)}
    words = {word for one in REFERENCES for word in one.keywords if not word.startswith("data:")}
    assert words - rows == set()
    assert [key for key in sorted(rows) if not references_for(key)] == []


def test_an_entry_is_printed_as_it_is_read() -> None:
    (one,) = read_bibtex(GOOD)
    assert one.bibtex() == GOOD.strip()
    assert (one.authors, one.years) == (("Sebastian U. Stich",), {2018, 2019})
    again = read_bibtex("\n\n".join(entry.bibtex() for entry in REFERENCES))
    assert [entry.key for entry in again] == [entry.key for entry in REFERENCES]
    assert all(entry.keywords == () for entry in again)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("  year = {2019},\n", "", "lacks year"),
        ("  journal = {A journal},\n", "", "lacks journal"),
        ("{2019}", "{soon}", "four digits"),
        ("{1805.09767}", "{math/0211159}", "must be an arXiv id"),
        ("{SGD}", "{SGD", "line 1 must begin an entry: Unexpectedly reached end of file"),
        ("  year = {2019},", "  year = {2019}", "line 5 must end with"),
        ("  year", "  title", "line 1 must begin an entry: Duplicate field keys on entry: 'title'"),
        ("@article", "@paper", "lacks a known kind"),
        (GOOD, GOOD * 2, "line 8 must begin an entry: Duplicate entry key"),
        (GOOD, GOOD + GOOD.replace("2019local", "2019again"), "its eprint is there already"),
        ("\n}\n", "\n", "line 1 must begin an entry: Unexpectedly reached end of file"),
        ("\n}\n", "\n\n" + GOOD, "line 1 must begin an entry: Expected a `=` after entry key"),
        ("{2019},", "{2019}}", "line 6 must begin an entry: this is none"),
        ("@article", "an article\n@article", "line 1 must begin an entry: this is none"),
    ],
)
def test_a_slip_in_the_file_is_told_with_its_line(old: str, new: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        read_bibtex(GOOD.replace(old, new))
