"""``rateproof figure`` and ``figures``: published figures, made again from runs of the methods."""

from __future__ import annotations

import math
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape

from algorithms.core.names import look_up
from experiments.commands.console import (
    REFUTED,
    bad_input,
    console,
    dump,
    files_written,
    number,
    print_error,
    writable,
)
from experiments.commands.grid import print_table
from experiments.figures.reproduction import PublishedNumber, Relation
from experiments.published.figure import (
    CostClass,
    Drawn,
    PublishedFigure,
    Request,
    by_any_name,
    published_figures,
)

_COLOURS = {True: "green", False: "bold red", None: "yellow"}


def _require_data(request: Request) -> None:
    """Refuse a folder of data that is not there.

    Raises:
        ValueError: it is not.
    """
    if request.data is not None and not request.data.is_dir():
        raise ValueError(
            f"data must be the folder of published data, got data={request.data}, which is not "
            "there"
        )


def figure_command(name: str | None, request: Request) -> int:
    """Draw the figure called ``name``, or list all; exit code 1 where it is not reproduced."""
    if name is None:
        return listed(tuple(published_figures().values()), request.as_json)
    with bad_input():
        chosen = look_up("figure", name, by_any_name())
        _require_data(request)
        writable(request.out)
        drawn = chosen.drawn(request)
    if request.as_json:
        dump(drawn.record())
    else:
        _show(drawn, console(False))
    return REFUTED if drawn.found.reproduced is False else 0


def figures_command(cost: str | None, request: Request, *, only_list: bool) -> int:
    """All figures, or those of one cost class; one that fails does not stop the rest.

    Exit code 1 where one failed or was not reproduced, 2 for an unknown cost class.
    """
    with bad_input():
        wanted = (
            None if cost is None else look_up("cost class", cost, {c.value: c for c in CostClass})
        )
        _require_data(request)
    chosen = [f for f in published_figures().values() if wanted in (None, f.cost)]
    if only_list:
        return listed(tuple(chosen), request.as_json)
    with bad_input():
        writable(request.out)
    out, told = console(request.as_json), []
    for figure in chosen:
        told.append(_tried(figure, request))
        one = told[-1]
        colour = _COLOURS[one["reproduced"]]
        out.print(
            f"{one['seconds']:7.1f} s  {figure.name}: [{colour}]{escape(one['verdict'])}[/]",
            highlight=False, soft_wrap=True,
        )  # fmt: skip
    if request.as_json:
        dump(told)
    counts = Counter(one["standing"] for one in told)
    out.print(
        ", ".join(f"{count} {standing}" for standing, count in counts.items()) or "no figures"
    )
    return REFUTED if any(one["reproduced"] is False for one in told) else 0


def _tried(figure: PublishedFigure, request: Request) -> dict[str, Any]:
    """Record of a figure, or of its failure; options that it does not take are not passed on."""
    own = request._replace(
        data=request.data if "data" in figure.options else None,
        workers=request.workers if "workers" in figure.options else (),
    )
    started = time.perf_counter()
    try:
        return figure.drawn(own).record()
    except Exception as error:  # the rest is still to be drawn
        traceback.print_exc()
        print_error(f"figure {figure.name} failed")
        return {
            **figure.record(), "figure": figure.name, "reproduced": False,
            "standing": "failed", "verdict": f"failed, {type(error).__name__}: {error}",
            "seconds": time.perf_counter() - started,
        }  # fmt: skip


def listed(figures: tuple[PublishedFigure, ...], as_json: bool) -> int:
    """Every figure by name: what it shows, when it is reproduced, its cost, its options."""
    if as_json:
        dump([one.record() for one in figures])
        return 0
    lines = []
    for one in figures:
        options = "".join(f" --{option}" for option in sorted(one.options))
        text = f"{one.title} ({one.source}). Reproduced when {one.criterion}."
        name = f"{one.name}, {one.alias}" if one.alias else one.name
        told = escape(text + (options and f" Takes{options}."))
        lines.append((escape(name), one.cost.value, told))
    print_table(console(False), ("figure", "cost", "what it is"), lines)
    return 0


def _show(drawn: Drawn, out: Console) -> None:
    found, figure = drawn.found, drawn.figure
    drawn_by_lot = any(not math.isnan(one.low) for one in found.numbers)
    heads = ("quantity", "published", "ours", *(("interval",) if drawn_by_lot else ()), "met")
    lines = [[escape(cell) for cell in _cells(one, drawn_by_lot)] for one in found.numbers]
    if lines:
        print_table(out, heads, lines, escape(f"{figure.title} ({figure.source})"))
    told = [*found.notes]
    if sources := dict.fromkeys(n.source for n in found.numbers if n.source):
        told.append("further sources: " + "; ".join(sources))
    told.append(f"reproduced when {figure.criterion}")
    for text in told:
        out.print(escape(text), highlight=False, soft_wrap=True)
    out.print(
        f"[{_COLOURS[found.reproduced]}]{escape(found.verdict)}[/], in {drawn.seconds:.2f} s",
        highlight=False, soft_wrap=True,
    )  # fmt: skip
    files_written(out, tuple(path for path in drawn.files if path.suffix != ".csv"))
    for path in drawn.files:
        if Path(path).suffix == ".csv":
            out.print(f"data: {escape(str(path))}", highlight=False, soft_wrap=True)


def _cells(one: PublishedNumber, drawn_by_lot: bool) -> Iterator[str]:
    sign = "" if one.relation is Relation.NEAR else f"{one.relation.value} "
    within = f" ± {number(one.tolerance, 2)}" if one.tolerance else ""
    yield one.quantity + (f" [{one.unit}]" if one.unit else "")
    yield f"{sign}{number(one.published, 6)}{within}"
    yield number(one.ours, 6)
    if drawn_by_lot:
        yield "" if math.isnan(one.low) else f"{number(one.low)} to {number(one.high)}"
    met = "yes" if one.met else f"no, off by {one.off:.2g}"
    yield met if one.gate else f"{met} ({one.confidence.value}: no gate)"
