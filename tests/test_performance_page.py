"""docs/performance.md shows what benchmarks/results.json holds."""

import json

from benchmarks.page import BEGIN, END, PAGE, tables
from benchmarks.speed import RESULTS


def test_the_tables_are_those_of_the_file():
    shown = PAGE.read_text().split(BEGIN)[1].split(END)[0].strip()
    assert shown == tables(json.loads(RESULTS.read_text()))
