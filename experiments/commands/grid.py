"""Tables of commands: one function prints all of them, for any width, or as lines with tabs."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import final

from rich.console import Console
from rich.markup import render
from rich.table import Table

_NUMBER = re.compile(r"[<>=~≈+\-−±\[(]*\s*(\d|(inf|nan)\b)|-?$", re.IGNORECASE)
_GAP = 2  # blanks between columns
_LONGEST = 24  # letters of a word of text up to which its column is not narrower


@final
@dataclass
class Layout:
    """Wishes of the command line for all tables of a command.

    Attributes:
        tsv: tables go to standard output as lines with tabs, everything else to standard error.
        wide: tables are as wide as they need be.
    """

    tsv: bool = False
    wide: bool = False


LAYOUT = Layout()
"""The present command's: options ``--tsv`` and ``--wide`` set it before a command begins."""


def print_table(
    out: Console, heads: Sequence[str], rows: Iterable[Sequence[str]], title: str = ""
) -> None:
    """Print a table; cells are rich's markup, and what is no markup is escaped by the caller.

    A number is never cut or broken, a heading never inside a word. Where columns do not fit, every
    row becomes a paragraph: its first cell, then each other one behind its heading. With ``--tsv``
    it is a line of headings and a line a row.
    """
    lines = [tuple(row) for row in rows]
    if LAYOUT.tsv:
        for line in (heads, *(map(_plain, line) for line in lines)):
            print("\t".join(" ".join(cell.split()) for cell in line))
        print()
        return
    plain = [[_plain(cell) for cell in line] for line in lines]
    numeric = [all(_NUMBER.match(line[k]) for line in plain) for k in range(len(heads))]
    least = [_least(k, heads[k], plain, numeric[k]) for k in range(len(heads))]
    natural = [_natural(k, heads[k], plain) for k in range(len(heads))]
    width = max(sum(natural) + _GAP * len(heads), out.width) if LAYOUT.wide else out.width
    if title:
        say(out, f"[bold]{title}[/]")
    if sum(least) + _GAP * len(heads) <= width:
        widths = _narrowed(natural, least, numeric, width - _GAP * len(heads))
        grid = _grid(heads, lines, numeric, widths)
        narrow, out.width = out.width, width  # rich takes no width beyond the console's
        out.print(grid, highlight=False, crop=False)
        out.width = narrow
    else:
        for line in stacked(heads, plain, width):
            out.print(line, highlight=False, markup=False, overflow="ignore", crop=False)
    out.print()


def say(out: Console, text: str) -> None:
    """Print a line of markup, wrapped between words and never inside one."""
    out.print(text, highlight=False, soft_wrap=True)


def stacked(heads: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """Rows as paragraphs: the first cell, then headings with their cells, as many a line as fit."""
    for first, *others in rows:
        yield from textwrap.wrap(first, width, break_long_words=False, break_on_hyphens=False)
        line = ""
        for head, cell in zip(heads[1:], others, strict=False):
            piece = f"{head} {cell}".strip() if cell.strip() else ""
            if not piece:
                continue
            joined = f"{line}; {piece}" if line else f"  {piece}"
            if len(joined) < width:  # a semicolon may follow
                line = joined
                continue
            if line:
                yield f"{line};"
            *whole, line = textwrap.wrap(
                f"  {piece}", width - 1, subsequent_indent="    ", break_long_words=False,
                break_on_hyphens=False,
            )  # fmt: skip
            yield from whole
        if line:
            yield line


def _grid(
    heads: Sequence[str], lines: Sequence[Sequence[str]], numeric: Sequence[bool],
    widths: Sequence[int],
) -> Table:  # fmt: skip
    table = Table(box=None, padding=(0, _GAP, 0, 0), pad_edge=False)
    for head, number, width in zip(heads, numeric, widths, strict=True):
        table.add_column(
            head, justify="right" if number else "left", width=width,
            overflow="fold",
        )  # fmt: skip
    for line in lines:
        table.add_row(*line)
    return table


def _least(k: int, head: str, rows: Sequence[Sequence[str]], number: bool) -> int:
    """Width below which a column would break a number, or a word that is no monster."""
    words = [len(word) for word in head.split()]
    for row in rows:
        cell = row[k]
        for word in cell.split():
            whole = number or _number(word)
            words.append(len(word) if whole else min(len(word), _LONGEST))
    return max(words, default=0)


def _number(word: str) -> bool:
    return bool(re.match(r"[<>=~+\-−±\[(]*\d", word))


def _natural(k: int, head: str, rows: Sequence[Sequence[str]]) -> int:
    """Width at which nothing of a column is wrapped."""
    cells = (line for row in rows for line in row[k].splitlines())
    return max(len(head), *map(len, cells), 1)


def _narrowed(
    natural: Sequence[int], least: Sequence[int], numeric: Sequence[bool], most: int
) -> list[int]:
    """Widths that sum to at most ``most``: text gives way before numbers, wide columns first."""
    widths = list(natural)
    while sum(widths) > most:
        giving = [k for k in range(len(widths)) if widths[k] > least[k]]
        k = max(giving, key=lambda k: (not numeric[k], widths[k]))
        widths[k] -= 1
    return widths


def _plain(cell: str) -> str:
    return render(cell).plain
