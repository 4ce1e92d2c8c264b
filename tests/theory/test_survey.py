"""The surveys' rows and errata as they stand; errata of methods are checked beside the methods."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

import theory
from theory import bits
from theory.survey.references import ARXIV
from theory.survey.rows import ERRATA, SINCE_ROWS, SURVEY_ROWS, SURVEYS, SurveyRow, read_rows


@pytest.mark.parametrize(
    ("table", "rows"), [("survey_rows.tsv", SURVEY_ROWS), ("since_rows.tsv", SINCE_ROWS)]
)
def test_all_rows_are_there_and_agree_with_a_csv_reader(
    table: str, rows: tuple[SurveyRow, ...]
) -> None:
    path = Path(theory.__file__).parent / "survey" / table
    with path.open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]
    assert [SurveyRow(*cells) for cells in lines] == list(rows)
    assert all(row.key and row.family and row.what and row.source for row in rows)


def test_the_surveys_rows_stay_147_and_the_others_name_their_paper() -> None:
    assert len(SURVEY_ROWS) == 147
    assert {row.key for row in SURVEY_ROWS} & {row.key for row in SINCE_ROWS} == set()
    dated = [
        bool(ARXIV.search(row.source) or re.search(r"\b20\d\d\b", row.source)) for row in SINCE_ROWS
    ]
    assert all(dated), "authors with a year, and an arXiv id where there is one"


def test_the_surveys_that_rows_and_errata_name_are_known() -> None:
    places = [row.source for row in SURVEY_ROWS] + [erratum.place for erratum in ERRATA]
    named = {number for place in places for number in re.findall(r"\b00\d\b", place)}
    assert named == set(SURVEYS)


def test_a_short_line_and_a_repeated_key_are_refused() -> None:
    with pytest.raises(ValueError, match="line 2 must have 4 columns, got 3"):
        read_rows("h\na\tb\tc\n")
    with pytest.raises(ValueError, match="line 3 repeats the key 'a'"):
        read_rows("h\na\tb\tc\td\na\tx\ty\tz\n")


def test_every_erratum_says_what_is_printed_what_is_right_and_how_it_shows() -> None:
    ids = [erratum.id for erratum in ERRATA]
    assert len(set(ids)) == len(ids)
    assert ids == sorted(ids, key=lambda name: ("ETS".index(name[0]), int(name[1:])))
    for erratum in ERRATA:
        assert erratum.place and erratum.evidence and erratum.printed != erratum.correct


def test_e27_entropy_coding_saves_more_than_32_times() -> None:
    bound = bits.qsgd_elias(10**6, 1)
    assert bound == pytest.approx(19497.962, rel=1e-7)
    assert 32 * 10**6 / bound == pytest.approx(1641.1972, rel=1e-7)
