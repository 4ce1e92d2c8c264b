"""``rateproof figure``: published figures, drawn again from runs of the methods."""

from __future__ import annotations

from typing import Any

from rich.table import Table

from algorithms.names import look_up
from experiments.commands.console import bad_input, console, dump, writable
from experiments.published.figure import PublishedFigure, Request, published_figures


def figure_command(name: str | None, request: Request) -> int:
    """Draw the figure called ``name``, or list all; exit code 2 for what cannot be drawn."""
    figures = published_figures()
    if name is None:
        return _list(tuple(figures.values()), request.as_json)
    with bad_input():
        chosen = look_up("figure", name, figures)
        writable(request.out)
        chosen.drawn(request)
    return 0


def _list(figures: tuple[PublishedFigure[Any], ...], as_json: bool) -> int:
    """Every figure by name: what it shows, and which options it takes."""
    if as_json:
        dump([
            {"name": one.name, "about": one.about, "options": sorted(one.options)}
            for one in figures
        ])  # fmt: skip
        return 0
    table = Table.grid(padding=(0, 2, 1, 0))
    for one in figures:
        options = "".join(f" --{option}" for option in sorted(one.options))
        table.add_row(one.name, f"{one.about}{f' Takes{options}.' if options else ''}")
    console(False).print(table, highlight=False, markup=False)
    return 0
