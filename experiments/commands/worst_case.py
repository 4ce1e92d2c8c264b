"""``rateproof worst-case``: best constants of theorems and exact rates over spectral ranges."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.markup import escape

from experiments.commands.console import bad_input, console, dump, number, writable
from experiments.commands.grid import print_table
from experiments.worst_cases import kept
from experiments.worst_cases.drawing import written


def worst_case_command(*, out: Path | None, as_json: bool) -> int:
    """Print what is kept; with ``out``, draw the heat maps there."""
    if out is not None:
        with bad_input():
            writable(out)
        written(out)
    if as_json:
        dump(kept.stored())
        return 0
    screen = console(False)
    _print_constants(screen)
    _print_rates(screen)
    if out is not None:
        for stem in kept.MAPS:
            screen.print(f"plot: {out / stem}.png", highlight=False, soft_wrap=True)
    return 0


def _print_constants(out: Console) -> None:
    """Theorems: what the bound may be multiplied by at most, from both sides."""
    rows = (
        (one["theorem"], one["row"], str(one["T"]), one["stepsize"], number(one["bound"], 6),
         number(one["proved"], 7), number(one["below"], 7), number(one["factor_below"], 5),
         one["formula"] or "-")
        for one in kept.constants()
    )  # fmt: skip
    heads = (
        "theorem",
        "row",
        "T",
        "stepsize",
        "bound",
        "worst, proved",
        "run, below",
        "factor",
        "formula",
    )
    title = "Bounds without noise beside the worst case at the same constants"
    print_table(out, heads, rows, title)


def _print_rates(out: Console) -> None:
    """Decentralised methods: the least rate over stepsizes and where."""
    rows = (
        (one["method"], escape(f"[{one['lo']:g}, {one['hi']:g}]"), f"{one['alpha']:g}",
         number(one["above"], 6), number(one["below"], 6), "yes" if one["exact"] else "-")
        for one in kept.lines()
    )  # fmt: skip
    heads = ("method", "spectrum of W", "stepsize", "rate, above", "below", "exact")
    title = "Worst rates per step at the best stepsize of a grid, mu 0.1, L 1"
    print_table(out, heads, rows, title)
