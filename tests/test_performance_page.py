"""docs/performance.md shows what benchmarks/results.json and rows.json hold."""

import json

from benchmarks import page, parts_page, rows, rows_page
from benchmarks.page import END, PAGE
from benchmarks.speed import RESULTS


def shown(begin: str) -> str:
    return PAGE.read_text().split(begin)[1].split(END)[0].strip()


def test_the_tables_are_those_of_the_file():
    assert shown(page.BEGIN) == page.tables(json.loads(RESULTS.read_text()))


def test_the_tables_of_parts_are_those_of_the_file():
    assert shown(parts_page.BEGIN) == parts_page.tables(json.loads(RESULTS.read_text())["parts"])


def test_the_tables_of_rows_are_those_of_their_file():
    assert shown(rows_page.BEGIN) == rows_page.tables(json.loads(rows.KEPT.read_text()))
