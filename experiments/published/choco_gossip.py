"""``rateproof figure choco-gossip``: average consensus with compressed messages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.table import Table

from experiments.commands.console import console, dump, files_written
from experiments.figures.choco_gossip import choco_gossip_figure
from experiments.figures.style import save, styled
from experiments.published.figure import PublishedFigure, Request
from proofs_check.figure_runs.averaging import (
    FULL,
    SEED,
    Lines,
    gap,
    late_rate,
    lines,
    quantisation_floor,
)


def draw(request: Request) -> None:
    """Exact gossip, CHOCO-Gossip with three operators, and averages of quantised values."""
    measured = lines(FULL)
    with styled():
        files = save(choco_gossip_figure(measured), request.out, "choco_gossip")
    if request.as_json:
        dump(_data(measured, files))
    else:
        _show(measured, files)


CHOCO_GOSSIP = PublishedFigure(
    "choco-gossip",
    "Averaging on a ring with compressed messages, by CHOCO-Gossip and without its public copies "
    "(Koloskova, Stich, Jaggi 2019, arXiv:1902.00340, Figures 2 and 3).",
    draw,
)


def _data(found: Lines, files: tuple[Path, ...]) -> dict[str, Any]:
    s = found.setting
    return {
        "figure": "choco-gossip",
        "workers": s.n, "d": s.d, "share": s.share, "levels": s.levels, "seed": SEED,
        "gap": gap(s.n), "consensus_steps": {"top": s.top, "rand": s.rand},
        "square_of_mean": found.square,
        "floor_of_q2": quantisation_floor(s, found.square),
        "lines": [
            {
                "name": line.name, "steps": line.steps.tolist(), "error": line.error.tolist(),
                "sent_bits": line.bits.tolist(),
            }
            for line in found.lines.values()
        ],
        "files": [str(path) for path in files],
    }  # fmt: skip


def _show(found: Lines, files: tuple[Path, ...]) -> None:
    out, s = console(False), found.setting
    table = Table(title=f"error of averaging on a ring, n = {s.n}, d = {s.d}")
    table.add_column("method")
    for title in ("steps", "error", "-d log(error) a step", "Mbit sent a worker"):
        table.add_column(title, justify="right")
    for line in found.lines.values():
        table.add_row(
            line.name, f"{line.steps[-1]:.0f}", f"{line.error[-1]:.3g}", f"{late_rate(line):.3g}",
            f"{line.bits[-1] / 1e6:.3g}",
        )  # fmt: skip
    out.print(table)
    out.print(
        f"||mean of the starts||^2 = {found.square:.3g}, where Q1 with rand collapses to; "
        f"floor of Q2 with QSGD {quantisation_floor(s, found.square):.3g}",
        highlight=False, soft_wrap=True,
    )  # fmt: skip
    files_written(out, files)
