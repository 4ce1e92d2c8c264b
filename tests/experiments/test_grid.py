"""Tables of commands at any width: no number cut, no heading broken; the same with tabs."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.markup import escape

from experiments.cli.command import RENAMED, TABULAR, present
from experiments.commands.grid import LAYOUT, print_table
from tests.experiments.calls import call

COMMANDS = Path(__file__).parents[2] / "docs" / "commands.md"

WORD = st.text("abcdefghij", min_size=1, max_size=20)
TEXT = st.lists(WORD, min_size=1, max_size=12).map(" ".join)
NUMBER = st.floats(-1e12, 1e12).map(lambda x: f"{x:.4g}")
PAIR = st.tuples(NUMBER, NUMBER).map(lambda two: f"{two[0]} ± {two[1]}")


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[list[str]]]:
    kinds = draw(st.lists(st.sampled_from([TEXT, NUMBER, PAIR]), min_size=1, max_size=9))
    heads = [draw(TEXT.filter(lambda text: len(text) < 30)) for _ in kinds]
    return heads, [[draw(kind) for kind in kinds] for _ in range(draw(st.integers(1, 4)))]


def printed(heads: list[str], rows: list[list[str]], width: int) -> list[str]:
    out = Console(file=io.StringIO(), width=width, color_system=None)
    print_table(out, heads, [[escape(cell) for cell in row] for row in rows])
    assert isinstance(out.file, io.StringIO)
    return out.file.getvalue().splitlines()


@given(tables(), st.sampled_from([40, 60, 80, 120]))
def test_every_word_is_printed_whole_within_the_width(
    table: tuple[list[str], list[list[str]]], width: int
) -> None:
    heads, rows = table
    lines = printed(heads, rows, width)
    assert all(len(line) <= width for line in lines)
    words = [word.rstrip(";") for line in lines for word in line.split()]
    missing = {w for row in rows for cell in row for w in cell.split()} - set(words)
    assert missing == set()
    assert {w for head in heads[1:] for w in head.split()} <= set(words)


def test_a_paragraph_keeps_room_for_its_semicolon() -> None:
    row = ["x" * 20, "a a a aa aa aa aa aaaa aaaaa aaaaaa aaaaaa aaaaaaaa", "y"]
    rows = [row, ["a", "b" * 15, "c" * 20]]
    assert max(map(len, printed(["a", "bbbbbb", "c"], rows, 60))) <= 60


@given(tables())
def test_a_wide_table_has_one_line_a_row_on_any_terminal(
    table: tuple[list[str], list[list[str]]],
) -> None:
    heads, rows = table
    LAYOUT.wide = True
    try:
        lines = printed(heads, rows, 40)
    finally:
        LAYOUT.wide = False
    assert len(lines) == len(rows) + 2  # headings above, an empty line below
    for row, line in zip(rows, lines[1:], strict=False):
        assert line.split() == " ".join(row).split()


def test_a_table_that_fits_is_one() -> None:
    lines = printed(["a", "b"], [["x", "1.5"], ["long", "-2"]], 80)
    assert [line.rstrip() for line in lines] == ["a       b", "x     1.5", "long   -2", ""]


def test_columns_that_do_not_fit_become_paragraphs() -> None:
    lines = printed(["name", "first", "second"], [["x", "1" * 15, "2" * 15]], 30)
    assert lines == ["x", f"  first {'1' * 15};", f"  second {'2' * 15}", ""]


@pytest.mark.parametrize("command", [("topologies", "-n", "4"), ("question", "stragglers"),
                                     ("worst-case",), ("errata",), ("power",)],
                         ids=" ".join)  # fmt: skip
def test_lines_with_tabs_hold_all_cells_and_nothing_else(command: tuple[str, ...]) -> None:
    code, out, _ = call(*command, "--tsv")
    assert code == 0
    for block in out.strip("\n").split("\n\n"):
        heads, *lines = (line.split("\t") for line in block.splitlines())
        assert len(heads) > 1 and lines
        assert {len(line) for line in lines} == {len(heads)}
    assert (LAYOUT.tsv, LAYOUT.wide) == (False, False)
    code, wide, _ = call(*command, "--wide")
    assert code == 0 and not LAYOUT.tsv and len(wide) > len(out) / 2


def test_words_that_begin_like_a_number_are_text() -> None:
    """``information`` and ``nano`` stand at the left, ``inf`` and ``nan`` at the right."""
    lines = printed(
        ["a", "word", "number"], [["x", "information", "inf"], ["y", "nano", "nan"]], 80
    )
    assert [line.rstrip() for line in lines[1:3]] == [
        "x  information     inf", "y  nano            nan",
    ]  # fmt: skip


def test_commands_that_print_tables_take_both_options() -> None:
    for name in TABULAR:
        code, out, _ = call(name, "--help")
        assert code == 0 and "--tsv" in out and "--wide" in out, name
    (told,) = re.findall(r"nothing else on standard output\).*?: (.*?)\.", COMMANDS.read_text())
    assert set(re.findall(r"`([^`]+)`", told)) == TABULAR


def test_old_names_of_options_work_and_say_what_they_are_called() -> None:
    for command, names in RENAMED.items():
        for old, new in names.items():
            assert present(command, ["x", old, "1", f"{old}=1"]) == ["x", new, "1", f"{new}=1"]
            code, out, _ = call(command, "--help")
            assert (
                code == 0 and new in out and not re.search(rf"(^|\s|,){re.escape(old)}\b[, ]", out)
            )
    code, _, err = call("survey", "--workers", "0")
    assert code == 2 and "note: --workers of survey is called --processes now" in err
    assert "processes must be at least 1, got processes=0" in err
    assert present("run", ["--workers", "3"]) == ["--workers", "3"], "there it is n"
